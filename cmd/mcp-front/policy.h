/*
 * What a caller may have Bazel do. Everything is decided from the request and the configuration before
 * anything is started or written.
 *
 * Flags are compared by name, not by spelling: --x, --x V, --x=V, --nox, --no_x.
 *   owned    mcp-front sets them itself (design.md, "mcp-front and Bazel"): always refused
 *   outside  they read or write a file of the caller's choice, or run a program of it: refused unless
 *            allow_outside_flags
 * Arguments behind a "--" are targets, not flags.
 */
#ifndef MCP_FRONT_POLICY_H
#define MCP_FRONT_POLICY_H

#include "cmd/mcp-front/config.h"
#include "common/base/buf.h"

#include <stdbool.h>
#include <stddef.h>

/* For the startup options, the arguments and the program's arguments separately. */
#define POLICY_MAX_ARGS      10000
#define POLICY_MAX_ARG_BYTES (64UL * 1024)
#define POLICY_MAX_BYTES     (2UL * 1024 * 1024)

/* A list of arguments as JSON gave them: with their length, as one may hold a NUL. */
struct policy_arg {
    const char *text;
    size_t len;
};

struct policy_args {
    const struct policy_arg *items;
    size_t count;
};

struct policy_request {
    const char *command;
    struct policy_args startup_args;
    struct policy_args args;
    const char *target; /* of `run`; NULL: not given */
    bool has_program_args;
    struct policy_args program_args;
};

/* True, or false and one sentence in `why`. It names the flag, never a flag's value. */
bool policy_check(const struct config *, const struct policy_request *, struct buf *why);

/* The command alone: denied wins over allowed. */
bool policy_command(const struct config *, const char *command, struct buf *why);

/*
 * Resolves a workspace: absolute, existing, canonical, inside the roots, with a MODULE.bazel,
 * WORKSPACE.bazel or WORKSPACE. Gives a malloc'ed canonical path, or NULL and one sentence in `why`.
 */
char *policy_workspace(const struct config *, const char *path, struct buf *why);

/* Whether a canonical path is inside an allowed root, or no root is configured. */
bool policy_inside_roots(const struct config *, const char *canonical);

/*
 * The output base that the startup options name, canonical as far as it exists, relative to
 * `workspace`; malloc'ed. NULL where none is named, or with a sentence in `why` where it is refused.
 */
char *policy_output_base(const struct config *, const struct policy_args *startup_args,
                         const char *workspace, struct buf *why);

/*
 * Where our own flags go: before the first "--", or at the end. The first one that is put there can be
 * swallowed as the value of a flag before it, so that it must be one that comes again later.
 */
size_t policy_flags_end(const struct policy_args *args);

/* Every flag that the policy knows, until a NULL name; for the tests and the manual, too. */
enum policy_rule {
    POLICY_OWNED,
    POLICY_OWNED_BES,      /* where bep_transport is bes */
    POLICY_OWNED_ISOLATED, /* where output_user_root is configured */
    POLICY_OUTSIDE,
};

struct policy_flag {
    const char *name; /* without the dashes */
    bool startup;     /* stands before the command */
    enum policy_rule rule;
};

extern const struct policy_flag policy_flags[];

#endif
