/*
 * One call on the gRPC side, private to server.c, call.c and message.c: the only files that know gRPC's
 * types.
 *
 * gRPC tells on the completion queue, with a tag, that an operation is done. Our tags for a call are
 * the struct operations inside it, so a call is freed only when none of them is under way.
 */
#ifndef BES_RECV_CALL_H
#define BES_RECV_CALL_H

#include "cmd/bes-recv/server.h"

#include <grpc/byte_buffer.h>
#include <grpc/grpc.h>
#include <grpc/slice.h>

struct server {
    const struct server_handler *handler;
    grpc_server *grpc;
    grpc_completion_queue *queue;
    grpc_server_credentials *plaintext;
    grpc_channel *wake_channel; /* leads nowhere: server_wake needs a call */
    grpc_call *wake_call;
    struct call *unsent; /* have acknowledgements to send and nothing under way that would do it */
    unsigned open_calls;
    /* Of the call that the server waits for. */
    grpc_call *next_call;
    grpc_call_details details;
    grpc_metadata_array metadata;
};

enum call_kind {
    CALL_STREAM,    /* PublishBuildToolEventStream */
    CALL_LIFECYCLE, /* PublishLifecycleEvent */
    CALL_UNKNOWN,   /* answered UNIMPLEMENTED */
};

enum operation_kind {
    OPERATION_CLOSE,   /* the call is over */
    OPERATION_RECEIVE, /* a message has come, or the half-close */
    OPERATION_SEND,    /* an acknowledgement has left */
    OPERATION_STATUS,  /* the status has left */
    OPERATION_KINDS,
};

struct operation {
    struct call *call;
    enum operation_kind kind;
};

/* Consecutive numbers that wait to be acknowledged. */
struct ack_range {
    uint64_t first;
    uint64_t last;
};

struct call {
    struct server *server;
    grpc_call *grpc;
    void *upload; /* the handler's, of a CALL_STREAM */
    enum call_kind kind;
    unsigned under_way; /* operations */
    struct operation operations[OPERATION_KINDS];
    grpc_byte_buffer *received;
    grpc_byte_buffer *answer; /* used again for each acknowledgement; NULL before the first */
    grpc_slice stream_id;     /* the field of an answer that names the stream */
    struct ack_range *ranges; /* range_count of them from range_first on */
    size_t range_first, range_count, range_room;
    int cancelled;
    bool closed;        /* OPERATION_CLOSE is done: nothing can be sent any more */
    bool metadata_sent; /* our headers, which go with the first thing that is sent */
    bool sending;
    bool in_unsent;
    bool ending; /* call_end was called ... */
    bool ended;  /* ... and the status is on its way */
    enum call_status status;
    const char *status_text;
    struct call *next_unsent;
};

/* A call that gRPC has just handed out; takes it. */
void call_open(struct server *, grpc_call *, enum call_kind);
/* An operation is done. */
void call_done(struct operation *, bool ok);
/* Sends one acknowledgement, or the status where none is left; nothing while one is under way. */
void call_send(struct call *);

/* Takes the buffer. */
struct message *message_take(grpc_byte_buffer *);
/* Frees what message_release has kept. */
void message_free_kept(void);

#endif
