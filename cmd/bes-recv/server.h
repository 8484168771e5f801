/*
 * The gRPC server: google.devtools.build.v1.PublishBuildEvent with its two methods, plaintext, on
 * connections that somebody else accepted. One thread owns a server and calls everything here but
 * server_wake; the handler is called from server_step only.
 *
 * A call of PublishBuildToolEventStream gives one message at a time: the next one comes after
 * call_next. That is how back-pressure reaches the client, by HTTP/2's flow control.
 */
#ifndef BES_RECV_SERVER_H
#define BES_RECV_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct server;
struct call; /* of PublishBuildToolEventStream */

/* A request's bytes, contiguous, in the memory that they were received in. */
struct message {
    const uint8_t *bytes;
    size_t len;
};

/* google.rpc.Code, as far as we use it. */
enum call_status {
    CALL_OK = 0,
    CALL_INVALID_ARGUMENT = 3,    /* Bazel gives up */
    CALL_FAILED_PRECONDITION = 9, /* Bazel gives up */
    CALL_UNIMPLEMENTED = 12,
    CALL_UNAVAILABLE = 14, /* Bazel sends again what is not acknowledged */
};

struct server_handler {
    /* A new call; gives what the other functions get as `upload`. */
    void *(*opened)(void *self, struct call *);
    /* The handler takes the message and ends with message_release. */
    void (*message)(void *upload, struct message *);
    /* The client will send nothing more. No message is outstanding then. */
    void (*half_closed)(void *upload);
    /* The call is over, by call_end or because the client went away: last use of it. */
    void (*closed)(void *upload);
    /* A PublishLifecycleEventRequest; the answer is sent afterwards. */
    void (*lifecycle)(void *self, const struct message *);
    void *self;
};

/* NULL: gRPC could not start. The handler must outlive the server. */
struct server *server_create(const struct server_handler *);
/* Cancels what is still going on and frees everything; returns when no callback can come any more. */
void server_destroy(struct server *);

/* Speaks HTTP/2 on a connected socket, which it takes. */
void server_add_connection(struct server *, int fd);

/*
 * Waits for one thing to happen and handles it. False: nothing did within `timeout_ms` (-1: for ever),
 * or server_wake was called.
 */
bool server_step(struct server *, int timeout_ms);
/* Makes server_step return. From any thread, and only once until it has returned. */
void server_wake(struct server *);
/* Sends the acknowledgements that wait, those of each call together. */
void server_flush(struct server *);
/* Calls whose `closed` has not been called yet. */
unsigned server_open_calls(const struct server *);

void message_release(struct message *);

/* Asks for the next message. */
void call_next(struct call *);
/* What every acknowledgement names: the StreamId as the client sent it. Copied. */
void call_set_stream_id(struct call *, const uint8_t *bytes, size_t len);
/* Acknowledges one sequence number, after those before it; leaves with server_flush. */
void call_acknowledge(struct call *, uint64_t number);
/* Ends the call when every acknowledgement has been sent. `text` must be static. */
void call_end(struct call *, enum call_status, const char *text);

#endif
