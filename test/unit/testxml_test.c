// with: cmd/bep-reduce/testxml.c
// link: expat
#include "test/unit/unit.h"
#include "cmd/bep-reduce/testxml.h"
#include "common/base/buf.h"

#include <string.h>

struct fixture {
    struct arena arena;
    struct test_cases cases;
};

static bool read_xml(struct fixture *f, const char *xml)
{
    *f = (struct fixture){.arena = ARENA_INIT(1 << 20)};
    return testxml_read(xml, strlen(xml), &f->arena, &f->cases);
}

static void reads_cases_that_did_not_pass(void **state)
{
    struct fixture f;
    const struct test_case *c;

    (void)state;
    assert_true(read_xml(&f,
                         "<testsuites><testsuite><testcase name='ok' time='1'/>"
                         "<testcase name='bad' classname='C' time='0.25' file='a.py' line='7'>"
                         "<failure message='1 != 2'>trace &lt;1&gt;</failure></testcase>"
                         "<testcase name='off'><skipped/></testcase></testsuite></testsuites>"));
    assert_int_equal(f.cases.passed, 1);
    assert_int_equal(f.cases.count, 2);
    c = f.cases.first;
    assert_string_equal(c->name, "bad");
    assert_string_equal(c->class_name, "C");
    assert_string_equal(c->message, "1 != 2");
    assert_string_equal(c->text, "trace <1>");
    assert_string_equal(c->place.path, "a.py");
    assert_int_equal(c->place.line, 7);
    assert_int_equal(c->duration_ms, 250);
    assert_int_equal(c->status, CASE_FAILED);
    assert_int_equal(c->next->status, CASE_SKIPPED);
    assert_null(c->next->message);
    arena_release(&f.arena);
}

static void takes_dialects(void **state)
{
    struct fixture f;

    (void)state;
    /* Nested suites, things between, two failures in a case, CDATA in pieces, odd times, any root. */
    assert_true(
        read_xml(&f, "<root><testsuite><properties/><testsuite>"
                     "<testcase name='a' time=''><failure><![CDATA[one]]><![CDATA[ two]]></failure>"
                     "<failure message='second'/></testcase><system-out>noise</system-out>"
                     "<testcase name='b' time='1,234.5'><error message='e'/></testcase>"
                     "</testsuite></testsuite></root>"));
    assert_int_equal(f.cases.count, 2);
    assert_string_equal(f.cases.first->text, "one two");
    assert_null(f.cases.first->message);
    assert_int_equal(f.cases.first->duration_ms, -1);
    assert_int_equal(f.cases.first->next->duration_ms, 1234500);
    assert_int_equal(f.cases.first->next->status, CASE_ERROR);
    arena_release(&f.arena);
}

static void keeps_what_came_before_a_break(void **state)
{
    struct fixture f;

    (void)state;
    assert_false(read_xml(&f, "<testsuite><testcase name='ok'/><testcase name='bad'>"
                              "<failure message='body is &lt;null&gt;'>trace"));
    assert_int_equal(f.cases.passed, 1);
    assert_int_equal(f.cases.count, 1);
    assert_string_equal(f.cases.first->message, "body is <null>");
    assert_string_equal(f.cases.first->text, "trace");
    arena_release(&f.arena);
    assert_false(read_xml(&f, ""));
    assert_int_equal(f.cases.count, 0);
    arena_release(&f.arena);
}

static void refuses_document_types(void **state)
{
    struct fixture f;

    (void)state;
    assert_false(read_xml(
        &f, "<!DOCTYPE a [<!ENTITY x 'y'><!ENTITY z '&x;&x;&x;'>]>"
            "<testsuite><testcase name='b'><failure>&z;</failure></testcase></testsuite>"));
    assert_int_equal(f.cases.count, 0);
    arena_release(&f.arena);
}

static void reads_other_encodings(void **state)
{
    struct fixture f;

    (void)state;
    assert_true(read_xml(&f, "<?xml version='1.0' encoding='ISO-8859-1'?><a><testcase name='\xe9'>"
                             "<failure/></testcase></a>"));
    assert_string_equal(f.cases.first->name, "\xc3\xa9");
    arena_release(&f.arena);
    assert_true(read_xml(&f, "<a><testcase name='\xe9\x01'><failure/></testcase></a>"));
    assert_string_equal(f.cases.first->name, "\xef\xbf\xbd");
    arena_release(&f.arena);
}

static void keeps_so_many_and_counts_the_rest(void **state)
{
    struct fixture f = {.arena = ARENA_INIT(1 << 20)};
    struct buf xml = BUF_INIT;

    (void)state;
    buf_add_str(&xml, "<a>");
    for (int i = 0; i < CASES_MAX + 1; i++)
        buf_add_str(&xml, "<testcase><failure message='m'/></testcase>");
    buf_add_str(&xml, "</a>");
    assert_true(testxml_read(xml.data, xml.len, &f.arena, &f.cases));
    assert_int_equal(f.cases.count, CASES_MAX);
    assert_int_equal(f.cases.more, 1);
    buf_release(&xml);
    arena_release(&f.arena);
}

static void knows_bazels_own(void **state)
{
    const struct test_case bazel = {.name = "a/b_test", .message = "exited with error code 1"};
    const struct test_case other = {.name = "a/b_test", .message = "want 1"};

    (void)state;
    assert_true(testxml_is_bazels_own(&bazel));
    assert_false(testxml_is_bazels_own(&other));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_cases_that_did_not_pass),
        cmocka_unit_test(takes_dialects),
        cmocka_unit_test(keeps_what_came_before_a_break),
        cmocka_unit_test(refuses_document_types),
        cmocka_unit_test(reads_other_encodings),
        cmocka_unit_test(keeps_so_many_and_counts_the_rest),
        cmocka_unit_test(knows_bazels_own),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
