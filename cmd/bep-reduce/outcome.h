/* How an invocation ended: Bazel's exit codes, and what the events add to them. */
#ifndef BEP_REDUCE_OUTCOME_H
#define BEP_REDUCE_OUTCOME_H

#include <stdbool.h>

#include "cmd/bep-reduce/diag.h"
#include "cmd/bep-reduce/state.h"

enum end_state {
    END_SUCCEEDED,
    END_FAILED,
    END_INTERRUPTED,
    END_INCOMPLETE,
};

enum outcome {
    OUTCOME_SUCCEEDED,
    OUTCOME_BUILD_FAILED,
    OUTCOME_TESTS_FAILED,
    OUTCOME_NO_TESTS,
    OUTCOME_LOADING_FAILED,
    OUTCOME_ANALYSIS_FAILED,
    OUTCOME_QUERY_FAILED,
    OUTCOME_COMMAND_LINE_ERROR,
    OUTCOME_INTERRUPTED,
    OUTCOME_OUT_OF_MEMORY,
    OUTCOME_SERVER_CRASHED,
    OUTCOME_REMOTE_FAILED,
    OUTCOME_LOCKED,
    OUTCOME_CONFIGURATION_ERROR,
    OUTCOME_PROGRAM_FAILED,
    OUTCOME_INCOMPLETE,
    OUTCOME_FAILED,
};

struct ending {
    enum end_state state;
    enum outcome outcome;
    int exit_code;         /* -1: unknown */
    const char *exit_name; /* NULL: unknown */
};

/* What the user knows besides the stream; -1 and NULL: unknown. */
struct told {
    int exit_code;
    const char *command;
};

const char *end_state_name(enum end_state);
const char *outcome_name(enum outcome);

/* "BUILD_FAILURE" of 1 after `command`, NULL where the code has no name. */
const char *exit_code_name(int code, const char *command);
/* What it means, as a sentence for people: "the lock is held by another command". NULL: no better word. */
const char *exit_code_meaning(int code);

/* The command: the user's word, else the stream's; NULL: unknown. */
const char *command_of(const struct state *, const struct told *);
bool command_is_query(const char *command);

/* Before the causes are known: whether it went well decides what counts as one. */
struct ending ending_of(const struct state *, const struct told *);
/* With the causes known, most important first: loading, analysis and the like are told apart. */
void ending_refine(struct ending *, const struct state *, const struct diag_list *);

#endif
