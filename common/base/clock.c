#include "common/base/clock.h"

#include <limits.h>
#include <time.h>

static int64_t read_clock(clockid_t id)
{
    struct timespec now;

    clock_gettime(id, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

uint64_t clock_ms(void)
{
    return (uint64_t)read_clock(CLOCK_MONOTONIC);
}

int64_t clock_wall_ms(void)
{
    return read_clock(CLOCK_REALTIME);
}

int clock_left(uint64_t deadline)
{
    uint64_t now = clock_ms();

    if (now >= deadline)
        return 0;
    return deadline - now > INT_MAX ? INT_MAX : (int)(deadline - now);
}
