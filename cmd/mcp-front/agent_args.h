/* Bazel's own command line, taken apart. */
#ifndef MCP_FRONT_AGENT_ARGS_H
#define MCP_FRONT_AGENT_ARGS_H

#include "cmd/mcp-front/call.h"

/*
 * Startup options, the command, its arguments; of run, the target and what is behind "--". The lists that
 * `wish` points to are also in `lists`, the caller's. Nothing at all means help, as with Bazel. False and
 * one sentence in `why`: there is no command, or an argument is no UTF-8.
 */
bool agent_parse(char **args, struct call_wish *, struct json_object *lists[3], struct buf *why);

#endif
