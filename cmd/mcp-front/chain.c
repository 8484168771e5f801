#include "cmd/mcp-front/chain.h"
#include "cmd/mcp-front/reaper.h"
#include "cmd/mcp-front/rpc.h"
#include "cmd/mcp-front/session.h"
#include "cmd/mcp-front/stages.h"
#include "cmd/mcp-front/store.h"
#include "common/base/err.h"
#include "common/io/fd.h"
#include "common/json/read.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const transport_names[] = {
    [TRANSPORT_TAIL] = "tail", [TRANSPORT_FIFO] = "fifo", [TRANSPORT_BES] = "bes"};

/* The first fault is the cause of the others. */
static void note_fault(struct chain *c, char *text)
{
    if (c->fault)
        free(text);
    else
        c->fault = text;
}

static char *describe_end(const struct stage *stage)
{
    char status[64], *text = NULL;

    child_status_text(stage->child.status, status, sizeof(status));
    if (asprintf(&text, "%s ended early with %s", stage->name, status) < 0)
        return NULL;
    return text;
}

/* ---- what comes back */

static void on_progress(void *data, const char *line)
{
    static const struct json_rules rules = {.max_depth = 2};
    struct chain *c = data;
    struct chain_progress *p = &c->progress;
    struct json_object *object;
    const char *text;

    if (json_read(line, strlen(line), &rules, &object, NULL) != JSON_OK)
        return;
    *p = (struct chain_progress){.actions_done = rpc_int(object, "actions_done", -1),
                                 .actions_total = rpc_int(object, "actions_total", -1),
                                 .tests_done = rpc_int(object, "tests_done", -1),
                                 .failed = rpc_int(object, "failed", -1)};
    text = rpc_string(object, "phase");
    snprintf(p->phase, sizeof(p->phase), "%s", text ? text : "");
    text = rpc_string(object, "waiting_for");
    snprintf(p->waiting_for, sizeof(p->waiting_for), "%s", text ? text : "");
    json_object_put(object);
    c->spec.progressed(c->spec.data);
}

static void on_progress_end(void *data, struct buf *all)
{
    struct chain *c = data;

    (void)all;
    reader_close(c->progress_reader);
    c->progress_reader = NULL;
}

static void check_end(struct chain *c);

static void on_summary(void *data, struct buf *all)
{
    static const struct json_rules rules = {.max_depth = 32};
    struct chain *c = data;
    struct json_object *summary;

    reader_close(c->summary_reader);
    c->summary_reader = NULL;
    c->reading = false;
    if (json_read(all->data, all->len, &rules, &summary, NULL) == JSON_OK) {
        json_object_put(c->summary);
        c->summary = summary;
    }
    check_end(c);
}

/* ---- bep-reduce */

/* Bazel writes none where it rejects its command line at once. */
static bool has_event_file(const struct chain *c)
{
    char *path = NULL;
    bool found = c->spec.has_events && asprintf(&path, "%s/" STORE_EVENTS, c->spec.folder) >= 0 &&
                 !access(path, R_OK);

    free(path);
    return found;
}

static void reduce_arguments(const struct chain *c, struct argv *argv, bool final)
{
    const struct chain_spec *s = &c->spec;

    argv_addf(argv, "%s/bep-reduce", s->tools);
    argv_add(argv, "--format=json");
    argv_addf(argv, "--details=%s/" STORE_DETAILS, s->folder);
    argv_addf(argv, "--stdout=%s/" STORE_STDOUT, s->folder);
    argv_addf(argv, "--stderr=%s/" STORE_STDERR, s->folder);
    argv_addf(argv, "--command=%s", s->command);
    argv_addf(argv, "--workspace=%s", s->workspace);
    argv_addf(argv, "--redact=%s", s->patterns);
    if (!final)
        argv_add(argv, "--progress-fd=3");
    if (final && c->exit_code >= 0)
        argv_addf(argv, "--exit-code=%d", c->exit_code);
    if (final && has_event_file(c))
        argv_addf(argv, "%s/" STORE_EVENTS, s->folder);
}

