#include "cmd/mcp-front/invoke.h"
#include "common/base/clock.h"
#include "common/io/fd.h"
#include "common/io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How long the capture may take when Bazel is gone: a source waits 2 s at most, the rest reads a file. */
#define REDUCE_LIMIT_MS 120000

static void enter_probe(struct invocation *);
static void enter_lock(struct invocation *);
static void enter_slot(struct invocation *);
static void enter_open(struct invocation *);
static void enter_run(struct invocation *);
static void enter_reduce(struct invocation *);
static void enter_finish(struct invocation *);
static void stop_waiting(struct invocation *);
static void stop_bazel(struct invocation *);

/*
 * What a step shows to others, what entering it does, and what cancelling in it does. A step without
 * `cancel` is short, and the next one looks at `cause`.
 */
static const struct {
    enum store_state shown;
    void (*enter)(struct invocation *);
    void (*cancel)(struct invocation *);
} steps[] = {
    [STEP_BEGIN] = {STATE_QUEUED, NULL, NULL},
    [STEP_PROBE] = {STATE_QUEUED, enter_probe, stop_waiting},
    [STEP_LOCK] = {STATE_QUEUED, enter_lock, stop_waiting},
    [STEP_SLOT] = {STATE_QUEUED, enter_slot, stop_waiting},
    [STEP_OPEN] = {STATE_STARTING, enter_open, stop_bazel},
    [STEP_RUN] = {STATE_RUNNING, enter_run, stop_bazel},
    [STEP_REDUCE] = {STATE_RUNNING, enter_reduce, NULL},
    [STEP_FINISH] = {STATE_RUNNING, enter_finish, NULL},
    [STEP_DONE] = {STATE_FAILED, NULL, NULL},
};

static void tell_news(struct invocation *inv)
{
    struct listener *next;

    for (struct listener *l = inv->listeners; l; l = next) {
        next = l->next;
        if (l->news)
            l->news(inv, l->data);
    }
}

/* Steps that were cancelled or failed lead straight to the end. */
static void go(struct invocation *inv, enum step step)
{
    if (inv->cause && step < STEP_REDUCE)
        step = inv->bazel_ran ? STEP_REDUCE : STEP_FINISH;
    inv->step = step;
    inv->entered = clock_ms();
    inv->deadline = 0;
    tell_news(inv);
    steps[step].enter(inv);
}

static void set_cause(struct invocation *inv, enum cause cause, const char *reason)
{
    if (inv->cause)
        return;
    inv->cause = cause;
    inv->reason = invoke_clean_text(inv, reason);
}

static void fail_to_start(struct invocation *inv, const char *what)
{
    char *text = NULL;

    if (asprintf(&text, "%s: %s", what, strerror(errno)) < 0)
        text = NULL;
    set_cause(inv, CAUSE_NOT_STARTED, text ? text : what);
    free(text);
}

static void add_warning(struct invocation *inv, const char *words)
{
    char *all = NULL;

    if (!words || (inv->warnings && strstr(inv->warnings, words)))
        return;
    if (asprintf(&all, "%s%s%s", inv->warnings ? inv->warnings : "", inv->warnings ? "\n" : "",
                 words) < 0)
        return;
    free(inv->warnings);
    inv->warnings = all;
}

/* ---- before Bazel */

static void on_begun(void *data, enum store_status status, const char *folder, const char *words)
{
    struct invocation *inv = data;

    add_warning(inv, words);
    if (status != STORE_OK || !folder)
        set_cause(inv, CAUSE_NOT_STARTED, words ? words : "no folder for the evidence");
    else
        inv->folder = strdup(folder);
    go(inv, STEP_PROBE);
}

static void on_version_known(void *data)
{
    go(data, STEP_PROBE);
}

static void enter_probe(struct invocation *inv)
{
    inv->probe_wait = (struct probe_wait){.known = on_version_known, .data = inv};
    if (probe_version(inv->engine->probes, inv->call.executable, inv->call.workspace,
                      &inv->probe_wait, &inv->version))
        go(inv, STEP_LOCK);
}

static void on_lock(void *data, int error)
{
    struct invocation *inv = data;

    inv->lock_ms = clock_ms() - inv->entered;
    if (error) {
        errno = error;
        fail_to_start(inv, "the lock for the output base cannot be had");
    }
    go(inv, STEP_SLOT);
}

static void enter_lock(struct invocation *inv)
{
    const struct call *call = &inv->call;
    uint64_t limit = inv->engine->config->lock_timeout_seconds * 1000;

    inv->deadline = clock_ms() + (limit ? limit : call->timeout_ms);
    inv->lock =
        outlock_take(inv->engine->outlocks, call->output_base ? call->output_base : call->workspace,
                     inv->id, on_lock, inv);
    if (!inv->lock) {
        fail_to_start(inv, "the lock for the output base cannot be had");
        go(inv, STEP_FINISH);
    }
}

static void on_slot(void *data)
{
    go(data, STEP_OPEN);
}

static void enter_slot(struct invocation *inv)
{
    if (sched_enter(&inv->engine->sched, &inv->place, on_slot, inv))
        go(inv, STEP_OPEN);
}

