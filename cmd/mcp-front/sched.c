#include "cmd/mcp-front/sched.h"

void sched_init(struct sched *s, size_t limit)
{
    *s = (struct sched){.limit = limit};
    s->last = &s->first;
}

bool sched_enter(struct sched *s, struct sched_place *place, void (*granted)(void *data),
                 void *data)
{
    *place = (struct sched_place){.granted = granted, .data = data, .state = PLACE_WAITS};
    if (s->held < s->limit) {
        s->held++;
        place->state = PLACE_HELD;
        return true;
    }
    *s->last = place;
    s->last = &place->next;
    return false;
}

static void unlink_place(struct sched *s, struct sched_place *place)
{
    struct sched_place **at = &s->first;

    while (*at && *at != place)
        at = &(*at)->next;
    if (!*at)
        return;
    *at = place->next;
    if (s->last == &place->next)
        s->last = at;
    place->next = NULL;
}

void sched_leave(struct sched *s, struct sched_place *place)
{
    struct sched_place *next;
    int before = place->state;

    place->state = PLACE_NONE;
    if (before == PLACE_WAITS)
        unlink_place(s, place);
    if (before != PLACE_HELD)
        return;
    next = s->first;
    if (!next) {
        s->held--;
        return;
    }
    unlink_place(s, next);
    next->state = PLACE_HELD;
    next->granted(next->data);
}

size_t sched_ahead(const struct sched *s, const struct sched_place *place)
{
    size_t n = 0;

    for (const struct sched_place *at = s->first; at && at != place; at = at->next)
        n++;
    return n;
}
