#include "cmd/bep-reduce/details.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/bep-reduce/emit.h"
#include "common/io/fd.h"
#include "common/io/file.h"

#define FLUSH_BYTES    (256UL * 1024)
#define NAME_MAX_BYTES 180

int details_open(struct details *d, const char *folder, struct redact *redact)
{
    struct buf logs = BUF_INIT;
    int result;

    *d = (struct details){.folder = folder, .redact = redact};
    if (buf_printf(&logs, "%s/test-logs", folder) != BUF_OK) {
        errno = ENOMEM;
        return -1;
    }
    result = file_make_folders(logs.data);
    buf_release(&logs);
    return result;
}

static int create(const struct details *d, const char *name)
{
    struct buf path = BUF_INIT;
    int fd = -1;

    if (buf_printf(&path, "%s/%s", d->folder, name) == BUF_OK)
        fd = fd_open(path.data, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0600);
    buf_release(&path);
    return fd;
}

static void fail(struct details *d)
{
    if (d->error == 0)
        d->error = errno ? errno : EIO;
}

/* "test-logs/pkg_name.run_2.shard_1.attempt_3.log" */
static void copy_name(const struct test *t, const struct attempt *a, const char *end,
                      struct buf *name)
{
    const char *label = t->label + strspn(t->label, "@/");

    buf_add_str(name, "test-logs/");
    for (size_t i = 0; i < NAME_MAX_BYTES && label[i]; i++)
        buf_add_char(name,
                     isalnum((unsigned char)label[i]) || strchr("._-", label[i]) ? label[i] : '_');
    /* Labels that differ only in what '_' stands for, or behind the cut, are told apart. */
    buf_printf(name, "-%04x", (unsigned)(table_hash(1, label, strlen(label)) & 0xffff));
    if (a->run > 0)
        buf_printf(name, ".run_%d", a->run);
    if (a->shard > 0)
        buf_printf(name, ".shard_%d", a->shard);
    if (a->attempt > 0)
        buf_printf(name, ".attempt_%d", a->attempt);
    buf_add_str(name, end);
}

static bool read_source(const struct files *files, const struct output *output, struct buf *text)
{
    struct bytes uri = {(const uint8_t *)output->uri, output->uri ? strlen(output->uri) : 0};
    struct buf path = BUF_INIT;
    bool good;

    if (output->missing)
        return false;
    if (!output->uri)
        return output->text && buf_add(text, output->text, output->len) == BUF_OK;
    good = !files_path(files, uri, &path) && !files_read(path.data, DETAILS_LOG_MAX_BYTES, text);
    buf_release(&path);
    return good;
}

static bool write_copy(struct details *d, const char *name, const struct buf *text)
{
    struct buf clean = BUF_INIT;
    const struct buf *what = text;
    int fd = create(d, name);
    bool good;

    if (fd < 0)
        return false;
    if (d->redact)
        what = &clean;
    good = (!d->redact || redact_text(d->redact, text->data, text->len, &clean) == BUF_OK) &&
           fd_write_full(fd, what->data, what->len) == 0;
    if (fd_close(fd) != 0)
        good = false;
    d->copied += what->len;
    buf_release(&clean);
    return good;
}

static void copy_one(struct details *d, const struct files *files, struct state *s,
                     const struct test *t, const struct attempt *a, struct output *output,
                     const char *end)
{
    struct buf text = BUF_INIT, name = BUF_INIT;

    if (d->copied < DETAILS_LOGS_MAX_BYTES && read_source(files, output, &text)) {
        copy_name(t, a, end, &name);
        if (write_copy(d, name.data, &text))
            output->copy = state_text(s, (struct bytes){(const uint8_t *)name.data, name.len});
        else
            fail(d);
    }
    buf_release(&text);
    buf_release(&name);
}

void details_copy_logs(void *context, const struct files *files, struct state *s,
                       const struct test *t, struct attempt *a)
{
    struct details *d = context;

    copy_one(d, files, s, t, a, &a->log, ".log");
    copy_one(d, files, s, t, a, &a->xml, ".xml");
}

/* One file of JSON lines; without a line there is no file. */
struct lines {
    struct details *details;
    const char *name;
    struct buf text;
    struct json_writer json;
    int fd; /* -1: not there yet */
};

static void lines_open(struct lines *l, struct details *d, const char *name)
{
    *l = (struct lines){.details = d, .name = name, .text = BUF_INIT, .fd = -1};
}

static void lines_flush(struct lines *l)
{
    if (l->fd < 0)
        l->fd = create(l->details, l->name);
    if (l->fd < 0 || fd_write_full(l->fd, l->text.data, l->text.len) != 0)
        fail(l->details);
    buf_clear(&l->text);
}

/* That of an earlier run. */
static void remove_file(struct lines *l)
{
    struct buf path = BUF_INIT;

    if (buf_printf(&path, "%s/%s", l->details->folder, l->name) != BUF_OK ||
        (unlink(path.data) && errno != ENOENT))
        fail(l->details);
    buf_release(&path);
}

/* Between these two one object is written. */
static struct json_writer *line_begin(struct lines *l)
{
    json_begin(&l->json, &l->text);
    return &l->json;
}

static void line_end(struct lines *l)
{
    if (buf_add_char(&l->text, '\n') != BUF_OK || l->json.failed) {
        errno = ENOMEM;
        fail(l->details);
    }
    if (l->text.len > FLUSH_BYTES)
        lines_flush(l);
}

static void lines_close(struct lines *l)
{
    if (l->text.len)
        lines_flush(l);
    else if (l->fd < 0)
        remove_file(l);
    if (l->fd >= 0 && fd_close(l->fd) != 0)
        fail(l->details);
    buf_release(&l->text);
}

static void write_diagnostics(struct details *d, const struct summary *s)
{
    struct lines l;

    lines_open(&l, d, "diagnostics.jsonl");
    for (size_t i = 0; i < s->causes.count; i++) {
        emit_diagnostic(line_begin(&l), s->causes.items[i]);
        line_end(&l);
    }
    lines_close(&l);
}

static void write_tests(struct details *d, const struct summary *s)
{
    struct lines l;

    lines_open(&l, d, "tests.jsonl");
    for (size_t i = 0; i < s->test_row_count; i++) {
        emit_test(line_begin(&l), &s->test_rows[i], true);
        line_end(&l);
    }
    lines_close(&l);
}

static void write_targets(struct details *d, const struct summary *s)
{
    struct lines l;

    lines_open(&l, d, "targets.jsonl");
    for (const struct target *t = s->state->targets; t; t = t->next) {
        emit_target(line_begin(&l), s, t);
        line_end(&l);
    }
    lines_close(&l);
}

static void write_artifacts(struct details *d, const struct summary *s)
{
    struct lines l;

    lines_open(&l, d, "artifacts.jsonl");
    for (const struct artifact *a = s->state->artifacts; a; a = a->next) {
        emit_artifact(line_begin(&l), a->label ? a->label : summary_set_owner(s, a->set), a);
        line_end(&l);
    }
    lines_close(&l);
}

static void write_coverage(struct details *d, const struct summary *s)
{
    struct lines l;

    lines_open(&l, d, "coverage.jsonl");
    for (const struct covered_file *f = s->coverage.files; f; f = f->next) {
        emit_covered_file(line_begin(&l), f);
        line_end(&l);
    }
    lines_close(&l);
}

int details_write(struct details *d, const struct summary *s)
{
    write_diagnostics(d, s);
    write_tests(d, s);
    write_targets(d, s);
    write_artifacts(d, s);
    write_coverage(d, s);
    errno = d->error;
    return d->error ? -1 : 0;
}
