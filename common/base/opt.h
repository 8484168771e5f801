/*
 * Options as a table: one row drives getopt_long(3), --help and the man-page check. Every program has
 * -h/--help and --version (stdout, exit 0), -v/--verbose and -q/--quiet without naming them. Options
 * and operands mix; "--" ends the options. Misuse is one line on stderr and exit 64.
 */
#ifndef BASE_OPT_H
#define BASE_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum opt_kind {
    OPT_END,      /* last row */
    OPT_FLAG,     /* bool *: set to true */
    OPT_STRING,   /* const char **: points into argv */
    OPT_LIST,     /* struct opt_list *: each use appends; pointers into argv */
    OPT_U64,      /* uint64_t * */
    OPT_SIZE,     /* uint64_t *: bytes, with K, M or G */
    OPT_DURATION, /* uint64_t *: milliseconds, from 2, 2.5s, 100ms, 1m */
    OPT_CHOICE,   /* int *: the index in `choices`, a NULL-terminated list */
    OPT_OPTIONAL, /* const char **: --name or --name=VALUE; "" without a value */
};

struct opt_list {
    const char **items; /* malloc'ed; the strings are in argv */
    size_t count;
};

struct opt {
    enum opt_kind kind;
    char letter;      /* 0: long form only */
    const char *name; /* without the dashes */
    const char *arg;  /* placeholder for --help, NULL for flags */
    const char *help; /* one line, says the default */
    void *value;
    const char *const *choices;
    uint64_t max; /* of a number; 0: no bound */
};

struct opt_program {
    const char *name;
    const char *synopsis; /* the operands and the shape, as in the man page: "[options] FILE" */
    const char *about;    /* one or two lines under the synopsis */
    const struct opt *options;
    const char *footer; /* examples, below the options; NULL: none */
};

struct opt_operands {
    char **items;      /* NULL-terminated, those before "--" first; the strings are in argv */
    int count;         /* all of them */
    int before_dashes; /* how many stood before "--"; count where there was no "--" */
    bool dashes;       /* whether there was a "--" */
};

/*
 * Reads argv, sets the values, and names the program for err.h. Exits 0 after --help or --version and
 * 64 after misuse. What it allocates lives as long as the process.
 */
void opt_parse(const struct opt_program *, int argc, char **argv, struct opt_operands *);

/* One line that says what is wrong and points to --help; exits 64. */
void opt_misuse(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

#endif