/* Reads frames from `in`; with `final` from the file, or nothing at all. */
static bool start_reduce(struct chain *c, int in, bool final)
{
    const struct reader_handler summary = {NULL, on_summary, c};
    const struct reader_handler progress = {on_progress, on_progress_end, c};
    int out[2] = {-1, -1}, news[2] = {-1, -1};
    struct stage *stage = &c->stages[c->stage_count];
    struct argv argv = ARGV_INIT;
    bool started = false;

    reduce_arguments(c, &argv, final);
    stage->name = "bep-reduce";
    if (!fd_pipe(out) && !fd_pipe(news) && !argv.failed)
        started = stage_start(stage, c->spec.folder, &argv, in, out[1], final ? -1 : news[1]);
    if (started) {
        c->stage_count++;
        c->reading = true;
        c->summary_reader = reader_open(c->spec.loop, out[0], CHAIN_MAX_SUMMARY, &summary);
        out[0] = -1;
        if (!final) {
            c->progress_reader = reader_open(c->spec.loop, news[0], READER_LINE, &progress);
            news[0] = -1;
        }
    } else {
        note_fault(c, stage_why(stage));
    }
    for (int i = 0; i < 2; i++) {
        fd_drop(&out[i]);
        fd_drop(&news[i]);
    }
    argv_release(&argv);
    return started;
}

/* ---- the way to the end */

/* Whether the summary says what only we know: how Bazel ended. */
static bool knows_the_end(const struct chain *c)
{
    struct json_object *exit = rpc_member(c->summary, "exit", json_type_object);
    const char *state = rpc_string(c->summary, "state");

    if (c->exit_code < 0 && c->summary)
        return true;
    return state && strcmp(state, "incomplete") != 0 && rpc_int(exit, "code", -1) == c->exit_code;
}

/* bep-reduce has seen the last message: nothing that a source would still say matters. */
static bool has_all(const struct chain *c)
{
    const struct child *last = &c->stages[c->stage_count - 1].child;

    return last->reaped && WIFEXITED(last->status) && WEXITSTATUS(last->status) == EX_OK;
}

static bool all_reaped(const struct chain *c)
{
    for (int i = 0; i < c->stage_count; i++)
        if (!c->stages[i].child.reaped && !(c->stages[i].lingers && has_all(c)))
            return false;
    return !c->drain.child.pid || c->drain.child.reaped;
}

/* Statuses of sysexits that only say that the stream or the neighbour ended early. */
static bool is_consequence(int status)
{
    return WIFEXITED(status) &&
           (WEXITSTATUS(status) == EX_OK || WEXITSTATUS(status) == EX_DATAERR ||
            WEXITSTATUS(status) == EX_UNAVAILABLE || WEXITSTATUS(status) == EX_NOINPUT);
}

/* From the end: a stage that fails makes those before it fail, too. */
static void blame(struct chain *c)
{
    for (int i = c->stage_count - 1; i >= 0; i--)
        if (!is_consequence(c->stages[i].child.status))
            note_fault(c, describe_end(&c->stages[i]));
}

/* bep-reduce, the last stage, says 65 where the last message was missing. */
static void note_completeness(struct chain *c)
{
    int status = c->stages[c->stage_count - 1].child.status;

    if (WIFEXITED(status))
        c->incomplete = WEXITSTATUS(status) == EX_DATAERR;
}

static void forget_stages(struct chain *c)
{
    for (int i = 0; i < c->stage_count; i++) {
        child_kill(&c->stages[i].child, SIGKILL);
        reaper_take(&c->stages[i].child);
    }
    child_kill(&c->drain.child, SIGKILL);
    reaper_take(&c->drain.child);
    c->stage_count = 0;
}

