/*
 * Cuts a stream into frames (bep-frames(5)): a varint length, then that many bytes of one
 * build_event_stream.BuildEvent. The stream may arrive in pieces of any size:
 *
 *     frame_reader_init(&r, max_frame);
 *     while ((n = fd_read(fd, frame_reader_room(&r, &len), len)) > 0) {
 *         frame_reader_added(&r, n);
 *         while ((status = frame_next(&r, &frame)) == FRAME_OK)
 *             ... frame is valid until the next frame_reader_room ...
 *     }
 *
 * Frames that one room brought lie next to each other in memory, so a filter passes them on with one
 * write: from the first one's `whole` to the last one's end.
 *
 * The buffer grows with bytes that arrive, never by the length that a frame announces.
 */
#ifndef FRAME_READER_H
#define FRAME_READER_H

#include "common/base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum frame_status {
    FRAME_OK,
    FRAME_MORE,      /* no whole frame yet */
    FRAME_TOO_BIG,   /* announces more than max_frame; final */
    FRAME_MALFORMED, /* its length is no varint; final */
};

struct frame {
    const uint8_t *whole; /* the varint as it came, and the body */
    size_t whole_len;
    const uint8_t *body;
    size_t body_len;
    uint64_t offset; /* of `whole` in the stream */
};

struct frame_reader {
    struct buf buf;     /* bytes that arrived and are not dropped yet */
    size_t at;          /* how many of them were given out as frames */
    uint64_t offset;    /* in the stream, of the next frame */
    uint64_t max_frame; /* longest body */
    uint64_t frames;    /* given out so far */
    uint64_t announced; /* body length of the frame that FRAME_TOO_BIG refused */
};

void frame_reader_init(struct frame_reader *, uint64_t max_frame);
void frame_reader_release(struct frame_reader *);

/* Forgets everything: a new stream begins at offset 0. Keeps the memory. */
void frame_reader_restart(struct frame_reader *);

/*
 * Room for at least READ_CHUNK more bytes; NULL: out of memory. Frames given out before are invalid
 * from here on.
 */
void *frame_reader_room(struct frame_reader *, size_t *len);
void frame_reader_added(struct frame_reader *, size_t n);

enum frame_status frame_next(struct frame_reader *, struct frame *);

/* Bytes behind the last whole frame: not 0 at the end of the stream means that it ends inside a frame. */
size_t frame_reader_tail(const struct frame_reader *);

/*
 * Whether the event says last_message (field 20 of BuildEvent). The last occurrence wins, as protobuf
 * says. A malformed event says nothing.
 */
bool frame_is_last(const struct frame *);

#endif
