/*
 * Coverage from LCOV reports (geninfo(1)): SF, DA, FN/FNDA, BRDA. Several reports are merged as a union: a line that any of
 * them hits is hit. Records without lines count as files without lines; lines that make no sense are skipped.
 */
#ifndef BEP_REDUCE_COVERAGE_H
#define BEP_REDUCE_COVERAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/bep-reduce/table.h"
#include "common/base/arena.h"

#define COVERAGE_MAX_BYTES (24UL * 1024 * 1024)

/* A line by its number; a branch or function by a hash of what the report calls it. */
struct covered {
    uint64_t key;
    bool hit;
};

/* What reports told, several times each maybe; after coverage_finish sorted by key and told once. */
struct covered_list {
    struct covered *items; /* malloc'ed */
    size_t count, room;
    uint64_t hit; /* after coverage_finish */
};

struct covered_file {
    struct table_row row;
    struct covered_file *next;
    const char *path;
    struct covered_list lines, branches, functions;
};

struct coverage {
    struct covered_file *files, **tail; /* after coverage_finish: by path */
    size_t file_count;
    uint64_t lines_found, lines_hit, branches_found, branches_hit, functions_found, functions_hit;
    const char
        *report;    /* where it came from: a path or URI, the arena's; NULL: no report was read */
    size_t reports; /* how many were merged */
    bool cut;       /* there was more than there is room for */
    struct arena memory;
    struct table index;
    size_t list_memory; /* bytes */
};

void coverage_init(struct coverage *);
void coverage_release(struct coverage *);

/* Adds the text of one report. */
void coverage_add(struct coverage *, const char *text, size_t len);
/* Adds a report's file, read in pieces. NULL, or why it could not be read, a constant. */
const char *coverage_add_file(struct coverage *, const char *path);
/* Counts and sorts. Nothing may be added afterwards. */
void coverage_finish(struct coverage *);

#endif
