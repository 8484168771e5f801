/*
 * Events in, facts out: each event is looked at by the number of its payload and given to the one function that knows it
 * (the table in dispatch.c). Types that nobody reads are skipped undecoded.
 */
#ifndef BEP_REDUCE_REDUCE_H
#define BEP_REDUCE_REDUCE_H

#include "cmd/bep-reduce/event.h"
#include "cmd/bep-reduce/files.h"
#include "cmd/bep-reduce/state.h"

/* An event with a payload larger than this is pruned before it is unpacked (prune.h). */
#define UNPACK_MAX_BYTES (4UL * 1024 * 1024)

struct reducer {
    struct state state;
    struct files files;         /* folders that the events tell of are the state's strings */
    const char *user_workspace; /* --workspace, which wins over the stream's; NULL: none */
    /* Told of each attempt that did not pass, when its event arrives; NULL: nobody listens. */
    void (*on_log)(void *context, const struct files *, struct state *, const struct test *,
                   struct attempt *);
    void *context;
};

/* `files` says what the user said. `redact` (NULL: none) takes secrets out of whatever is kept, and outlives the reducer. */
void reducer_init(struct reducer *, const struct files *, struct redact *redact);
void reducer_release(struct reducer *);

/* Takes the body of one frame. */
void reducer_take(struct reducer *, const void *body, size_t len);

#endif
