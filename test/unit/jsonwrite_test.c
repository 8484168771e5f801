#include "test/unit/unit.h"
#include "common/json/write.h"

#include <string.h>

static void writes_levels_commas_and_values(void **state)
{
    struct buf out = BUF_INIT;
    struct json_writer w;

    (void)state;
    json_begin(&w, &out);
    json_begin_object(&w, NULL);
    json_put_int(&w, "n", -3);
    json_begin_array(&w, "list");
    json_put_string(&w, NULL, "a");
    json_begin_object(&w, NULL);
    json_end_object(&w);
    json_put_null(&w, NULL);
    json_end_array(&w);
    json_put_bool(&w, "yes", true);
    json_put_decimal(&w, "half", 0.5);
    json_put_decimal(&w, "whole", 100.0);
    json_put_decimal(&w, "cut", 33.3333);
    json_end_object(&w);
    assert_string_equal(out.data, "{\"n\":-3,\"list\":[\"a\",{},null],\"yes\":true,\"half\":0.5,"
                                  "\"whole\":100,\"cut\":33.33}");
    assert_false(w.failed);
    buf_release(&out);
}

static void escapes_and_cleans_strings(void **state)
{
    struct buf out = BUF_INIT;
    struct json_writer w;

    (void)state;
    json_begin(&w, &out);
    json_begin_array(&w, NULL);
    json_put_string(&w, NULL, "q\" b\\ n\n t\t");
    json_put_bytes(&w, NULL, "\0\xff\x1b[1mx\x01", 8);
    json_end_array(&w);
    assert_string_equal(out.data, "[\"q\\\" b\\\\ n\\n t\\t\",\"\xef\xbf\xbd\xef\xbf\xbdx\"]");
    buf_release(&out);
}

static void remembers_that_it_did_not_fit(void **state)
{
    struct buf out = BUF_INIT_MAX(4);
    struct json_writer w;

    (void)state;
    json_begin(&w, &out);
    json_begin_array(&w, NULL);
    json_put_string(&w, NULL, "too long");
    json_end_array(&w);
    assert_true(w.failed);
    buf_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_levels_commas_and_values),
        cmocka_unit_test(escapes_and_cleans_strings),
        cmocka_unit_test(remembers_that_it_did_not_fit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
