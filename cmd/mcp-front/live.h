/* A look at a running invocation: bep-reduce over the events so far, into a folder of its own. */
#ifndef MCP_FRONT_LIVE_H
#define MCP_FRONT_LIVE_H

#include "cmd/mcp-front/invoke.h"

/* `folder` has STORE_SUMMARY and STORE_DETAILS; NULL: it could not be made. The callee frees it (live_free). */
typedef void (*live_cb)(void *data, char *folder);

/* Whether there are events to look at. */
bool live_possible(const struct invocation *);
/* `done` comes once, from the loop or at once. */
void live_reduce(struct invocation *, live_cb done, void *data);
/* Removes the folder, too. NULL is nothing. */
void live_free(char *folder);

#endif
