/* A few lines of Bazel's console output for an answer, clean and redacted. */
#ifndef MCP_FRONT_EXCERPT_H
#define MCP_FRONT_EXCERPT_H

#include "cmd/mcp-front/invoke.h"

/*
 * Of `run`: the last `lines` lines that are not blank of the program's stdout, or of its stderr where there
 * are none. Nothing of Bazel's own.
 */
void excerpt_program(const struct invocation *, int lines, struct buf *);
/*
 * Whether Bazel's last words are that it waits for another command's lock; *pid is that command's, 0 where it
 * does not say.
 */
bool excerpt_waits_for_bazel(const struct invocation *, int *pid);
/* The first `max` bytes of stdout. */
void excerpt_head(const struct invocation *, size_t max, struct buf *);

#endif
