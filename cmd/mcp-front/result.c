#include "cmd/mcp-front/result.h"
#include "cmd/mcp-front/encode.h"
#include "cmd/mcp-front/excerpt.h"
#include "cmd/mcp-front/result_parts.h"
#include "cmd/mcp-front/rpc.h"
#include "cmd/mcp-front/session.h"
#include "common/base/clock.h"

#include <string.h>
#include <time.h>

/*
 * From plenty to the least. The first LEVELS_AIMED ones are tried for the aim of bytes; the last one of
 * those has every cause, and the rest is for answers that would pass the hard limit.
 */
static const struct result_level levels[] = {
    {.diagnostics = 20,
     .detail_lines = 12,
     .detail_bytes = 1000,
     .message = 1000,
     .also = 5,
     .tests = 10,
     .headline = 300,
     .rows = 5,
     .row = 200,
     .excerpt = 8},
    {.diagnostics = 20,
     .detail_lines = 6,
     .detail_bytes = 500,
     .message = 1000,
     .also = 3,
     .tests = 10,
     .headline = 200,
     .rows = 5,
     .row = 200,
     .excerpt = 8},
    {.diagnostics = 20,
     .detail_lines = 3,
     .detail_bytes = 240,
     .message = 600,
     .also = 2,
     .tests = 10,
     .headline = 160,
     .rows = 3,
     .row = 200,
     .excerpt = 8},
    {.diagnostics = 20,
     .detail_lines = 2,
     .detail_bytes = 120,
     .tests_only = true,
     .message = 400,
     .also = 1,
     .tests = 10,
     .headline = 120,
     .rows = 3,
     .row = 200,
     .excerpt = 8,
     .terse = true},
    {.diagnostics = 20,
     .message = 300,
     .tests = 10,
     .headline = 120,
     .rows = 3,
     .row = 200,
     .excerpt = 5,
     .terse = true},
    {.diagnostics = 10,
     .message = 200,
     .tests = 5,
     .headline = 120,
     .rows = 3,
     .row = 100,
     .excerpt = 3,
     .terse = true},
    {.diagnostics = 5,
     .message = 200,
     .tests = 3,
     .headline = 120,
     .rows = 2,
     .row = 100,
     .excerpt = 2,
     .terse = true},
    {.diagnostics = 1,
     .message = 1000,
     .tests = 1,
     .headline = 96,
     .rows = 1,
     .row = 64,
     .excerpt = 1,
     .bare = true,
     .terse = true},
    {.diagnostics = 1, .message = 400, .headline = 96, .bare = true, .terse = true},
};

#define LEVELS       (sizeof(levels) / sizeof(levels[0]))
#define LEVELS_AIMED 4

static void put_time(struct json_object *object, const char *key, int64_t ms)
{
    time_t seconds = (time_t)(ms / 1000);
    struct tm tm;
    char text[32];

    gmtime_r(&seconds, &tm);
    strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm);
    put_string(object, key, text);
}

static void put_joined(struct json_object *answer, const struct invocation *inv,
                       const struct result_options *options)
{
    if (!options->joined)
        return;
    put_bool(answer, "joined", true);
    put_time(answer, "started_at", inv->requested_ms);
}

static void put_head(struct json_object *answer, const struct invocation *inv,
                     const struct result_options *options, const struct result_level *level)
{
    const char *state = store_state_name(inv->state);
    const char *outcome = rpc_string(inv->summary, "outcome");
    const char *headline = inv->headline ? inv->headline : rpc_string(inv->summary, "headline");

    put_joined(answer, inv, options);
    if (options->kept)
        put_string(answer, "invocation_id", inv->id);
    put_string(answer, "state", state);
    if (outcome && strcmp(outcome, state) != 0 && !inv->cause)
        put_string(answer, "outcome", outcome);
    put_string(answer, "command", inv->call.command);
    if (invoke_exit_code(inv) >= 0)
        put_int(answer, "exit_code", invoke_exit_code(inv));
    put_int(answer, "duration_ms", (int64_t)inv->bazel_ms);
    if (headline)
        put_clipped(answer, "headline", headline, level->headline);
    if (inv->cause == CAUSE_CANCELLED && inv->reason)
        put_clipped(answer, "reason", inv->reason, 200);
}

/* Nothing is to be told but the transport that was configured. */
static bool is_plain(struct json_object *capture)
{
    return json_object_object_length(capture) == 1;
}

static void put_tail(struct json_object *answer, const struct invocation *inv,
                     const struct result_options *options, const struct result_level *level)
{
    struct buf line = BUF_INIT;

    if (inv->capture && !(level->terse && is_plain(inv->capture)))
        json_object_object_add(answer, "capture", json_object_get(inv->capture));
    if (inv->warnings)
        put_clipped(answer, "warning", inv->warnings, level->bare ? 100 : 400);
    if (inv->call.note)
        put_clipped(answer, "note", inv->call.note, level->bare ? 100 : 400);
    if (!level->terse) {
        result_command_line(inv, 160, &line);
        put_string(answer, "command_line", line.data);
    }
    buf_release(&line);
    parts_truncated(answer, inv->summary);
    if (options->kept)
        parts_hint(answer, inv);
    else if (inv->state != STATE_SUCCEEDED || rpc_member(answer, "truncated", json_type_object))
        put_string(answer, "rerun_hint", "rerun with --no-agent-mode for unfiltered Bazel output");
}

static struct json_object *build(const struct invocation *inv, const struct result_options *options,
                                 const struct result_level *level)
{
    struct json_object *answer = json_object_new_object();
    bool table = options->encoding == ENCODING_TOON;

    put_head(answer, inv, options, level);
    parts_counts(answer, inv->summary);
    /* What we stopped has no cause of its own; what failed before that has. */
    parts_diagnostics(answer, inv->summary, level, inv->cause, table);
    if (!inv->cause)
        parts_tests(answer, inv->summary, level, table);
    parts_query(answer, inv->summary, level);
    parts_others(answer, inv, level);
    put_tail(answer, inv, options, level);
    return answer;
}

struct json_object *result_final(const struct invocation *inv, const struct result_options *options)
{
    bool succeeded = inv->state == STATE_SUCCEEDED;
    size_t limit = succeeded ? RESULT_SUCCESS_BYTES : RESULT_FAILURE_BYTES;
    size_t aim = succeeded ? RESULT_SUCCESS_AIM : RESULT_FAILURE_AIM;
    struct json_object *answer = NULL;

    if (options->encoding == ENCODING_BOTH)
        aim *= 2;
    invoke_hide_words(inv, true);
    for (size_t i = 0; i < LEVELS; i++) {
        json_object_put(answer);
        answer = build(inv, options, &levels[i]);
        if (encode_size(answer, options->encoding) <= (i + 1 < LEVELS_AIMED ? aim : limit))
            break;
    }
    invoke_hide_words(inv, false);
    return answer;
}

struct json_object *result_running(const struct invocation *inv,
                                   const struct result_options *options)
{
    struct json_object *answer = json_object_new_object();
    struct buf doing = BUF_INIT;

    invoke_describe(inv, &doing);
    put_joined(answer, inv, options);
    put_string(answer, "invocation_id", inv->id);
    put_string(answer, "state", store_state_name(invoke_state(inv)));
    put_string(answer, "command", inv->call.command);
    put_int(answer, "elapsed_ms", clock_wall_ms() - inv->requested_ms);
    put_string(answer, "doing", doing.data);
    put_string(answer, "hint", "repeat the same call to go on waiting");
    buf_release(&doing);
    return answer;
}