/* Cancelled before Bazel was started. */
static void stop_waiting(struct invocation *inv)
{
    probe_forget(inv->engine->probes, &inv->probe_wait);
    if (inv->step == STEP_LOCK)
        inv->lock_ms = clock_ms() - inv->entered;
    go(inv, STEP_FINISH);
}

/* ---- Bazel */

static int open_console(const struct invocation *inv, const char *name)
{
    char *path = NULL;
    int fd = -1;

    if (asprintf(&path, "%s/%s", inv->folder, name) >= 0)
        fd = fd_open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
    free(path);
    return fd;
}

static void on_bazel_end(void *data, enum guard_end end, int value)
{
    struct invocation *inv = data;

    inv->end = end;
    inv->end_value = value;
    if (inv->started_ms)
        inv->bazel_ms = clock_ms() - inv->entered;
    if (end == GUARD_FAILED) {
        errno = value;
        fail_to_start(inv, inv->call.executable);
    }
    go(inv, STEP_REDUCE);
}

static bool start_guard(struct invocation *inv)
{
    const struct config *config = inv->engine->config;
    struct guard_spec spec = {
        .env = inv->engine->env, .cwd = inv->call.workspace, .ended = on_bazel_end, .data = inv};

    inv->out = open_console(inv, STORE_STDOUT);
    inv->err = open_console(inv, STORE_STDERR);
    if (inv->out < 0 || inv->err < 0)
        return false;
    spec.out = inv->out;
    spec.err = inv->err;
    spec.interrupt_ms = config->cancellation_interrupt_grace_seconds * 1000;
    spec.terminate_ms = config->cancellation_terminate_grace_seconds * 1000;
    return !guard_start(&inv->guard, inv->engine->loop, &spec);
}

static void on_chain_ready(void *data)
{
    struct invocation *inv = data;

    /* It may have been cancelled, or Bazel's guard may have died, while the capture got ready. */
    if (inv->step == STEP_OPEN)
        go(inv, STEP_RUN);
}

static void on_chain_progress(void *data)
{
    tell_news(data);
}

static void on_chain_end(void *data)
{
    go(data, STEP_FINISH);
}

static void open_chain(struct invocation *inv)
{
    const struct engine *e = inv->engine;
    struct chain_spec spec = {
        .loop = e->loop,
        .tools = e->tools,
        .folder = inv->folder,
        .patterns = inv->patterns,
        .command = inv->call.command,
        .workspace = inv->call.workspace,
        .invocation_id = inv->id,
        .has_events = bazel_kind_has_events(bazel_kind(inv->call.command)),
        .transport = (enum config_transport)e->config->bep_transport,
        .sync = (enum config_sync)e->config->bep_sync,
        .guard = inv->guard.child.pid,
        .ready = on_chain_ready,
        .progressed = on_chain_progress,
        .ended = on_chain_end,
        .data = inv,
    };

    inv->chain_open = true;
    chain_open(&inv->chain, &spec);
}

static void enter_open(struct invocation *inv)
{
    inv->queue_ms = (uint64_t)(clock_wall_ms() - inv->requested_ms);
    if (invoke_write_patterns(inv))
        fail_to_start(inv, "the patterns for redaction cannot be written");
    else if (!start_guard(inv))
        fail_to_start(inv, "Bazel's guard cannot be started");
    if (inv->cause)
        go(inv, STEP_FINISH);
    else
        open_chain(inv);
}

static void command_line(const struct invocation *inv, struct argv *argv)
{
    struct argv flags = ARGV_INIT;
    const struct bazel_call call = {
        .config = inv->engine->config,
        .executable = inv->call.executable,
        .version = inv->version,
        .command = inv->call.command,
        .startup_args = inv->call.startup_args.items,
        .args = inv->call.args.items,
        .target = inv->call.target,
        .program_args = inv->call.program_args.items,
        .invocation_id = inv->id,
        .request_id = inv->request_id,
    };
    struct bazel_call whole = call;

    chain_flags(&inv->chain, inv->version.major, &flags);
    whole.event_flags = flags.items;
    bazel_command_line(argv, &whole);
    argv->failed = argv->failed || flags.failed;
    argv_release(&flags);
}

static void on_moved(void *data, enum store_status status, const char *words)
{
    (void)data;
    (void)status;
    (void)words;
}

static void enter_run(struct invocation *inv)
{
    struct argv argv = ARGV_INIT;

    command_line(inv, &argv);
    inv->bazel_ran = true;
    inv->started_ms = clock_wall_ms();
    inv->deadline = clock_ms() + inv->call.timeout_ms;
    if (argv.failed || guard_go(&inv->guard, argv.items))
        guard_stop(&inv->guard); /* it reads no whole command line and ends; on_bazel_end follows */
    argv_release(&argv);
    store_move(inv->engine->store, inv->id, STATE_RUNNING, inv->started_ms, on_moved, NULL);
}

/* Cancelled while Bazel is there, or about to be. */
static void stop_bazel(struct invocation *inv)
{
    if (inv->step == STEP_OPEN) {
        guard_release(&inv->guard);
        go(inv, STEP_FINISH);
        return;
    }
    inv->deadline = 0;
    guard_stop(&inv->guard);
}

