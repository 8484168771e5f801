/*
 * What is kept of invocations: a folder each, with the evidence, and one SQLite database (store.db) as
 * index and history. Several servers share one store; each holds a lease (an flock) while it lives, and
 * the records of one that died become `interrupted` at the next look.
 *
 *     cache_root/store.db                     index and history
 *     cache_root/invocations/DAY/ID/          evidence of one invocation, 0700; files 0600
 *     cache_root/owners/OWNER.lock            leases
 *
 * Opened at the first use; a client's throw-away probe touches no disk. All calls are made on the loop's
 * thread and return at once; the work is done on libuv's pool, writing in its order and reading in its
 * own, and the callback comes on the loop. Reading sees what a callback has confirmed. What is passed in
 * is copied.
 *
 * Where the store cannot be written (read-only, full, written by a newer version) the server goes on:
 * records live in memory and evidence in a private temporary folder until store_close, and `words` of
 * the callback says so, as a warning for the caller. A damaged database is set aside as
 * store.db.damaged-TIME, told the same way, and made again from the folders.
 */
#ifndef MCP_FRONT_STORE_H
#define MCP_FRONT_STORE_H

#include "cmd/mcp-front/config.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#define STORE_ID_SIZE 37 /* of a UUID in lower case, with its NUL */

/* In an invocation's folder. */
#define STORE_EVENTS   "events.bep"
#define STORE_STDOUT   "stdout.log"
#define STORE_STDERR   "stderr.log"
#define STORE_SUMMARY  "summary.json" /* what bep-reduce printed */
#define STORE_DETAILS  "details"      /* its --details */
#define STORE_PATTERNS "redact" /* its --redact: the configured patterns, and words (known.h) */
#define STORE_CANCEL   "cancel" /* whoever makes it cancels the invocation */

enum store_state {
    STATE_QUEUED,
    STATE_STARTING,
    STATE_RUNNING,
    STATE_SUCCEEDED, /* from here on: terminal, final */
    STATE_FAILED,
    STATE_CANCELLED,
    STATE_TIMED_OUT,
    STATE_INTERRUPTED,
};

const char *store_state_name(enum store_state);
bool store_state_parse(const char *name, enum store_state *);
bool store_state_final(enum store_state);

enum store_status {
    STORE_OK,
    STORE_NOT_FOUND, /* no such record, or outside the allowed roots */
    STORE_FINAL,     /* the record is terminal already and stays as it is */
    STORE_FAILED,    /* `words` says what and why */
};

/* `words`: a warning with STORE_OK, the reason with STORE_FAILED, else NULL. Valid during the call. */
typedef void (*store_cb)(void *data, enum store_status, const char *words);

struct store;

/* NULL: out of memory. `config` must outlive it. */
struct store *store_new(uv_loop_t *, const struct config *);

/*
 * After the jobs that were given. Records of ours that are not terminal become `interrupted`; temporary
 * folders are removed. `closed` comes on the loop; the store is then freed.
 */
void store_close(struct store *, void (*closed)(void *data), void *data);

/* A new invocation. Arguments are redacted before they are kept; program arguments are only counted. */
struct store_begin {
    const char *id;
    const char *workspace; /* canonical */
    const char *command;
    const char *const *startup_args; /* NULL-terminated; NULL: none */
    const char *const *args;
    const char *target; /* of `run`, or NULL */
    size_t program_arg_count;
    int64_t requested_ms; /* wall clock */
    uint64_t timeout_ms;
};

/* `folder` exists and is private; NULL only with STORE_FAILED, where not even a temporary one could be made. */
typedef void (*store_begin_cb)(void *data, enum store_status, const char *folder,
                               const char *words);
void store_begin(struct store *, const struct store_begin *, store_begin_cb, void *data);

/* To starting or running. STORE_FINAL where somebody ended it meanwhile. */
void store_move(struct store *, const char *id, enum store_state, int64_t at_ms, store_cb,
                void *data);

