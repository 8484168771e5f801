/* What the events say of the invocation as a whole. */
#include <stdlib.h>
#include <string.h>

#include "cmd/bep-reduce/handlers.h"
#include "common/base/num.h"
#include "common/frame/wire.h"
#include "proto/build_event_stream.pb-c.h"

/* A second `started` begins a new attempt, unless it is the first one told again. */
static bool begins_attempt(const struct state *s, struct bytes id)
{
    const char *known = s->build.invocation_id;

    if (s->build.last_message || s->build.finished)
        return true;
    return s->build.started &&
           (!known || strlen(known) != id.len || memcmp(known, id.at, id.len) != 0);
}

static void restart(struct reducer *r)
{
    state_restart(&r->state);
    r->files.workspace = r->user_workspace;
    r->files.output_base = r->files.exec_root = NULL;
}

void on_started(struct reducer *r, const struct event *event, const void *message)
{
    const BuildEventStream__BuildStarted *started = message;
    struct state *s = &r->state;
    struct build *build = &s->build;

    (void)event;
    if (begins_attempt(s, view(started->uuid)))
        restart(r);
    if (build->started)
        return;
    s->attempts++;
    build->started = true;
    build->invocation_id = state_text(s, view(started->uuid));
    build->start_ms = started->start_time_millis;
    build->version = state_text(s, view(started->build_tool_version));
    build->command = state_text(s, view(started->command));
    build->workspace = state_name(s, view(started->workspace_directory));
    build->working_directory = state_name(s, view(started->working_directory));
    if (!r->user_workspace)
        r->files.workspace = build->workspace;
}

static bool starts_with(struct bytes text, const char *prefix)
{
    size_t len = strlen(prefix);

    return text.len >= len && memcmp(text.at, prefix, len) == 0;
}

/*
 * Rc files come first, the command line last, and the last value counts: whoever captures the events may have put
 * aside where the user wants to have them.
 */
static void find_displaced(struct state *s, const BuildEventStream__OptionsParsed *options)
{
    static const char *const sinks[DISPLACED_MAX] = {"--build_event_binary_file=",
                                                     "--bes_backend="};

    for (size_t k = 0; k < DISPLACED_MAX; k++) {
        struct bytes last = {NULL, 0}, before = {NULL, 0};

        for (size_t i = 0; i < options->n_cmd_line; i++) {
            struct bytes option = view(options->cmd_line[i]);

            if (!starts_with(option, sinks[k]))
                continue;
            if (last.len > strlen(sinks[k])) /* an empty value sends nothing anywhere */
                before = last;
            last = option;
        }
        if (before.len && (before.len != last.len || memcmp(before.at, last.at, last.len) != 0))
            s->build.displaced[k] = state_text(s, before);
    }
}

void on_options(struct reducer *r, const struct event *event, const void *message)
{
    static const char output_base[] = "--output_base=";
    const size_t prefix = sizeof(output_base) - 1;
    const BuildEventStream__OptionsParsed *options = message;

    (void)event;
    find_displaced(&r->state, options);
    for (size_t i = 0; i < options->n_startup_options; i++) {
        struct bytes option = view(options->startup_options[i]);

        if (option.len == prefix || !starts_with(option, output_base))
            continue;
        option.at += prefix;
        option.len -= prefix;
        r->state.build.output_base = state_name(&r->state, option);
        r->files.output_base = r->state.build.output_base;
    }
}

void on_workspace(struct reducer *r, const struct event *event, const void *message)
{
    const BuildEventStream__WorkspaceConfig *config = message;

    (void)event;
    r->state.build.exec_root = state_name(&r->state, view(config->local_exec_root));
    r->files.exec_root = r->state.build.exec_root;
}

void on_finished(struct reducer *r, const struct event *event, const void *message)
{
    const BuildEventStream__BuildFinished *finished = message;
    struct build *build = &r->state.build;

    (void)event;
    build->finished = true;
    build->finish_ms = finished->finish_time_millis;
    build->exit_code = 0;
    if (finished->exit_code) {
        build->exit_code = finished->exit_code->code;
        build->exit_name = state_text(&r->state, view(finished->exit_code->name));
    }
    if (finished->failure_detail)
        build->failure = state_text(&r->state, view(finished->failure_detail->message));
}

