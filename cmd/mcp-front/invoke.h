/*
 * One invocation of Bazel from its acceptance to its terminal record, as a table of steps (invoke.c).
 * Every step can be cancelled; none waits for a fixed time.
 */
#ifndef MCP_FRONT_INVOKE_H
#define MCP_FRONT_INVOKE_H

#include "cmd/mcp-front/argv.h"
#include "cmd/mcp-front/bazel.h"
#include "cmd/mcp-front/chain.h"
#include "cmd/mcp-front/engine.h"
#include "cmd/mcp-front/guard.h"
#include "cmd/mcp-front/uuid.h"

/* What is wanted; checked by the policy (call.h makes it). Everything is malloc'ed. */
struct call {
    char *workspace; /* canonical */
    char *command;
    struct argv startup_args, args, program_args;
    char *target;      /* of run; NULL: none */
    char *output_base; /* canonical, where one is named; NULL: Bazel's own for the workspace */
    char *executable;
    uint64_t timeout_ms;
    char *note; /* something to tell with the result; NULL: nothing */
};

void call_release(struct call *);

enum step {
    STEP_BEGIN,  /* the record is being made */
    STEP_PROBE,  /* Bazel's version is asked */
    STEP_LOCK,   /* another one uses the output base */
    STEP_SLOT,   /* as many as may run do */
    STEP_OPEN,   /* the capture gets ready */
    STEP_RUN,    /* Bazel runs */
    STEP_REDUCE, /* Bazel is gone, its events are being read */
    STEP_FINISH, /* the record is being ended */
    STEP_DONE,
};

/* Why it did not end by itself. The first one counts. */
enum cause {
    CAUSE_NONE,
    CAUSE_CANCELLED,
    CAUSE_TIMED_OUT,      /* Bazel took too long */
    CAUSE_LOCK_TIMED_OUT, /* it waited too long for the output base */
    CAUSE_OUTPUT,         /* it printed too much */
    CAUSE_NOT_STARTED,    /* Bazel or the guard could not be started */
};

struct invocation;

/* Who is interested. The memory is his; `next` is ours. */
struct listener {
    struct listener *next;
    void (*news)(struct invocation *, void *data);  /* the step or the progress changed; NULL */
    void (*ended)(struct invocation *, void *data); /* terminal; the listener is off the list */
    void *data;
};

struct invocation {
    struct invocation *next; /* of the engine */
    struct engine *engine;
    char id[UUID_SIZE];
    char request_id[UUID_SIZE];
    struct call call;
    struct listener *listeners;
    bool detached; /* goes on without listeners: a task, or started with wait_seconds */

    enum step step;
    enum cause cause;
    char *reason; /* of a cancellation; what could not be started; what it waited for; NULL: none */
    char *folder; /* of the evidence; NULL: there is none */
    char *warnings;                                /* of the store, a line each; NULL: none */
    int64_t requested_ms, started_ms, finished_ms; /* wall clock; started: Bazel; 0: not yet */
    uint64_t entered;                              /* clock_ms of the current step */
    uint64_t queue_ms, lock_ms, bazel_ms, reduction_ms;
    uint64_t deadline; /* of the current step; 0: none */

    struct probe_wait probe_wait;
    struct bazel_version version;
    struct outlock *lock;
    struct sched_place place;
    int out, err;     /* console files while Bazel runs */
    struct buf words; /* secrets that it knows: known.h */
    char *patterns;   /* file with them for bep-reduce; NULL: not yet */
    struct guard guard;
    struct chain chain;
    bool chain_open;
    enum guard_end end; /* how Bazel ended, from STEP_REDUCE on, where it was started */
    int end_value;
    bool bazel_ran;

    /* Set when it ends. */
    enum store_state state;
    struct json_object *summary; /* bep-reduce's; NULL: none */
    struct json_object *capture; /* NULL: nothing was captured */
    char *headline;              /* ours, where we know better; NULL: the summary's */
};

/*
 * Starts one. Takes what is in `call`, which is empty afterwards. NULL: out of memory, or too many are
 * pending, and `why` says so.
 */
struct invocation *invoke_start(struct engine *, struct call *, struct buf *why);

void invoke_listen(struct invocation *, struct listener *);
void invoke_unlisten(struct invocation *, struct listener *);

/* The one of this process with that id that has not ended; NULL: none. */
struct invocation *invoke_find(struct engine *, const char *id);
/* One that does the same and has not ended; NULL: none. */
struct invocation *invoke_find_same(struct engine *, const struct call *);

/* Ends it in whatever state it is. `reason` may be NULL. */
void invoke_cancel(struct invocation *, const char *reason);
void invoke_cancel_all(struct engine *, const char *reason);

void invoke_reap_all(struct engine *);
void invoke_tick_all(struct engine *);

/* The state that others see: queued, starting, running or a terminal one. */
enum store_state invoke_state(const struct invocation *);
/* Bazel's exit status; -1: it did not exit by itself, or has not yet. */
int invoke_exit_code(const struct invocation *);
/* What it does now, in a few words: "building: 12 of 40 actions". */
void invoke_describe(const struct invocation *, struct buf *);

/* invoke_words.c: finds out what is secret in its call and its environment. */
void invoke_learn(struct invocation *);
/* Sets its words for the engine's redaction, or no more; for as long as one answer is made. */
void invoke_hide_words(const struct invocation *, bool hide);
/* Redacted copies; NULL for NULL. */
char *invoke_clean_text(const struct invocation *, const char *text);
void invoke_clean_args(const struct invocation *, const struct argv *, struct argv *out);
/* The file of patterns for bep-reduce. -1 and errno. */
int invoke_write_patterns(struct invocation *);

/* invoke.c, for the clock: ends it for that cause, unless it is ending already. */
void invoke_stop(struct invocation *, enum cause, const char *reason);
/* invoke_end.c: decides state and headline from how it ended, and keeps the record. */
void invoke_judge(struct invocation *);
void invoke_record_end(struct invocation *, store_cb done);
/* {kind, …}: how Bazel ended; the caller's. */
struct json_object *invoke_termination(const struct invocation *);

#endif
