#include "common/frame/stream.h"
#include "common/base/err.h"

#include <string.h>

void stream_init(struct stream *s, uint64_t max_frame)
{
    *s = (struct stream){.fault = FRAME_OK};
    frame_reader_init(&s->reader, max_frame);
}

void stream_release(struct stream *s)
{
    frame_reader_release(&s->reader);
}

void stream_restart(struct stream *s)
{
    frame_reader_restart(&s->reader);
    s->whole_len = 0;
    s->last = false;
    s->json = false;
    s->fault = FRAME_OK;
}

/* Read as a frame, "{" is a length of 123. */
static bool looks_like_json(const struct frame_reader *r)
{
    return !r->offset && r->buf.len >= 2 && !memcmp(r->buf.data, "{\"", 2);
}

void *stream_room(struct stream *s, size_t *len)
{
    s->whole_len = 0;
    return frame_reader_room(&s->reader, len);
}

void stream_added(struct stream *s, size_t n)
{
    enum frame_status status;
    struct frame frame;

    frame_reader_added(&s->reader, n);
    s->whole_len = 0;
    s->json |= looks_like_json(&s->reader);
    while ((status = frame_next(&s->reader, &frame)) == FRAME_OK) {
        if (!s->whole_len)
            s->whole = frame.whole;
        s->whole_len += frame.whole_len;
        if (frame.body_len)
            s->last = frame_is_last(&frame);
    }
    if (status != FRAME_MORE)
        s->fault = status;
}

enum stream_end stream_end(const struct stream *s)
{
    if (s->fault == FRAME_TOO_BIG)
        return STREAM_TOO_BIG;
    if (s->fault == FRAME_MALFORMED)
        return STREAM_MALFORMED;
    if (frame_reader_tail(&s->reader))
        return STREAM_IN_FRAME;
    return s->last ? STREAM_COMPLETE : STREAM_NO_LAST;
}

int stream_say_end(const struct stream *s, const char *name)
{
    unsigned long long offset = s->reader.offset;
    unsigned long long frames = s->reader.frames;
    const char *hint = s->json ? " (it begins like JSON; frames are Bazel's binary form)" : "";

    switch (stream_end(s)) {
    case STREAM_COMPLETE:
        err_verbose("%s: complete: %llu events, %llu bytes", name, frames, offset);
        return EX_OK;
    case STREAM_NO_LAST:
        err_say("%s: incomplete: ends at byte %llu, after %llu events, without the last message%s",
                name, offset, frames, hint);
        break;
    case STREAM_IN_FRAME:
        err_say("%s: incomplete: ends inside the frame at byte %llu, of which %zu bytes came%s",
                name, offset, frame_reader_tail(&s->reader), hint);
        break;
    case STREAM_TOO_BIG:
        err_say("%s: the frame at byte %llu announces %llu bytes, more than --max-frame allows "
                "(%llu)%s",
                name, offset, (unsigned long long)s->reader.announced,
                (unsigned long long)s->reader.max_frame, hint);
        break;
    case STREAM_MALFORMED:
        err_say("%s: malformed: no frame begins at byte %llu%s", name, offset, hint);
        break;
    }
    return EX_DATAERR;
}