/*
 * The end, in one transaction: the state, the summary, and what the details hold (targets, tests,
 * diagnostics, artifacts). When it cannot be kept, the callback has STORE_OK and a warning.
 *
 * The callback comes when the transaction is committed: every server sees it, and no death of a process
 * undoes it. The sync to the disk and the folder's record.json and summary.json follow at once, before
 * store_close is through; a power failure in that moment leaves the record `interrupted`. A sync that fails is
 * told on stderr and as a warning with the next invocation.
 */
struct store_end {
    const char *id;
    enum store_state state;  /* terminal */
    const char *outcome;     /* spec: summary, outcome; NULL: unknown */
    int exit_code;           /* -1: it did not exit by itself */
    const char *termination; /* JSON object that says how Bazel ended; NULL: unknown */
    const char *headline;
    const char *summary; /* bep-reduce's object as JSON text; NULL: there is none */
    int64_t finished_ms;
    uint64_t queue_ms;
    uint64_t lock_wait_ms;
    uint64_t bazel_ms;
    uint64_t reduction_ms;
    const char *cancel_reason; /* redacted before it is kept; NULL: none */
};
void store_finish(struct store *, const struct store_end *, store_cb, void *data);

/* Adds to the counters of what a model was given; best effort, kept with the next write. */
void store_count(struct store *, const char *id, uint64_t visible_bytes, unsigned inspect_calls);

/* One record. Valid during the callback. Arguments are as kept: redacted. */
struct store_record {
    char id[STORE_ID_SIZE];
    char *workspace;
    char *command;
    struct config_list startup_args;
    struct config_list args;
    char *target; /* NULL: none */
    size_t program_arg_count;
    enum store_state state;
    int64_t requested_ms, started_ms, finished_ms; /* 0: not yet */
    char *outcome;
    int exit_code; /* -1: none */
    char *headline;
    char *summary; /* JSON text; NULL: none */
    char *folder;  /* NULL: the evidence has been cleared away */
    bool ours;     /* this server runs it */
};

typedef void (*store_record_cb)(void *data, enum store_status, const struct store_record *,
                                const char *words);
void store_find(struct store *, const char *id, store_record_cb, void *data);

/*
 * Asks whoever runs it to cancel: makes the file `cancel` in its folder, `reason` inside. STORE_FINAL
 * where it has ended. For an invocation of this server, cancel it directly instead.
 */
void store_ask_cancel(struct store *, const char *id, const char *reason, store_cb, void *data);

/* Tasks: a promise that an invocation's result can be had until `expires_ms`. */
struct store_task {
    char id[STORE_ID_SIZE]; /* the invocation's */
    const char *dialect;    /* "2025-11-25" or "extension" */
    const char *status;     /* as in that dialect */
    const char *message;    /* NULL: none */
    int64_t created_ms, updated_ms;
    int64_t ttl_ms;         /* counted from the end; only grows */
    int64_t expires_ms;     /* 0: while it is not terminal */
    const char *result;     /* JSON text of the call's result; NULL: not yet */
    enum store_state state; /* of the invocation; ignored by store_task_save */
};

/* Inserts or replaces. An `expires_ms` that would come earlier than the kept one is ignored. */
void store_task_save(struct store *, const struct store_task *, store_cb, void *data);

/* `tasks` is valid during the callback. Expired ones are not there. */
typedef void (*store_task_cb)(void *data, enum store_status, const struct store_task *tasks,
                              size_t count, const char *words);
void store_task_find(struct store *, const char *id, store_task_cb, void *data);
/* Newest first; those before (created_ms, id) where `before_id` is not NULL. */
void store_task_list(struct store *, const char *dialect, int64_t before_ms, const char *before_id,
                     size_t limit, store_task_cb, void *data);

/*
 * Clears away what is old or too much (retain.h), in the background. The server calls it after the
 * first invocation and every retention_cleanup_interval_seconds.
 */
void store_retain(struct store *, store_cb, void *data);

#endif
