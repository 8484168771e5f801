#include "cmd/mcp-front/reader.h"
#include "common/base/limits.h"
#include "common/io/fd.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    uv_poll_t poll;
    int fd;
    bool closed;
    struct buf buf;
    struct reader_handler handler;
};

static void give_lines(struct reader *r)
{
    size_t start = 0;
    char *newline;

    while (!r->closed && (newline = memchr(r->buf.data + start, '\n', r->buf.len - start))) {
        *newline = '\0';
        r->handler.line(r->handler.data, r->buf.data + start);
        start = (size_t)(newline - r->buf.data) + 1;
    }
    buf_shift(&r->buf, start);
}

/* As read(2): 0 at the end. */
static ssize_t take(struct reader *r)
{
    char chunk[READ_CHUNK / 4];
    ssize_t n = fd_read(r->fd, chunk, sizeof(chunk));

    if (n > 0 && buf_add(&r->buf, chunk, (size_t)n) != BUF_OK && r->handler.line)
        buf_clear(&r->buf);
    if (n > 0 && r->handler.line)
        give_lines(r);
    return n;
}

static void end(struct reader *r)
{
    uv_poll_stop(&r->poll);
    r->handler.end(r->handler.data, &r->buf);
}

static void on_readable(uv_poll_t *poll, int status, int events)
{
    struct reader *r = poll->data;
    ssize_t n = take(r);

    (void)status;
    (void)events;
    if (!n || (n < 0 && errno != EAGAIN))
        end(r);
}

struct reader *reader_open(uv_loop_t *loop, int fd, size_t max,
                           const struct reader_handler *handler)
{
    struct reader *r = calloc(1, sizeof(*r));

    if (!r) {
        fd_close(fd);
        return NULL;
    }
    r->fd = fd;
    r->handler = *handler;
    buf_init(&r->buf, max);
    uv_poll_init(loop, &r->poll, fd);
    r->poll.data = r;
    uv_poll_start(&r->poll, UV_READABLE, on_readable);
    return r;
}

void reader_finish(struct reader *r)
{
    while (!r->closed && take(r) > 0)
        ;
    if (!r->closed)
        end(r);
}

static void on_closed(uv_handle_t *handle)
{
    struct reader *r = handle->data;

    fd_close(r->fd);
    buf_release(&r->buf);
    free(r);
}

void reader_close(struct reader *r)
{
    if (!r || r->closed)
        return;
    r->closed = true;
    uv_close((uv_handle_t *)&r->poll, on_closed);
}
