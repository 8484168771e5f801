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

#endif
