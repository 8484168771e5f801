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

static void on_readable(uv_poll_t *poll, int status, int events)
{
    struct reader *r = poll->data;
    char chunk[READ_CHUNK / 4];
    ssize_t n = fd_read(r->fd, chunk, sizeof(chunk));

    (void)status;
    (void)events;
    if (n < 0 && errno == EAGAIN)
        return;
    if (n > 0) {
        if (buf_add(&r->buf, chunk, (size_t)n) != BUF_OK && r->handler.line)
            buf_clear(&r->buf);
        if (r->handler.line)
            give_lines(r);
        return;
    }
    uv_poll_stop(&r->poll);
    r->handler.end(r->handler.data, &r->buf);
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
