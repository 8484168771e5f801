#include "cmd/bep-reduce/safelines.h"

#include <string.h>

#define LINE_MAX_BYTES (1024UL * 1024)

void safelines_init(struct safelines *s)
{
    *s = (struct safelines){.lines = REDACT_LINES_INIT};
    buf_init(&s->open, LINE_MAX_BYTES);
}

void safelines_release(struct safelines *s)
{
    buf_release(&s->open);
}

static void keep(struct safelines *s, const uint8_t *text, size_t len)
{
    if (buf_add(&s->open, text, len) == BUF_OK)
        return;
    buf_clear(&s->open);
    buf_add_str(&s->open, REDACT_MARK);
}

void safelines_write(struct safelines *s, struct redact *redact, struct bytes piece,
                     struct buf *out)
{
    const uint8_t *at = piece.at, *end = piece.at + piece.len, *stop;

    while (at < end && (stop = memchr(at, '\n', (size_t)(end - at)))) {
        keep(s, at, (size_t)(stop - at));
        redact_line(redact, &s->lines, s->open.data, s->open.len, out);
        buf_add_char(out, '\n');
        buf_clear(&s->open);
        at = stop + 1;
    }
    if (at < end)
        keep(s, at, (size_t)(end - at));
}
