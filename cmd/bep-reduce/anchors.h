/*
 * Which of many literals a line contains, in one pass over it (Aho and Corasick, 1975). The rules' patterns are only tried
 * on lines that have their longest literal, so that the number of rules hardly costs time.
 */
#ifndef BEP_REDUCE_ANCHORS_H
#define BEP_REDUCE_ANCHORS_H

#include <stdint.h>

#include "cmd/bep-reduce/slice.h"

#define ANCHORS_MAX   768 /* rules */
#define ANCHORS_WORDS (ANCHORS_MAX / 64)

/* A set of rules by number. */
struct rule_set {
    uint64_t words[ANCHORS_WORDS];
};

struct anchors;

/* An empty literal is contained in every line. At most ANCHORS_MAX. NULL: out of memory, too many. */
struct anchors *anchors_new(const struct slice *literals, size_t count);
void anchors_free(struct anchors *);
/* Sets `found` to the numbers of the literals that `line` contains. */
void anchors_find(const struct anchors *, struct slice line, struct rule_set *found);

/* The smallest member from `from` on, or ANCHORS_MAX. */
static inline unsigned rule_set_next(const struct rule_set *set, unsigned from)
{
    for (unsigned word = from / 64; word < ANCHORS_WORDS; word++) {
        uint64_t bits = set->words[word];
        if (word == from / 64)
            bits &= ~0ULL << (from % 64);
        if (bits)
            return word * 64 + (unsigned)__builtin_ctzll(bits);
    }
    return ANCHORS_MAX;
}

#endif
