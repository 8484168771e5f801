/*
 * What is remembered of one attempt of an invocation: plain facts, as the events told them. Everything lies in one
 * arena with a hard bound; what finds no room is counted (`left_out`) and told in the summary's `truncated`.
 *
 * Strings are clean UTF-8 (common/text/utf8.h), NULL where nothing was said, and live as long as the state.
 */
#ifndef BEP_REDUCE_STATE_H
#define BEP_REDUCE_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/bep-reduce/event.h"
#include "cmd/bep-reduce/filesets.h"
#include "cmd/bep-reduce/screen.h"
#include "cmd/bep-reduce/table.h"
#include "common/base/arena.h"
#include "common/text/redact.h"

#define STATE_MAX_BYTES   (40UL * 1024 * 1024) /* rows, their strings and file sets */
#define CONSOLE_MAX_BYTES (4UL * 1024 * 1024)  /* of each of stdout and stderr */
#define ARTIFACTS_MAX     20000
#define OUTPUT_MIN_BYTES  (64UL * 1024) /* room for one action's output or one test's log */
#define TEXTS_MAX_BYTES                                                                            \
    (16UL * 1024 * 1024) /* of all such; each may take a quarter of what is left */

/* Aborted.AbortReason */
enum abort_reason {
    ABORT_UNKNOWN = 0,
    ABORT_USER_INTERRUPTED = 1,
    ABORT_TIME_OUT = 2,
    ABORT_REMOTE_ENVIRONMENT_FAILURE = 3,
    ABORT_INTERNAL = 4,
    ABORT_LOADING_FAILURE = 5,
    ABORT_ANALYSIS_FAILURE = 6,
    ABORT_SKIPPED = 7,
    ABORT_NO_ANALYZE = 8,
    ABORT_NO_BUILD = 9,
    ABORT_INCOMPLETE = 10,
    ABORT_OUT_OF_MEMORY = 11,
};

/* TestStatus */
enum test_status {
    TEST_NO_STATUS = 0,
    TEST_PASSED = 1,
    TEST_FLAKY = 2,
    TEST_TIMEOUT = 3,
    TEST_FAILED = 4,
    TEST_INCOMPLETE = 5,
    TEST_REMOTE_FAILURE = 6,
    TEST_FAILED_TO_BUILD = 7,
    TEST_TOOL_HALTED = 8,
    TEST_STATUSES,
};

/* Output of an action or a log of a test, as far as it could be read when its event came. */
struct output {
    const char *uri;     /* NULL: none was named */
    const char *text;    /* NULL: not read; raw bytes as they came */
    size_t len;          /* of text */
    const char *missing; /* why there is no text: "remote", "gone", …; NULL where there is */
    const char *copy;    /* file under --details, NULL: none */
};

enum target_outcome {
    TARGET_PENDING, /* nothing was heard of its end */
    TARGET_SUCCEEDED,
    TARGET_FAILED,
    TARGET_ABORTED, /* see reason */
};

/* A top-level target in all its configurations, or an aspect on it. */
struct target {
    struct table_row row;
    struct target *next;
    const char *label;
    const char *aspect;
    const char *kind;
    const char *failure;             /* Aborted.description or FailureDetail.message */
    enum target_outcome outcome;     /* the worst of all configurations */
    uint32_t reason;                 /* enum abort_reason, or a number that is newer */
    uint64_t configuration;          /* hash of the one that was told last */
    uint32_t completed, failed;      /* configurations */
    uint32_t first_root, root_count; /* output file sets of the default group (filesets.h) */
    bool incomplete_outputs;
    bool is_test;
    uint32_t timeout_s; /* of a test; 0: unknown */
};

/* A file that belongs to a top-level target's outputs, by its label, or to a file set. */
struct artifact {
    struct artifact *next;
    const char *label; /* NULL: see set */
    uint32_t set;
    const char *path;
    int64_t bytes; /* -1: unknown */
};

/* A report of one test's coverage. */
struct lcov {
    struct lcov *next;
    const char *uri;
};

/* One execution of a test action, and whatever it left. */
struct attempt {
    struct attempt *next;
    int32_t run, shard, attempt;
    enum test_status status;
    int64_t duration_ms;
    int32_t exit_code; /* 0: unknown */
    int32_t timeout_s; /* 0: unknown */
    bool cached_locally, cached_remotely;
    const char *details; /* TestResult.status_details */
    struct output log, xml;
};

struct test {
    struct table_row row;
    struct test *next;
    const char *label;
    const char *configuration;
    int summary;          /* enum test_status of the TestSummary, -1: none came */
    int aborted;          /* enum abort_reason where it was aborted, -1: not */
    bool failed_to_build; /* its target failed: no result will come */
    int32_t runs, shards,
        attempts;        /* as the summary says, else the highest that was seen; 0: unknown */
    int64_t duration_ms; /* of all runs, -1: unknown */
    uint32_t results, passed, cached_locally, cached_remotely; /* counted over results */
    struct attempt *list, **tail; /* those that did not pass, in the order of their events */
    struct output log;            /* of the last one that passed */
};

