/*
 * What a piece of output says: causes with message, place and target. The knowledge is in the tables of
 * rules_*.c, one row a kind of line (rules.h); this is the engine's face.
 *
 * Time is linear in the text, whatever it holds; it may contain NULs, escape sequences, carriage returns, bytes that
 * are no UTF-8 and lines of any length.
 */
#ifndef BEP_REDUCE_RECOGNISE_H
#define BEP_REDUCE_RECOGNISE_H

#include <stddef.h>

#include "cmd/bep-reduce/diag.h"
#include "cmd/bep-reduce/paths.h"

enum evidence_kind {
    EVIDENCE_ACTION,  /* stdout and stderr of one action */
    EVIDENCE_TEST,    /* a test's log */
    EVIDENCE_FAILURE, /* Bazel's own words: Aborted.description, FailureDetail.message */
    EVIDENCE_CONSOLE, /* a message of Bazel's terminal output with the word ERROR or FATAL (console.h) */
    EVIDENCE_WARNING, /* likewise with WARNING */
    EVIDENCE_PLAIN,   /* likewise without a word */
};

/* Text and what is known of it. Everything belongs to the caller and is only read. */
struct evidence {
    const char *text;
    size_t len;
    enum evidence_kind kind;
    const char *target; /* label, NULL: unknown */
    const char *action; /* mnemonic, NULL: unknown */
    int exit_code; /* of the action or test; -1: unknown. 0: whatever is found is a warning at most */
    struct place rule;         /* where the BUILD file has the rule; path NULL: unknown */
    bool timed_out;            /* of a test or action */
    uint32_t limit_s;          /* after which it timed out, in seconds; 0: unknown */
    bool strong_only;          /* something else knows better than the text's weak causes */
    const struct paths *paths; /* never NULL */
};

/* Adds what the text states to the list. Returns how many errors were found, merged ones included. */
size_t recognise(const struct evidence *, struct diag_list *);

/*
 * For a failed action or test of which nothing better is known: one unspecific error that says the last meaningful lines of
 * the output, or the exit status or signal where there is no output. `what` is a description such as
 * "Executing genrule //a:b", or NULL.
 */
void recognise_fallback(const struct evidence *, const char *what, struct diag_list *);

#endif
