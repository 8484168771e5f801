/*
 * The graph of NamedSetOfFiles: how many files, and of what size, a target's outputs are. Sets may come after what
 * refers to them, be missing, or form cycles; each is visited once, iteratively.
 *
 * A set costs 24 bytes, 4 for each link to another one and its share of the index, so that a million of them fit into
 * the bound.
 */
#ifndef BEP_REDUCE_FILESETS_H
#define BEP_REDUCE_FILESETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/bep-reduce/event.h"

struct fileset;

struct filesets {
    struct fileset **chunks; /* sets by index; never move */
    uint32_t *slots;         /* open addressing: index of a set + 1 */
    uint32_t *links;         /* children and roots: indexes of sets */
    size_t slot_count, chunk_count, link_count, link_room;
    uint32_t count;    /* sets that are known, by name at least */
    size_t memory;     /* bytes taken */
    size_t max;        /* bytes that may be taken; 0: no bound. May be changed at any time */
    uint64_t left_out; /* sets and links for which there was no room */
};

struct fileset_total {
    uint64_t files, bytes;
    uint64_t missing; /* sets that never came */
};

void filesets_init(struct filesets *, size_t max);
void filesets_release(struct filesets *);

/*
 * Takes a NamedSetOfFiles payload; a set that comes again is ignored. `each` is told of its files, in order, with
 * the set's index; it may be NULL.
 */
void filesets_add(struct filesets *, struct bytes id, struct bytes payload,
                  void (*each)(void *context, uint32_t set, struct bytes file), void *context);

/* Remembers a set as a root; roots that are added one after the other have following numbers. False: no room (counted). */
bool filesets_root(struct filesets *, struct bytes id, uint32_t *root);
/* The index of the set that is a root. */
uint32_t filesets_root_set(const struct filesets *, uint32_t root);

/* Adds up what the roots [first, first + count) reach and no earlier call reached. */
void filesets_visit(struct filesets *, uint32_t first, uint32_t count, struct fileset_total *);

#endif