struct action {
    struct action *next;
    struct action *next_in_package; /* for blocks.h */
    bool told;                      /* likewise: a block of the console belongs to it */
    const char *label;
    const char *configuration;
    const char *mnemonic;
    const char *primary_output;
    const char *failure; /* FailureDetail.message */
    int32_t exit_code;
    struct output errors, words; /* its stderr, its stdout */
};

/* An event that did not come, under an id that is no target's or test's. */
struct aborted {
    struct aborted *next;
    enum id_kind kind;
    uint32_t reason;
    const char *label; /* or the pattern */
    const char *description;
};

#define DISPLACED_MAX 2 /* of the options that say where events go */

struct build {
    bool started, finished, last_message;
    bool should_exec, exec_request;
    const char *invocation_id, *version, *command, *workspace, *working_directory;
    const char *exec_root, *output_base;
    int64_t start_ms, finish_ms;
    int exit_code; /* -1: unknown */
    const char *exit_name;
    const char *failure;     /* FailureDetail.message */
    uint32_t aborted_reason; /* of the build itself, where `aborted` is set */
    bool aborted;
    const char *displaced[DISPLACED_MAX]; /* such options that others replaced, whole; NULL: none */
    const char **argv;                    /* of `run` */
    size_t argc;
};

struct metrics {
    bool known;
    int64_t actions_created, actions_executed, packages_loaded, targets_configured;
    int64_t wall_ms, cpu_ms, analysis_ms, execution_ms;
    int64_t critical_path_ms; /* -1: unknown */
    int64_t action_cache_hits, remote_cache_hits, disk_cache_hits;
};

struct counts {
    uint64_t events, bytes, undecodable, unknown, empty;
    uint64_t actions_failed, tests_done, tests_failed;
    uint64_t targets_failed, targets_succeeded; /* of targets that found no room */
    uint64_t tests[TEST_STATUSES];              /* by status, of tests that found no room */
};

/* What found no room, by kind. */
struct left_out {
    uint64_t targets, tests, attempts, actions, aborted, artifacts, texts, oversized;
};

struct state {
    struct arena memory;
    struct arena scratch;  /* for one event */
    size_t texts;          /* bytes of outputs kept */
    struct redact *redact; /* the caller's; takes secrets out of whatever is kept; NULL: none */
    struct build build;
    struct metrics metrics;
    struct counts counts;
    struct left_out left_out;
    struct table target_index, test_index;
    struct target *targets, **targets_tail;
    struct test *tests, **tests_tail;
    struct action *actions, **actions_tail;
    struct aborted *aborted, **aborted_tail;
    struct artifact *artifacts, **artifacts_tail;
    struct lcov *lcovs, **lcovs_tail;
    size_t artifact_count;
    struct filesets filesets;
    struct screen console_out, console_err; /* Progress.stdout and .stderr */
    uint32_t attempts;                      /* streams of this invocation so far */
    int superseded_exit;                    /* exit code of the attempt before, -1: none */
};

void state_init(struct state *, struct redact *);
void state_release(struct state *);
/* Forgets everything but the counts of events and bytes: Bazel begins a new attempt. */
void state_restart(struct state *);

/* A clean copy, or NULL: empty, or no room. */
const char *state_text(struct state *, struct bytes);
/* The same for labels and file names, which Bazel may have encoded twice (ü as C3 83 C2 BC). */
const char *state_name(struct state *, struct bytes);

/* A copy of bytes as they are but for secrets, with a NUL behind them, or NULL; *len becomes its length. */
const char *state_output(struct state *, const void *, size_t *len);
/* Room for pointers, cleared, or NULL. */
const char **state_pointers(struct state *, size_t count);

/* The row of this key, made where there is none; NULL: no room (counted). */
struct target *state_target(struct state *, const struct event_id *);
struct test *state_test(struct state *, const struct event_id *);
/* The row of a label without an aspect, or NULL. */
const struct target *state_target_of(const struct state *, const char *label);
/* How much of an output may be kept: more while there are few. */
size_t state_output_room(const struct state *);

/* New rows at the end of their lists; NULL: no room (counted). */
struct attempt *state_attempt(struct state *, struct test *);
struct action *state_action(struct state *);
struct aborted *state_aborted(struct state *);
struct artifact *state_artifact(struct state *); /* at most ARTIFACTS_MAX of them */
struct lcov *state_lcov(struct state *);

/* What became of a test over all its runs, shards and attempts. */
enum test_status test_status_of(const struct test *);
bool test_is_cached(const struct test *);

#endif
