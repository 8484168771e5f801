/* What the events say of top-level targets, their outputs, and what was aborted. */
#include <string.h>

#include "cmd/bep-reduce/handlers.h"
#include "common/base/buf.h"
#include "common/frame/wire.h"
#include "proto/build_event_stream.pb-c.h"

void on_configured(struct reducer *r, const struct event *event, const void *message)
{
    const BuildEventStream__TargetConfigured *configured = message;
    struct target *target = state_target(&r->state, &event->id);

    if (!target)
        return;
    target->is_test = configured->test_size != 0;
    if (!target->kind)
        target->kind = state_text(&r->state, view(configured->target_kind));
}

/* path_prefix and name, joined: the path under the exec root. */
static const char *file_path(struct state *s, const BuildEventStream__File *file)
{
    struct buf path = BUF_INIT;
    const char *kept;

    for (size_t i = 0; i < file->n_path_prefix; i++) {
        buf_add(&path, file->path_prefix[i].data, file->path_prefix[i].len);
        buf_add_char(&path, '/');
    }
    buf_add(&path, file->name.data, file->name.len);
    kept = state_name(s, (struct bytes){(const uint8_t *)path.data, path.len});
    buf_release(&path);
    return kept;
}

static void keep_artifact(struct state *s, const char *label, uint32_t set,
                          const BuildEventStream__File *file)
{
    struct artifact *artifact = state_artifact(s);

    if (!artifact)
        return;
    artifact->label = label;
    artifact->set = set;
    artifact->path = file_path(s, file);
    artifact->bytes = file->length > 0 ? file->length : -1;
}

static void keep_artifacts(struct state *s, const char *label, BuildEventStream__File **files,
                           size_t count)
{
    for (size_t i = 0; i < count; i++)
        keep_artifact(s, label, 0, files[i]);
}

static void keep_group(struct state *s, struct target *target,
                       const BuildEventStream__OutputGroup *group)
{
    uint32_t root;

    target->incomplete_outputs |= group->incomplete;
    keep_artifacts(s, target->label, group->inline_files, group->n_inline_files);
    for (size_t i = 0; i < group->n_file_sets; i++) {
        if (!filesets_root(&s->filesets, view(group->file_sets[i]->id), &root))
            continue;
        if (target->root_count++ == 0)
            target->first_root = root;
    }
}

static bool is_default_group(const BuildEventStream__OutputGroup *group)
{
    return group->name.len == 7 && memcmp(group->name.data, "default", 7) == 0;
}

static void keep_outputs(struct state *s, struct target *target,
                         const BuildEventStream__TargetComplete *completed)
{
    target->root_count = 0;
    for (size_t i = 0; i < completed->n_output_group; i++)
        if (is_default_group(completed->output_group[i]))
            keep_group(s, target, completed->output_group[i]);
    if (target->root_count == 0)
        keep_artifacts(s, target->label, completed->important_output,
                       completed->n_important_output);
    keep_artifacts(s, target->label, completed->directory_output, completed->n_directory_output);
}

/* The same configuration told twice counts once. */
static bool is_repeated(struct target *target, const struct event_id *id)
{
    uint64_t hash = table_hash(table_seed(), id->configuration.at, id->configuration.len);
    bool repeated = target->completed > 0 && target->configuration == hash;

    target->configuration = hash;
    return repeated;
}

/* A test that cannot be built gets no events of its own. */
static void fail_test(struct reducer *r, const struct event_id *id)
{
    const char *command = r->state.build.command;
    struct test *test;

    if (!command || (strcmp(command, "test") != 0 && strcmp(command, "coverage") != 0))
        return;
    test = state_test(&r->state, id);
    if (test)
        test->failed_to_build = true;
}

void on_completed(struct reducer *r, const struct event *event, const void *message)
{
    const BuildEventStream__TargetComplete *completed = message;
    struct target *target = state_target(&r->state, &event->id);

    if (!target && event->id.aspect.len == 0) {
        if (completed->success)
            r->state.counts.targets_succeeded++;
        else
            r->state.counts.targets_failed++;
    }
    if (!target || is_repeated(target, &event->id))
        return;
    target->completed++;
    if (completed->test_timeout_seconds > 0)
        target->timeout_s = (uint32_t)completed->test_timeout_seconds;
    if (completed->success) {
        if (target->outcome == TARGET_PENDING)
            target->outcome = TARGET_SUCCEEDED;
        keep_outputs(&r->state, target, completed);
        return;
    }
    target->failed++;
    target->outcome = TARGET_FAILED;
    if (target->is_test)
        fail_test(r, &event->id);
    if (completed->failure_detail)
        target->failure = state_text(&r->state, view(completed->failure_detail->message));
}

static void keep_set_file(void *context, uint32_t set, struct bytes message)
{
    struct reducer *r = context;
    const BuildEventStream__File *file;

    if (r->state.artifact_count >= ARTIFACTS_MAX) {
        r->state.left_out.artifacts++;
        return;
    }
    file = scratch_unpack(r, &build_event_stream__file__descriptor, message);
    if (file)
        keep_artifact(&r->state, NULL, set, file);
    arena_reset(&r->state.scratch);
}

void on_named_set(struct reducer *r, const struct event *event)
{
    filesets_add(&r->state.filesets, event->id.name, event->body, keep_set_file, r);
}

static void abort_target(struct reducer *r, const struct event *event, uint32_t reason,
                         struct bytes description)
{
    struct target *target = state_target(&r->state, &event->id);

    if (!target || target->outcome == TARGET_FAILED)
        return;
    target->outcome = TARGET_ABORTED;
    target->reason = reason;
    if (!target->failure)
        target->failure = state_text(&r->state, description);
}

static void abort_test(struct reducer *r, const struct event *event, uint32_t reason)
{
    struct test *test = state_test(&r->state, &event->id);

    if (test)
        test->aborted = (int)reason;
}

static void abort_other(struct reducer *r, const struct event *event, uint32_t reason,
                        struct bytes description)
{
    struct aborted *aborted = state_aborted(&r->state);
    struct bytes name = event->id.label.len ? event->id.label : event->id.name;

    if (!aborted)
        return;
    aborted->kind = event->id.kind;
    aborted->reason = reason;
    aborted->label = state_name(&r->state, name);
    aborted->description = state_text(&r->state, description);
}

void on_aborted(struct reducer *r, const struct event *event, const void *message)
{
    const BuildEventStream__Aborted *aborted = message;
    struct bytes description = view(aborted->description);
    uint32_t reason = (uint32_t)aborted->reason;

    switch (event->id.kind) {
    case ID_TARGET_COMPLETED:
    case ID_TARGET_CONFIGURED:
        abort_target(r, event, reason, description);
        break;
    case ID_TEST_RESULT:
    case ID_TEST_SUMMARY:
        abort_test(r, event, reason);
        break;
    case ID_BUILD_FINISHED:
        r->state.build.aborted = true;
        r->state.build.aborted_reason = reason;
        abort_other(r, event, reason, description);
        break;
    default:
        abort_other(r, event, reason, description);
    }
}
