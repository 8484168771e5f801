/*
 * Bazel's command line for agents: one command, its answer on stdout, Bazel's own exit status; ours are
 * 64 to 78, a timeout is 75, a signal N is 128 + N. Nothing is kept on disk.
 */
#ifndef MCP_FRONT_AGENT_H
#define MCP_FRONT_AGENT_H

#include <stdbool.h>

#define AGENT_COMMAND "passthrough"
#define AGENT_RAW     "--no-agent-mode" /* first argument: plain Bazel instead */

/* Called as bazel, with BAZEL_MCP_MODE=agent, or with the command `passthrough`. */
bool agent_wanted(int argc, char **argv);
int agent_main(int argc, char **argv);

#endif
