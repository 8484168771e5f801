// link: json-c
// with: cmd/bep-reduce/anchors.c
// with: cmd/bep-reduce/cause.c
// with: cmd/bep-reduce/complaint.c
// with: cmd/bep-reduce/consequence.c
// with: cmd/bep-reduce/diag.c
// with: cmd/bep-reduce/diag_finish.c
// with: cmd/bep-reduce/fallback.c
// with: cmd/bep-reduce/jvm.c
// with: cmd/bep-reduce/lines.c
// with: cmd/bep-reduce/paths.c
// with: cmd/bep-reduce/pattern.c
// with: cmd/bep-reduce/recognise.c
// with: cmd/bep-reduce/recognise_bazel.c
// with: cmd/bep-reduce/rulebook.c
// with: cmd/bep-reduce/rules_*.c
// with: cmd/bep-reduce/scan.c
// with: cmd/bep-reduce/starlark.c
/*
 * Every recording in test/recognise: what the tool printed (input), and what a correct reading of it is (expected.json).
 * TEST_RECOGNISE names another folder of them.
 */
#include "test/unit/unit.h"

#include <dirent.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/bep-reduce/recognise.h"
#include "common/base/buf.h"

#define TARGET "//shop:cart"

static const char *folder(void)
{
    const char *given = getenv("TEST_RECOGNISE");
    return given ? given : "test/recognise";
}

static const char *text_of(struct json_object *object, const char *key)
{
    struct json_object *value;
    return json_object_object_get_ex(object, key, &value) ? json_object_get_string(value) : "";
}

static unsigned number_of(struct json_object *object, const char *key)
{
    struct json_object *value;
    return json_object_object_get_ex(object, key, &value) ? (unsigned)json_object_get_int(value)
                                                          : 0;
}

static bool is_expected(const struct diag *d, struct json_object *want)
{
    const char *path = d->place.path && !d->place_is_rule ? d->place.path : "";
    bool same_place = strcmp(path, text_of(want, "path")) == 0 &&
                      (!*path || (d->place.line == number_of(want, "line") &&
                                  d->place.column == number_of(want, "column")));
    return same_place && strcmp(d->message, text_of(want, "message")) == 0 &&
           strcmp(diag_severity_name(d->severity), text_of(want, "severity")) == 0 &&
           strcmp(diag_category_name(d->category), text_of(want, "category")) == 0;
}

static void say(const char *name, const struct diag *d)
{
    print_error("%s: got %s, %s, %s:%u:%u: %s\n", name, diag_severity_name(d->severity),
                diag_category_name(d->category), d->place.path ? d->place.path : "-", d->place.line,
                d->place.column, d->message);
}

static void read_recording(const char *name, const char *file, struct buf *out)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s/%s", folder(), name, file);
    FILE *f = fopen(path, "r");
    if (!f)
        fail_msg("%s cannot be opened", path);
    for (int c; (c = getc(f)) != EOF;)
        buf_add_char(out, (char)c);
    fclose(f);
}

static void recognise_recording(const struct buf *input, bool test, struct diag_list *list)
{
    struct paths paths = {.workspace = NULL};
    struct evidence evidence = {
        .text = input->data,
        .len = input->len,
        .kind = test ? EVIDENCE_TEST : EVIDENCE_ACTION,
        .target = TARGET,
        .exit_code = 1,
        .rule = {"shop/BUILD", 3, 1},
        .paths = &paths,
    };
    diag_list_init(list, 0);
    if (recognise(&evidence, list) == 0)
        recognise_fallback(&evidence, NULL, list);
    diag_list_finish(list);
}

/* Returns how many differences there are. */
static int check_recording(const char *name)
{
    struct buf input = BUF_INIT;
    struct buf expected = BUF_INIT;
    struct diag_list list;
    struct json_object *diagnostics = NULL;
    read_recording(name, "input", &input);
    read_recording(name, "expected.json", &expected);
    struct json_object *want = json_tokener_parse(expected.data);
    assert_non_null(want);
    assert_true(json_object_object_get_ex(want, "diagnostics", &diagnostics));
    recognise_recording(&input, strcmp(text_of(want, "evidence"), "test") == 0, &list);
    size_t count = json_object_array_length(diagnostics);
    int wrong = count != list.count;
    for (size_t i = 0; i < count && i < list.count; i++)
        wrong += !is_expected(list.items[i], json_object_array_get_idx(diagnostics, i));
    for (size_t i = 0; wrong && i < list.count; i++)
        say(name, list.items[i]);
    json_object_put(want);
    diag_list_release(&list);
    buf_release(&input);
    buf_release(&expected);
    return wrong;
}

