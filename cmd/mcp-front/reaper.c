#include "cmd/mcp-front/reaper.h"

#include <stdbool.h>
#include <stdlib.h>

struct orphan {
    struct orphan *next;
    struct child child;
};

/* Of the whole process, as children are. */
static struct orphan *orphans;

void reaper_take(struct child *child)
{
    struct orphan *o;

    if (child->pid && child_try_wait(child) == 0) {
        o = calloc(1, sizeof(*o));
        if (o) {
            *o = (struct orphan){orphans, *child};
            o->child.pidfd = o->child.exec_fd = o->child.gate_fd = -1;
            orphans = o;
        }
    }
    child_release(child);
    *child = (struct child)CHILD_INIT;
}

void reaper_poll(void)
{
    struct orphan **at = &orphans, *o;

    while ((o = *at)) {
        if (child_try_wait(&o->child) == 0) {
            at = &o->next;
            continue;
        }
        *at = o->next;
        free(o);
    }
}
