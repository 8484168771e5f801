/* How an invocation ended: its state, its headline, its record. */
#include "cmd/mcp-front/invoke.h"
#include "cmd/mcp-front/rpc.h"
#include "cmd/mcp-front/session.h"
#include "common/json/print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BAZEL_INTERRUPTED 8

int invoke_exit_code(const struct invocation *inv)
{
    return inv->bazel_ran && inv->end == GUARD_EXITED ? inv->end_value : -1;
}

static double seconds(uint64_t ms)
{
    return (double)ms / 1000;
}

/* A sentence for what the events cannot know; NULL: the summary's own headline stands. */
static char *cause_headline(const struct invocation *inv)
{
    char *text = NULL;
    int n = 0;

    switch (inv->cause) {
    case CAUSE_NONE:
        return NULL;
    case CAUSE_CANCELLED:
        n = inv->started_ms ? asprintf(&text, "cancelled after %.1f s", seconds(inv->bazel_ms))
                            : asprintf(&text, "cancelled before Bazel was started");
        break;
    case CAUSE_TIMED_OUT:
        n = asprintf(&text, "timed out: Bazel ran longer than %g s (timeout_seconds)%s%s",
                     seconds(inv->call.timeout_ms), inv->reason ? ", " : "",
                     inv->reason ? inv->reason : "");
        break;
    case CAUSE_LOCK_TIMED_OUT:
        n = asprintf(&text, "timed out after %.0f s, %s", seconds(inv->lock_ms),
                     inv->reason ? inv->reason : "waiting for the output base");
        break;
    case CAUSE_OUTPUT:
        n = asprintf(&text, "stopped: Bazel printed more than is allowed (maximum_output_bytes)");
        break;
    case CAUSE_NOT_STARTED:
        n = asprintf(&text, "Bazel was not started: %s", inv->reason ? inv->reason : "unknown");
        break;
    }
    return n < 0 ? NULL : text;
}

static char *end_headline(const struct invocation *inv)
{
    char *text = NULL;
    int n = 0;

    if (inv->end == GUARD_SIGNALED)
        n = asprintf(&text, "Bazel was killed by signal %d (%s)", inv->end_value,
                     strsignal(inv->end_value));
    else if (inv->end == GUARD_DIED)
        n = asprintf(&text, "Bazel's guard process was killed; Bazel was stopped");
    else if (!inv->summary)
        n = asprintf(&text, "Bazel ended with exit status %d; its events could not be read",
                     inv->end_value);
    return n < 0 ? NULL : text;
}

static enum store_state judge_exit(const struct invocation *inv)
{
    int code = invoke_exit_code(inv);
    const char *state = rpc_string(inv->summary, "state");

    if (code == BAZEL_INTERRUPTED || inv->end == GUARD_DIED ||
        (code < 0 && state && !strcmp(state, "interrupted")))
        return STATE_INTERRUPTED;
    return code == 0 ? STATE_SUCCEEDED : STATE_FAILED;
}

void invoke_judge(struct invocation *inv)
{
    static const enum store_state states[] = {
        [CAUSE_CANCELLED] = STATE_CANCELLED,      [CAUSE_TIMED_OUT] = STATE_TIMED_OUT,
        [CAUSE_LOCK_TIMED_OUT] = STATE_TIMED_OUT, [CAUSE_OUTPUT] = STATE_FAILED,
        [CAUSE_NOT_STARTED] = STATE_FAILED,
    };

    /* What was finished in spite of a late cancellation is finished. */
    if (!inv->cause || invoke_exit_code(inv) == 0) {
        inv->cause = CAUSE_NONE;
        inv->state = judge_exit(inv);
        inv->headline = end_headline(inv);
        return;
    }
    inv->state = states[inv->cause];
    inv->headline = cause_headline(inv);
}

struct json_object *invoke_termination(const struct invocation *inv)
{
    static const char *const causes[] = {
        [CAUSE_CANCELLED] = "cancelled",       [CAUSE_TIMED_OUT] = "timeout",
        [CAUSE_LOCK_TIMED_OUT] = "timeout",    [CAUSE_OUTPUT] = "output_limit",
        [CAUSE_NOT_STARTED] = "spawn_failure",
    };
    struct json_object *how = json_object_new_object();

    if (inv->cause)
        put_string(how, "kind", causes[inv->cause]);
    else if (inv->end == GUARD_EXITED)
        put_string(how, "kind", "exit");
    else
        put_string(how, "kind", inv->end == GUARD_SIGNALED ? "signal" : "interrupted");
    if (inv->bazel_ran && inv->end == GUARD_EXITED)
        put_int(how, "code", inv->end_value);
    if (inv->bazel_ran && inv->end == GUARD_SIGNALED)
        put_int(how, "signal", inv->end_value);
    if (inv->cause == CAUSE_NOT_STARTED && inv->reason)
        put_string(how, "message", inv->reason);
    return how;
}

void invoke_record_end(struct invocation *inv, store_cb done)
{
    struct buf summary = BUF_INIT, termination = BUF_INIT;
    struct json_object *how = invoke_termination(inv);
    struct store_end end = {
        .id = inv->id,
        .state = inv->state,
        .outcome = rpc_string(inv->summary, "outcome"),
        .exit_code = invoke_exit_code(inv),
        .headline = inv->headline ? inv->headline : rpc_string(inv->summary, "headline"),
        .finished_ms = inv->finished_ms,
        .queue_ms = inv->queue_ms,
        .lock_wait_ms = inv->lock_ms,
        .bazel_ms = inv->bazel_ms,
        .reduction_ms = inv->reduction_ms,
        .cancel_reason = inv->cause == CAUSE_CANCELLED ? inv->reason : NULL,
    };

    if (inv->summary && json_print(&summary, inv->summary) == BUF_OK)
        end.summary = summary.data;
    if (json_print(&termination, how) == BUF_OK)
        end.termination = termination.data;
    store_finish(inv->engine->store, &end, done, inv);
    json_object_put(how);
    buf_release(&termination);
    buf_release(&summary);
}
