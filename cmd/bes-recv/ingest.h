/*
 * What happens to each request: whose it is, whether it is new, when it is acknowledged. Connects the
 * calls of server.h, the numbers of invocation.h and the frames of sink.h.
 *
 * An upload is one call. A build is one invocation and its sink; a build that breaks and comes back has
 * several uploads one after the other.
 */
#ifndef BES_RECV_INGEST_H
#define BES_RECV_INGEST_H

#include "cmd/bes-recv/invocation.h"
#include "cmd/bes-recv/server.h"
#include "cmd/bes-recv/sink.h"
#include "cmd/bes-recv/watch.h"

struct upload;

struct build {
    struct ingest *ingest;
    struct invocation numbers;
    struct sink sink;
    bool connected;     /* the sink takes frames, else they wait */
    bool closed;        /* nothing more is written: everything is acknowledged at once */
    bool lost;          /* the sink's failure has been dealt with */
    unsigned uploads;   /* open calls */
    uint64_t unwritten; /* requests that were lost with the sink */
    struct watch output, back;
    bool in_unpumped;
    struct build *next_unpumped;
};

struct ingest {
    /* Set by the owner. */
    struct server *server;
    struct watch_set *watches;
    bool drain;            /* acknowledge everything, write nothing */
    bool drain_on_failure; /* acknowledge what can't be written any more */
    uint64_t max_frame;
    /* The build that a stream belongs to; NULL: nobody's, acknowledged and dropped. */
    struct build *(*route)(void *self, const struct request *);
    void *route_self;

    struct upload *uploads;
    struct build *unpumped; /* have something to hand over */
    bool data_came;         /* since the owner cleared it */
    bool lifecycle;         /* a lifecycle call of a build has come ... */
    bool build_finished;    /* ... and its last one */
    uint64_t foreign;       /* requests of nobody's streams */
};

/* What server_create wants; `self` is the ingest. */
struct server_handler ingest_handler(struct ingest *);

/* A build whose sink is initialised. */
void build_start(struct build *, struct ingest *);
/* The writer has answered on the back-channel, or there is none: frames go out from here on. */
void build_connected(struct build *);
/* Hands over what waits, acknowledges what is accepted, goes on with uploads that had to pause. */
void build_pump(struct build *);
/* The sink will take nothing more, for a reason that has been said. */
void build_fail(struct build *, enum sink_failure);
/* Ends its output: what waits is never accepted, what still comes is acknowledged and dropped. */
void build_close(struct build *);
/* After server_destroy: frees what build_close has left. */
void build_release(struct build *);

/* All builds that have something to hand over. */
void ingest_pump(struct ingest *);

#endif
