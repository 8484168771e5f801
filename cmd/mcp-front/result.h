/*
 * What bazel.run answers, made from the summary of bep-reduce (spec: summary, schema 1) and what only we
 * know. Nothing is computed again. Fields that do not apply are left out.
 *
 * An answer has a budget: RESULT_SUCCESS_BYTES or RESULT_FAILURE_BYTES are never passed, and excerpts
 * and what the caller can do without are given as far as all of it stays under RESULT_SUCCESS_AIM or
 * RESULT_FAILURE_AIM. Cut is by importance: excerpts first, then what repeats, then the least important
 * diagnostics, never below one whole root cause; `truncated` says what was cut.
 */
#ifndef MCP_FRONT_RESULT_H
#define MCP_FRONT_RESULT_H

#include "cmd/mcp-front/invoke.h"

#define RESULT_SUCCESS_BYTES 2048
#define RESULT_FAILURE_BYTES 8192
#define RESULT_SUCCESS_AIM   300
#define RESULT_FAILURE_AIM   1200

struct result_options {
    enum config_encoding encoding;
    bool joined; /* this call found the run in work */
    bool kept;   /* there is a store to look into later: not for the agent command line */
};

/* Of an invocation that ends: its answer; the caller's. */
struct json_object *result_final(const struct invocation *, const struct result_options *);
/* Of one that goes on while its caller stops waiting. */
struct json_object *result_running(const struct invocation *, const struct result_options *);

/* "bazel test //... --flag", quoted for a shell and redacted, at most `max` bytes. */
void result_command_line(const struct invocation *, size_t max, struct buf *);

/* JSON Schemas of the answers. */
struct json_object *result_run_schema(void);
struct json_object *result_cancel_schema(void);

#endif
