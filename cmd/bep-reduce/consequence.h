/*
 * Which errors of one tool's run follow from an earlier one: a name that an earlier error left undeclared, the same unknown
 * name again, a parser that has lost its way. Judged by what the messages say and by the source lines below them.
 */
#ifndef BEP_REDUCE_CONSEQUENCE_H
#define BEP_REDUCE_CONSEQUENCE_H

#include <stdint.h>

#include "cmd/bep-reduce/slice.h"

/* Names and errors that are remembered; later ones are taken as causes of their own. */
#define CONSEQUENCE_MAX 64

struct consequences {
    uint64_t names[CONSEQUENCE_MAX]; /* hashes of names that stay undeclared */
    size_t name_count;
    uint64_t unknown[CONSEQUENCE_MAX]; /* hashes of path and message of unknown names */
    size_t unknown_count;
    struct {
        uint64_t path;
        uint32_t line;
    } syntax[CONSEQUENCE_MAX];
    size_t syntax_count;
    uint64_t imports[CONSEQUENCE_MAX]; /* hashes of paths in which an import failed */
    size_t import_count;
};

/* One error: its message, place, and the text below it, which shows the source line if anything does. */
struct stated {
    struct slice message;
    struct slice path;
    uint32_t line;
    struct slice below;
};

/* Whether the error follows from an earlier one. If not, it is remembered for the later ones. */
bool consequence_of_earlier(struct consequences *, const struct stated *);
/* Whether the very same message was given here before. If not, it is remembered. */
bool consequence_said_before(struct consequences *, struct slice message);

#endif
