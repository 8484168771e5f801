/* The guard process: one command, ended when mcp-front says so or is gone. See guard.h. */
#include "cmd/mcp-front/descent.h"
#include "cmd/mcp-front/guard.h"
#include "common/base/clock.h"
#include "common/base/err.h"
#include "common/base/num.h"
#include "common/io/fd.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#define CONTROL 3
#define REPORT  4

#define CHECK_MS    100 /* how often the command is looked at where there is no pidfd */
#define LEFTOVER_MS 200 /* what is left of the group gets this long after SIGTERM */
#define NAP_MS      5

#define MAX_ARGS_BYTES (16UL * 1024 * 1024) /* far above the policy's bound and our own flags */

struct ending {
    struct descent descent;
    bool control_open;
};

static void report(const char *word, int value)
{
    char line[64];
    int len = snprintf(line, sizeof(line), "%s %d\n", word, value);

    (void)fd_write_full(REPORT, line, (size_t)len);
}

/* The arguments, NULL-terminated, or NULL: mcp-front went away first. Both live as long as we do. */
static char **read_argv(void)
{
    uint32_t len;
    size_t count = 0;
    char *bytes, **argv;

    if (fd_read_full(CONTROL, &len, sizeof(len)) != sizeof(len) || !len || len > MAX_ARGS_BYTES)
        return NULL;
    bytes = malloc(len);
    if (!bytes || fd_read_full(CONTROL, bytes, len) != (ssize_t)len || bytes[len - 1])
        return NULL;
    for (size_t i = 0; i < len; i++)
        count += !bytes[i];
    argv = calloc(count + 1, sizeof(*argv));
    for (size_t i = 0, at = 0; argv && i < count; i++, at += strlen(bytes + at) + 1)
        argv[i] = bytes + at;
    return argv;
}

/* A word on the control pipe, or its end: the way down begins. Further words change nothing. */
static void read_control(struct ending *e, const struct child *command)
{
    char bytes[64];
    ssize_t n = fd_read(CONTROL, bytes, sizeof(bytes));

    if (n <= 0)
        e->control_open = false;
    if (!e->descent.sent)
        descent_go(&e->descent, command->pid);
}

static bool has_ended(const struct child *command)
{
    siginfo_t info = {0};

    /* Not reaped yet: its id keeps naming the group until what is left there has been signalled. */
    return !waitid(P_PID, (id_t)command->pid, &info, WEXITED | WNOHANG | WNOWAIT) && info.si_pid;
}

static void wait_for_end(struct ending *e, const struct child *command)
{
    while (!has_ended(command)) {
        struct pollfd fds[] = {{e->control_open ? CONTROL : -1, POLLIN, 0},
                               {command->pidfd, POLLIN, 0}};
        int timeout = descent_left(&e->descent);

        if (command->pidfd < 0 && (timeout < 0 || timeout > CHECK_MS))
            timeout = CHECK_MS;
        if (poll(fds, 2, timeout) < 0)
            continue;
        if (fds[0].revents)
            read_control(e, command);
        if (e->descent.sent)
            descent_go(&e->descent, command->pid);
    }
}

static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = NAP_MS * 1000000L}, NULL);
}

static void end_leftovers(struct child *command)
{
    pid_t group = command->pid;
    uint64_t deadline = clock_ms() + LEFTOVER_MS;

    kill(-group, SIGTERM);
    child_wait(command);
    if (WIFSIGNALED(command->status))
        report("signal", WTERMSIG(command->status));
    else
        report("exit", WEXITSTATUS(command->status));
    while (!kill(-group, 0) && clock_left(deadline))
        nap();
    kill(-group, SIGKILL);
}

int guard_main(int argc, char **argv)
{
    struct ending ending = {.control_open = true};
    struct child command;
    /* Killed together with mcp-front we can end nothing; the kernel still ends the command. */
    struct spawn spawn = {.own_group = true, .die_with_parent = SIGTERM};

    err_set_program("mcp-front");
    if (argc != 4 || !num_parse_u64(argv[2], &ending.descent.interrupt_ms) ||
        !num_parse_u64(argv[3], &ending.descent.terminate_ms))
        err_die(EX_USAGE, GUARD_OPTION " is for mcp-front itself");
    signal(SIGHUP, SIG_IGN);
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    spawn.argv = read_argv();
    if (!spawn.argv)
        return EX_OK;
    if (spawn_start(&spawn, &command)) {
        report("failed", errno);
        return EX_OK;
    }
    report("started", command.pid);
    wait_for_end(&ending, &command);
    end_leftovers(&command);
    return EX_OK;
}
