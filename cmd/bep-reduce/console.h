/*
 * Bazel's terminal output (kept console, or the Progress events' text), cut into what belongs together: a header line
 * and the lines below it. The last resort: events say the same with more structure.
 */
#ifndef BEP_REDUCE_CONSOLE_H
#define BEP_REDUCE_CONSOLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/bep-reduce/lines.h"
#include "cmd/bep-reduce/slice.h"

enum console_kind {
    CONSOLE_ACTION,  /* a failed action: header, then the action's output */
    CONSOLE_OUTPUT,  /* output of an action that did not fail ("INFO: From Compiling a.cc:") */
    CONSOLE_TEST,    /* a test's log, printed by --test_output */
    CONSOLE_PROGRAM, /* output of the program that `bazel run` started */
    CONSOLE_ERROR,   /* any other ERROR or FATAL: loading, analysis, command line, Bazel itself */
    CONSOLE_WARNING, /* WARNING */
    CONSOLE_OTHER,   /* what Bazel prints without a header */
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
                                of ERROR, WARNING and OTHER the message, from behind "ERROR: " on */
};

/* Fields of a block but for `body`, which points into the text, are valid until the next call. */
struct console {
    struct slice text;
    struct lines lines;
    const char *line_start;   /* where the current line begins in `text` */
    struct slice line;        /* the current line, cleaned; len 0 and !more: the end */
    bool more;                /* there is a current line */
    struct slice not_created; /* messages about missing outputs; what they belong to comes later */
    char header[LINE_BYTES_MAX]; /* the block's header line */
};

void console_init(struct console *, const char *text, size_t len);
/* The next block, false at the end. */
bool console_next(struct console *, struct console_block *);

#endif
