/*
 * A stream of frames on its way through a program: cuts what arrives, keeps the whole frames of each
 * read together, so that one write passes them on, and knows how the stream ended.
 *
 *     while ((n = fd_read(fd, stream_room(&s, &len), len)) > 0) {
 *         stream_added(&s, n);
 *         fd_write_full(out, s.whole, s.whole_len);
 *         if (s.fault)
 *             break;
 *     }
 *     status = stream_say_end(&s, name);
 *
 * A stream is complete when its last message has passed and nothing but empty frames followed. Several
 * attempts of one invocation may lie one after the other: the last of them decides.
 */
#ifndef FRAME_STREAM_H
#define FRAME_STREAM_H

#include "common/frame/reader.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum stream_end {
    STREAM_COMPLETE,
    STREAM_NO_LAST, /* ends at a frame's end, but the last message never came; empty streams, too */
    STREAM_IN_FRAME,  /* ends inside a frame */
    STREAM_TOO_BIG,   /* a frame is longer than max_frame; nothing from it on was taken */
    STREAM_MALFORMED, /* the length of a frame is no varint; nothing from it on was taken */
};

struct stream {
    struct frame_reader reader; /* reader.offset: of the first byte that is in no whole frame yet */
    const uint8_t *whole;       /* the whole frames that the last stream_added completed, ... */
    size_t whole_len;           /* ... next to each other; valid until the next stream_room */
    bool last;                  /* the last message has passed */
    bool json;                  /* it begins like JSON, Bazel's other form: a hint for words */
    enum frame_status fault;    /* FRAME_TOO_BIG or FRAME_MALFORMED, final; else FRAME_OK */
};

void stream_init(struct stream *, uint64_t max_frame);
void stream_release(struct stream *);

/* A new attempt begins at offset 0; an unfinished frame is forgotten. Keeps the memory. */
void stream_restart(struct stream *);

/* Room for at least READ_CHUNK bytes; NULL: out of memory. */
void *stream_room(struct stream *, size_t *len);
/* `n` bytes were put there: finds the whole frames. After a fault there are no more. */
void stream_added(struct stream *, size_t n);

/* How the stream ended, if it ended here. */
enum stream_end stream_end(const struct stream *);

/*
 * The same in words: one line on stderr that names the byte offset, nothing for a complete stream
 * (with -v its size). Gives EX_OK or EX_DATAERR.
 */
int stream_say_end(const struct stream *, const char *name);

#endif
