#include "test/unit/unit.h"
#include "common/base/clock.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static void left_is_bounded(void **state)
{
    uint64_t now = clock_ms();

    (void)state;
    assert_int_equal(clock_left(0), 0);
    assert_int_equal(clock_left(now), 0);
    assert_int_equal(clock_left(UINT64_MAX), INT_MAX);
    assert_in_range(clock_left(now + 100000), 90000, 100000);
    assert_true(clock_ms() >= now);
}

static void wall_is_this_century(void **state)
{
    (void)state;
    assert_true(clock_wall_ms() > 1700000000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(left_is_bounded),
        cmocka_unit_test(wall_is_this_century),
    };
    return cmocka_run_group_tests_name("clock", tests, NULL, NULL);
}
