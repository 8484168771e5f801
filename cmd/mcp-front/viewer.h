/*
 * How one answer of bazel.inspect comes together; private to view*.c. A view adds items, each with the
 * place behind it, until it is told to stop; view_fit.c then keeps as many as fit.
 */
#ifndef MCP_FRONT_VIEWER_H
#define MCP_FRONT_VIEWER_H

#include "cmd/mcp-front/cursor.h"
#include "cmd/mcp-front/db.h"
#include "cmd/mcp-front/filter.h"
#include "cmd/mcp-front/view.h"

struct viewer {
    const struct view_request *request;
    struct db *db;
    struct store_record record; /* of invocation_id; empty where there is none */
    const char *folder;         /* where STORE_DETAILS is; NULL: cleared away */
    struct buf words;           /* secrets that the invocation knows: known.h */
    struct filter filter;
    struct cursor from; /* where the page begins */
    bool continued;     /* it came from a cursor */

    struct json_object *items;
    struct cursor behind[VIEW_LIMIT_MAX + 1]; /* the place behind each item */
    size_t bytes;                             /* of the items' JSON, roughly */
    struct json_object *extra;                /* members of the answer beside items */
    uint64_t total;                           /* UINT64_MAX: not known */
    uint64_t passed;                          /* items that passed the filter, on this page */
    bool ended;                               /* nothing is behind the items */
    struct buf error;                         /* not empty: the answer is this */
};

/*
 * Takes `item` (which may be NULL: out of memory). False: enough, stop. A view that stops by itself has
 * reached the end and sets `ended`.
 */
bool viewer_add(struct viewer *, struct json_object *item, struct cursor behind);

/* The answer is an error. */
void viewer_fail(struct viewer *, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The answer, no longer than `max` by the request's measure. Takes the items. */
struct json_object *viewer_fit(struct viewer *, size_t max);

/* Makes the first item smaller by its largest part; comes to an end at "{}". */
void viewer_shrink(struct viewer *);

/* One per view. */
void view_summary(struct viewer *);
void view_metrics(struct viewer *);
void view_diagnostics(struct viewer *);
void view_tests(struct viewer *);
void view_coverage(struct viewer *);
void view_artifacts(struct viewer *);
void view_log(struct viewer *);
void view_test_log(struct viewer *);
void view_query_results(struct viewer *);
void view_invocations(struct viewer *);
void view_compare(struct viewer *);
void view_history(struct viewer *);
void view_events(struct viewer *);

#endif
