/* All rules of all families, compiled once, in the order in which they are tried. */
#ifndef BEP_REDUCE_RULEBOOK_H
#define BEP_REDUCE_RULEBOOK_H

#include "cmd/bep-reduce/anchors.h"
#include "cmd/bep-reduce/pattern.h"
#include "cmd/bep-reduce/rules.h"

struct rulebook_entry {
    const struct family *family;
    const struct rule *rule;
    struct pattern pattern;
};

struct rulebook {
    struct rulebook_entry *entries;
    size_t count;
    struct anchors *anchors;
};

/* Made at the first call, kept as long as the process; NULL: out of memory. */
const struct rulebook *rulebook_get(void);

#endif
