/* Invocations as seen from outside: found, cancelled, reaped, looked at by the clock, described. */
#include "cmd/mcp-front/clientlock.h"
#include "cmd/mcp-front/excerpt.h"
#include "cmd/mcp-front/invoke.h"
#include "common/base/clock.h"
#include "common/io/file.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void call_release(struct call *call)
{
    free(call->workspace);
    free(call->command);
    free(call->target);
    free(call->output_base);
    free(call->executable);
    free(call->note);
    argv_release(&call->startup_args);
    argv_release(&call->args);
    argv_release(&call->program_args);
    *call = (struct call){0};
}

void invoke_cancel(struct invocation *inv, const char *reason)
{
    invoke_stop(inv, CAUSE_CANCELLED, reason);
}

void invoke_cancel_all(struct engine *engine, const char *reason)
{
    struct invocation *next;

    for (struct invocation *inv = engine->first; inv; inv = next) {
        next = inv->next;
        invoke_cancel(inv, reason);
    }
}

void invoke_reap_all(struct engine *engine)
{
    struct invocation *next;

    for (struct invocation *inv = engine->first; inv; inv = next) {
        next = inv->next;
        guard_reap(&inv->guard);
        if (inv->chain_open)
            chain_reap(&inv->chain);
    }
}

/* ---- the clock */

static void check_output(struct invocation *inv)
{
    const struct config *config = inv->engine->config;
    uint64_t limit = bazel_kind(inv->call.command) == BAZEL_RUN ? config->maximum_run_output_bytes
                                                                : config->maximum_output_bytes;
    struct stat out, err;

    if (inv->step == STEP_RUN && !fstat(inv->out, &out) && !fstat(inv->err, &err) &&
        (uint64_t)out.st_size + (uint64_t)err.st_size > limit)
        invoke_stop(inv, CAUSE_OUTPUT, NULL);
}

/* Whoever makes the file `cancel` in the folder cancels; its first line is the reason. */
static void check_cancel_file(struct invocation *inv)
{
    struct buf reason = BUF_INIT;
    char path[PATH_MAX];

    if (!inv->folder || inv->step >= STEP_REDUCE)
        return;
    snprintf(path, sizeof(path), "%s/" STORE_CANCEL, inv->folder);
    if (access(path, F_OK))
        return;
    if (!file_read(path, 4096, &reason))
        buf_truncate(&reason, strcspn(reason.data, "\n"));
    invoke_cancel(inv, reason.len ? reason.data : NULL);
    buf_release(&reason);
}

/* Bazel waits for another command, of which *pid is the client, 0 where that is unknown. */
static bool waits_for_bazel(const struct invocation *inv, int *pid)
{
    pid_t client = inv->guard.command_pid;

    return !*inv->chain.progress.phase &&
           (excerpt_waits_for_bazel(inv, pid) || (client > 0 && clientlock_waits(client, pid)));
}

/* Who waited to the end of his time is told for what. */
static void time_out(struct invocation *inv)
{
    struct buf what = BUF_INIT;
    int pid;

    if (inv->step == STEP_LOCK || (inv->step == STEP_RUN && waits_for_bazel(inv, &pid)))
        invoke_describe(inv, &what);
    invoke_stop(inv, inv->step == STEP_LOCK ? CAUSE_LOCK_TIMED_OUT : CAUSE_TIMED_OUT,
                what.len ? what.data : NULL);
    buf_release(&what);
}

static void check_deadline(struct invocation *inv)
{
    if (!inv->deadline || clock_ms() < inv->deadline)
        return;
    inv->deadline = 0;
    if (inv->step == STEP_REDUCE)
        chain_kill(&inv->chain);
    else
        time_out(inv);
}

void invoke_tick_all(struct engine *engine)
{
    struct invocation *next;

    for (struct invocation *inv = engine->first; inv; inv = next) {
        next = inv->next;
        guard_tick(&inv->guard);
        check_output(inv);
        check_cancel_file(inv);
        check_deadline(inv);
    }
}

