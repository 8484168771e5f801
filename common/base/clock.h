/* Time. Waiting is always measured on the monotonic clock. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

/* Milliseconds on the monotonic clock. */
uint64_t clock_ms(void);
/* Milliseconds since 1970 UTC. */
int64_t clock_wall_ms(void);
/* What is left until `deadline` (clock_ms), for poll(2): 0 when it has passed, at most INT_MAX. */
int clock_left(uint64_t deadline);

#endif
