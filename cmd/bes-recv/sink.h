/*
 * Where frames go: a pipe (or whatever stdout is) to the durable writer, and the back-channel from it.
 * An entry is one sequence number of one upload; it waits here, in order, until its frame and all before
 * it are accepted. Never blocks where the output is a pipe or a socket.
 *
 *     sink_add(...); if (sink_is_full(s)) sink_write(s);
 *     … when nothing more is ready: sink_write(s);
 *     … when sink_back_fd is readable: sink_receive(s);
 *     while (sink_take_accepted(s, &accepted)) …
 */
#ifndef BES_RECV_SINK_H
#define BES_RECV_SINK_H

#include "cmd/bes-recv/server.h"
#include "cmd/bes-recv/unwrap.h"
#include "common/ack/connector.h"
#include "common/base/limits.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Handed over and not accepted yet: this many bytes, or one frame. */
#define IN_FLIGHT_MAX_BYTES (4UL * 1024 * 1024)
/* The same in entries: tiny frames must not make the list of them long. */
#define IN_FLIGHT_MAX_ENTRIES 16384
/*
 * Waiting to be handed over: so many entries, or BATCH_MAX_BYTES. Several batches, because each one that
 * finds the writer asleep costs two switches between processes.
 */
#define PENDING_MAX_ENTRIES (8 * BATCH_MAX_EVENTS)

enum sink_failure {
    SINK_GOOD,
    SINK_GONE,   /* the writer has closed its input or the back-channel */
    SINK_FAILED, /* a write failed: failed_errno */
};

struct sink_entry {
    void *upload;
    uint64_t number;
    struct message *message; /* holds the frame until it is written; NULL: nothing to write */
    struct view frame;
    uint64_t frames; /* handed over up to this entry, which is accepted with them */
};

struct accepted {
    void *upload;
    uint64_t number;
};

struct sink {
    int fd;
    bool own_fd; /* not the caller's */
    bool socket;
    bool handoff;              /* written is accepted */
    struct ack_connector back; /* unless handoff */
    uint64_t before;           /* frames that the writer had before us */
    enum sink_failure failure;
    int failed_errno;
    bool blocked; /* the output takes no more now */

    struct sink_entry *entries; /* a ring of `room` (a power of two); all indexes only grow */
    uint64_t room, oldest, unwritten, end;
    size_t offset;        /* bytes of entries[unwritten] that are written */
    size_t pending_bytes; /* not written */
    size_t in_flight;     /* bytes written and not accepted */
    uint64_t frames;      /* handed over or waiting for it */
    uint64_t frames_written;
};

/*
 * For `fd`, which stays the caller's. A pipe is opened once more, so that not blocking on it is no
 * business of those who share it.
 */
void sink_init(struct sink *, int fd, bool handoff);
/* When every entry has been taken. */
void sink_release(struct sink *);

/* The writer has answered on the back-channel: frames count from here on. */
void sink_connected(struct sink *);

/* Takes the message (NULL: only the number, which is accepted with everything before it). */
void sink_add(struct sink *, void *upload, uint64_t number, struct message *, struct view frame);

/* Enough waits to be handed over at once. After sink_write: take no more for now. */
bool sink_is_full(const struct sink *);
/* Hands over what waits, batch by batch, as far as it goes. */
void sink_write(struct sink *);
/* Takes in what the writer says. */
void sink_receive(struct sink *);

/* The next entry that is accepted, in order. */
bool sink_take_accepted(struct sink *, struct accepted *);
/* After a failure: the next entry that will never be accepted. */
bool sink_take_lost(struct sink *, struct accepted *);
bool sink_is_empty(const struct sink *);

#endif