struct invocation *invoke_find(struct engine *engine, const char *id)
{
    struct invocation *inv = engine->first;

    while (inv && strcmp(inv->id, id) != 0)
        inv = inv->next;
    return inv;
}

static bool same_text(const char *a, const char *b)
{
    return a && b ? !strcmp(a, b) : a == b;
}

static bool same_list(const struct argv *a, const struct argv *b)
{
    for (size_t i = 0; i < a->count && a->count == b->count; i++)
        if (strcmp(a->items[i], b->items[i]) != 0)
            return false;
    return a->count == b->count;
}

static bool same_call(const struct call *a, const struct call *b)
{
    return same_text(a->workspace, b->workspace) && same_text(a->command, b->command) &&
           same_text(a->target, b->target) && a->timeout_ms == b->timeout_ms &&
           same_list(&a->startup_args, &b->startup_args) && same_list(&a->args, &b->args) &&
           same_list(&a->program_args, &b->program_args);
}

struct invocation *invoke_find_same(struct engine *engine, const struct call *call)
{
    struct invocation *inv = engine->first;

    while (inv && (inv->cause || inv->step == STEP_DONE || !same_call(&inv->call, call)))
        inv = inv->next;
    return inv;
}

/* ---- in words */

static void describe_lock(const struct invocation *inv, struct buf *out)
{
    struct outlock_owner owner;

    buf_add_str(out, "waiting for the output base");
    if (!inv->lock || !outlock_waits(inv->lock, &owner) || !owner.pid)
        return;
    buf_printf(out, ", held by process %d", owner.pid);
    if (owner.since_ms)
        buf_printf(out, " for %lld s", (long long)(clock_wall_ms() - owner.since_ms) / 1000);
    if (owner.ahead > 1)
        buf_printf(out, ", %d before this one", owner.ahead);
}

static void describe_run(const struct invocation *inv, struct buf *out)
{
    const struct chain_progress *p = &inv->chain.progress;
    int pid;

    if (waits_for_bazel(inv, &pid)) {
        buf_add_str(out, "waiting for another Bazel command on this output base");
        if (pid)
            buf_printf(out, ", process %d", pid);
        return;
    }
    buf_add_str(out, *p->phase ? p->phase : "running");
    if (p->actions_done > 0)
        buf_printf(out, ": %lld", (long long)p->actions_done);
    if (p->actions_done > 0 && p->actions_total > 0)
        buf_printf(out, " of %lld", (long long)p->actions_total);
    if (p->actions_done > 0)
        buf_add_str(out, " actions");
    if (p->tests_done > 0)
        buf_printf(out, ", %lld tests", (long long)p->tests_done);
    if (p->failed > 0)
        buf_printf(out, ", %lld failed", (long long)p->failed);
    if (*p->waiting_for)
        buf_printf(out, "; waiting for %s", p->waiting_for);
}

static void describe_slot(const struct invocation *inv, struct buf *out)
{
    const struct sched *sched = &inv->engine->sched;

    buf_printf(out, "waiting for a free place: %zu invocations run, %zu before this one",
               sched->held, sched_ahead(sched, &inv->place));
}

void invoke_describe(const struct invocation *inv, struct buf *out)
{
    static const char *const words[] = {
        [STEP_BEGIN] = "starting",
        [STEP_PROBE] = "asking for Bazel's version",
        [STEP_OPEN] = "starting the capture",
        [STEP_REDUCE] = "reading the events",
        [STEP_FINISH] = "finishing",
        [STEP_DONE] = "ended",
    };

    if (inv->step == STEP_LOCK)
        describe_lock(inv, out);
    else if (inv->step == STEP_SLOT)
        describe_slot(inv, out);
    else if (inv->step == STEP_RUN && !inv->cause)
        describe_run(inv, out);
    else if (inv->step == STEP_RUN)
        buf_add_str(out, "stopping Bazel");
    else
        buf_add_str(out, words[inv->step]);
}