static void test_recordings(void **state)
{
    (void)state;
    int wrong = 0;
    int seen = 0;
    struct dirent **names;
    int count = scandir(folder(), &names, NULL, alphasort);
    assert_true(count > 0);
    for (int i = 0; i < count; i++) {
        if (names[i]->d_type == DT_DIR && names[i]->d_name[0] != '.') {
            wrong += check_recording(names[i]->d_name);
            seen++;
        }
        free(names[i]);
    }
    free(names);
    assert_true(seen > 60);
    assert_int_equal(wrong, 0);
}

static size_t count_errors(const char *text, int exit_code, struct diag_list *list)
{
    struct paths paths = {.workspace = NULL};
    struct evidence evidence = {.text = text,
                                .len = strlen(text),
                                .kind = EVIDENCE_ACTION,
                                .target = TARGET,
                                .exit_code = exit_code,
                                .paths = &paths};
    diag_list_init(list, 0);
    return recognise(&evidence, list);
}

/* An error's words in the output of an action that succeeded are no error; warnings stay. */
static void test_success_has_no_errors(void **state)
{
    (void)state;
    struct diag_list list;
    assert_int_equal(count_errors("a.c:1:2: error: x\na.c:3:4: warning: y\n", 0, &list), 0);
    assert_int_equal(list.count, 1);
    assert_int_equal(list.items[0]->severity, DIAG_WARNING);
    assert_int_equal(list.items[0]->place.line, 3);
    diag_list_release(&list);
}

/* Colours, carriage returns, NULs and invalid bytes do not hide an error; line 0 is no line. */
static void test_terminal_remains(void **state)
{
    (void)state;
    static const char text[] =
        "10%\r50%\r\033[1ma.c:7:3:\033[0m \033[31merror:\033[0m x\377y\0z\r\n"
        "b.c:0:0: error: nowhere\n";
    struct paths paths = {.workspace = NULL};
    struct evidence evidence = {.text = text,
                                .len = sizeof text - 1,
                                .kind = EVIDENCE_ACTION,
                                .exit_code = 1,
                                .paths = &paths};
    struct diag_list list;
    diag_list_init(&list, 0);
    assert_int_equal(recognise(&evidence, &list), 1);
    assert_string_equal(list.items[0]->message, "x\xef\xbf\xbdyz");
    assert_string_equal(list.items[0]->place.path, "a.c");
    diag_list_release(&list);
}

/* A test's runner has the target's name, which is no source file: the line is told all the same. */
static void test_line_without_file(void **state)
{
    (void)state;
    struct diag_list list;
    assert_int_equal(count_errors("shop/cart: line 5: port: unbound variable\n", 1, &list), 1);
    assert_string_equal(list.items[0]->message, "port: unbound variable");
    assert_null(list.items[0]->place.path);
    assert_string_equal(list.items[0]->detail, "cart, line 5");
    diag_list_release(&list);
}

static void test_fallback(void **state)
{
    (void)state;
    struct paths paths = {.workspace = NULL};
    struct evidence evidence = {.text = "reading\nunknown unit: furlong\n\n",
                                .kind = EVIDENCE_ACTION,
                                .exit_code = 3,
                                .target = TARGET,
                                .paths = &paths};
    struct diag_list list;
    evidence.len = strlen(evidence.text);
    diag_list_init(&list, 0);
    recognise_fallback(&evidence, "Executing genrule //shop:cart", &list);
    evidence.len = 0;
    evidence.exit_code = 137;
    recognise_fallback(&evidence, "Executing genrule //shop:cart", &list);
    assert_int_equal(list.count, 2);
    assert_string_equal(list.items[0]->message, "unknown unit: furlong");
    assert_string_equal(list.items[0]->detail,
                        "Executing genrule //shop:cart failed: (Exit 3)\nreading");
    assert_string_equal(list.items[1]->message, "Executing genrule //shop:cart failed: (Killed)");
    diag_list_release(&list);
}

/* Who ends himself after a complaint has said why; whom another signal ended has not. */
static void test_last_words_of_the_killed(void **state)
{
    (void)state;
    static const struct {
        int exit_code;
        const char *message;
    } ends[] = {
        {134, "price is negative"},
        {139, "exited with error code 139: killed by signal 11 (Segmentation fault)"},
    };
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        struct paths paths = {.workspace = NULL};
        struct evidence evidence = {.text = "price is negative\n",
                                    .len = strlen("price is negative\n"),
                                    .kind = EVIDENCE_TEST,
                                    .exit_code = ends[i].exit_code,
                                    .target = TARGET,
                                    .paths = &paths};
        struct diag_list list;
        diag_list_init(&list, 0);
        recognise_fallback(&evidence, NULL, &list);
        assert_string_equal(list.items[0]->message, ends[i].message);
        diag_list_release(&list);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recordings),       cmocka_unit_test(test_success_has_no_errors),
        cmocka_unit_test(test_terminal_remains), cmocka_unit_test(test_line_without_file),
        cmocka_unit_test(test_fallback),         cmocka_unit_test(test_last_words_of_the_killed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
