/* Sentences of Bazel's own, as a table: what they are about and whether they state a cause at all. */
#ifndef BEP_REDUCE_RULES_BAZEL_H
#define BEP_REDUCE_RULES_BAZEL_H

#include "cmd/bep-reduce/diag.h"

enum verdict {
    STATES, /* a cause: {message} or the whole sentence, about {label} if the pattern has one */
    SPOILS, /* a cause; what else is said of the same file follows from it */
    LACKS,  /* a cause, unless the package of the label in it is spoiled */
    PREFIX, /* goes on, behind it or on the next line: what comes is looked at again; {label}, {path}, {line} and {column} are kept */
    FOLLOWS, /* from something that is told elsewhere: dropped */
    STOPS,   /* a cause that stopped the build: goes before everything else */
    LISTS,   /* a cause, whose message goes on with the lines below where it ends in a colon */
    RESORT,  /* repeats or announces a cause: counts only where no other is told */
};

struct sentence {
    enum verdict verdict;
    const char *pattern; /* as in pattern.h; tried in order on the first line of the message */
    enum diag_category category;
};

/* For text with the word ERROR or FATAL, or from an event. What no row knows states a cause of category `unknown`. */
extern const struct sentence sentences[];
extern const size_t sentences_count;
/* For text without such a word: what no row knows is nothing. */
extern const struct sentence plain_sentences[];
extern const size_t plain_sentences_count;

#endif
