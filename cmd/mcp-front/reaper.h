/* Children that nobody waits for any more: they end soon and are reaped then, so that no zombie stays. */
#ifndef MCP_FRONT_REAPER_H
#define MCP_FRONT_REAPER_H

#include "common/proc/spawn.h"

/* Takes over a child that may still run. One that never was, or was reaped, is only released. */
void reaper_take(struct child *);
/* When SIGCHLD has come. */
void reaper_poll(void);

#endif
