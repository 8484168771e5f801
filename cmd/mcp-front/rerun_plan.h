/* What of a recorded invocation is to be run again, and how that is said to Bazel. */
#ifndef MCP_FRONT_RERUN_PLAN_H
#define MCP_FRONT_RERUN_PLAN_H

#include "cmd/mcp-front/invoke.h"

#define RERUN_MAX_LABELS 200 /* on one command line */

struct rerun_plan {
    struct argv labels, flags; /* `flags`: of the earlier command line */
    size_t left_out;           /* labels beyond the most */
    char *filter;              /* for --test_filter; NULL: whole tests */
};

/* False: nothing failed. The caller releases the plan in either case. */
bool rerun_plan_read(struct rerun_plan *, const struct store_record *);
/* Whether a flag of the earlier command line had a secret, which no record keeps. */
bool rerun_plan_is_redacted(const struct rerun_plan *);
void rerun_plan_release(struct rerun_plan *);

/*
 * A call of `query` that prints which of the labels exist, in the place of `call`; false where the policy does
 * not allow a query, or memory is short.
 */
bool rerun_plan_query(const struct rerun_plan *, const struct config *, const struct call *,
                      struct call *query);

/* Takes those out that are not among the lines of `existing`; only of our own repository. */
void rerun_plan_keep(struct rerun_plan *, const char *existing, struct argv *gone);

/* Completes `call`, with a note for the caller. False: out of memory. */
bool rerun_plan_apply(const struct rerun_plan *, const struct argv *gone, struct call *);

#endif
