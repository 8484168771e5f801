#include <string.h>

#include "cmd/bep-reduce/handlers.h"
#include "cmd/bep-reduce/prune.h"
#include "proto/build_event_stream.pb-c.h"

struct handler {
    const ProtobufCMessageDescriptor *type; /* unpacked for `decoded` */
    void (*decoded)(struct reducer *, const struct event *, const void *message);
    bool (*wanted)(struct bytes payload); /* NULL: always */
    void (*raw)(struct reducer *, const struct event *);
};

static const struct handler handlers[PAYLOAD_COUNT] = {
    [PAYLOAD_PROGRESS] = {.raw = on_progress},
    [PAYLOAD_NAMED_SET] = {.raw = on_named_set},
    [PAYLOAD_ABORTED] = {&build_event_stream__aborted__descriptor, on_aborted},
    [PAYLOAD_STARTED] = {&build_event_stream__build_started__descriptor, on_started},
    [PAYLOAD_ACTION] = {&build_event_stream__action_executed__descriptor, on_action, action_failed},
    [PAYLOAD_COMPLETED] = {&build_event_stream__target_complete__descriptor, on_completed},
    [PAYLOAD_TEST_SUMMARY] = {&build_event_stream__test_summary__descriptor, on_test_summary},
    [PAYLOAD_TEST_RESULT] = {&build_event_stream__test_result__descriptor, on_test_result},
    [PAYLOAD_OPTIONS_PARSED] = {&build_event_stream__options_parsed__descriptor, on_options},
    [PAYLOAD_FINISHED] = {&build_event_stream__build_finished__descriptor, on_finished},
    [PAYLOAD_CONFIGURED] = {&build_event_stream__target_configured__descriptor, on_configured},
    [PAYLOAD_TOOL_LOGS] = {&build_event_stream__build_tool_logs__descriptor, on_tool_logs},
    [PAYLOAD_METRICS] = {&build_event_stream__build_metrics__descriptor, on_metrics},
    [PAYLOAD_WORKSPACE] = {&build_event_stream__workspace_config__descriptor, on_workspace},
    [PAYLOAD_EXEC_REQUEST] = {&build_event_stream__exec_request_constructed__descriptor,
                              on_exec_request},
};

static void *scratch_alloc(void *arena, size_t size)
{
    return arena_alloc(arena, size);
}

static void scratch_free(void *arena, void *memory)
{
    (void)arena;
    (void)memory;
}

const void *scratch_unpack(struct reducer *r, const ProtobufCMessageDescriptor *type,
                           struct bytes message)
{
    ProtobufCAllocator allocator = {scratch_alloc, scratch_free, &r->state.scratch};

    return protobuf_c_message_unpack(type, &allocator, message.len, message.at);
}

static void unpack(struct reducer *r, const struct handler *handler, const struct event *event,
                   struct bytes payload)
{
    const void *message = scratch_unpack(r, handler->type, payload);

    if (message)
        handler->decoded(r, event, message);
    else
        r->state.counts.undecodable++;
    arena_reset(&r->state.scratch);
}

static void unpack_huge(struct reducer *r, const struct handler *handler, const struct event *event)
{
    struct buf small = BUF_INIT_MAX(UNPACK_MAX_BYTES * 2);

    r->state.left_out.oversized++;
    if (prune(handler->type, event->body, UNPACK_MAX_BYTES / 8, &small))
        unpack(r, handler, event, (struct bytes){(const uint8_t *)small.data, small.len});
    else
        r->state.counts.undecodable++;
    buf_release(&small);
}

static void dispatch(struct reducer *r, const struct event *event)
{
    const struct handler *handler = &handlers[event->payload];

    if (handler->raw)
        handler->raw(r, event);
    else if (!handler->decoded || (handler->wanted && !handler->wanted(event->body)))
        return;
    else if (event->body.len > UNPACK_MAX_BYTES)
        unpack_huge(r, handler, event);
    else
        unpack(r, handler, event, event->body);
}

void reducer_take(struct reducer *r, const void *body, size_t len)
{
    struct counts *counts = &r->state.counts;
    struct event event;

    counts->events++;
    if (len == 0) {
        counts->empty++;
        return;
    }
    if (!event_read(body, len, &event)) {
        counts->undecodable++;
        return;
    }
    if (event.payload < PAYLOAD_COUNT)
        dispatch(r, &event);
    else
        counts->unknown++;
    if (event.last)
        r->state.build.last_message = true;
}

void reducer_init(struct reducer *r, const struct files *files, struct redact *redact)
{
    *r = (struct reducer){.files = *files, .user_workspace = files->workspace};
    state_init(&r->state, redact);
}

void reducer_release(struct reducer *r)
{
    state_release(&r->state);
}
