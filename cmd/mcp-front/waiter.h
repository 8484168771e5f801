/*
 * A request that waits for an invocation: it is answered when that ends, or when its own patience
 * (wait_seconds) does, and hears of progress meanwhile.
 */
#ifndef MCP_FRONT_WAITER_H
#define MCP_FRONT_WAITER_H

#include "cmd/mcp-front/invoke.h"
#include "cmd/mcp-front/request.h"

struct waiter_options {
    bool joined;          /* the run was there already */
    uint64_t patience_ms; /* 0: until the end */
    bool for_task;        /* tasks/result: a cancelled wait does not cancel the run */
};

/* Takes the request. */
void waiter_add(struct request *, struct invocation *, const struct waiter_options *);

/* Looks at deadlines and sends signs of life; for the engine's tick. `data` is the server. */
void waiters_tick(void *data);

#endif
