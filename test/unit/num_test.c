#include "test/unit/unit.h"
#include "common/base/num.h"

#include <stdlib.h>
#include <string.h>

static void unsigned_numbers(void **state)
{
    static const char *const bad[] = {
        "", " 1", "1 ", "+1", "-1", "0x1", "1.0", "18446744073709551616", "x"};
    uint64_t v = 7;

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
        assert_false(num_parse_u64(bad[i], &v));
    assert_int_equal(v, 7);
    assert_true(num_parse_u64("18446744073709551615", &v));
    assert_true(v == UINT64_MAX);
    assert_true(num_parse_u64("007", &v));
    assert_int_equal(v, 7);
}

static void signed_numbers(void **state)
{
    int64_t v = 7;

    (void)state;
    assert_false(num_parse_i64("9223372036854775808", &v));
    assert_false(num_parse_i64("-9223372036854775809", &v));
    assert_false(num_parse_i64("--1", &v));
    assert_false(num_parse_i64("-", &v));
    assert_int_equal(v, 7);
    assert_true(num_parse_i64("9223372036854775807", &v));
    assert_true(v == INT64_MAX);
    assert_true(num_parse_i64("-9223372036854775808", &v));
    assert_true(v == INT64_MIN);
    assert_true(num_parse_i64("-0", &v));
    assert_int_equal(v, 0);
}

static void sizes(void **state)
{
    static const struct {
        const char *text;
        uint64_t bytes;
    } good[] = {{"0", 0}, {"1", 1}, {"64K", 65536}, {"3M", 3145728}, {"1G", 1073741824}};
    static const char *const bad[] = {"",    "K",  "1k",           "1KB", "1 K",
                                      "-1K", "1T", "17179869184G", "1.5K"};
    uint64_t v;

    (void)state;
    for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
        assert_true(num_parse_size(good[i].text, &v));
        assert_int_equal(v, good[i].bytes);
    }
    assert_true(num_parse_size("17179869183G", &v));
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
        assert_false(num_parse_size(bad[i], &v));
}

static void durations(void **state)
{
    static const struct {
        const char *text;
        uint64_t ms;
    } good[] = {{"0", 0},        {"2", 2000},      {"2.5", 2500},     {"100ms", 100},
                {"1.5s", 1500},  {"1m", 60000},    {"0.5h", 1800000}, {"0.0001", 0},
                {"0.9999ms", 0}, {"1.0009", 1000}, {"1h", 3600000},   {"2.50000000001s", 2500}};
    static const char *const bad[] = {"",    "s",  ".5", "1.",  "1.s",
                                      "1 s", "-1", "1d", "1e3", "18446744073709552"};
    uint64_t v;

    (void)state;
    for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
        assert_true(num_parse_duration(good[i].text, &v));
        assert_int_equal(v, good[i].ms);
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
        assert_false(num_parse_duration(bad[i], &v));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unsigned_numbers),
        cmocka_unit_test(signed_numbers),
        cmocka_unit_test(sizes),
        cmocka_unit_test(durations),
    };
    return cmocka_run_group_tests_name("num", tests, NULL, NULL);
}
