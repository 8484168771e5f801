#include "test/unit/unit.h"
#include "common/base/buf.h"

#include <stdlib.h>
#include <string.h>

/* absurd_sizes_are_refused asks for more than AddressSanitizer likes. */
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

static void empty_is_a_string(void **state)
{
    struct buf b = BUF_INIT;

    (void)state;
    assert_string_equal(b.data, "");
    buf_clear(&b);
    buf_shift(&b, 0);
    buf_truncate(&b, 5);
    buf_added(&b, 0);
    assert_int_equal(buf_add(&b, NULL, 0), BUF_OK);
    assert_string_equal(b.data, "");
    assert_null(buf_detach(&b, NULL));
    buf_release(&b);
    assert_ptr_equal(b.data, buf_empty);
}

static void grows_and_keeps_its_content(void **state)
{
    struct buf b = BUF_INIT;
    char *text;
    size_t len;

    (void)state;
    for (int i = 0; i < 10000; i++)
        assert_int_equal(buf_add_char(&b, (char)('a' + i % 26)), BUF_OK);
    assert_int_equal(b.len, 10000);
    for (int i = 0; i < 10000; i++)
        assert_int_equal(b.data[i], 'a' + i % 26);
    buf_shift(&b, 9997);
    assert_string_equal(b.data, "nop");
    assert_int_equal(buf_add_str(&b, "-"), BUF_OK);
    assert_int_equal(buf_printf(&b, "%d%s", 42, ""), BUF_OK);
    assert_int_equal(buf_printf(&b, "%s", ""), BUF_OK);
    assert_string_equal(b.data, "nop-42");
    buf_truncate(&b, 3);
    assert_string_equal(b.data, "nop");
    text = buf_detach(&b, &len);
    assert_string_equal(text, "nop");
    assert_int_equal(len, 3);
    assert_int_equal(b.len, 0);
    free(text);
}

/* Every maximum: N bytes fit, N + 1 do not and change nothing. */
static void maximum_is_exact(void **state)
{
    (void)state;
    for (size_t max = 1; max <= 300; max++) {
        struct buf b;
        char bytes[301];
        memset(bytes, 'x', sizeof(bytes));
        buf_init(&b, max);
        assert_int_equal(buf_add(&b, bytes, max + 1), BUF_TOO_BIG);
        assert_int_equal(b.len, 0);
        assert_int_equal(buf_add(&b, bytes, max), BUF_OK);
        assert_int_equal(buf_room(&b), 0);
        assert_int_equal(buf_add_char(&b, 'y'), BUF_TOO_BIG);
        assert_int_equal(buf_printf(&b, "y"), BUF_TOO_BIG);
        assert_int_equal(b.len, max);
        assert_int_equal(strlen(b.data), max);
        buf_release(&b);
        assert_int_equal(b.max, max);
    }
}

static void absurd_sizes_are_refused(void **state)
{
    struct buf b = BUF_INIT;

    (void)state;
    assert_int_equal(buf_add_str(&b, "abc"), BUF_OK);
    assert_int_equal(buf_reserve(&b, SIZE_MAX), BUF_TOO_BIG);
    assert_int_equal(buf_reserve(&b, SIZE_MAX - 3), BUF_TOO_BIG);
    assert_int_equal(buf_reserve(&b, SIZE_MAX / 2), BUF_NO_MEMORY);
    assert_string_equal(b.data, "abc");
    buf_release(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_is_a_string),
        cmocka_unit_test(grows_and_keeps_its_content),
        cmocka_unit_test(maximum_is_exact),
        cmocka_unit_test(absurd_sizes_are_refused),
    };
    return cmocka_run_group_tests_name("buf", tests, NULL, NULL);
}
