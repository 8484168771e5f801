/*
 * --each: one COMMAND for each (build id, invocation id), with that build's frames on its stdin. Serves
 * all builds of one user.
 */
#ifndef BES_RECV_EACH_H
#define BES_RECV_EACH_H

#include "cmd/bes-recv/ingest.h"

#include <stdbool.h>
#include <stdint.h>

struct each;

struct each_options {
    const char *command; /* for /bin/sh -c */
    uint64_t resume_ms;  /* how long a broken stream may take to come back */
    uint64_t ack_timeout_ms;
    bool handoff;
};

/* Both must outlive it. NULL: out of memory. */
struct each *each_create(struct ingest *, const struct each_options *);

/* For ingest->route: starts COMMAND for a new build. NULL: the ids are no names for a file. */
struct build *each_route(void *each, const struct request *);

/* Does what is due; when it wants to be called again (clock_ms), UINT64_MAX: not before something comes. */
uint64_t each_tick(struct each *);

/* No more frames: every COMMAND sees the end of its input. Waits for all of them. */
void each_finish(struct each *);
/* Whether a build was cut short, or a COMMAND failed before it had taken everything. */
bool each_failed(const struct each *);
/* After server_destroy. */
void each_destroy(struct each *);

#endif
