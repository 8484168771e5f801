// link: json-c
#include "common/json/print.h"
#include "common/json/read.h"
#include "common/json/toon.h"

#include <json-c/json.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const struct json_rules plain = {.max_depth = 4}, comments = {4, JSON_COMMENTS};

static enum json_status status_of(const char *text, size_t len, const struct json_rules *rules)
{
    struct json_object *value;
    enum json_status status = json_read(text, len, rules, &value, NULL);

    if (status != JSON_OK)
        assert_null(value);
    json_object_put(value);
    return status;
}

static void valid_json_is_read(void **state)
{
    static const char *const texts[] = {
        "0",           "-0",          "1.5",      "1e5",         "-2.5E-3",
        "true",        "null",        "\"\"",     "[[[[]]]]",    "{\"a\":{\"a\":1}}",
        " [ 1 , 2 ] ", "\"\\u0000\"", "\"\x7f\"", "\"\\ud800\"",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        assert_int_equal(status_of(texts[i], strlen(texts[i]), &plain), JSON_OK);
}

static void anything_else_is_refused(void **state)
{
    static const struct {
        const char *text;
        enum json_status status;
    } cases[] = {
        {"", JSON_SYNTAX},
        {" ", JSON_SYNTAX},
        {"01", JSON_SYNTAX},
        {"-01", JSON_SYNTAX},
        {"1.", JSON_SYNTAX},
        {".5", JSON_SYNTAX},
        {"+1", JSON_SYNTAX},
        {"1e", JSON_SYNTAX},
        {"-", JSON_SYNTAX},
        {"[NaN]", JSON_NOT_A_NUMBER},
        {"-Infinity", JSON_NOT_A_NUMBER},
        {"True", JSON_SYNTAX},
        {"'a'", JSON_SYNTAX},
        {"[1,]", JSON_SYNTAX},
        {"[1 2]", JSON_SYNTAX},
        {"{\"a\":1} x", JSON_SYNTAX},
        {"{\"a\":1}{}", JSON_SYNTAX},
        {"\"a\tb\"", JSON_SYNTAX},
        {"\"\\x\"", JSON_SYNTAX},
        {"\"open", JSON_SYNTAX},
        {"{\"a\\u0000b\":1}", JSON_SYNTAX},
        {"/* no */ 1", JSON_SYNTAX},
        {"\xef\xbb\xbf{}", JSON_SYNTAX},
        {"\"\xc0\x80\"", JSON_BAD_UTF8},
        {"\"\xed\xa0\x80\"", JSON_BAD_UTF8},
        {"[[[[[]]]]]", JSON_TOO_DEEP},
        {"{\"a\":1,\"a\":1}", JSON_DUPLICATE_KEY},
        {"{\"a\":{\"b\":1},\"\\u0061\":{\"b\":1,\"c\":2}}", JSON_DUPLICATE_KEY},
        {"[{\"k\":1,\"k\":2}]", JSON_DUPLICATE_KEY},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(status_of(cases[i].text, strlen(cases[i].text), &plain), cases[i].status);
    assert_int_equal(status_of("1\0", 2, &plain), JSON_SYNTAX);
}

static void comments_are_white_space_where_asked_for(void **state)
{
    static const char text[] = "// first\n{\"a\": /* b: */ \"//\"} // last";
    struct json_object *value, *member;

    (void)state;
    assert_int_equal(json_read(text, strlen(text), &comments, &value, NULL), JSON_OK);
    assert_true(json_object_object_get_ex(value, "a", &member));
    assert_string_equal(json_object_get_string(member), "//");
    json_object_put(value);
    assert_int_equal(status_of("1 /* open", 9, &comments), JSON_SYNTAX);
}

static void an_error_names_its_line(void **state)
{
    static const char text[] = "{\n  /* x\n */ \"a\": 1,\n  oops\n}";
    struct json_object *value;
    struct json_error error;

    (void)state;
    json_read(text, strlen(text), &comments, &value, &error);
    assert_int_equal(error.status, JSON_SYNTAX);
    assert_int_equal(error.line, 4);
}

static void printing_makes_one_clean_line(void **state)
{
    struct json_object *object = json_object_new_object();
    struct buf out = BUF_INIT;

    (void)state;
    json_object_object_add(object, "a/b",
                           json_object_new_string("x\n\x1b/\x7f\xff\xe2\x80\xa8\xc2\x85\xc3\xb6"));
    assert_int_equal(json_print(&out, object), BUF_OK);
    assert_string_equal(out.data,
                        "{\"a/b\":\"x\\n\\u001b/\\u007f\xef\xbf\xbd\\u2028\\u0085\xc3\xb6\"}");
    buf_release(&out);
    json_object_put(object);
}

static void toon_of(const char *json, const char *expected)
{
    struct json_object *value = json_tokener_parse(json);
    struct buf out = BUF_INIT;

    assert_int_equal(toon_encode(&out, value), BUF_OK);
    assert_string_equal(out.data, expected);
    buf_release(&out);
    json_object_put(value);
}

static void toon_has_the_forms_of_its_specification(void **state)
{
    (void)state;
    toon_of("{\"id\":123,\"name\":\"Ada\",\"active\":true,\"x\":null,\"f\":1.50,\"g\":100.0}",
            "id: 123\nname: Ada\nactive: true\nx: null\nf: 1.5\ng: 100");
    toon_of("{\"user\":{\"id\":1,\"deep\":{\"a\":\"b\"}},\"empty\":{}}",
            "user:\n  id: 1\n  deep:\n    a: b\nempty:");
    toon_of("{\"tags\":[\"a\",\"b c\",\"d,e\"],\"none\":[]}", "tags[3]: a,b c,\"d,e\"\nnone[0]:");
    toon_of("{\"rows\":[{\"id\":1,\"q\":\"x\"},{\"q\":\"y:z\",\"id\":2}]}",
            "rows[2]{id,q}:\n  1,x\n  2,\"y:z\"");
    toon_of("{\"items\":[{\"id\":1,\"tags\":[\"a\"]},{\"id\":2,\"in\":{\"k\":3}},{}]}",
            "items[3]:\n  - id: 1\n    tags[1]: a\n  - id: 2\n    in:\n      k: 3\n  -");
    toon_of("{\"mixed\":[1,{\"a\":1},[1,2]]}", "mixed[3]:\n  - 1\n  - a: 1\n  - [2]: 1,2");
    toon_of("[1,2]", "[2]: 1,2");
    toon_of("\"plain text\"", "plain text");
}

static void toon_quotes_what_would_be_read_otherwise(void **state)
{
    static const struct {
        const char *text, *encoded;
    } cases[] = {
        {"", "\"\""},           {"true", "\"true\""},
        {"null", "\"null\""},   {"42", "\"42\""},
        {"-3.14", "\"-3.14\""}, {"1e-6", "\"1e-6\""},
        {"05", "\"05\""},       {" a", "\" a\""},
        {"a ", "\"a \""},       {"-", "\"-\""},
        {"-x", "\"-x\""},       {"a-b", "a-b"},
        {"//...", "//..."},     {"//a:b", "\"//a:b\""},
        {"a,b", "\"a,b\""},     {"a\"b", "\"a\\\"b\""},
        {"a\nb", "\"a\\nb\""},  {"a\\b", "\"a\\\\b\""},
        {"[x]", "\"[x]\""},     {"{x}", "\"{x}\""},
        {"0193-aa", "0193-aa"}, {"a\x01", "\"a\xef\xbf\xbd\""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct json_object *value = json_object_new_string(cases[i].text);
        struct buf out = BUF_INIT;

        assert_int_equal(toon_encode(&out, value), BUF_OK);
        assert_string_equal(out.data, cases[i].encoded);
        buf_release(&out);
        json_object_put(value);
    }
}

static void toon_that_does_not_fit_leaves_the_buffer(void **state)
{
    struct json_object *value = json_object_new_string("0123456789");
    struct buf out = BUF_INIT_MAX(8);

    (void)state;
    assert_int_equal(buf_add_str(&out, "ab"), BUF_OK);
    assert_int_equal(toon_encode(&out, value), BUF_TOO_BIG);
    assert_string_equal(out.data, "ab");
    buf_release(&out);
    json_object_put(value);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(valid_json_is_read),
        cmocka_unit_test(anything_else_is_refused),
        cmocka_unit_test(comments_are_white_space_where_asked_for),
        cmocka_unit_test(an_error_names_its_line),
        cmocka_unit_test(printing_makes_one_clean_line),
        cmocka_unit_test(toon_has_the_forms_of_its_specification),
        cmocka_unit_test(toon_quotes_what_would_be_read_otherwise),
        cmocka_unit_test(toon_that_does_not_fit_leaves_the_buffer),
    };

    return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
