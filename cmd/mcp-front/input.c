#include "cmd/mcp-front/input.h"
#include "common/base/limits.h"
#include "common/io/fd.h"

#include <errno.h>
#include <string.h>

#define BOM "\xef\xbb\xbf"

static void give_line(struct input *in, const char *text, size_t len)
{
    if (len >= 3 && !memcmp(text, BOM, 3)) {
        text += 3;
        len -= 3;
    }
    if (len && text[len - 1] == '\r')
        len--;
    if (in->skipping)
        in->skipping = false;
    else if (len)
        in->handler.line(in->handler.data, text, len);
}

/* Gives every whole line in the buffer. A handler may close us. */
static void give_lines(struct input *in)
{
    size_t start = 0;
    char *newline;

    while (!in->ended &&
           (newline = memchr(in->buf.data + in->searched, '\n', in->buf.len - in->searched))) {
        size_t at = (size_t)(newline - in->buf.data);

        in->searched = at + 1;
        give_line(in, in->buf.data + start, at - start);
        start = at + 1;
    }
    buf_shift(&in->buf, start);
    in->searched = in->buf.len;
    if (in->buf.len > INPUT_MAX_LINE) {
        if (!in->skipping)
            in->handler.too_long(in->handler.data);
        in->skipping = true;
        buf_release(&in->buf);
        in->searched = 0;
    }
}

static void finish(struct input *in)
{
    watch_stop(&in->watch);
    if (in->buf.len)
        give_line(in, in->buf.data, in->buf.len);
    if (in->ended)
        return;
    in->ended = true;
    in->handler.end(in->handler.data);
}

static void on_ready(void *data)
{
    struct input *in = data;
    ssize_t n;

    if (buf_reserve(&in->buf, READ_CHUNK) != BUF_OK) {
        finish(in);
        return;
    }
    n = fd_read(in->fd, in->buf.data + in->buf.len, READ_CHUNK);
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        return;
    if (n <= 0) {
        finish(in);
        return;
    }
    buf_added(&in->buf, (size_t)n);
    give_lines(in);
    /* A rare large message must not stay for good. */
    if (!in->buf.len && in->buf.cap > 2 * READ_CHUNK)
        buf_release(&in->buf);
}

int input_open(struct input *in, uv_loop_t *loop, int fd, const struct input_handler *handler)
{
    *in = (struct input){.buf = BUF_INIT, .fd = fd, .handler = *handler};
    if (watch_open(&in->watch, loop, fd, false, on_ready, in))
        return -1;
    watch_start(&in->watch);
    return 0;
}

void input_pause(struct input *in, bool paused)
{
    if (in->ended || paused == in->paused)
        return;
    in->paused = paused;
    if (paused)
        watch_stop(&in->watch);
    else
        watch_start(&in->watch);
}

void input_close(struct input *in)
{
    in->ended = true;
    watch_close(&in->watch);
    buf_release(&in->buf);
}