static void check_end(struct chain *c)
{
    int null;

    if (c->released || !c->finishing || c->reading || !all_reaped(c))
        return;
    if (c->stage_count) {
        blame(c);
        note_completeness(c);
    }
    forget_stages(c);
    if (!c->again && !knows_the_end(c)) {
        c->again = true;
        null = fd_open_null(O_RDONLY);
        if (start_reduce(c, null, true)) {
            fd_close(null);
            return;
        }
        fd_close(null);
    }
    c->spec.ended(c->spec.data);
}

void chain_finish(struct chain *c, int exit_code)
{
    c->finishing = true;
    fd_drop(&c->hold);
    c->exit_code = exit_code;
    chain_reap(c);
    check_end(c);
}

/* ---- a source that dies */

static void replace_source(struct chain *c)
{
    struct stage *source = &c->stages[0];

    if (c->finishing || c->drain.child.pid || !c->stage_count || !source->child.reaped ||
        c->transport == TRANSPORT_TAIL ||
        (WIFEXITED(source->child.status) && !WEXITSTATUS(source->child.status)))
        return;
    note_fault(c, describe_end(source));
    stages_drain(c);
}

void chain_reap(struct chain *c)
{
    for (int i = 0; i < c->stage_count; i++)
        if (c->stages[i].child.pid)
            child_try_wait(&c->stages[i].child);
    if (c->drain.child.pid)
        child_try_wait(&c->drain.child);
    replace_source(c);
    check_end(c);
}

void chain_kill(struct chain *c)
{
    for (int i = 0; i < c->stage_count; i++)
        child_kill(&c->stages[i].child, SIGKILL);
    child_kill(&c->drain.child, SIGKILL);
    note_fault(c, strdup("the capture did not end and was killed"));
}

/* ---- start */

static void open_stream(struct chain *c)
{
    int in = stages_open(c);

    if (in < 0)
        return;
    start_reduce(c, in, false);
    fd_close(in);
}

void chain_open(struct chain *c, const struct chain_spec *spec)
{
    *c = (struct chain){
        .spec = *spec, .transport = spec->transport, .frames = -1, .hold = -1, .exit_code = -1};
    c->drain.child = (struct child)CHILD_INIT;
    for (int i = 0; i < CHAIN_STAGES; i++)
        c->stages[i].child = (struct child)CHILD_INIT;
    c->progress = (struct chain_progress){
        .actions_done = -1, .actions_total = -1, .tests_done = -1, .failed = -1};
    if (spec->has_events)
        stages_prepare(c);
    /* Bazel takes longer to begin than the others. */
    if (!c->endpoint_reader)
        spec->ready(spec->data);
    if (spec->has_events)
        open_stream(c);
}

void chain_release(struct chain *c)
{
    c->released = true;
    fd_drop(&c->frames);
    fd_drop(&c->hold);
    reader_close(c->summary_reader);
    reader_close(c->progress_reader);
    reader_close(c->endpoint_reader);
    forget_stages(c);
    json_object_put(c->summary);
    free(c->fallback);
    free(c->fault);
    free(c->endpoint);
}

/* Where the user's own rc files wanted the events to go, as bep-reduce has found. */
static void put_displaced(struct json_object *capture, struct json_object *summary)
{
    struct json_object *bazel = rpc_member(summary, "bazel", json_type_object);
    struct json_object *displaced = rpc_member(bazel, "displaced", json_type_array);

    if (displaced)
        json_object_object_add(capture, "displaced", json_object_get(displaced));
}

struct json_object *chain_capture(const struct chain *c)
{
    struct json_object *capture = json_object_new_object();

    put_string(capture, "transport", transport_names[c->transport]);
    if (c->fallback)
        put_string(capture, "fallback", c->fallback);
    if (c->fault)
        put_string(capture, "fault", c->fault);
    if (c->incomplete)
        put_bool(capture, "complete", false);
    put_displaced(capture, c->summary);
    return capture;
}
