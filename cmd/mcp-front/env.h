/*
 * The environment of Bazel and of its version probe: only what the preset and environment_allowlist
 * name, byte for byte as we got it. The preset `standard` holds what Bazel, bazelisk and a tool chain
 * need on a developer's machine; `minimal` holds HOME PATH TMPDIR TEMP TMP USER. mcp-front.json(5) lists
 * both. A name that ends in '*' stands for all that begin so.
 */
#ifndef MCP_FRONT_ENV_H
#define MCP_FRONT_ENV_H

#include "cmd/mcp-front/config.h"

/*
 * The entries of `from` (environ) that pass, NULL-terminated; NULL: out of memory. The strings are those
 * of `from`; the caller frees the array alone.
 */
char **env_select(const struct config *, char *const *from);

/* The names of a preset, NULL-terminated. */
const char *const *env_preset(enum config_preset);

#endif
