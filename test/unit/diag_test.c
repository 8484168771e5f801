// with: cmd/bep-reduce/diag.c
// with: cmd/bep-reduce/diag_finish.c
/* What is one cause, in which order causes come, and that many of them take little time. */
#include "test/unit/unit.h"

#include <stdio.h>
#include <string.h>

#include "cmd/bep-reduce/diag.h"

static struct diag_list list;

static int set_up(void **state)
{
    (void)state;
    diag_list_init(&list, 0);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    diag_list_release(&list);
    return 0;
}

static struct diag *add(const char *message, const char *target, const char *path, uint32_t line)
{
    struct diag d = {.category = DIAG_COMPILATION,
                     .message = message,
                     .target = target,
                     .place = {path, line, 0}};
    return diag_list_add(&list, &d);
}

static void test_same_place_is_one_cause(void **state)
{
    (void)state;
    add("x is undeclared", "//a:a", "a.h", 3);
    struct diag *d = add("x is undeclared", "//a:b", "a.h", 3);
    add("x is undeclared", "//a:b", "a.h", 3);
    assert_int_equal(list.count, 1);
    assert_int_equal(d->repetition_count, 3);
    assert_string_equal(d->target, "//a:a");
    assert_int_equal(d->also_count, 1);
    assert_string_equal(d->also[0], "//a:b");
    add("x is undeclared", "//a:a", "a.h", 4);
    assert_int_equal(list.count, 2);
}

static void test_a_place_is_filled_in(void **state)
{
    (void)state;
    add("boom", NULL, NULL, 0);
    struct diag *d = add("boom", "//a:a", "a.c", 7);
    assert_int_equal(list.count, 1);
    assert_string_equal(d->target, "//a:a");
    assert_int_equal(d->place.line, 7);
    add("boom", "//a:a", NULL, 0);
    assert_int_equal(list.count, 1);
}

static void test_fan_out_without_place(void **state)
{
    (void)state;
    char label[32];
    for (int i = 0; i < 30; i++) {
        snprintf(label, sizeof label, "//a:t%d", i);
        add("no database", label, NULL, 0);
    }
    assert_int_equal(list.count, 1);
    assert_int_equal(list.items[0]->also_count, DIAG_ALSO_MAX);
    assert_int_equal(list.items[0]->also_more, 29 - DIAG_ALSO_MAX);
    assert_int_equal(list.items[0]->repetition_count, 30);
}

static void test_exit_status_is_nobody_elses(void **state)
{
    (void)state;
    struct diag d = {.message = "failed: (Exit 1)", .target = "//a:a", .unspecific = true};
    diag_list_add(&list, &d);
    d.target = "//a:b";
    diag_list_add(&list, &d);
    assert_int_equal(list.count, 2);
    add("the reason", "//a:b", NULL, 0);
    diag_list_finish(&list);
    assert_int_equal(list.count, 2);
    assert_string_equal(list.items[0]->message, "failed: (Exit 1)");
    assert_string_equal(list.items[0]->target, "//a:a");
    assert_string_equal(list.items[1]->message, "the reason");
}

static void test_spoiled_package(void **state)
{
    (void)state;
    struct diag missing = {.category = DIAG_LOADING, .message = "no such target", .within = "//a"};
    struct diag syntax = {.category = DIAG_LOADING, .message = "syntax error", .spoils = "//a"};
    struct diag other = {.category = DIAG_LOADING, .message = "nothing in b", .within = "//b"};
    diag_list_add(&list, &missing);
    diag_list_add(&list, &syntax);
    diag_list_add(&list, &other);
    diag_list_finish(&list);
    assert_int_equal(list.count, 2);
    assert_string_equal(list.items[0]->message, "syntax error");
    assert_string_equal(list.items[1]->message, "nothing in b");
}

static void test_order(void **state)
{
    (void)state;
    static const struct diag given[] = {
        {.severity = DIAG_WARNING, .category = DIAG_LOADING, .message = "5 warning"},
        {.category = DIAG_TEST, .message = "4 test"},
        {.category = DIAG_LINK, .message = "3 link"},
        {.category = DIAG_ANALYSIS, .message = "2 analysis"},
        {.category = DIAG_TEST, .message = "1 stopped", .stopped_build = true},
    };
    for (size_t i = 0; i < 5; i++)
        diag_list_add(&list, &given[i]);
    diag_list_finish(&list);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(list.items[i]->message[0], '1' + (int)i);
}

static void test_text_is_cleaned_and_cut(void **state)
{
    (void)state;
    char message[DIAG_MESSAGE_MAX * 2];
    char detail[] = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n";
    memset(message, 'x', sizeof message - 1);
    memcpy(message, " a\nb\033[31m\tc", 11);
    message[sizeof message - 1] = '\0';
    struct diag given = {.message = message, .detail = detail, .place = {"a.c", 0, 5}};
    struct diag *d = diag_list_add(&list, &given);
    assert_memory_equal(d->message, "a b cxxx", 8);
    assert_int_equal(strlen(d->message), DIAG_MESSAGE_MAX);
    assert_string_equal(d->detail, "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12");
    assert_int_equal(d->place.column, 0);
    given.message = " \n ";
    assert_null(diag_list_add(&list, &given));
}

static void test_memory_is_bounded(void **state)
{
    (void)state;
    char message[64];
    diag_list_release(&list);
    diag_list_init(&list, 256UL * 1024);
    for (int i = 0; i < 10000; i++) {
        snprintf(message, sizeof message, "error number %d", i);
        add(message, "//a:a", "a.c", (uint32_t)i + 1);
    }
    assert_true(list.count > 100 && list.count < 5000);
    assert_int_equal(list.count + list.dropped, 10000);
}

/* Quadratic time would be minutes. */
static void test_many(void **state)
{
    (void)state;
    char message[64];
    for (int i = 0; i < 100000; i++) {
        snprintf(message, sizeof message, "error number %d", i % 50000);
        add(message, i % 2 ? "//a:a" : NULL, "a.c", (uint32_t)(i % 50000) + 1);
    }
    assert_int_equal(list.count, 50000);
    diag_list_finish(&list);
    assert_int_equal(list.count, 50000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_same_place_is_one_cause, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_place_is_filled_in, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_fan_out_without_place, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_exit_status_is_nobody_elses, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_spoiled_package, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_text_is_cleaned_and_cut, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_memory_is_bounded, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_many, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
