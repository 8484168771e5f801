/*
 * The console's blocks, each tied to what it speaks of: the failed action that the events tell of, the rule in its
 * BUILD file, the label.
 */
#ifndef BEP_REDUCE_BLOCKS_H
#define BEP_REDUCE_BLOCKS_H

#include <stddef.h>

#include "cmd/bep-reduce/console.h"
#include "cmd/bep-reduce/evidence.h"

struct block {
    struct console_block console;
    struct place rule;           /* path NULL: the header names none */
    const char *what;            /* NULL: no description */
    const char *label;           /* NULL: unknown */
    const char *mnemonic;        /* NULL: unknown */
    const struct action *action; /* NULL: none belongs to it */
};

struct blocks {
    struct block *items; /* malloc'ed, in the order of the console */
    size_t count, room;
    struct arena memory; /* their strings */
};

/* Texts of the blocks point into the console log. What finds no memory is left out. */
void blocks_cut(struct blocks *, const struct console_log *, const struct paths *);
/* Ties blocks to failed actions, and marks those actions as told. */
void blocks_match(struct blocks *, const struct state *);
void blocks_release(struct blocks *);

#endif
