#include "cmd/bes-recv/server.h"
#include "cmd/bes-recv/call.h"
#include "common/base/err.h"

#include <grpc/grpc_posix.h>
#include <grpc/grpc_security.h>
#include <grpc/support/log.h>
#include <grpc/support/time.h>
#include <stdlib.h>
#include <string.h>

/* How far a client may run ahead of us: bounds what is held for it in memory. */
#define LOOKAHEAD_BYTES (1024 * 1024)

/* Tags of the completion queue that are no struct operation. */
static char tag_new_call, tag_wake, tag_shutdown;

static void log_quietly(gpr_log_func_args *args)
{
    err_verbose("gRPC: %s", args->message);
}

static grpc_arg integer(const char *key, int value)
{
    return (grpc_arg){.type = GRPC_ARG_INTEGER, .key = (char *)key, .value.integer = value};
}

static grpc_server *create_grpc_server(void)
{
    grpc_arg args[] = {
        integer(GRPC_ARG_MAX_RECEIVE_MESSAGE_LENGTH,
                -1), /* --max-frame is checked by the handler */
        integer(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, LOOKAHEAD_BYTES),
        integer(GRPC_ARG_HTTP2_BDP_PROBE, 0), /* would raise what a client may run ahead */
        integer(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 0),
        integer(GRPC_ARG_HTTP2_MAX_PING_STRIKES, 0),
        integer(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1),
        integer(GRPC_ARG_ENABLE_CHANNELZ, 0),
        integer(GRPC_ARG_MINIMAL_STACK, 1), /* no filters but ... */
        integer(GRPC_ARG_ENABLE_PER_MESSAGE_DECOMPRESSION, 1),
    };
    grpc_channel_args all = {.num_args = sizeof(args) / sizeof(args[0]), .args = args};

    return grpc_server_create(&all, NULL);
}

/*
 * The C core has no call that wakes a completion queue from outside. An empty batch of a call does: its
 * completion is queued at once. The call is on a channel that leads nowhere.
 */
static void create_wake_call(struct server *s)
{
    grpc_slice method = grpc_slice_from_static_string("/wake");

    s->wake_channel = grpc_lame_client_channel_create("wake", GRPC_STATUS_UNAVAILABLE, "wake");
    s->wake_call = grpc_channel_create_call(s->wake_channel, NULL, 0, s->queue, method, NULL,
                                            gpr_inf_future(GPR_CLOCK_MONOTONIC), NULL);
}

static void await_call(struct server *s)
{
    grpc_call_details_init(&s->details);
    grpc_metadata_array_init(&s->metadata);
    grpc_server_request_call(s->grpc, &s->next_call, &s->details, &s->metadata, s->queue, s->queue,
                             &tag_new_call);
}

struct server *server_create(const struct server_handler *handler)
{
    struct server *s = calloc(1, sizeof(*s));

    if (!s)
        return NULL;
    gpr_set_log_function(log_quietly);
    grpc_init();
    s->handler = handler;
    s->grpc = create_grpc_server();
    s->queue = grpc_completion_queue_create_for_next(NULL);
    s->plaintext = grpc_insecure_server_credentials_create();
    grpc_server_register_completion_queue(s->grpc, s->queue, NULL);
    grpc_server_start(s->grpc);
    create_wake_call(s);
    await_call(s);
    return s;
}

void server_add_connection(struct server *s, int fd)
{
    grpc_server_add_channel_from_fd(s->grpc, fd, s->plaintext);
}

static bool slice_is(grpc_slice slice, const char *text)
{
    return GRPC_SLICE_LENGTH(slice) == strlen(text) &&
           !memcmp(GRPC_SLICE_START_PTR(slice), text, strlen(text));
}

static enum call_kind kind_of(grpc_slice method)
{
#define SERVICE "/google.devtools.build.v1.PublishBuildEvent/"
    if (slice_is(method, SERVICE "PublishBuildToolEventStream"))
        return CALL_STREAM;
    if (slice_is(method, SERVICE "PublishLifecycleEvent"))
        return CALL_LIFECYCLE;
    return CALL_UNKNOWN;
#undef SERVICE
}

static void new_call(struct server *s, bool ok)
{
    enum call_kind kind = ok ? kind_of(s->details.method) : CALL_UNKNOWN;
    grpc_call *call = s->next_call;

    grpc_call_details_destroy(&s->details);
    grpc_metadata_array_destroy(&s->metadata);
    if (!ok) /* the server is shutting down */
        return;
    await_call(s);
    call_open(s, call, kind);
}

/* Handles one event; gives its tag, NULL where none came in time. */
static void *step(struct server *s, gpr_timespec deadline)
{
    grpc_event event = grpc_completion_queue_next(s->queue, deadline, NULL);

    if (event.type != GRPC_OP_COMPLETE)
        return NULL;
    if (event.tag == &tag_new_call)
        new_call(s, event.success);
    else if (event.tag != &tag_wake && event.tag != &tag_shutdown)
        call_done(event.tag, event.success);
    return event.tag;
}

static gpr_timespec deadline_after(int timeout_ms)
{
    if (!timeout_ms)
        return gpr_inf_past(GPR_CLOCK_MONOTONIC);
    if (timeout_ms < 0)
        return gpr_inf_future(GPR_CLOCK_MONOTONIC);
    return gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC),
                        gpr_time_from_millis(timeout_ms, GPR_TIMESPAN));
}

bool server_step(struct server *s, int timeout_ms)
{
    void *tag = step(s, deadline_after(timeout_ms));

    return tag && tag != &tag_wake;
}

void server_wake(struct server *s)
{
    grpc_call_start_batch(s->wake_call, NULL, 0, &tag_wake, NULL);
}

void server_flush(struct server *s)
{
    while (s->unsent) {
        struct call *c = s->unsent;

        s->unsent = c->next_unsent;
        c->in_unsent = false;
        call_send(c);
    }
}

unsigned server_open_calls(const struct server *s)
{
    return s->open_calls;
}

void server_destroy(struct server *s)
{
    gpr_timespec never = gpr_inf_future(GPR_CLOCK_MONOTONIC);

    grpc_server_shutdown_and_notify(s->grpc, s->queue, &tag_shutdown);
    grpc_server_cancel_all_calls(s->grpc);
    while (step(s, never) != &tag_shutdown)
        ;
    grpc_call_unref(s->wake_call);
    grpc_channel_destroy(s->wake_channel);
    grpc_completion_queue_shutdown(s->queue);
    while (step(s, never))
        ;
    grpc_server_destroy(s->grpc);
    grpc_completion_queue_destroy(s->queue);
    grpc_server_credentials_release(s->plaintext);
    message_free_kept();
    free(s);
    grpc_shutdown();
}
