/* The parts of bazel.run's answer that come from the summary (result.c puts them together). */
#ifndef MCP_FRONT_RESULT_PARTS_H
#define MCP_FRONT_RESULT_PARTS_H

#include "cmd/mcp-front/invoke.h"

#include <json-c/json.h>

/* How much of everything is given. Bytes and counts. */
struct result_level {
    int diagnostics;
    int detail_lines; /* of a diagnostic's excerpt */
    size_t detail_bytes;
    bool tests_only; /* excerpts for failed tests only */
    size_t message;
    int also;
    int tests; /* that are in no diagnostic */
    size_t headline;
    int rows; /* of a query */
    size_t row;
    int excerpt; /* lines of a program's output */
    bool terse;  /* without what the caller knows, or can do without */
    bool bare;   /* the same, and without what repeats */
};

/* Adds a text of at most `max` bytes; what was cut ends in "…". */
void put_clipped(struct json_object *, const char *key, const char *text, size_t max);

void parts_counts(struct json_object *answer, struct json_object *summary);
/*
 * `stopped`: we ended Bazel ourselves, so that its own word for that is no news. `table`: all rows get the
 * same keys, so that TOON makes a table of them.
 */
void parts_diagnostics(struct json_object *answer, struct json_object *summary,
                       const struct result_level *, bool stopped, bool table);
void parts_tests(struct json_object *answer, struct json_object *summary,
                 const struct result_level *, bool table);
void parts_query(struct json_object *answer, struct json_object *summary,
                 const struct result_level *);
/* coverage, info, run, output. */
void parts_others(struct json_object *answer, const struct invocation *,
                  const struct result_level *);
/* What is left out, by field: the summary's own cuts and ours. */
void parts_truncated(struct json_object *answer, struct json_object *summary);
/* The views that have something, and the one to look at first where more is to be seen. */
void parts_hint(struct json_object *answer, const struct invocation *);

#endif
