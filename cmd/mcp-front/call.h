/* From the arguments of bazel.run to a call that the policy allows. */
#ifndef MCP_FRONT_CALL_H
#define MCP_FRONT_CALL_H

#include "cmd/mcp-front/invoke.h"

/* As bazel.run takes them: lists are JSON arrays of strings or NULL, the others NULL or 0 where absent. */
struct call_wish {
    const char *workspace, *command, *target;
    struct json_object *startup_args, *args, *program_args;
    uint64_t timeout_seconds;
};

/* Checks, resolves and copies. True; or false, one sentence in `why`, and nothing in `call`. */
bool call_make(struct call *, const struct config *, const struct call_wish *, struct buf *why);

/*
 * Turns `call` into one for what failed in a recorded invocation: its flags where the call brings no
 * arguments of its own, its failed targets and tests, and --keep_going so that one that no longer exists
 * does not stop the others. False and one sentence in `why`: nothing failed, or it is another workspace.
 */
bool call_for_failed(struct call *, const struct store_record *, struct buf *why);

#endif
