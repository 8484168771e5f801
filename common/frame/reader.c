#include "common/frame/reader.h"
#include "common/base/limits.h"
#include "common/frame/varint.h"
#include "common/frame/wire.h"

#define LAST_MESSAGE 20 /* field of BuildEvent */

/* A buffer that one huge frame has grown is not kept for the rest of the stream. */
#define KEEP_CAP (1024UL * 1024)

void frame_reader_init(struct frame_reader *r, uint64_t max_frame)
{
    *r = (struct frame_reader){.buf = BUF_INIT, .max_frame = max_frame};
}

void frame_reader_release(struct frame_reader *r)
{
    buf_release(&r->buf);
    frame_reader_init(r, r->max_frame);
}

void frame_reader_restart(struct frame_reader *r)
{
    buf_clear(&r->buf);
    r->at = 0;
    r->offset = 0;
    r->frames = 0;
}

static void drop_given(struct frame_reader *r)
{
    if (r->at == r->buf.len && r->buf.cap > KEEP_CAP)
        buf_release(&r->buf);
    else
        buf_shift(&r->buf, r->at);
    r->at = 0;
}

void *frame_reader_room(struct frame_reader *r, size_t *len)
{
    drop_given(r);
    if (buf_room(&r->buf) < READ_CHUNK && buf_reserve(&r->buf, READ_CHUNK) != BUF_OK)
        return NULL;
    *len = buf_room(&r->buf);
    return r->buf.data + r->buf.len;
}

void frame_reader_added(struct frame_reader *r, size_t n)
{
    buf_added(&r->buf, n);
}

enum frame_status frame_next(struct frame_reader *r, struct frame *frame)
{
    const uint8_t *start = (const uint8_t *)r->buf.data + r->at;
    size_t have = r->buf.len - r->at;
    size_t prefix;
    uint64_t len;

    switch (varint_read(start, have, &len, &prefix)) {
    case VARINT_OK:
        break;
    case VARINT_MORE:
        return FRAME_MORE;
    case VARINT_BAD:
        return FRAME_MALFORMED;
    }
    if (len > r->max_frame) {
        r->announced = len;
        return FRAME_TOO_BIG;
    }
    if (len > have - prefix)
        return FRAME_MORE;
    *frame = (struct frame){
        .whole = start,
        .whole_len = prefix + (size_t)len,
        .body = start + prefix,
        .body_len = (size_t)len,
        .offset = r->offset,
    };
    r->at += frame->whole_len;
    r->offset += frame->whole_len;
    r->frames++;
    return FRAME_OK;
}

size_t frame_reader_tail(const struct frame_reader *r)
{
    return r->buf.len - r->at;
}

bool frame_is_last(const struct frame *frame)
{
    struct wire_reader fields;
    struct wire_field field;
    bool last = false;

    wire_init(&fields, frame->body, frame->body_len);
    while (wire_next(&fields, &field))
        if (field.number == LAST_MESSAGE && field.type == WIRE_VARINT)
            last = field.value != 0;
    return last && !fields.bad;
}
