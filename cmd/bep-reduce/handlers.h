/* What dispatch.c calls: one function for each payload that is read. on_*.c, by what the event is about. */
#ifndef BEP_REDUCE_HANDLERS_H
#define BEP_REDUCE_HANDLERS_H

#include <stdbool.h>

#include <protobuf-c/protobuf-c.h>

#include "cmd/bep-reduce/reduce.h"

static inline struct bytes view(ProtobufCBinaryData data)
{
    return (struct bytes){.at = data.data, .len = data.len};
}

/* `message` is the unpacked payload; its memory is gone when the function returns. */
void on_started(struct reducer *, const struct event *, const void *message);
void on_options(struct reducer *, const struct event *, const void *message);
void on_workspace(struct reducer *, const struct event *, const void *message);
void on_finished(struct reducer *, const struct event *, const void *message);
void on_metrics(struct reducer *, const struct event *, const void *message);
void on_tool_logs(struct reducer *, const struct event *, const void *message);
void on_exec_request(struct reducer *, const struct event *, const void *message);
void on_aborted(struct reducer *, const struct event *, const void *message);
void on_configured(struct reducer *, const struct event *, const void *message);
void on_completed(struct reducer *, const struct event *, const void *message);
void on_action(struct reducer *, const struct event *, const void *message);
void on_test_result(struct reducer *, const struct event *, const void *message);
void on_test_summary(struct reducer *, const struct event *, const void *message);

/* These read the payload on the wire: they are frequent, or may be huge. */
void on_progress(struct reducer *, const struct event *);
void on_named_set(struct reducer *, const struct event *);

/* Unpacks a part of a payload into state.scratch, which whoever calls resets; NULL: malformed, or no room. */
const void *scratch_unpack(struct reducer *, const ProtobufCMessageDescriptor *, struct bytes);

/* Whether an ActionExecuted says that the action failed; most say that it did not. */
bool action_failed(struct bytes payload);

/*
 * Reads what a File names into an output, as far as there is room for it. `test` says where else a test's output may
 * be; NULL: of no test.
 */
void keep_output(struct reducer *, const void *file, const struct test_place *test,
                 struct output *);

#endif
