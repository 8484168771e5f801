#include "cmd/mcp-front/output.h"
#include "common/base/clock.h"
#include "common/io/fd.h"
#include "common/json/print.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>

/* Shifting the queue costs a copy; done when this much has gone. */
#define SHIFT_AT (64UL * 1024)

size_t output_waiting(const struct output *out)
{
    return out->queue.len - out->sent;
}

/* A pipe or socket that polls as writable takes PIPE_BUF bytes without blocking. */
static bool write_some(struct output *out)
{
    size_t len = output_waiting(out);
    ssize_t n;

    if (fd_wait(out->fd, POLLOUT, 0) <= 0)
        return false;
    n = fd_write(out->fd, out->queue.data + out->sent, len < PIPE_BUF ? len : PIPE_BUF);
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        return false;
    if (n < 0) {
        out->broken = true;
        out->sent = out->queue.len;
        return false;
    }
    out->sent += (size_t)n;
    return true;
}

static void tidy(struct output *out)
{
    if (out->sent == out->queue.len) {
        out->sent = 0;
        buf_clear(&out->queue);
        if (out->queue.cap > SHIFT_AT)
            buf_release(&out->queue);
    } else if (out->sent >= SHIFT_AT) {
        buf_shift(&out->queue, out->sent);
        out->sent = 0;
    }
}

static void advance(struct output *out)
{
    while (output_waiting(out) && write_some(out))
        ;
    tidy(out);
    if (output_waiting(out))
        watch_start(&out->watch);
    else
        watch_stop(&out->watch);
}

static void on_ready(void *data)
{
    struct output *out = data;

    advance(out);
    if (!output_waiting(out))
        out->changed(out->data);
}

int output_open(struct output *out, uv_loop_t *loop, int fd, void (*changed)(void *data),
                void *data)
{
    *out = (struct output){.queue = BUF_INIT, .fd = fd, .changed = changed, .data = data};
    return watch_open(&out->watch, loop, fd, true, on_ready, out);
}

void output_message(struct output *out, struct json_object *message)
{
    size_t before = out->queue.len;

    if (out->broken)
        return;
    if (json_print(&out->queue, message) != BUF_OK || buf_add_char(&out->queue, '\n') != BUF_OK) {
        buf_truncate(&out->queue, before);
        return;
    }
    advance(out);
    if (out->broken)
        watch_start(
            &out->watch); /* the owner hears of it from the loop, not from within this call */
}

void output_flush(struct output *out, int timeout_ms)
{
    uint64_t deadline = clock_ms() + (uint64_t)timeout_ms;

    while (output_waiting(out) && !out->broken) {
        if (fd_wait(out->fd, POLLOUT, clock_left(deadline)) <= 0)
            return;
        write_some(out);
    }
}

void output_close(struct output *out)
{
    watch_close(&out->watch);
    buf_release(&out->queue);
}
