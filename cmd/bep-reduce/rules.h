/*
 * What is known of the tools' output, as tables: a family a tool, a rule a kind of line. To add a tool: write its rules (or add
 * them to the family whose shape it has), record what it prints in test/recognise/FAMILY/, and `make check-unit`.
 */
#ifndef BEP_REDUCE_RULES_H
#define BEP_REDUCE_RULES_H

#include "cmd/bep-reduce/diag.h"

/* What a line that matches is for. Of the rules of all families, in their order, the first one that matches counts. */
enum role {
    /* States a problem: {message}, with {path}, {line}, {column} where the line has them. Opens a cause. */
    CAUSE,

    /* For a cause that comes. */
    BEFORE, /* {path} {line}: the innermost frame so far; of those before a cause the last one counts */
    WITHIN,  /* {path} {line}: who includes it; of those before a cause the first one counts */
    FILE_OF, /* {path}, maybe {line}: the place of all causes that follow and name no file */
    TRACE,   /* a traceback begins: its frames come first, the message last */
    NAME,    /* {name}: the test case that what follows is about */

    /* For the open cause; only if it is of the same family. */
    PLACE,  /* {path} {line}: a frame, the first one in the workspace counts; {message} joins; with
               {name} a frame of the JVM: class and method */
    JOIN,   /* {message} belongs to the message */
    DETAIL, /* the line is worth showing below the message */
    PASSED, /* the test whose HELD causes came is fine: they were only words */
    CHAIN,  /* the cause led to another one, which follows and is the one that counts */
    SERIES, /* what follows was the reason for the cause: {message} joins it, its frames count */

    END,   /* nothing of what was before belongs to what follows */
    NOISE, /* says nothing */
};

/* How much below a cause's line belongs to it, if no rule says otherwise. */
enum follow {
    NOTHING = 0,
    INDENTED,  /* lines that begin with a blank, or as "12 |" does */
    PARAGRAPH, /* lines up to an empty one */
    SOURCE,    /* two lines (source and caret), then indented ones */
    MESSAGE,   /* the lines up to an empty one are the message */
    ALL,       /* the lines up to END are the message */
};

enum rule_flag {
    WEAK =
        1
        << 0, /* counts only if nothing in the text states a cause better; then the first one does */
    WEAK_IN_LOG = 1 << 1, /* so in a test's log, where programs write what they like */
    NEEDS_PLACE = 1 << 2, /* weak unless it has a place, or a PLACE line of any kind follows */
    WHOLE = 1 << 3,       /* of CAUSE and NAME: the whole line is the message or name */
    OPENS_TRACE = 1 << 4, /* of BEFORE: a traceback has begun, if no TRACE came */
    IN_TRACE = 1 << 5,    /* matches only in a traceback, and only a line that is not indented */
    AFTER_NAME = 1 << 6,  /* matches only the first line with text below a NAME of its family */
    NO_LINE = 1 << 7,     /* its {path} without a line is worth something */
    CARET = 1 << 8, /* the caret below says the column, and the line if source lines are numbered */
    OVERRIDES = 1 << 9, /* of PLACE: better than any place so far */
    LIST = 1 << 10,     /* of JOIN: "message; message" instead of "message: message" */
    ONCE = 1 << 11,     /* the same message again is the same cause, wherever it is */
    HOLDS = 1 << 12,    /* of NAME: whether the test fails is said after its output */
    HELD = 1 << 13,     /* of CAUSE: counts only when that is said, or at the end */
    NAMED = 1 << 14,    /* of CAUSE: the message begins with the NAME */
    LAST = 1 << 16,     /* of weak CAUSE: any other weak cause is better */
    OF_WARNINGS =
        1 << 15, /* of weak CAUSE: where nothing else is wrong, the warnings before it are */
};

struct rule {
    enum role role;
    const char *pattern;
    enum follow follow;
    unsigned flags;
    enum diag_category category; /* DIAG_UNKNOWN: the family's */
    enum diag_severity severity; /* if the pattern has no {severity} */
};

struct family {
    const char *name;
    const struct rule *rules;
    size_t count;
    enum diag_category
        category; /* in actions; a test's log gives DIAG_TEST. DIAG_UNKNOWN: DIAG_ACTION */
};

#define FAMILY(name, rules, category)                                                              \
    {                                                                                              \
        name, rules, sizeof(rules) / sizeof *(rules), category                                     \
    }

/* Ended by a family without a name. More telling shapes come first. */
extern const struct family families_wrapper[]; /* what Bazel itself puts around output */
extern const struct family families_compiler[];
extern const struct family families_linter[]; /* what judges sources, or packs them for the web */
extern const struct family families_linker[];
extern const struct family
    families_runtime[]; /* what a program's own end looks like: tracebacks, panics, sanitizers */
extern const struct family families_test[];    /* test frameworks */
extern const struct family families_general[]; /* shells, wrappers, words that any tool uses */

#endif
