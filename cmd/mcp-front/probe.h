/*
 * `BAZEL --version`, asked once for each executable and .bazelversion, and again when one of them has
 * changed. An answer that cannot be read, or none, is an unknown version, never an error: any Bazel from
 * 2.1 on is tried.
 */
#ifndef MCP_FRONT_PROBE_H
#define MCP_FRONT_PROBE_H

#include "cmd/mcp-front/bazel.h"

#include <uv.h>

struct probes; /* what is known; one an engine */

/* `env` is that of Bazel; it must outlive the probes. NULL: out of memory. */
struct probes *probes_new(uv_loop_t *, const struct config *, char *const *env);
/* Nobody is told any more. */
void probes_free(struct probes *);
void probes_reap(struct probes *);
/* Ends a probe that takes longer than version_check_timeout_seconds. */
void probes_tick(struct probes *);

struct probe_wait {
    struct probe_wait *next;
    void (*known)(void *data);
    void *data;
};

/*
 * True: *version is set. False: it is asked; `known` comes from the loop, then call again. `workspace` is
 * where it runs.
 */
bool probe_version(struct probes *, const char *executable, const char *workspace,
                   struct probe_wait *, struct bazel_version *version);
/* Stops waiting. */
void probe_forget(struct probes *, struct probe_wait *);

#endif
