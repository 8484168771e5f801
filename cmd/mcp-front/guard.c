/* mcp-front's side of a guard; the process itself is in guard_main.c. */
#include "cmd/mcp-front/guard.h"
#include "cmd/mcp-front/reaper.h"
#include "common/base/num.h"
#include "common/io/fd.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REPORT_MAX_LINE 64

static void finish(struct guard *g, enum guard_end end, int value)
{
    void (*ended)(void *, enum guard_end, int) = g->ended;

    g->ended = NULL;
    if (ended)
        ended(g->data, end, value);
}

static void on_report(void *data, const char *line)
{
    static const struct {
        const char *word;
        enum guard_end end;
    } ends[] = {{"exit ", GUARD_EXITED}, {"signal ", GUARD_SIGNALED}, {"failed ", GUARD_FAILED}};
    struct guard *g = data;
    int64_t value;

    if (!strncmp(line, "started ", 8) && num_parse_i64(line + 8, &value))
        g->command_pid = (pid_t)value;
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        size_t len = strlen(ends[i].word);

        if (!strncmp(line, ends[i].word, len) && num_parse_i64(line + len, &value))
            finish(g, ends[i].end, (int)value);
    }
}

/* Someone killed the guard. `ended` comes when nothing is left of what it guarded. */
static void on_report_end(void *data, struct buf *all)
{
    struct guard *g = data;

    (void)all;
    g->orphaned = g->ended && g->command_pid > 0;
    if (g->orphaned)
        guard_tick(g);
    else
        finish(g, GUARD_DIED, 0);
}

void guard_tick(struct guard *g)
{
    if (!g->orphaned)
        return;
    if (!kill(-g->command_pid, 0) && !descent_over(&g->descent)) {
        descent_go(&g->descent, g->command_pid);
        return;
    }
    g->orphaned = false;
    finish(g, GUARD_DIED, 0);
}

int guard_start(struct guard *g, uv_loop_t *loop, const struct guard_spec *spec)
{
    const struct reader_handler handler = {on_report, on_report_end, g};
    char ourselves[] = "/proc/self/exe", option[] = GUARD_OPTION, interrupt[24], terminate[24];
    char *argv[] = {ourselves, option, interrupt, terminate, NULL};
    struct spawn spawn = {.argv = argv, .env = spec->env, .cwd = spec->cwd, .own_group = true};
    int control[2] = {-1, -1}, report[2] = {-1, -1}, null = fd_open_null(0), failed = -1;

    *g = (struct guard)GUARD_INIT;
    g->ended = spec->ended;
    g->data = spec->data;
    g->descent =
        (struct descent){.interrupt_ms = spec->interrupt_ms, .terminate_ms = spec->terminate_ms};
    snprintf(interrupt, sizeof(interrupt), "%llu", (unsigned long long)spec->interrupt_ms);
    snprintf(terminate, sizeof(terminate), "%llu", (unsigned long long)spec->terminate_ms);
    if (null < 0 || fd_pipe(control) || fd_pipe(report))
        goto out;
    spawn_fd(&spawn, null, 0);
    spawn_fd(&spawn, spec->out, 1);
    spawn_fd(&spawn, spec->err, 2);
    spawn_fd(&spawn, control[0], 3);
    spawn_fd(&spawn, report[1], 4);
    if (spawn_start(&spawn, &g->child))
        goto out;
    g->control = control[1];
    control[1] = -1;
    g->report = reader_open(loop, report[0], REPORT_MAX_LINE, &handler);
    report[0] = -1;
    failed = g->report ? 0 : -1;
out:
    fd_drop(&null);
    for (int i = 0; i < 2; i++) {
        fd_drop(&control[i]);
        fd_drop(&report[i]);
    }
    return failed;
}

int guard_go(struct guard *g, char *const *argv)
{
    struct buf all = BUF_INIT;
    uint32_t len;
    int failed = -1;

    for (; *argv; argv++)
        if (buf_add(&all, *argv, strlen(*argv) + 1) != BUF_OK)
            goto out;
    len = (uint32_t)all.len;
    /* At most as long as the policy allows; the guard reads it at once, so that this does not wait. */
    if (!fd_write_full(g->control, &len, sizeof(len)) &&
        !fd_write_full(g->control, all.data, all.len))
        failed = 0;
out:
    buf_release(&all);
    return failed;
}

void guard_stop(struct guard *g)
{
    if (g->control >= 0)
        (void)fd_write_full(g->control, "c", 1);
}

void guard_reap(struct guard *g)
{
    if (g->child.pid)
        child_try_wait(&g->child);
}

void guard_release(struct guard *g)
{
    g->ended = NULL;
    if (g->orphaned)
        kill(-g->command_pid, SIGKILL);
    g->orphaned = false;
    fd_drop(&g->control);
    reader_close(g->report);
    g->report = NULL;
    reaper_take(&g->child);
}
