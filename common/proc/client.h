/*
 * The Bazel client whose life a source follows: started by us (after "--") or elsewhere (--pid). Never
 * Bazel's server. A zombie counts as gone, which kill(pid, 0) would not say.
 */
#ifndef PROC_CLIENT_H
#define PROC_CLIENT_H

#include "common/proc/spawn.h"

#include <stdbool.h>
#include <stdint.h>

struct client {
    pid_t pid;          /* 0: there is none to follow */
    int pidfd;          /* readable when it is gone; -1 where the kernel has none: then ask again */
    uint64_t start;     /* field 22 of /proc/PID/stat, in clock ticks since boot */
    bool gone;          /* once true, stays true */
    struct child child; /* where it is ours */
};

#define CLIENT_INIT                                                                                \
    {                                                                                              \
        .pidfd = -1, .child = CHILD_INIT                                                           \
    }

/* Follows a process that runs already. One that is gone is no error: client_gone says so. */
void client_open(struct client *, pid_t pid);

/*
 * Starts `argv` with each "{}" in an argument replaced by `value`; its stdout goes to our stderr.
 * 0, or -1 and errno of exec.
 */
int client_start(struct client *, char *const *argv, const char *value);

/* Whether it has ended. False where there is none. Reaps it where it is ours. */
bool client_gone(struct client *);

/* When it started, in milliseconds since 1970, to about 10 ms; 0 where that is unknown. */
int64_t client_started_wall_ms(const struct client *);

/* For poll(2): readable when the client is gone; -1: none, ask client_gone at times. */
int client_fd(const struct client *);

void client_release(struct client *);

#endif