static void enter_reduce(struct invocation *inv)
{
    inv->deadline = clock_ms() + REDUCE_LIMIT_MS;
    fd_drop(&inv->out);
    fd_drop(&inv->err);
    sched_leave(&inv->engine->sched, &inv->place);
    if (inv->lock)
        outlock_release(inv->lock);
    inv->lock = NULL;
    chain_finish(&inv->chain, invoke_exit_code(inv));
}

/* ---- the end */

static void forget(struct invocation *inv)
{
    struct invocation **at = &inv->engine->first;

    while (*at != inv)
        at = &(*at)->next;
    *at = inv->next;
    json_object_put(inv->summary);
    json_object_put(inv->capture);
    call_release(&inv->call);
    free(inv->reason);
    free(inv->folder);
    free(inv->warnings);
    free(inv->patterns);
    buf_release(&inv->words);
    free(inv->headline);
    free(inv);
}

static void on_finished(void *data, enum store_status status, const char *words)
{
    struct invocation *inv = data;
    struct engine *engine = inv->engine;
    struct listener *l;

    (void)status;
    add_warning(inv, words);
    inv->step = STEP_DONE;
    while ((l = inv->listeners)) {
        inv->listeners = l->next;
        l->ended(inv, l->data);
    }
    forget(inv);
    engine_ended(engine);
}

static void take_results(struct invocation *inv)
{
    if (!inv->chain_open)
        return;
    if (inv->bazel_ran && inv->chain.spec.has_events)
        inv->capture = chain_capture(&inv->chain);
    inv->summary = json_object_get(inv->chain.summary);
    chain_release(&inv->chain);
    inv->chain_open = false;
}

static void enter_finish(struct invocation *inv)
{
    sched_leave(&inv->engine->sched, &inv->place);
    if (inv->lock)
        outlock_release(inv->lock);
    inv->lock = NULL;
    guard_release(&inv->guard);
    fd_drop(&inv->out);
    fd_drop(&inv->err);
    take_results(inv);
    inv->finished_ms = clock_wall_ms();
    if (inv->started_ms)
        inv->reduction_ms = (uint64_t)(inv->finished_ms - inv->started_ms) - inv->bazel_ms;
    invoke_judge(inv);
    invoke_record_end(inv, on_finished);
}

/* ---- from outside */

static void begin(struct invocation *inv)
{
    const struct call *call = &inv->call;
    struct argv startup_args = ARGV_INIT, args = ARGV_INIT;
    char *target = invoke_clean_text(inv, call->target);
    struct store_begin begin = {
        .id = inv->id,
        .workspace = call->workspace,
        .command = call->command,
        .program_arg_count = call->program_args.count,
        .requested_ms = inv->requested_ms,
        .timeout_ms = call->timeout_ms,
    };

    invoke_clean_args(inv, &call->startup_args, &startup_args);
    invoke_clean_args(inv, &call->args, &args);
    begin.startup_args = (const char *const *)startup_args.items;
    begin.args = (const char *const *)args.items;
    begin.target = target;
    engine_began(inv->engine);
    store_begin(inv->engine->store, &begin, on_begun, inv);
    argv_release(&startup_args);
    argv_release(&args);
    free(target);
}

struct invocation *invoke_start(struct engine *engine, struct call *call, struct buf *why)
{
    struct invocation *inv;

    if (engine->running >= engine->config->maximum_pending_invocations) {
        buf_printf(why, "%zu invocations are running or waiting, as many as are allowed",
                   engine->running);
        return NULL;
    }
    inv = calloc(1, sizeof(*inv));
    if (!inv) {
        buf_add_str(why, "out of memory");
        return NULL;
    }
    inv->engine = engine;
    inv->call = *call;
    *call = (struct call){0};
    inv->words = (struct buf)BUF_INIT;
    inv->out = inv->err = -1;
    inv->guard = (struct guard)GUARD_INIT;
    uuid_make(inv->id);
    uuid_make(inv->request_id);
    inv->requested_ms = clock_wall_ms();
    inv->entered = clock_ms();
    inv->next = engine->first;
    engine->first = inv;
    invoke_learn(inv);
    begin(inv);
    return inv;
}

void invoke_listen(struct invocation *inv, struct listener *l)
{
    l->next = inv->listeners;
    inv->listeners = l;
}

void invoke_unlisten(struct invocation *inv, struct listener *l)
{
    struct listener **at = &inv->listeners;

    while (*at && *at != l)
        at = &(*at)->next;
    if (*at)
        *at = l->next;
}

void invoke_stop(struct invocation *inv, enum cause cause, const char *reason)
{
    if (inv->cause || inv->step >= STEP_REDUCE)
        return;
    set_cause(inv, cause, reason);
    if (steps[inv->step].cancel)
        steps[inv->step].cancel(inv);
}

enum store_state invoke_state(const struct invocation *inv)
{
    return inv->step == STEP_DONE ? inv->state : steps[inv->step].shown;
}
