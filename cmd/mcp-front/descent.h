/*
 * The way down of a process group: SIGINT, SIGTERM, SIGKILL, each when the grace of the one before is over.
 * The guard takes it for its command, and mcp-front for the command of a guard that was killed.
 */
#ifndef MCP_FRONT_DESCENT_H
#define MCP_FRONT_DESCENT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct descent {
    uint64_t interrupt_ms, terminate_ms; /* how long SIGINT and SIGTERM may take */
    int sent;                            /* signals so far */
    uint64_t deadline;                   /* of clock_ms: when the next one is due */
};

/* Sends the first signal to `group`, or the next one where it is due. */
void descent_go(struct descent *, pid_t group);
/* Milliseconds until the next signal is due; -1: none is. */
int descent_left(const struct descent *);
/* SIGKILL was sent a second ago: what is still there is a zombie that nobody reaps. */
bool descent_over(const struct descent *);

#endif
