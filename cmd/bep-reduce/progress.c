#include "cmd/bep-reduce/progress.h"

#include <inttypes.h>
#include <poll.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/clock.h"
#include "common/io/fd.h"
#include "common/json/write.h"
#include "common/text/utf8.h"

#define INTERVAL_MS  100
#define ACTIVITY_MAX 200  /* bytes of waiting_for */
#define LINE_MAX     4096 /* PIPE_BUF: a pipe that is writable takes this much at once */

void progress_init(struct progress *p, int fd, bool follow, unsigned width)
{
    *p = (struct progress){.fd = fd, .follow = follow, .width = width, .began = clock_ms()};
}

static const char *phase_of(const struct state *s)
{
    if (s->build.finished || s->build.last_message)
        return "finished";
    if (s->console_err.total > 0)
        return "execution";
    return s->targets ? "analysis" : "loading";
}

static uint64_t failed_of(const struct state *s)
{
    return s->counts.actions_failed + s->counts.tests_failed;
}

/* What is being done, without secrets; to be cut after that only. */
static void add_activity(const struct state *s, struct buf *out)
{
    const struct buf *activity = &s->console_err.activity;

    if (s->redact)
        redact_text(s->redact, activity->data, activity->len, out);
    else
        buf_add(out, activity->data, activity->len);
}

static void put_json(const struct progress *p, const struct state *s, struct buf *line)
{
    struct buf activity = BUF_INIT;
    struct json_writer w;

    if (!s->build.finished)
        add_activity(s, &activity);
    json_begin(&w, line);
    json_begin_object(&w, NULL);
    json_put_string(&w, "phase", phase_of(s));
    json_put_int(&w, "actions_done", (int64_t)s->console_err.done);
    json_put_int(&w, "actions_total", (int64_t)s->console_err.total);
    json_put_int(&w, "tests_done", (int64_t)s->counts.tests_done);
    json_put_int(&w, "failed", (int64_t)failed_of(s));
    if (activity.len > 0)
        json_put_bytes(&w, "waiting_for", activity.data,
                       utf8_cut(activity.data, activity.len, ACTIVITY_MAX));
    json_put_int(&w, "elapsed_ms", (int64_t)(clock_ms() - p->began));
    json_end_object(&w);
    buf_add_char(line, '\n');
    buf_release(&activity);
}

/* Only where it cannot block. A reader that has gone is no longer told. */
static void write_line(struct progress *p, const struct buf *line)
{
    int ready = fd_wait(p->fd, POLLOUT, 0);

    if (ready < 0 || (ready & (POLLERR | POLLHUP | POLLNVAL)))
        p->fd = -1;
    else if ((ready & POLLOUT) && line->len <= LINE_MAX &&
             fd_write_full(p->fd, line->data, line->len) != 0)
        p->fd = -1;
}

static void tell_fd(struct progress *p, const struct state *s)
{
    struct buf line = BUF_INIT;

    if (p->fd < 0)
        return;
    put_json(p, s, &line);
    write_line(p, &line);
    buf_release(&line);
}

static void put_live(const struct progress *p, const struct state *s, struct buf *line)
{
    uint64_t seconds = (clock_ms() - p->began) / 1000;

    buf_printf(line, "%s", phase_of(s));
    if (s->console_err.total > 0)
        buf_printf(line, " %" PRIu64 "/%" PRIu64, s->console_err.done, s->console_err.total);
    if (s->counts.tests_done > 0)
        buf_printf(line, ", %" PRIu64 " tests", s->counts.tests_done);
    if (failed_of(s) > 0)
        buf_printf(line, ", %" PRIu64 " failed", failed_of(s));
    buf_printf(line, ", %" PRIu64 " s", seconds);
    if (s->console_err.activity.len > 0) {
        buf_add_str(line, ": ");
        add_activity(s, line);
    }
}

static void tell_terminal(const struct progress *p, const struct state *s)
{
    struct buf line = BUF_INIT, out = BUF_INIT;

    if (!p->follow)
        return;
    put_live(p, s, &line);
    buf_add_str(&out, "\r\x1b[K");
    utf8_clean(&out, line.data, utf8_cut(line.data, line.len, p->width - 1));
    fd_write_full(STDERR_FILENO, out.data, out.len);
    buf_release(&line);
    buf_release(&out);
}

void progress_tell(struct progress *p, const struct state *s)
{
    uint64_t now;

    if ((p->fd < 0 && !p->follow) || s->counts.events == p->events)
        return;
    now = clock_ms();
    if (p->last != 0 && now - p->last < INTERVAL_MS)
        return;
    p->last = now;
    p->events = s->counts.events;
    tell_fd(p, s);
    tell_terminal(p, s);
}

void progress_end(struct progress *p, const struct state *s)
{
    tell_fd(p, s);
    if (p->follow)
        fd_write_full(STDERR_FILENO, "\r\x1b[K", 4);
}
