/*
 * Starting one program with exactly the descriptors it is given. Between fork and exec only
 * async-signal-safe calls are made and no atfork handler runs, so that it works beside gRPC's threads.
 * The child has default signal dispositions, an empty mask, and every descriptor that is not listed is
 * closed.
 */
#ifndef PROC_SPAWN_H
#define PROC_SPAWN_H

#include <stdbool.h>
#include <sys/types.h>

#define SPAWN_MAX_FDS 16

struct spawn_fd {
    int from; /* ours; stays open and ours */
    int to;   /* the child's */
};

struct spawn {
    char *const *argv;                  /* argv[0] is looked up on PATH where it holds no '/' */
    char *const *env;                   /* NULL: ours */
    const char *cwd;                    /* NULL: ours */
    struct spawn_fd fds[SPAWN_MAX_FDS]; /* 0, 1 and 2 that are not listed are inherited */
    int fd_count;
    bool own_group;      /* the child leads a new process group */
    bool gated;          /* the child waits before exec for child_open_gate() */
    bool keep_ignored;   /* signals that we ignore stay ignored (nohup), all but SIGPIPE */
    int die_with_parent; /* a signal that the child gets when our thread dies; 0: none */
};

struct child {
    pid_t pid;   /* 0: none */
    int pidfd;   /* readable when the child has ended; -1 where the kernel has none */
    int exec_fd; /* private: tells how exec went; -1 when that is known */
    int gate_fd; /* private: -1 when the gate is open */
    bool reaped;
    int status; /* of waitpid(2), once reaped */
};

#define CHILD_INIT                                                                                 \
    {                                                                                              \
        .pidfd = -1, .exec_fd = -1, .gate_fd = -1                                                  \
    }

/* Adds a row to fds. */
void spawn_fd(struct spawn *, int from, int to);

/*
 * Forks, and unless `gated` waits until exec has succeeded. 0; or -1 and errno, of exec too: then
 * nothing is left behind. The caller ends with child_release.
 */
int spawn_start(const struct spawn *, struct child *);

/* Opens the gate and waits for exec. 0; or -1 and errno of exec, then the child has been reaped. */
int child_open_gate(struct child *);

/* Reaps. 1: ended, `status` is set; 0: still running; -1 and errno. Further calls repeat the answer. */
int child_try_wait(struct child *);
/* The same, but waits. */
int child_wait(struct child *);

/* kill(2), but never after it has been reaped: the pid may be another's by then. */
void child_kill(struct child *, int sig);

/* Closes the descriptors. */
void child_release(struct child *);

/* "exit status 3" or "signal 9 (Killed)": for messages. `text` is filled and returned. */
const char *child_status_text(int status, char *text, size_t size);

#endif
