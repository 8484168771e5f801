/*
 * Bazel's terminal output (kept console, or the Progress events' text), cut into what belongs together: a header line
 * and the lines below it. The last resort: events say the same with more structure.
 */
#ifndef BEP_REDUCE_CONSOLE_H
#define BEP_REDUCE_CONSOLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/bep-reduce/slice.h"

enum console_kind {
    CONSOLE_ACTION,  /* a failed action: header, then the action's output */
    CONSOLE_OUTPUT,  /* output of an action that did not fail ("INFO: From Compiling a.cc:") */
    CONSOLE_TEST,    /* a test's log, printed by --test_output */
    CONSOLE_ERROR,   /* any other ERROR or FATAL: loading, analysis, command line, Bazel itself */
    CONSOLE_WARNING, /* WARNING */
    CONSOLE_OTHER,   /* anything else that is no progress: what Bazel prints without a header */
};

struct console_block {
    enum console_kind kind;
    struct slice place_path; /* BUILD file of the header, as printed; len 0: none */
    uint32_t line, column;   /* 0: none */
    struct slice what;       /* the description: "Compiling a.cc", "Executing genrule //a:b" */
    struct slice label;      /* where the header names it; len 0: none */
    struct slice mnemonic;   /* likewise (Bazel >= 6) */
    int exit_code;           /* of an action; -1: not said, 128+N: signal N */
    struct slice body; /* an action's or test's output, without wrapper lines before and after it;
                                       CONSOLE_ERROR and CONSOLE_WARNING: the message from behind "ERROR: " on */
};

struct console {
    const char *text;
    size_t len;
    size_t at;
};

void console_init(struct console *, const char *text, size_t len);
/* The next block, false at the end. */
bool console_next(struct console *, struct console_block *);

#endif
