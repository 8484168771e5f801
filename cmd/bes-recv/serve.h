/*
 * The life of the server: waits for clients, calls and the durable writer at once, and knows when it is
 * over.
 */
#ifndef BES_RECV_SERVE_H
#define BES_RECV_SERVE_H

#include "cmd/bes-recv/each.h"
#include "cmd/bes-recv/ingest.h"
#include "cmd/bes-recv/listen.h"
#include "cmd/bes-recv/server.h"
#include "cmd/bes-recv/watch.h"
#include "common/proc/client.h"

struct serve {
    struct listener listener;
    struct server_handler handler;
    struct server *server;
    struct watch_set watches;
    struct ingest ingest;
    struct build build; /* the one build, ... */
    struct each *each;  /* ... unless there are many */
    struct client client;
    uint64_t grace_ms;
    int signals; /* of signals_open */

    uint64_t last_data; /* clock_ms of the last request, or of the client's end */
    bool any_data;
    bool stopped; /* by a signal */
    bool lost;    /* the durable writer */
    struct watch listen_watch, client_watch, signal_watch;
};

/* The server and what it waits with. 0, or -1 and errno. serve->ingest is set up by the caller then. */
int serve_open(struct serve *);
/* Until it is over. */
void serve_run(struct serve *);
/* Accepts and writes nothing more; waits for the commands of `each`. stdout is the caller's again. */
void serve_stop(struct serve *);
/* Ends all calls and closes everything but stdout. */
void serve_close(struct serve *);
/* Frees the builds, whose numbers a verdict needs until then. */
void serve_release(struct serve *);

#endif
