#include "common/io/file.h"
#include "common/base/limits.h"
#include "common/io/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int read_open(int fd, size_t max, struct buf *out)
{
    struct stat st;
    size_t start = out->len;

    if (fstat(fd, &st))
        return -1;
    if (!S_ISREG(st.st_mode)) {
        errno = EINVAL;
        return -1;
    }
    for (;;) {
        if (buf_reserve(out, READ_CHUNK) != BUF_OK) {
            errno = ENOMEM;
            return -1;
        }
        ssize_t n = fd_read(fd, out->data + out->len, READ_CHUNK);
        if (n <= 0)
            return (int)n;
        buf_added(out, (size_t)n);
        if (out->len - start > max) {
            errno = EFBIG;
            return -1;
        }
    }
}

int file_read(const char *path, size_t max, struct buf *out)
{
    /* O_NONBLOCK: a FIFO by that name must not hold us. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    size_t start = out->len;
    int result, saved;

    if (fd < 0)
        return -1;
    result = read_open(fd, max, out);
    saved = errno;
    fd_close(fd);
    if (result)
        buf_truncate(out, start);
    errno = saved;
    return result;
}

int file_replace(const char *path, const void *bytes, size_t len)
{
    char beside[PATH_MAX];
    int fd, saved;

    if (snprintf(beside, sizeof(beside), "%s.XXXXXX", path) >= (int)sizeof(beside)) {
        errno = ENAMETOOLONG;
        return -1;
    }
    fd = mkostemp(beside, O_CLOEXEC);
    if (fd < 0)
        return -1;
    if (!fd_write_full(fd, bytes, len) && !fd_close(fd)) {
        fd = -1;
        if (!rename(beside, path))
            return 0;
    }
    saved = errno;
    fd_close(fd);
    unlink(beside);
    errno = saved;
    return -1;
}

int file_make_folders(const char *path)
{
    char *copy = strdup(path);
    int result = -1;

    if (!copy)
        return -1;
    for (char *at = copy + 1;; at++) {
        char c = *at;
        if (c && c != '/')
            continue;
        *at = '\0';
        if (mkdir(copy, 0700) && errno != EEXIST && errno != EISDIR)
            break;
        *at = c;
        if (!c) {
            result = 0;
            break;
        }
    }
    free(copy);
    return result;
}

int file_remove_tree(const char *path)
{
    char *const roots[] = {(char *)path, NULL};
    FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, NULL);
    FTSENT *entry;
    int result = 0, saved = 0;

    if (!walk)
        return -1;
    while ((entry = fts_read(walk))) {
        if (entry->fts_info == FTS_D)
            continue;
        if (entry->fts_info == FTS_NS && entry->fts_errno == ENOENT)
            continue;
        if (remove(entry->fts_accpath) && errno != ENOENT) {
            result = -1;
            saved = errno;
        }
    }
    fts_close(walk);
    errno = saved;
    return result;
}

int64_t file_tree_bytes(const char *path)
{
    char *const roots[] = {(char *)path, NULL};
    FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, NULL);
    FTSENT *entry;
    int64_t bytes = 0;

    if (!walk)
        return 0;
    while ((entry = fts_read(walk)))
        if (entry->fts_info == FTS_F)
            bytes += entry->fts_statp->st_size;
    fts_close(walk);
    return bytes;
}

static char *join(const char *folder, const char *rest)
{
    char *path = NULL;

    if (asprintf(&path, "%s%s%s", strcmp(folder, "/") ? folder : "", *rest ? "/" : "", rest) < 0)
        return NULL;
    return path;
}

/* Takes "." and ".." out of an absolute path by its letters alone. */
static char *fold(const char *path)
{
    char *out = malloc(strlen(path) + 2);
    size_t len = 0;

    if (!out)
        return NULL;
    while (*path) {
        size_t n = strcspn(path, "/");
        if (n == 2 && !strncmp(path, "..", 2)) {
            while (len && out[--len] != '/')
                ;
        } else if (n && !(n == 1 && *path == '.')) {
            out[len++] = '/';
            memcpy(out + len, path, n);
            len += n;
        }
        path += n + (path[n] == '/');
    }
    if (!len)
        out[len++] = '/';
    out[len] = '\0';
    return out;
}

/* Resolves the longest front of an absolute path that exists; `rest` gets what is behind it. */
static char *resolve_front(char *path, const char **rest)
{
    for (size_t cut = strlen(path);; cut--) {
        char c = path[cut], *resolved;
        if (c && c != '/')
            continue;
        path[cut] = '\0';
        resolved = realpath(cut ? path : "/", NULL);
        path[cut] = c;
        *rest = path + cut + (c == '/');
        if (resolved || !cut || (errno != ENOENT && errno != ENOTDIR))
            return resolved;
    }
}

char *file_canonical(const char *base, const char *path)
{
    char *whole = *path == '/' ? strdup(path) : join(base, path);
    const char *rest = "";
    char *front = whole ? resolve_front(whole, &rest) : NULL;
    char *joined = front ? join(front, rest) : NULL;
    char *result = joined ? fold(joined) : NULL;

    /* Behind a missing "x/..", a symbolic link may stand again. */
    if (result && strcmp(result, joined)) {
        char *folded = result;
        result = file_canonical("/", folded);
        free(folded);
    }
    free(joined);
    free(front);
    free(whole);
    return result;
}

int file_is_inside(const char *path, const char *folder)
{
    size_t n = strlen(folder);

    if (!strcmp(folder, "/"))
        return *path == '/';
    return !strncmp(path, folder, n) && (!path[n] || path[n] == '/');
}
