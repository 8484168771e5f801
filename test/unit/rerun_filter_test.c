/* The filter that repeats failed test cases, in each framework's own language. */
#include "cmd/mcp-front/rerun_filter.h"
#include "test/unit/unit.h"

#include <stdio.h>

// with: cmd/mcp-front/rerun_filter.c cmd/mcp-front/rpc.c
// link: json-c

static void add(struct rerun_filter *f, const char *kind, const char *json)
{
    struct json_object *test = json_tokener_parse(json);

    assert_non_null(test);
    rerun_filter_add(f, test, kind);
    json_object_put(test);
}

#define CASE(class, name) "{\"class\":\"" class "\",\"name\":\"" name "\",\"status\":\"failed\"}"
#define TEST(cases)       "{\"status\":\"failed\",\"cases\":[" cases "]}"

static void expect(const char *kind, const char *json, const char *value)
{
    struct rerun_filter f = RERUN_FILTER_INIT;

    add(&f, kind, json);
    if (value)
        assert_string_equal(rerun_filter_value(&f), value);
    else
        assert_null(rerun_filter_value(&f));
    rerun_filter_release(&f);
}

static void each_framework_has_its_language(void **state)
{
    (void)state;
    expect("cc_test rule", TEST(CASE("Cart", "Adds") "," CASE("All/Cart", "Works/0")),
           "Cart.Adds:All/Cart.Works/0");
    expect("java_test rule", TEST(CASE("com.shop.CartTest", "adds") "," CASE("com.shop.A$B", "c")),
           "com\\.shop\\.CartTest#adds$|com\\.shop\\.A\\$B#c$");
    expect("go_test rule", TEST(CASE("cart", "TestAdd/two_items") "," CASE("cart", "TestSum")),
           "^TestAdd$|^TestSum$");
    expect("py_test rule", TEST(CASE("__main__.CartTest", "test_add") "," CASE("__main__.B", "t")),
           "CartTest.test_add B.t");
    expect("py_test rule", TEST(CASE("tests.test_cart", "test_add[1-2]") "," CASE("t", "test_b")),
           "test_add or test_b");
}

static void the_same_case_is_named_once(void **state)
{
    (void)state;
    expect("go_test", TEST(CASE("a", "TestX/1") "," CASE("a", "TestX/2") "," CASE("a", "TestX2")),
           "^TestX$|^TestX2$");
    expect("py_test rule",
           TEST(CASE("t", "test_ab") "," CASE("t", "test_a") "," CASE("t", "test_ab")),
           "test_ab or test_a");
}

static void what_no_filter_can_say_is_run_whole(void **state)
{
    (void)state;
    expect("sh_test rule", TEST(CASE("a.B", "c")), NULL);
    expect("cc_test_wrapper rule", TEST(CASE("A", "b")), NULL);
    expect(NULL, TEST(CASE("A", "b")), NULL);
    expect("cc_test rule", TEST(""), NULL);
    expect("cc_test rule", TEST(CASE("A", "b c")), NULL);
    expect("cc_test rule", TEST(CASE("program.global", "adds")), NULL);
    expect("java_test rule", TEST(CASE("com.A", "adds(int)[1]")), NULL);
    expect("cc_test rule", "{\"status\":\"timed_out\",\"cases\":[" CASE("A", "b") "]}", NULL);
    expect("cc_test rule",
           "{\"status\":\"failed\",\"cases_more\":2,\"cases\":[" CASE("A", "b") "]}", NULL);
    expect("cc_test rule", TEST("{\"class\":\"A\",\"name\":\"b\",\"status\":\"skipped\"}"), NULL);
}

static void one_test_that_cannot_spoils_it_for_all(void **state)
{
    struct rerun_filter f = RERUN_FILTER_INIT;

    (void)state;
    add(&f, "cc_test rule", TEST(CASE("A", "b")));
    add(&f, "cc_test rule", TEST(CASE("C", "d")));
    assert_string_equal(rerun_filter_value(&f), "A.b:C.d");
    add(&f, "go_test rule", TEST(CASE("c", "TestX")));
    assert_null(rerun_filter_value(&f));
    rerun_filter_release(&f);
}

static void a_long_filter_is_none(void **state)
{
    struct rerun_filter f = RERUN_FILTER_INIT;
    char json[200];

    (void)state;
    for (int i = 0; i < 400; i++) {
        snprintf(json, sizeof(json), TEST(CASE("Suite", "Case%d")), i);
        add(&f, "cc_test rule", json);
    }
    assert_null(rerun_filter_value(&f));
    rerun_filter_release(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_framework_has_its_language),
        cmocka_unit_test(the_same_case_is_named_once),
        cmocka_unit_test(what_no_filter_can_say_is_run_whole),
        cmocka_unit_test(one_test_that_cannot_spoils_it_for_all),
        cmocka_unit_test(a_long_filter_is_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
