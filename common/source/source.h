/*
 * What the sources bep-tail, bep-fifo and bes-recv have in common: the options of the Bazel client that
 * they follow, its start, passing frames on to stdout, and the way to exit. Those that exit are for main.c.
 */
#ifndef SOURCE_SOURCE_H
#define SOURCE_SOURCE_H

#include "common/base/limits.h"
#include "common/base/opt.h"
#include "common/proc/client.h"

#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct source_options {
    uint64_t pid; /* 0: none */
    uint64_t grace_ms;
    uint64_t max_frame;
};

#define SOURCE_OPTIONS_INIT                                                                        \
    {                                                                                              \
        .grace_ms = GRACE_DEFAULT_MS, .max_frame = FRAME_MAX_DEFAULT                               \
    }

/* Rows of an option table; `o` is a struct source_options. SOURCE_OPT_MAX_FRAME takes a uint64_t *. */
#define SOURCE_OPT_PID(o)                                                                          \
    {                                                                                              \
        OPT_U64, 'p', "pid", "N", "follow the life of this Bazel client", &(o).pid, NULL, INT_MAX  \
    }
#define SOURCE_OPT_GRACE(o)                                                                        \
    {                                                                                              \
        OPT_DURATION, 0, "grace", "TIME",                                                          \
            "go on this long without data once the client has gone (2s)", &(o).grace_ms, NULL, 0   \
    }
#define SOURCE_OPT_MAX_FRAME(value)                                                                \
    {                                                                                              \
        OPT_SIZE, 0, "max-frame", "SIZE", "longest frame that is accepted (1G)", value, NULL, 0    \
    }

/* Exits 64 where stdout is a terminal; `example` is a command line that works. */
void source_refuse_terminal(const char *example);

/* COMMAND behind "--", NULL where there is no "--". Exits 64: nothing behind it, or --pid as well. */
char *const *source_command(const struct opt_operands *, const struct source_options *);

/*
 * Starts COMMAND, with `value` for "{}", or follows --pid, or neither. EX_OK, or EX_UNAVAILABLE where
 * COMMAND can't be started, which has been said then.
 */
int source_client(struct client *, const struct source_options *, char *const *command,
                  const char *value);

/*
 * poll(2), which also wakes up now and then where only asking tells that the client has gone. True: revents
 * are set. Where poll itself fails it is a short sleep: who looks at everything after each call goes on.
 */
bool source_wait(struct pollfd *, nfds_t, const struct client *, int timeout_ms);

/*
 * What the first signal means, to be asked once when it has come. True: COMMAND has had it from the
 * terminal, or gets it now, and its stream goes on to its own end. False: there is no COMMAND, any other
 * client is left in peace, and it is our stream that ends.
 */
bool source_command_ends(struct client *);

enum pass_status {
    PASS_OK,
    PASS_GONE,        /* EPIPE: nobody reads any more */
    PASS_INTERRUPTED, /* a signal ended a write that waited; a part may have been written */
    PASS_FAILED,      /* said on stderr */
};

/* Writes everything to stdout, waiting for a slow reader; with `until_signal` no longer than that. */
enum pass_status source_pass(const void *bytes, size_t len, bool until_signal);

/* Closes stdout, which ends the stream for its reader. Gives `status`, or 74 where only that failed. */
int source_close(int status);

/*
 * Exits with `status`. Where a signal has come and the stream is not complete (status is not 0), ends by that
 * signal instead.
 */
void source_leave(int status) __attribute__((noreturn));

/* Both, one after the other. */
void source_exit(int status) __attribute__((noreturn));

#endif
