/* A few lines of Bazel's console output for an answer, clean and redacted. */
#ifndef MCP_FRONT_EXCERPT_H
#define MCP_FRONT_EXCERPT_H

#include "cmd/mcp-front/invoke.h"

/* The last `lines` lines that are not blank of stdout, or of stderr where there are none. */
void excerpt_tail(const struct invocation *, int lines, struct buf *);
/*
 * Whether Bazel's last words are that it waits for another command's lock; *pid is that command's, 0 where it
 * does not say.
 */
bool excerpt_waits_for_bazel(const struct invocation *, int *pid);
/* The first `max` bytes of stdout. */
void excerpt_head(const struct invocation *, size_t max, struct buf *);

#endif
