/* How many Bazels run at once (global_concurrency): first come, first served. */
#ifndef MCP_FRONT_SCHED_H
#define MCP_FRONT_SCHED_H

#include <stdbool.h>
#include <stddef.h>

struct sched_place {
    struct sched_place *next;
    void (*granted)(void *data);
    void *data;
    enum { PLACE_NONE, PLACE_WAITS, PLACE_HELD } state;
};

struct sched {
    struct sched_place *first, **last; /* those that wait */
    size_t held, limit;
};

void sched_init(struct sched *, size_t limit);
/* True: the place is held from now on. False: `granted` comes later, from another's sched_leave. */
bool sched_enter(struct sched *, struct sched_place *, void (*granted)(void *data), void *data);
/* Gives a place back or stops waiting for it; nothing where neither is the case. */
void sched_leave(struct sched *, struct sched_place *);
/* How many come before a place that waits. */
size_t sched_ahead(const struct sched *, const struct sched_place *);

#endif
