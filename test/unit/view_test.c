// link: uv
// link: json-c
// link: sqlite3
// link: pcre2
// link: threads
// with: cmd/mcp-front/store.c cmd/mcp-front/store_finish.c cmd/mcp-front/store_task.c cmd/mcp-front/lane.c
// with: cmd/mcp-front/db.c cmd/mcp-front/db_open.c cmd/mcp-front/db_schema.c cmd/mcp-front/lease.c
// with: cmd/mcp-front/record.c cmd/mcp-front/record_end.c cmd/mcp-front/record_import.c cmd/mcp-front/record_read.c
// with: cmd/mcp-front/rebuild.c cmd/mcp-front/retain.c cmd/mcp-front/scrub.c cmd/mcp-front/member.c
// with: cmd/mcp-front/page.c cmd/mcp-front/cursor.c cmd/mcp-front/filter.c cmd/mcp-front/view*.c
// with: cmd/mcp-front/policy.c cmd/mcp-front/policy_flags.c cmd/mcp-front/policy_startup.c
// with: cmd/mcp-front/policy_workspace.c cmd/mcp-front/config.c cmd/mcp-front/config_table.c
// with: cmd/mcp-front/config_duplicate.c cmd/mcp-front/known.c
// with: test/unit/view_fixture.c
#include "test/unit/view_fixture.h"

static void every_diagnostic_is_reached_in_every_shape(void **state)
{
    (void)state;
    begin("id-1", 1000);
    write_diagnostics();
    finish("id-1", STATE_FAILED, 2000);
    for (size_t i = 0; i < SHAPES; i++)
        assert_int_equal(page_through((struct view_request){.view = VIEW_DIAGNOSTICS,
                                                            .invocation_id = "id-1",
                                                            .limit = shapes[i].limit,
                                                            .max_bytes = shapes[i].bytes,
                                                            .measure = shapes[i].measure},
                                      is_diagnostic),
                         DIAGNOSTICS);
}

static void filters_choose_and_count(void **state)
{
    struct view_request request = {
        .view = VIEW_DIAGNOSTICS, .invocation_id = "id-1", .limit = 100, .filter = "//app/p1/..."};
    struct reply r;

    (void)state;
    begin("id-1", 1000);
    write_text(
        STORE_DETAILS "/diagnostics.jsonl",
        "{\"severity\":\"error\",\"message\":\"Cannot find foo\",\"target\":\"//app/p1:a\"}\n"
        "{\"severity\":\"warning\",\"message\":\"b\",\"target\":\"//app/p1/sub:b\"}\n"
        "{\"severity\":\"error\",\"message\":\"c\",\"target\":\"//app/p10:c\"}\n"
        "{\"severity\":\"error\",\"message\":\"still being writt");
    finish("id-1", STATE_FAILED, 2000);
    r = ask(request);
    assert_int_equal(item_count(&r), 2);
    assert_int_equal(member_number(r.answer, "total_count", -1), 3);
    assert_int_equal(member_number(r.answer, "filtered_count", -1), 2);
    json_object_put(r.answer);
    request.status = "error";
    r = ask(request);
    assert_int_equal(item_count(&r), 1);
    json_object_put(r.answer);
    request.status = NULL;
    request.filter = "FIND FOO";
    r = ask(request);
    assert_int_equal(item_count(&r), 1);
    assert_string_equal(member_text(item(&r, 0), "message"), "Cannot find foo");
    json_object_put(r.answer);
    request.filter = "//app/p10:*";
    r = ask(request);
    assert_int_equal(item_count(&r), 1);
    json_object_put(r.answer);
    request.filter = "nothing like it";
    r = ask(request);
    assert_int_equal(item_count(&r), 0);
    assert_null(member_text(r.answer, "next_cursor"));
    json_object_put(r.answer);
}

static void a_cursor_belongs_to_its_view_and_filter(void **state)
{
    struct view_request request = {.view = VIEW_DIAGNOSTICS, .invocation_id = "id-1", .limit = 1};
    struct reply first, r;

    (void)state;
    begin("id-1", 1000);
    write_diagnostics();
    finish("id-1", STATE_FAILED, 2000);
    first = ask(request);
    request.cursor = member_text(first.answer, "next_cursor");
    request.filter = "m";
    r = ask(request);
    assert_null(r.answer);
    assert_string_equal(r.error, "the cursor belongs to another view, invocation or filter");
    request.filter = NULL;
    request.view = VIEW_TESTS;
    assert_null(ask(request).answer);
    request.view = VIEW_DIAGNOSTICS;
    request.cursor = "AAAA";
    assert_null(ask(request).answer);
    request.cursor = "not a cursor";
    assert_null(ask(request).answer);
    json_object_put(first.answer);
}

static void what_does_not_apply_is_an_error(void **state)
{
    struct reply r;

    (void)state;
    r = ask((struct view_request){.view = VIEW_SUMMARY});
    assert_string_equal(r.error, "the view summary needs an invocation_id");
    r = ask((struct view_request){.view = VIEW_INVOCATIONS, .invocation_id = "x"});
    assert_string_equal(r.error, "invocation_id does not apply to the view invocations");
    r = ask((struct view_request){.view = VIEW_SUMMARY, .invocation_id = "x", .filter = "y"});
    assert_string_equal(r.error, "filter does not apply to the view summary");
    r = ask((struct view_request){.view = VIEW_SUMMARY, .invocation_id = "x"});
    assert_string_equal(r.error, "there is no invocation x");
}

#define LOG_LINES 3000

static void is_log_line(struct json_object *line, size_t i)
{
    char expected[64];

    snprintf(expected, sizeof(expected), i < LOG_LINES ? "err %zu " : "out %zu ",
             i < LOG_LINES ? i : i - LOG_LINES);
    assert_int_equal(strncmp(json_object_get_string(line), expected, strlen(expected)), 0);
}

static void write_log(const char *name, const char *front)
{
    FILE *f = open_file(name);

    for (int i = 0; i < LOG_LINES; i++) {
        fprintf(f, "%s %d ", front, i);
        for (unsigned n = number_below(i % 100 ? 60 : 3000); n; n--)
            fputc('y', f);
        fputc('\n', f);
        if (i % 5 == 0)
            fputs("[1 / 2] Compiling a.cc; 3s\nLoading: 0 packages loaded\n\n", f);
    }
    fclose(f);
}

static void every_log_line_is_reached(void **state)
{
    (void)state;
    begin("id-1", 1000);
    write_log(STORE_STDERR, "err");
    write_log(STORE_STDOUT, "out");
    finish("id-1", STATE_FAILED, 2000);
    for (size_t i = 0; i < SHAPES; i++)
        if (shapes[i].limit > 1)
            assert_int_equal(page_through((struct view_request){.view = VIEW_LOG,
                                                                .invocation_id = "id-1",
                                                                .limit = shapes[i].limit,
                                                                .max_bytes = shapes[i].bytes,
                                                                .measure = shapes[i].measure},
                                          is_log_line),
                             2 * LOG_LINES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_diagnostic_is_reached_in_every_shape),
        TEST(filters_choose_and_count),
        TEST(a_cursor_belongs_to_its_view_and_filter),
        TEST(what_does_not_apply_is_an_error),
        TEST(every_log_line_is_reached),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
