/*
 * bazel.run with rerun_failed: what failed in an earlier invocation is run again. The record names the targets
 * and tests; a query finds out which of them no longer exist; where all failed tests can take it, only their
 * failed cases are run (rerun_filter.h).
 */
#ifndef MCP_FRONT_RERUN_H
#define MCP_FRONT_RERUN_H

#include "cmd/mcp-front/invoke.h"
#include "cmd/mcp-front/request.h"

/*
 * Looks the invocation `id` up and starts the run for `request` (run_start), or ends the request with one
 * sentence. Takes what is in `call`.
 */
void rerun_start(struct request *, struct call *, struct json_object *args,
                 struct json_object *params, const char *id);

#endif
