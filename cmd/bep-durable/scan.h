/*
 * Follows frames through a stream without keeping any of it: where the last whole frame ends, and
 * whether it says last_message (field 20 of BuildEvent). Says the same as common/frame/stream, which
 * holds a whole frame in memory; here a frame of 1 GiB takes as little as an empty one.
 */
#ifndef BEP_DURABLE_SCAN_H
#define BEP_DURABLE_SCAN_H

#include "common/frame/stream.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum scan_at {
    SCAN_LENGTH, /* in the varint before a body */
    SCAN_TAG,    /* between the fields of a body, or in a tag */
    SCAN_VALUE,  /* in the value of a varint field */
    SCAN_SIZE,   /* in the length of a bytes field */
    SCAN_SKIP,   /* in a content that is passed over */
};

struct scan {
    uint64_t whole;          /* offset behind the last whole frame */
    uint64_t frames;         /* whole ones */
    uint64_t tail;           /* bytes behind `whole` that came */
    bool last;               /* the last frame that is not empty says last_message */
    enum frame_status fault; /* FRAME_TOO_BIG or FRAME_MALFORMED at `whole`, final; else FRAME_OK */
    uint64_t announced;      /* body length that was too big */
    uint64_t max_frame;

    /* private: the place inside a frame */
    enum scan_at at;
    uint64_t body_left;
    uint64_t skip;
    uint64_t varint;
    unsigned varint_len;
    uint32_t field;
    bool says_last;
};

void scan_init(struct scan *, uint64_t max_frame);

/* The next bytes of the stream. After a fault nothing is taken. */
void scan_bytes(struct scan *, const void *bytes, size_t len);

/* How the stream ended, if it ended here. */
enum stream_end scan_end(const struct scan *);

#endif
