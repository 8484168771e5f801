/* Finding Bazel, asking for its version, and its command line. */
#ifndef MCP_FRONT_BAZEL_H
#define MCP_FRONT_BAZEL_H

#include "cmd/mcp-front/argv.h"
#include "cmd/mcp-front/config.h"
#include "common/base/buf.h"

#include <stdbool.h>

/* What kind of command it is: what it captures and which flags it gets. */
enum bazel_kind {
    BAZEL_BUILD, /* build and its kind: an event stream */
    BAZEL_TEST,  /* test, coverage: the same, and tests */
    BAZEL_RUN,   /* an event stream, then a program */
    BAZEL_QUERY, /* answers on stdout */
    BAZEL_OTHER, /* info, help, version, …: says something on stdout */
};

enum bazel_kind bazel_kind(const char *command);
bool bazel_kind_has_events(enum bazel_kind);

struct bazel_version {
    int major, minor; /* 0 and 0: unknown (a development build, or none could be read) */
};

/* Reads the output of `bazel --version`: "bazel 8.4.1", "Build label: 8.4.1", "release 8.4.1". */
struct bazel_version bazel_parse_version(const char *output);

/*
 * The executable for a workspace: the configured one, the workspace's tools/bazel, bazelisk on PATH,
 * bazel on PATH; never ourselves under such a name. malloc'ed, or NULL and a sentence in `why`.
 */
char *bazel_find(const struct config *, const char *workspace, struct buf *why);

/* What the command line is made of. */
struct bazel_call {
    const struct config *config;
    const char *executable;
    struct bazel_version version;
    const char *command;
    char *const *startup_args; /* NULL-terminated, may be NULL; so are the others */
    char *const *args;
    const char *target;        /* of run; NULL: none */
    char *const *program_args; /* of run */
    const char *invocation_id;
    const char *request_id;
    char *const *event_flags; /* of the transport (chain.h) */
};

/*
 * The whole command line, with our flags last (design.md): before the first "--" or at the end, because
 * a --config or rc file could otherwise win.
 */
void bazel_command_line(struct argv *, const struct bazel_call *);

/* The name of an exit status that Bazel documents; NULL: it has none. */
const char *bazel_exit_name(int status);

#endif