static bool name_is(ProtobufCBinaryData name, const char *word)
{
    return name.len == strlen(word) && memcmp(name.data, word, name.len) == 0;
}

static bool name_has(ProtobufCBinaryData name, const char *word)
{
    return memmem(name.data, name.len, word, strlen(word)) != NULL;
}

static void take_actions(struct metrics *m, const BuildEventStream__BuildMetrics__ActionSummary *a)
{
    m->actions_created = a->actions_created;
    m->actions_executed = a->actions_executed;
    m->remote_cache_hits = a->remote_cache_hits;
    if (a->action_cache_statistics)
        m->action_cache_hits = a->action_cache_statistics->hits;
    for (size_t i = 0; i < a->n_runner_count; i++) {
        if (name_has(a->runner_count[i]->name, "remote cache hit"))
            m->remote_cache_hits = a->runner_count[i]->count;
        else if (name_has(a->runner_count[i]->name, "disk cache hit"))
            m->disk_cache_hits = a->runner_count[i]->count;
    }
}

void on_metrics(struct reducer *r, const struct event *event, const void *message)
{
    const BuildEventStream__BuildMetrics *told = message;
    struct metrics *m = &r->state.metrics;

    (void)event;
    m->known = true;
    if (told->action_summary)
        take_actions(m, told->action_summary);
    if (told->package_metrics)
        m->packages_loaded = told->package_metrics->packages_loaded;
    if (told->target_metrics)
        m->targets_configured = told->target_metrics->targets_configured;
    if (told->timing_metrics) {
        m->wall_ms = told->timing_metrics->wall_time_in_ms;
        m->cpu_ms = told->timing_metrics->cpu_time_in_ms;
        m->analysis_ms = told->timing_metrics->analysis_phase_time_in_ms;
        m->execution_ms = told->timing_metrics->execution_phase_time_in_ms;
    }
}

/* "Critical Path: 0.17s, Remote …": the log is text for people. */
static int64_t critical_path_ms(ProtobufCBinaryData contents)
{
    static const char word[] = "Critical Path: ";
    const char *at = memmem(contents.data, contents.len, word, sizeof(word) - 1);
    char number[24] = {0};
    const char *end;
    uint64_t ms;

    if (!at)
        return -1;
    at += sizeof(word) - 1;
    end = memchr(at, 's', contents.len - (size_t)(at - (const char *)contents.data));
    if (!end || (size_t)(end - at) + 2 > sizeof(number))
        return -1;
    memcpy(number, at, (size_t)(end - at) + 1);
    return num_parse_duration(number, &ms) ? (int64_t)ms : -1;
}

void on_tool_logs(struct reducer *r, const struct event *event, const void *message)
{
    const BuildEventStream__BuildToolLogs *logs = message;

    (void)event;
    for (size_t i = 0; i < logs->n_log; i++)
        if (logs->log[i]->file_case == BUILD_EVENT_STREAM__FILE__FILE_CONTENTS &&
            name_is(logs->log[i]->name, "critical path"))
            r->state.metrics.critical_path_ms = critical_path_ms(logs->log[i]->contents);
}

void on_exec_request(struct reducer *r, const struct event *event, const void *message)
{
    const BuildEventStream__ExecRequestConstructed *request = message;
    struct build *build = &r->state.build;

    (void)event;
    build->exec_request = true;
    build->should_exec = request->should_exec;
    build->argv = state_pointers(&r->state, request->n_argv);
    for (size_t i = 0; build->argv && i < request->n_argv; i++)
        build->argv[build->argc++] = state_text(&r->state, view(request->argv[i]));
}

void on_progress(struct reducer *r, const struct event *event)
{
    struct wire_reader reader;
    struct wire_field field;

    wire_init(&reader, event->body.at, event->body.len);
    while (wire_next(&reader, &field)) {
        if (field.type != WIRE_BYTES)
            continue;
        if (field.number == 1)
            screen_write(&r->state.console_out, field.bytes, field.len);
        else if (field.number == 2)
            screen_write(&r->state.console_err, field.bytes, field.len);
    }
}
