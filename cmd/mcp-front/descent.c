#include "cmd/mcp-front/descent.h"
#include "common/base/clock.h"

#include <signal.h>

#define KILL_MS 1000

static const int signals[] = {SIGINT, SIGTERM, SIGKILL};

#define SIGNALS ((int)(sizeof(signals) / sizeof(signals[0])))

void descent_go(struct descent *d, pid_t group)
{
    const uint64_t graces[SIGNALS] = {d->interrupt_ms, d->terminate_ms, KILL_MS};

    if (d->sent == SIGNALS || (d->sent && clock_left(d->deadline)))
        return;
    kill(-group, signals[d->sent]);
    d->deadline = clock_ms() + graces[d->sent];
    d->sent++;
}

int descent_left(const struct descent *d)
{
    return d->sent && d->sent < SIGNALS ? clock_left(d->deadline) : -1;
}

bool descent_over(const struct descent *d)
{
    return d->sent == SIGNALS && !clock_left(d->deadline);
}
