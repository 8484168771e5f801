/*
 * The loop: frames from stdin are written to FILE, accepted, acknowledged, and passed on to stdout, in
 * this order and each at its own pace. FILE is the queue between acceptance and the reader.
 */
#ifndef BEP_DURABLE_DURABLE_H
#define BEP_DURABLE_DURABLE_H

#include "cmd/bep-durable/out.h"
#include "cmd/bep-durable/scan.h"
#include "cmd/bep-durable/store.h"
#include "common/ack/listener.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What came last stays here until it is passed on: a reader that lags by less costs no second read. */
#define LIVE_BYTES (512UL * 1024)
/* What is read from FILE again at one go, for a reader that lags by more. */
#define REPLAY_BYTES (128UL * 1024)

enum durable_sync {
    SYNC_END,   /* when the stream is complete so far, and at the end */
    SYNC_BATCH, /* before each acceptance */
};

/* A part of FILE in memory. */
struct window {
    uint8_t *bytes;
    size_t size;
    size_t len;
    uint64_t offset; /* in FILE, of bytes[0] */
};

struct durable {
    /* set by the caller, who releases them after durable_run */
    int in; /* -1: ended, or given up because FILE failed */
    struct out out;
    struct ack_listener ack;
    struct store store;
    enum durable_sync sync;

    struct scan scan;    /* of this stream, which begins at ... */
    uint64_t start;      /* ... this offset of FILE */
    uint64_t old_frames; /* that FILE held before */
    uint64_t passed;     /* offset in FILE: what stdout has got */
    struct window live;
    struct window replay;
    int status; /* EX_OK, or what stdin, stdout or poll led to; said. FILE's own failure is store.failed */
    uint8_t live_bytes[LIVE_BYTES];
    uint8_t replay_bytes[REPLAY_BYTES];
};

/* Until stdin has ended and stdout has got everything, or is gone. */
void durable_run(struct durable *, uint64_t max_frame);

#endif
