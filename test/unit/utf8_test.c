#include "test/unit/unit.h"
#include "common/text/utf8.h"

#include <string.h>

#define CLEANS(from, to)                                                                           \
    do {                                                                                           \
        struct buf out_ = BUF_INIT;                                                                \
        assert_int_equal(utf8_clean(&out_, from, sizeof(from) - 1), BUF_OK);                       \
        assert_string_equal(out_.data, to);                                                        \
        assert_int_equal(utf8_is_clean(from, sizeof(from) - 1),                                    \
                         sizeof(from) == sizeof(to) && !memcmp(from, to, sizeof(to)));             \
        buf_release(&out_);                                                                        \
    } while (0)

static void knows_well_formed_sequences(void **state)
{
    (void)state;
    assert_int_equal(utf8_sequence("a", 1), 1);
    assert_int_equal(utf8_sequence("\xc3\xbc", 2), 2);
    assert_int_equal(utf8_sequence("\xe2\x82\xac", 3), 3);
    assert_int_equal(utf8_sequence("\xf0\x9f\x98\x80", 4), 4);
    assert_int_equal(utf8_sequence("\xf4\x8f\xbf\xbf", 4), 4);
    assert_int_equal(utf8_sequence("", 0), 0);
    assert_int_equal(utf8_sequence("\xe2\x82", 2), 0);         /* cut */
    assert_int_equal(utf8_sequence("\xc0\x80", 2), 0);         /* overlong */
    assert_int_equal(utf8_sequence("\xe0\x9f\xbf", 3), 0);     /* overlong */
    assert_int_equal(utf8_sequence("\xed\xa0\x80", 3), 0);     /* surrogate */
    assert_int_equal(utf8_sequence("\xf4\x90\x80\x80", 4), 0); /* beyond U+10FFFF */
    assert_int_equal(utf8_sequence("\xf5\x80\x80\x80", 4), 0);
    assert_int_equal(utf8_sequence("\x80", 1), 0);
}

static void leaves_clean_text(void **state)
{
    (void)state;
    CLEANS("", "");
    CLEANS("plain\n\ttext", "plain\n\ttext");
    CLEANS("\xc3\xbc\xe2\x82\xac\xf0\x9f\x98\x80", "\xc3\xbc\xe2\x82\xac\xf0\x9f\x98\x80");
}

static void replaces_what_is_no_text(void **state)
{
    (void)state;
    CLEANS("a\xff"
           "b",
           "a\xef\xbf\xbd"
           "b");
    CLEANS("a\0b", "a\xef\xbf\xbd"
                   "b");
    CLEANS("\xe2\x82", "\xef\xbf\xbd\xef\xbf\xbd");
}

static void takes_escapes_and_controls_out(void **state)
{
    (void)state;
    CLEANS("\x1b[1;31mred\x1b[0m", "red");
    CLEANS("\x1b]0;title\x07text", "text");
    CLEANS("\x1b]0;title\x1b\\text", "text");
    CLEANS("\x1b]0;never ends\ntext", "\ntext");
    CLEANS("a\rb\x08"
           "c\x7f",
           "abc");
    CLEANS("\xc2\x9b", ""); /* C1 */
    CLEANS("end\x1b", "end");
    CLEANS("end\x1b[12", "end");
}

static void cuts_between_characters(void **state)
{
    const char *text = "a\xe2\x82\xac";

    (void)state;
    assert_int_equal(utf8_cut(text, 4, 4), 4);
    assert_int_equal(utf8_cut(text, 4, 9), 4);
    assert_int_equal(utf8_cut(text, 4, 3), 1);
    assert_int_equal(utf8_cut(text, 4, 2), 1);
    assert_int_equal(utf8_cut(text, 4, 1), 1);
    assert_int_equal(utf8_cut(text, 4, 0), 0);
}

static void keeps_the_buffer_where_it_does_not_fit(void **state)
{
    struct buf out = BUF_INIT_MAX(6);

    (void)state;
    assert_int_equal(utf8_clean(&out, "abc", 3), BUF_OK);
    assert_int_equal(utf8_clean(&out, "d\xff", 2), BUF_TOO_BIG);
    assert_string_equal(out.data, "abc");
    buf_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_well_formed_sequences),
        cmocka_unit_test(leaves_clean_text),
        cmocka_unit_test(replaces_what_is_no_text),
        cmocka_unit_test(takes_escapes_and_controls_out),
        cmocka_unit_test(cuts_between_characters),
        cmocka_unit_test(keeps_the_buffer_where_it_does_not_fit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
