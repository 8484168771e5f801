/*
 * Diagnostics: one cause, one entry, with its message, place and target together (spec/summary.md).
 *
 * The list merges what is told twice: the same message at the same place, or without a place for the
 * same target, is one entry whose missing fields are filled in; the same cause in another target joins
 * `also`. Adding is O(1); memory has a hard bound, beyond which entries are counted and left out.
 */
#ifndef BEP_REDUCE_DIAG_H
#define BEP_REDUCE_DIAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/arena.h"

#define DIAG_MESSAGE_MAX      1000 /* bytes */
#define DIAG_DETAIL_MAX       2000 /* bytes */
#define DIAG_DETAIL_LINES_MAX 12
#define DIAG_ALSO_MAX         20

enum diag_severity {
    DIAG_ERROR,
    DIAG_WARNING,
    DIAG_NOTE,
};

enum diag_category {
    DIAG_UNKNOWN,
    DIAG_COMMAND_LINE,
    DIAG_WORKSPACE,
    DIAG_FETCH,
    DIAG_LOADING,
    DIAG_ANALYSIS,
    DIAG_VISIBILITY,
    DIAG_COMPILATION,
    DIAG_LINK,
    DIAG_ACTION,
    DIAG_TEST,
    DIAG_TIMEOUT,
    DIAG_COVERAGE,
    DIAG_QUERY,
    DIAG_REMOTE,
    DIAG_BAZEL,
    DIAG_CATEGORIES,
};

/* A place in a source file, workspace-relative or under external/. */
struct place {
    const char *path; /* NULL: no place */
    uint32_t line;    /* from 1; 0: unknown */
    uint32_t column;  /* from 1; 0: unknown */
};

struct diag {
    const char *message;
    const char *detail; /* NULL: none */
    struct place place;
    const char *target; /* label, NULL: none */
    const char *action; /* mnemonic, NULL: none */
    const char **also;  /* other targets with the same cause, `also_count` of them */
    const char *spoils; /* a package ("//a/b") or file that cannot be loaded for it; NULL: none */
    const char *within; /* told of this package or file: a consequence, if that is spoiled */
    uint32_t also_count;
    uint32_t also_more;              /* targets that found no room in `also` */
    uint32_t repetition_count;       /* how often it was told, from 1 */
    uint32_t dependents;             /* targets that could not be built because of it; 0: unknown */
    uint32_t order;                  /* when it was added, from 0; set by the list */
    enum diag_severity severity : 8; /* there may be 100,000 entries: small fields share a word */
    enum diag_category category : 8;
    bool place_is_rule : 1; /* the place is the rule in the BUILD file, for want of a better one */
    bool unspecific : 1;    /* says only how something ended, as an exit status does: never the
                               same cause as another target's, and superseded by a specific one */
    bool stopped_build : 1; /* goes before everything else */
    bool resort : 1;        /* counts only where no other error is told */
};

struct diag_list {
    struct diag *
        *items; /* in the order of their adding, after diag_list_sort in that of importance */
    size_t count;
    size_t dropped;      /* entries for which there was no memory */
    struct arena memory; /* the entries and their strings */
    struct diag_slot *slots;
    size_t slot_count; /* a power of two, or 0 */
    size_t slots_used;
    size_t capacity; /* of items */
    uint32_t next_order;
};

/* `max_bytes` bounds all memory of the list; 0: no bound. */
void diag_list_init(struct diag_list *, size_t max_bytes);
void diag_list_release(struct diag_list *);

/*
 * Adds a copy, or merges it into the entry of the same cause. Text is cleaned on the way (valid UTF-8,
 * no escape sequences or control characters) and cut to the bounds above; a place without a line
 * keeps its path only; `order` is ignored, a repetition_count of 0 counts as 1. Returns the
 * list's entry, which may be changed but for message and place, or NULL: no message, or no memory (counted).
 */
struct diag *diag_list_add(struct diag_list *, const struct diag *);

/* Another target with the entry's cause; a label that is there already is not added again. */
void diag_add_also(struct diag_list *, struct diag *, const char *label);

/*
 * Takes an entry out: a flaky test's error, a consequence. Its memory stays. Indexes behind it move.
 * O(count): for many at once use diag_list_remove_if.
 */
void diag_list_remove_if(struct diag_list *, bool (*unwanted)(const struct diag *, void *), void *);

/*
 * Drops what others explain: those that count only without others, unspecific errors of a target and action that have a specific one, errors within a package or
 * file that an earlier error spoiled. Then sorts: what stopped the
 * build, errors before warnings, fetch to analysis before compilation to action before test, earlier before later.
 * Nothing may be added afterwards.
 */
void diag_list_finish(struct diag_list *);

/* The words of the summary: "error", "compilation". */
const char *diag_severity_name(enum diag_severity);
const char *diag_category_name(enum diag_category);

#endif
