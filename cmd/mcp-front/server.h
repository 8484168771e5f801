/* The MCP server: what its parts share, its start and its end. */
#ifndef MCP_FRONT_SERVER_H
#define MCP_FRONT_SERVER_H

#include "cmd/mcp-front/config.h"
#include "cmd/mcp-front/input.h"
#include "cmd/mcp-front/output.h"
#include "cmd/mcp-front/request.h"
#include "cmd/mcp-front/session.h"
#include "common/proc/client.h"

#include <json-c/json.h>
#include <stdbool.h>
#include <uv.h>

/* How long answers may wait for a client that has closed its end or told us to leave. */
#define SERVER_FLUSH_MS 500

struct server {
    uv_loop_t loop;
    const struct config *config;
    struct input input;
    struct output output;
    struct session session;
    struct requests requests;
    struct engine *engine;   /* what runs Bazel; made at the first call of a tool (engine.h) */
    struct waiter *waiters;  /* waiter.c */
    struct live_task *tasks; /* task.c: those whose invocation runs here */
    uv_signal_t signals[3];
    struct client parent;  /* who started us; pid 0: nobody to follow */
    uv_poll_t parent_poll; /* of its pidfd */
    bool stopping;
};

/*
 * Serves MCP on stdin and `out` until the input ends, a signal says so, or our parent is gone. `out` is the real stdout; 1 is
 * for words by then. Gives the exit status.
 */
int server_run(const struct config *, int out);

/* The engine; NULL: out of memory. */
struct engine *server_engine(struct server *);

/* Takes `message`: into the batch (NULL: alone) or straight out. */
void server_say(struct server *, struct batch *, struct json_object *message);

/* Stops or goes on reading requests, by what waits to be read of ours. */
void server_check_flow(struct server *);

/* {name, version, title}: who we are; the caller's. */
struct json_object *server_info(bool with_title);

/* No more requests: everything that runs is cancelled politely, and the loop ends. */
void server_stop(struct server *);

#endif
