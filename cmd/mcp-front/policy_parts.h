/* Private to policy*.c. */
#ifndef MCP_FRONT_POLICY_PARTS_H
#define MCP_FRONT_POLICY_PARTS_H

#include "cmd/mcp-front/policy.h"

/* Puts the sentence into `why`; false. */
bool policy_refuse(struct buf *why, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* One argument against the table of flags. */
bool policy_flag_check(const struct config *, const struct policy_arg *, struct buf *why);

/*
 * The startup options. Stricter than arguments: what Bazel does not take for the value of an option it
 * takes for the command, so that each option must be one that we know, or be written --name=value.
 */
bool policy_startup(const struct config *, const struct policy_args *, struct buf *why);

#endif
