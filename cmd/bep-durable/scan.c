#include "cmd/bep-durable/scan.h"
#include "common/base/limits.h"
#include "common/frame/varint.h"
#include "common/frame/wire.h"

#define LAST_MESSAGE 20 /* field of BuildEvent */
#define FIELD_MAX    0x1fffffff

void scan_init(struct scan *s, uint64_t max_frame)
{
    *s = (struct scan){.max_frame = max_frame, .at = SCAN_LENGTH, .fault = FRAME_OK};
}

/* One more byte of a varint, whose value is in s->varint when it is whole. */
static enum varint_status push(struct scan *s, uint8_t byte)
{
    if (s->varint_len == 0)
        s->varint = 0;
    if (s->varint_len == VARINT_MAX_BYTES - 1 && byte > 1)
        return VARINT_BAD;
    s->varint |= (uint64_t)(byte & 0x7f) << (7 * s->varint_len);
    s->varint_len++;
    if (byte & 0x80)
        return VARINT_MORE;
    s->varint_len = 0;
    return VARINT_OK;
}

static void skip(struct scan *s, uint64_t len)
{
    s->at = len ? SCAN_SKIP : SCAN_TAG;
    s->skip = len;
}

/* An event that is malformed says nothing, and is passed over. */
static void give_up(struct scan *s)
{
    s->says_last = false;
    s->varint_len = 0;
    skip(s, s->body_left);
}

static void take_tag(struct scan *s)
{
    uint64_t number = s->varint >> 3;

    s->field = (uint32_t)number;
    if (number < 1 || number > FIELD_MAX)
        give_up(s);
    else if ((s->varint & 7) == WIRE_VARINT)
        s->at = SCAN_VALUE;
    else if ((s->varint & 7) == WIRE_BYTES)
        s->at = SCAN_SIZE;
    else if ((s->varint & 7) == WIRE_FIXED64 && s->body_left >= 8)
        skip(s, 8);
    else if ((s->varint & 7) == WIRE_FIXED32 && s->body_left >= 4)
        skip(s, 4);
    else
        give_up(s);
}

/* A whole varint inside a body, of which body_left bytes follow. */
static void take_varint(struct scan *s)
{
    switch (s->at) {
    case SCAN_TAG:
        take_tag(s);
        break;
    case SCAN_VALUE:
        if (s->field == LAST_MESSAGE)
            s->says_last = s->varint != 0;
        s->at = SCAN_TAG;
        break;
    default:
        if (s->varint > s->body_left)
            give_up(s);
        else
            skip(s, s->varint);
    }
}

static void end_frame(struct scan *s, bool empty)
{
    if (!empty)
        s->last = s->says_last && s->at == SCAN_TAG && !s->varint_len;
    s->whole += s->tail;
    s->tail = 0;
    s->frames++;
    s->at = SCAN_LENGTH;
    s->varint_len = 0;
}

static void take_length(struct scan *s, uint8_t byte)
{
    switch (push(s, byte)) {
    case VARINT_MORE:
        break;
    case VARINT_BAD:
        s->fault = FRAME_MALFORMED;
        break;
    case VARINT_OK:
        if (s->varint > s->max_frame) {
            s->announced = s->varint;
            s->fault = FRAME_TOO_BIG;
            break;
        }
        s->body_left = s->varint;
        s->says_last = false;
        s->at = SCAN_TAG;
        if (!s->body_left)
            end_frame(s, true);
    }
}

/* Of a body that has `len` bytes here; gives how many were taken. */
static size_t take_body(struct scan *s, const uint8_t *bytes, size_t len)
{
    size_t n = 1;

    if (s->at == SCAN_SKIP) {
        n = s->skip < len ? (size_t)s->skip : len;
        s->body_left -= n;
        skip(s, s->skip - n);
        return n;
    }
    s->body_left--;
    switch (push(s, bytes[0])) {
    case VARINT_MORE:
        break;
    case VARINT_BAD:
        give_up(s);
        break;
    case VARINT_OK:
        take_varint(s);
    }
    return n;
}

void scan_bytes(struct scan *s, const void *bytes, size_t len)
{
    const uint8_t *at = bytes;
    const uint8_t *end = at + len;

    while (at < end && s->fault == FRAME_OK) {
        size_t n = 1;
        if (s->at == SCAN_LENGTH) {
            s->tail++;
            take_length(s, *at);
        } else {
            n = take_body(s, at, (size_t)(end - at));
            s->tail += n;
            if (!s->body_left)
                end_frame(s, false);
        }
        at += n;
    }
}

enum stream_end scan_end(const struct scan *s)
{
    if (s->fault == FRAME_TOO_BIG)
        return STREAM_TOO_BIG;
    if (s->fault == FRAME_MALFORMED)
        return STREAM_MALFORMED;
    if (s->tail)
        return STREAM_IN_FRAME;
    return s->last ? STREAM_COMPLETE : STREAM_NO_LAST;
}
