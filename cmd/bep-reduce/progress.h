/*
 * What a build is doing, while it is doing it: JSON lines on --progress-fd, one live line for --follow. A line that does
 * not fit is dropped, so that a slow reader never stops Bazel.
 */
#ifndef BEP_REDUCE_PROGRESS_H
#define BEP_REDUCE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "cmd/bep-reduce/state.h"

struct progress {
    int fd;               /* of --progress-fd, -1: none */
    bool follow;          /* a live line on stderr, which is a terminal */
    unsigned width;       /* its columns */
    uint64_t began, last; /* clock_ms */
    uint64_t events;      /* counted when it was last told */
};

void progress_init(struct progress *, int fd, bool follow, unsigned width);
/* Tells, unless it has just been told or nothing has changed. */
void progress_tell(struct progress *, const struct state *);
/* The last word; takes the live line away. */
void progress_end(struct progress *, const struct state *);

#endif
