/*
 * One build an output base, across all servers of this user: an flock(2) in a folder that is ours alone
 * ($XDG_RUNTIME_DIR/mcp-front, else /run/user/UID/mcp-front, else /tmp/mcp-front-UID; 0700, checked for
 * its owner). Who waits is told who holds it and since when. Nothing polls: the kernel says when the
 * holder closes the file, be it alive or killed.
 *
 * Waiters of one server come in their order; between servers there is none. All calls are made on the
 * loop's thread.
 */
#ifndef MCP_FRONT_OUTLOCK_H
#define MCP_FRONT_OUTLOCK_H

#include "common/base/buf.h"

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

struct outlocks; /* one a server */
struct outlock;  /* one lock, held or waited for */

/* Who has it, as far as it is known: pid 0 and an empty id where not. */
struct outlock_owner {
    int pid;
    char invocation_id[64];
    int64_t since_ms; /* wall clock */
    int ahead; /* invocations of this server that come before this one, the holder included */
};

/*
 * Called once, never from within outlock_take: the lock is held (error 0) or cannot be had (errno: the
 * folder or file is unusable). Not called after outlock_release.
 */
typedef void (*outlock_cb)(void *data, int error);

/* Touches no disk. NULL: out of memory. */
struct outlocks *outlocks_new(uv_loop_t *);
/* No lock is held or waited for any more. `closed` is called when the loop has let go. */
void outlocks_close(struct outlocks *, void (*closed)(void *data), void *data);

/* `key` is the canonical path of the output base, else of the workspace. NULL: out of memory. */
struct outlock *outlock_take(struct outlocks *, const char *key, const char *invocation_id,
                             outlock_cb, void *data);

/* Who it waits for; false where it does not wait. Cheap: call it for each progress message. */
bool outlock_waits(struct outlock *, struct outlock_owner *);

/* Gives the lock back, or stops waiting; frees. At once in every state. */
void outlock_release(struct outlock *);

#endif
