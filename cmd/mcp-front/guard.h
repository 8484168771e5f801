/*
 * Bazel runs under a small guard process of ours, in a process group of its own. The guard holds a pipe
 * from mcp-front and ends the group politely (SIGINT, SIGTERM, SIGKILL, with the configured graces) when
 * that closes, so that nothing survives us, however we end. Sources follow the guard's life (--pid): it
 * exists before Bazel, which makes it the gate, and ends right after it.
 *
 *     descriptor 1, 2   Bazel's console output
 *     3 in    4 bytes (native order): length; that many bytes: arguments, each ended by NUL; later 'c': end it
 *     4 out   lines: "started PID", then one of "exit N", "signal N", "failed ERRNO"
 *
 * What is left of the group when Bazel has ended is ended, too. Bazel's server is in a session of its own.
 * Where the guard itself is killed, mcp-front ends the group in the same way; where both are, the kernel sends
 * Bazel's client SIGTERM.
 */
#ifndef MCP_FRONT_GUARD_H
#define MCP_FRONT_GUARD_H

#include "cmd/mcp-front/descent.h"
#include "cmd/mcp-front/reader.h"
#include "common/proc/spawn.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define GUARD_OPTION "--guard" /* first argument of a process that is a guard */

enum guard_end {
    GUARD_EXITED,   /* value: exit status */
    GUARD_SIGNALED, /* value: signal */
    GUARD_FAILED,   /* value: errno of exec */
    GUARD_DIED,     /* the guard itself was killed; the command has been ended */
};

struct guard {
    struct child child;
    int control; /* -1: closed */
    struct reader *report;
    pid_t command_pid; /* 0: not started yet */
    bool orphaned;     /* the guard was killed: the command is being ended by us */
    struct descent descent;
    void (*ended)(void *data, enum guard_end, int value);
    void *data;
};

#define GUARD_INIT                                                                                 \
    {                                                                                              \
        .child = CHILD_INIT, .control = -1                                                         \
    }

struct guard_spec {
    char *const *env;
    const char *cwd;
    int out, err; /* descriptors of the command; stay the caller's */
    uint64_t interrupt_ms, terminate_ms;
    void (*ended)(void *data, enum guard_end, int value); /* once, from the loop */
    void *data;
};

/* Starts the guard; the command waits for guard_go. 0, or -1 and errno. */
int guard_start(struct guard *, uv_loop_t *, const struct guard_spec *);
/* Starts the command. argv[0] is a path. 0, or -1 and errno. */
int guard_go(struct guard *, char *const *argv);
/* Ends the command politely; `ended` comes as usual. */
void guard_stop(struct guard *);
/* When SIGCHLD has come. */
void guard_reap(struct guard *);
/* Every now and then, for a command whose guard was killed. */
void guard_tick(struct guard *);
/* Lets go: a command that still runs is ended. `ended` is not called any more. */
void guard_release(struct guard *);

/* The guard process. */
int guard_main(int argc, char **argv);

#endif
