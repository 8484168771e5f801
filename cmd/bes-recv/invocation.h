/*
 * The numbers of one invocation's stream: what is new, what is known already, what is missing. Knows
 * no gRPC and no descriptor.
 *
 * A stream may break and come back on another call, from the first number that was not acknowledged or
 * from 1: known numbers are acknowledged again and not written again. After its end, number 1 with
 * another first event is a new attempt of Bazel.
 */
#ifndef BES_RECV_INVOCATION_H
#define BES_RECV_INVOCATION_H

#include "cmd/bes-recv/unwrap.h"

/* Longest id that --each accepts, as it becomes part of a file's name. */
#define ID_MAX 128

enum take {
    TAKE_WRITE,       /* hand the frame over, then acknowledge */
    TAKE_ACKNOWLEDGE, /* only acknowledge: known, no event of Bazel's, or behind the end */
    TAKE_GAP,         /* numbers before it are missing */
};

struct invocation {
    char *build_id; /* malloc'ed; NULL: not known yet. An id that is missing is "" */
    char *invocation_id;
    uint64_t taken;                 /* the highest number that was taken */
    bool finished;                  /* component_stream_finished has come */
    bool last;                      /* last_message has passed */
    uint64_t first_len, first_hash; /* of the first event of this attempt */
    unsigned attempts;
    uint64_t events; /* to be written, of all attempts */
    uint64_t bytes;
    uint64_t known;   /* sent again */
    uint64_t ignored; /* no event, foreign events, foreign finishes, behind the end */
    uint64_t too_big;
};

/* Ids that are expected, NULL for those that the first stream decides. Copied. */
void invocation_init(struct invocation *, const char *invocation_id);
void invocation_release(struct invocation *);

/*
 * Whether the stream with these ids is this invocation's; learns what was not known. Bazel may retry
 * under the same build id and another invocation id: then number 1 begins a new attempt.
 */
bool invocation_owns(struct invocation *, const struct request *);
/* Whether both ids are exactly these. */
bool invocation_is(const struct invocation *, const struct request *);

/* Looks at the next request of its stream and counts it. Frames with a longer body are not written. */
enum take invocation_take(struct invocation *, const struct request *, uint64_t max_frame);

#endif
