/*
 * The secrets that an invocation itself names: values of its arguments and of Bazel's environment that are
 * secrets by their looks or by their names. A program may print them alone, where nothing shows any more
 * what they are; so they are taken out as words (redact.h), wherever they stand.
 */
#ifndef MCP_FRONT_KNOWN_H
#define MCP_FRONT_KNOWN_H

#include "cmd/mcp-front/config.h"
#include "common/text/redact.h"

/* Adds those of arguments, or of an environment ("NAME=value"), to a list of words. */
void known_args(struct redact *, const char *const *args, struct buf *words);
void known_env(struct redact *, const char *const *env, struct buf *words);

/* Writes the configured patterns and these words for bep-reduce. -1 and errno. */
int known_write(const struct config *, const struct buf *words, const char *path);

#endif
