/*
 * What runs Bazel, without MCP: the invocations of this process and what they share. The server and the
 * agent command line both use it.
 */
#ifndef MCP_FRONT_ENGINE_H
#define MCP_FRONT_ENGINE_H

#include "cmd/mcp-front/config.h"
#include "cmd/mcp-front/outlock.h"
#include "cmd/mcp-front/probe.h"
#include "cmd/mcp-front/sched.h"
#include "cmd/mcp-front/store.h"
#include "common/text/redact.h"

#include <stdbool.h>
#include <uv.h>

/* How often deadlines, output limits and the file `cancel` are looked at while something runs. */
#define ENGINE_TICK_MS 200

struct invocation;

struct engine {
    uv_loop_t *loop;
    const struct config *config;
    struct store *store;
    struct outlocks *outlocks;
    struct probes *probes;
    struct sched sched;
    struct redact *redact;
    struct buf words;  /* secrets in Bazel's environment: known.h */
    char **env;        /* of Bazel */
    char *tools;       /* folder of our own executable */
    uv_signal_t child; /* SIGCHLD */
    uv_timer_t tick;
    struct invocation *first; /* newest first */
    size_t running;           /* not ended yet */
    int open_handles;
    bool retained; /* the store has been tidied once */
    bool stopping;
    void (*stopped)(void *data);
    void *stopped_data;
    void (*ticked)(void *data); /* for those with deadlines of their own; NULL: nobody */
    void *ticked_data;
};

/* NULL: out of memory. `config` must outlive it. */
struct engine *engine_new(uv_loop_t *, const struct config *);

/*
 * Cancels everything politely; `stopped` comes when all records are in their terminal state and nothing
 * of the engine is left. It is freed then.
 */
void engine_stop(struct engine *, void (*stopped)(void *data), void *data);

/* For invoke.c: an invocation has begun, or ended. */
void engine_began(struct engine *);
void engine_ended(struct engine *);

#endif
