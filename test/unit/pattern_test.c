// with: cmd/bep-reduce/anchors.c
// with: cmd/bep-reduce/paths.c
// with: cmd/bep-reduce/pattern.c
/* The language of the rules, and the search that chooses which of them are tried. */
#include "test/unit/unit.h"

#include <string.h>

#include "cmd/bep-reduce/anchors.h"
#include "cmd/bep-reduce/pattern.h"

static struct captures captures;

static bool match(const char *pattern, const char *line)
{
    struct pattern p;
    assert_true(pattern_compile(&p, pattern));
    return pattern_match(&p, slice_of(line), &captures);
}

static void assert_kept(struct slice kept, const char *text)
{
    if (!slice_equals(kept, slice_of(text)))
        fail_msg("kept '%.*s', not '%s'", (int)kept.len, kept.text, text);
}

static void test_place(void **state)
{
    (void)state;
    assert_true(match("{path}:{line}:{column}: {severity}: {message}",
                      "src/my file.cc:12:3: fatal error: a.h: No such file  "));
    assert_kept(captures.path, "src/my file.cc");
    assert_int_equal(captures.line, 12);
    assert_int_equal(captures.column, 3);
    assert_int_equal(captures.severity, PATTERN_ERROR);
    assert_kept(captures.message, "a.h: No such file");
    assert_false(match("{path}:{line}: {message}", "a.c:0: x"));
    assert_false(match("{path}:{line}: {message}", "12:30: x"));
    assert_false(match("{path}:{line}: {message}", "a.c:123456789: x"));
    assert_false(match("{path}:{line}: {message}", "a.c:1: "));
    assert_true(match("{path.go}:{line}: {message}", "a.go:1: x"));
    assert_false(match("{path.go}:{line}: {message}", "a.c:1: x"));
}

static void test_fields(void **state)
{
    (void)state;
    assert_true(match("{ }--- FAIL: {name} ({any})", "    --- FAIL: TestA/b (0.00s)"));
    assert_kept(captures.name, "TestA/b");
    assert_true(match("{exception}: {message}", "java.io.IOException: gone"));
    assert_kept(captures.message, "gone");
    assert_false(match("{exception}: {message}", "not one: gone"));
    assert_true(match("in {any} rule {label}: {message}", "in cc_library rule //a:b: x is y"));
    assert_kept(captures.label, "//a:b");
    assert_false(match("{label}: {message}", "b: x"));
    assert_true(match("{lint} {message}", "F401 unused"));
    assert_false(match("{lint} {message}", "FOUR unused"));
    assert_true(match("{any}: {message:undefined }", "x: y: undefined thing"));
    assert_kept(captures.message, "undefined thing");
    assert_true(match("#{number} 0x{hex} in {word}", "#3 0xfe01 in main"));
    assert_false(match("#{number} 0x{hex} in {word}", "#3 0xfg01 in main"));
}

static void test_not_a_pattern(void **state)
{
    (void)state;
    struct pattern p;
    assert_false(pattern_compile(&p, "{nothing}"));
    assert_false(pattern_compile(&p, "{path"));
}

/* A line made to be tried for ever is given up. */
static void test_hostile_line(void **state)
{
    (void)state;
    static char line[8000];
    for (size_t i = 0; i + 2 < sizeof line; i += 2)
        memcpy(line + i, ": ", 2);
    assert_false(match("{any}: {any}: {any}: {any}: {word}!", line));
}

static void test_anchors(void **state)
{
    (void)state;
    static const struct slice literals[] = {SLICE("she"), SLICE("he"), SLICE(""), SLICE("hers"),
                                            SLICE("x")};
    struct anchors *a = anchors_new(literals, 5);
    struct rule_set found;
    assert_non_null(a);
    anchors_find(a, SLICE("ushers"), &found);
    assert_int_equal(found.words[0], 1 << 0 | 1 << 1 | 1 << 2 | 1 << 3);
    assert_int_equal(rule_set_next(&found, 0), 0);
    assert_int_equal(rule_set_next(&found, 3), 3);
    assert_int_equal(rule_set_next(&found, 4), ANCHORS_MAX);
    anchors_find(a, SLICE("\xff nothing"), &found);
    assert_int_equal(found.words[0], 1 << 2);
    anchors_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_place),         cmocka_unit_test(test_fields),
        cmocka_unit_test(test_not_a_pattern), cmocka_unit_test(test_hostile_line),
        cmocka_unit_test(test_anchors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
