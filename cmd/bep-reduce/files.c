#include "cmd/bep-reduce/files.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/bep-reduce/excerpt.h"
#include "common/io/fd.h"

#define TESTLOGS "/testlogs/"
/* A log is moved into its place after the attempt's end; a busy machine takes its time. */
#define WRITTEN_LATE_MS 60000

static int hex_digit(uint8_t c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* One byte, percent-encoded or not; -1: a bad escape. */
static int decode_one(struct bytes *text)
{
    int high, low;

    if (*text->at != '%') {
        text->len--;
        return *text->at++;
    }
    high = text->len >= 3 ? hex_digit(text->at[1]) : -1;
    low = high >= 0 ? hex_digit(text->at[2]) : -1;
    if (low < 0)
        return -1;
    text->at += 3;
    text->len -= 3;
    return high * 16 + low;
}

static bool decode(struct bytes text, struct buf *path)
{
    while (text.len > 0) {
        int c = decode_one(&text);

        if (c <= 0 || buf_add_char(path, (char)c) != BUF_OK)
            return false;
    }
    return true;
}

static bool skip(struct bytes *text, const char *word)
{
    size_t len = strlen(word);

    if (text->len < len || memcmp(text->at, word, len) != 0)
        return false;
    text->at += len;
    text->len -= len;
    return true;
}

static bool has_dot_dot(const char *path)
{
    for (const char *at = path; (at = strstr(at, "/..")); at += 3)
        if (at[3] == '/' || at[3] == 0)
            return true;
    return false;
}

const char *files_testlogs_part(const char *path)
{
    const char *part = NULL;

    for (const char *at = path; (at = strstr(at, TESTLOGS)); at++)
        part = at + strlen(TESTLOGS);
    return part;
}

/* Puts FOLDER/PART in the place of `path`, of which `part` is the end. */
static const char *replace_path(struct buf *path, const char *folder, const char *part)
{
    struct buf whole = BUF_INIT;
    enum buf_status status = buf_printf(&whole, "%s/%s", folder, part);

    buf_release(path);
    *path = whole;
    if (status != BUF_OK)
        return "out of memory";
    return access(path->data, R_OK) == 0 ? NULL : "gone";
}

/* A root that is the whole file system, or nearly, confines nothing. */
static bool lies_under(const char *path, const char *root)
{
    char real[PATH_MAX];
    size_t len;

    if (!root || !realpath(root, real))
        return false;
    len = strlen(real);
    return len > 1 && strncmp(path, real, len) == 0 && path[len] == '/';
}

static const char *confine(const struct files *f, struct buf *path)
{
    char real[PATH_MAX];

    if (!realpath(path->data, real))
        return errno == ENOENT || errno == ENOTDIR ? "gone" : "unreadable";
    if (!lies_under(real, f->workspace) && !lies_under(real, f->output_base) &&
        !lies_under(real, f->exec_root))
        return "outside of the build's folders";
    buf_clear(path);
    return buf_add_str(path, real) == BUF_OK ? NULL : "out of memory";
}

static bool is_action_log(const char *name)
{
    return strncmp(name, "/stdout-", 8) == 0 || strncmp(name, "/stderr-", 8) == 0;
}

const char *files_path(const struct files *f, struct bytes uri, struct buf *path)
{
    const char *part, *name;

    buf_clear(path);
    if (!skip(&uri, "file://localhost/") && !skip(&uri, "file:///") && !skip(&uri, "file:/"))
        /* A recording may have other words where the root was; only its end is used then. */
        if (!skip(&uri, "file://"))
            return "remote";
    if (buf_add_char(path, '/') != BUF_OK || !decode(uri, path) || has_dot_dot(path->data))
        return "no valid file name";
    part = files_testlogs_part(path->data);
    if (f->testlogs && part)
        return replace_path(path, f->testlogs, part);
    name = strrchr(path->data, '/');
    if (f->action_logs && is_action_log(name))
        return replace_path(path, f->action_logs, name + 1);
    return confine(f, path);
}

/* "//a/b:c" → "a/b/c", "@repo//a:b" → "external/repo/a/b". */
static bool add_label(struct buf *out, const char *label)
{
    const char *package = strstr(label, "//");
    const char *repository = label + strspn(label, "@");

    if (!package)
        return false;
    if (repository < package)
        buf_printf(out, "external/%.*s/", (int)(package - repository), repository);
    for (const char *at = package + 2; *at; at++)
        if (*at != ':' || at > package + 2)
            buf_add_char(out, *at == ':' ? '/' : *at);
    return !has_dot_dot(out->data);
}

/* Characters of a label that mean something to glob(3) are taken as they are. */
static void add_quoted(struct buf *pattern, const char *text)
{
    for (; *text; text++) {
        if (strchr("*?[]\\", *text))
            buf_add_char(pattern, '\\');
        buf_add_char(pattern, *text);
    }
}

static bool first_match(const char *pattern, struct buf *path)
{
    glob_t found;
    bool good = glob(pattern, 0, NULL, &found) == 0 && found.gl_pathc > 0;

    buf_clear(path);
    if (good)
        good = buf_add_str(path, found.gl_pathv[0]) == BUF_OK;
    globfree(&found);
    return good;
}

/* A test's folder is named after its shard and its run, where there are several. */
static bool find_output(const char *folder, const struct test_place *test, const char *file,
                        struct buf *path)
{
    struct buf pattern = BUF_INIT;
    bool found = false;

    for (int form = 0; form < 4 && !found; form++) {
        bool shard = form & 1, run = form & 2;

        if ((shard && test->shard == 0) || (run && test->run == 0))
            continue;
        buf_clear(&pattern);
        add_quoted(&pattern, folder);
        if (form)
            buf_add_char(&pattern, '/');
        if (shard)
            buf_printf(&pattern, "shard_%d_of_*[0-9]%s", test->shard, run ? "_" : "");
        if (run)
            buf_printf(&pattern, "run_%d_of_*[0-9]", test->run);
        buf_printf(&pattern, "/%s", file);
        found = first_match(pattern.data, path);
    }
    buf_release(&pattern);
    return found;
}

const char *files_test_output(const struct files *f, const struct test_place *test,
                              const char *name, struct buf *path)
{
    struct buf folder = BUF_INIT, attempt = BUF_INIT;
    bool found = false;

    if (f->testlogs)
        buf_printf(&folder, "%s/", f->testlogs);
    else if (f->workspace)
        buf_printf(&folder, "%s/bazel-testlogs/", f->workspace);
    buf_printf(&attempt, "test_attempts/attempt_%d%s", test->attempt, strrchr(name, '.'));
    /* An attempt that was followed by another one is kept under its number. */
    if (folder.len > 0 && add_label(&folder, test->label))
        found = (test->attempt > 0 && find_output(folder.data, test, attempt.data, path)) ||
                find_output(folder.data, test, name, path);
    buf_release(&folder);
    buf_release(&attempt);
    return found ? NULL : "remote";
}

static bool is_of(const char *path, const char *folder)
{
    size_t len = folder ? strlen(folder) : 0;

    return len > 0 && strncmp(path, folder, len) == 0;
}

const char *files_changed(const struct files *f, const char *path,
                          const struct files_expected *expected)
{
    struct stat info;

    if (is_of(path, f->testlogs) || is_of(path, f->action_logs) || stat(path, &info) != 0)
        return NULL;
    if (expected->length > 0)
        return info.st_size == expected->length ? NULL : "overwritten";
    if (expected->written_ms > 0 &&
        (int64_t)info.st_mtime * 1000 > expected->written_ms + WRITTEN_LATE_MS)
        return "overwritten";
    return NULL;
}

static bool read_part(int fd, off_t offset, size_t len, struct buf *out)
{
    ssize_t n;

    if (buf_reserve(out, len) != BUF_OK)
        return false;
    n = fd_pread_full(fd, out->data + out->len, len, offset);
    if (n < 0)
        return false;
    buf_added(out, (size_t)n);
    return true;
}

const char *files_read(const char *path, size_t max, struct buf *out)
{
    int fd = fd_open(path, O_RDONLY | O_NONBLOCK, 0);
    struct stat info;
    bool good;

    if (fd < 0)
        return errno == ENOENT || errno == ENOTDIR ? "gone" : "unreadable";
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
        fd_close(fd);
        return "no regular file";
    }
    good = (uint64_t)info.st_size <= max ? read_part(fd, 0, (size_t)info.st_size, out)
                                         : excerpt_read(fd, info.st_size, max, out);
    fd_close(fd);
    return good ? NULL : "unreadable";
}
