#include "test/unit/unit.h"
#include "common/base/limits.h"
#include "common/frame/varint.h"
#include "common/frame/wire.h"

#include <string.h>

static void every_length_there_and_back(void **state)
{
    (void)state;
    for (int bit = 0; bit < 64; bit++) {
        uint64_t around[] = {(1ULL << bit) - 1, 1ULL << bit, (1ULL << bit) + 1, UINT64_MAX};
        for (size_t i = 0; i < 4; i++) {
            uint8_t bytes[VARINT_MAX_BYTES];
            uint64_t value = 0;
            size_t used = 0, len = varint_write(bytes, around[i]);
            for (size_t cut = 0; cut < len; cut++)
                assert_int_equal(varint_read(bytes, cut, &value, &used), VARINT_MORE);
            assert_int_equal(varint_read(bytes, sizeof(bytes), &value, &used), VARINT_OK);
            assert_true(value == around[i]);
            assert_int_equal(used, len);
        }
    }
}

static void ten_bytes_and_64_bits_are_the_limit(void **state)
{
    uint8_t bytes[11];
    uint64_t value = 7;
    size_t used = 7;

    (void)state;
    memset(bytes, 0xff, sizeof(bytes));
    assert_int_equal(varint_read(bytes, 9, &value, &used), VARINT_MORE);
    assert_int_equal(varint_read(bytes, 10, &value, &used), VARINT_BAD);
    assert_int_equal(varint_read(bytes, 11, &value, &used), VARINT_BAD);
    bytes[9] = 2; /* the 65th bit */
    assert_int_equal(varint_read(bytes, 10, &value, &used), VARINT_BAD);
    assert_int_equal(value, 7);
    assert_int_equal(used, 7);
    bytes[9] = 1;
    assert_int_equal(varint_read(bytes, 10, &value, &used), VARINT_OK);
    assert_true(value == UINT64_MAX);
    memcpy(bytes, "\x80\x80\x00", 3); /* zero, longer than needed, is allowed */
    assert_int_equal(varint_read(bytes, 3, &value, &used), VARINT_OK);
    assert_int_equal(value, 0);
    assert_int_equal(used, 3);
}

/* Field 1 = 150, 2 = "ab", 3 fixed32, 4 fixed64, 2^29-1 = 1: every wire type, the largest number. */
static const uint8_t message[] = {0x08, 0x96, 0x01, 0x12, 2,    'a',  'b',  0x1d, 1,
                                  0,    0,    0x80, 0x21, 1,    2,    3,    4,    5,
                                  6,    7,    8,    0xf8, 0xff, 0xff, 0xff, 0x0f, 1};

static void walks_every_wire_type(void **state)
{
    struct wire_reader r;
    struct wire_field f;

    (void)state;
    wire_init(&r, message, sizeof(message));
    assert_true(wire_next(&r, &f));
    assert_int_equal(f.number, 1);
    assert_int_equal(f.value, 150);
    assert_true(wire_next(&r, &f));
    assert_int_equal(f.type, WIRE_BYTES);
    assert_int_equal(f.len, 2);
    assert_memory_equal(f.bytes, "ab", 2);
    assert_true(wire_next(&r, &f));
    assert_int_equal(f.value, 0x80000001);
    assert_true(wire_next(&r, &f));
    assert_true(f.value == 0x0807060504030201);
    assert_true(wire_next(&r, &f));
    assert_int_equal(f.number, 0x1fffffff);
    assert_false(wire_next(&r, &f));
    assert_false(r.bad);
}

/* Cut anywhere: fields before the cut are right, and the cut shows unless it is between two fields. */
static void every_cut_shows(void **state)
{
    (void)state;
    for (size_t len = 0; len < sizeof(message); len++) {
        uint8_t copy[sizeof(message)];
        struct wire_reader r;
        struct wire_field f;
        bool between = len == 0 || len == 3 || len == 7 || len == 12 || len == 21;
        memcpy(copy, message, len);
        wire_init(&r, copy, len);
        while (wire_next(&r, &f))
            assert_true(f.number <= 4);
        assert_int_equal(r.bad, !between);
        assert_false(wire_next(&r, &f));
    }
}

static void malformed_is_refused(void **state)
{
    static const struct {
        const char *bytes;
        size_t len;
    } bad[] = {
        {"\x00\x01", 2},                                      /* field 0 */
        {"\x0b\x0c", 2},                                      /* a group */
        {"\x0e\x00", 2},                                      /* wire type 6 */
        {"\x80\x80\x80\x80\x10\x01", 6},                      /* field 2^29 */
        {"\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11}, /* 2^64-1 bytes */
    };

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        struct wire_reader r;
        struct wire_field f;
        wire_init(&r, bad[i].bytes, bad[i].len);
        assert_false(wire_next(&r, &f));
        assert_true(r.bad);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_length_there_and_back),
        cmocka_unit_test(ten_bytes_and_64_bits_are_the_limit),
        cmocka_unit_test(walks_every_wire_type),
        cmocka_unit_test(every_cut_shows),
        cmocka_unit_test(malformed_is_refused),
    };
    return cmocka_run_group_tests_name("varint and wire", tests, NULL, NULL);
}
