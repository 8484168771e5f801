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

static const char *line_text(struct reply *r, size_t i)
{
    return json_object_get_string(item(r, i));
}

static void logs_are_cleaned_joined_and_redacted(void **state)
{
    struct view_request request = {.view = VIEW_LOG, .invocation_id = "id-1", .limit = 100};
    struct reply r;
    char cursor[128];

    (void)state;
    begin("id-1", 1000);
    write_text(STORE_STDERR,
               "\x1b[31mERROR:\x1b[0m one\nsame\nsame\nsame\nAPI_TOKEN=hunter2 and more\n"
               "-----BEGIN RSA PRIVATE KEY-----\nMIIEhunter2\nAQABhunter2\n"
               "-----END RSA PRIVATE KEY-----\n"
               "pass\x1b[1mword=hunter2\n"
               "at /x/sandbox/linux-sandbox/12/execroot/ws/src/a.c:3\nbad \xff byte\nlast");
    finish("id-1", STATE_FAILED, 2000);
    r = ask(request);
    assert_string_equal(line_text(&r, 0), "ERROR: one");
    assert_string_equal(line_text(&r, 1), "same … [repeated 3 times]");
    assert_string_equal(line_text(&r, 2), "API_TOKEN=[REDACTED] and more");
    assert_string_equal(line_text(&r, 3), "[REDACTED] … [repeated 4 times]");
    assert_string_equal(line_text(&r, 4), "password=[REDACTED]");
    assert_string_equal(line_text(&r, 5), "at src/a.c:3");
    assert_string_equal(line_text(&r, 6), "bad \xef\xbf\xbd byte");
    assert_string_equal(line_text(&r, 7), "last");
    assert_int_equal(item_count(&r), 8);
    json_object_put(r.answer);
    /* A filter must not tell what was taken out. */
    request.filter = "hunter";
    r = ask(request);
    assert_int_equal(item_count(&r), 0);
    json_object_put(r.answer);
    /* A page that begins inside the key. */
    request.filter = NULL;
    request.limit = 1;
    do {
        r = ask(request);
        assert_null(strstr(line_text(&r, 0), "hunter2"));
        snprintf(cursor, sizeof(cursor), "%s", member_word(r.answer, "next_cursor"));
        json_object_put(r.answer);
        request.cursor = cursor;
    } while (*cursor);
}

static void test_logs_say_whose_they_are(void **state)
{
    struct view_request request = {.view = VIEW_TEST_LOG, .invocation_id = "id-1", .limit = 100};
    struct reply r;

    (void)state;
    begin("id-1", 1000);
    write_text(STORE_DETAILS "/tests.jsonl",
               "{\"label\":\"//a:x\",\"status\":\"failed\",\"copies\":[\"test-logs/x.log\","
               "\"test-logs/x.xml\",\"../../secret.log\"]}\n"
               "{\"label\":\"//a:y\",\"status\":\"failed\",\"log\":{\"available\":false,"
               "\"reason\":\"remote\"}}\n"
               "{\"label\":\"//b:z\",\"status\":\"failed\",\"copies\":[\"test-logs/z.log\"]}\n");
    write_text(STORE_DETAILS "/test-logs/x.log",
               "exec ${PAGER:-/usr/bin/less} \"$0\" || exit 1\nExecuting tests from //a:x\n"
               "-----------------------------------------------------------------------------\n"
               "first\nsecond\n");
    write_text(STORE_DETAILS "/test-logs/z.log", "third\n");
    write_text("secret.log", "never\n");
    finish("id-1", STATE_FAILED, 2000);
    r = ask(request);
    assert_int_equal(item_count(&r), 4);
    assert_string_equal(line_text(&r, 0), "[//a:x] first");
    assert_string_equal(line_text(&r, 1), "second");
    assert_string_equal(line_text(&r, 2), "[//a:y] no log: remote");
    assert_string_equal(line_text(&r, 3), "[//b:z] third");
    json_object_put(r.answer);
    request.filter = "//b:*";
    r = ask(request);
    assert_int_equal(item_count(&r), 1);
    json_object_put(r.answer);
    request.filter = "SECOND";
    r = ask(request);
    assert_int_equal(item_count(&r), 1);
    assert_string_equal(line_text(&r, 0), "[//a:x] second");
    json_object_put(r.answer);
}

static void every_case_of_a_test_is_reached(void **state)
{
    struct view_request request = {
        .view = VIEW_TESTS, .invocation_id = "id-1", .limit = 3, .max_bytes = 512};
    char cursor[128] = "";
    int cases = 0;
    FILE *f;

    (void)state;
    begin("id-1", 1000);
    f = open_file(STORE_DETAILS "/tests.jsonl");
    fputs("{\"label\":\"//a:x\",\"status\":\"failed\",\"attempts\":1,\"cases\":[", f);
    for (int i = 0; i < 100; i++)
        fprintf(f, "%s{\"name\":\"case%d\",\"status\":\"failed\"}", i ? "," : "", i);
    fputs("]}\n{\"label\":\"//a:y\",\"status\":\"passed\"}\n", f);
    fclose(f);
    finish("id-1", STATE_FAILED, 2000);
    do {
        struct reply r;
        request.cursor = *cursor ? cursor : NULL;
        r = ask(request);
        for (size_t i = 0; i < item_count(&r); i++) {
            struct json_object *all = member_array(item(&r, i), "cases");
            for (size_t c = 0; all && c < json_object_array_length(all); c++) {
                char name[32];
                snprintf(name, sizeof(name), "case%d", cases++);
                assert_string_equal(member_text(json_object_array_get_idx(all, c), "name"), name);
            }
        }
        snprintf(cursor, sizeof(cursor), "%s", member_word(r.answer, "next_cursor"));
        json_object_put(r.answer);
    } while (*cursor);
    assert_int_equal(cases, 100);
}

static void tests_ran(const char *id, int64_t at, const char *rows)
{
    begin(id, at);
    write_text(STORE_DETAILS "/tests.jsonl", rows);
    finish(id, STATE_FAILED, at + 10);
}

static void is_change(struct reply *r, size_t i, const char *change, const char *label)
{
    assert_string_equal(member_text(item(r, i), "change"), change);
    assert_string_equal(member_text(item(r, i), "test"), label);
}

static void compare_tells_what_changed(void **state)
{
    struct view_request request = {.view = VIEW_COMPARE, .invocation_id = "id-2", .limit = 100};
    struct reply r;

    (void)state;
    tests_ran("id-1", 1000,
              "{\"label\":\"//a:broke\",\"status\":\"passed\"}\n"
              "{\"label\":\"//a:cache\",\"status\":\"passed\",\"cached\":true}\n"
              "{\"label\":\"//a:fixed\",\"status\":\"failed\"}\n"
              "{\"label\":\"//a:gone\",\"status\":\"passed\"}\n"
              "{\"label\":\"//a:same\",\"status\":\"passed\",\"duration_ms\":100}\n"
              "{\"label\":\"//a:slow\",\"status\":\"passed\",\"duration_ms\":2000}\n"
              "{\"label\":\"//a:still\",\"status\":\"timed_out\"}\n");
    tests_ran("id-2", 2000,
              "{\"label\":\"//a:broke\",\"status\":\"failed\"}\n"
              "{\"label\":\"//a:cache\",\"status\":\"passed\"}\n"
              "{\"label\":\"//a:fixed\",\"status\":\"passed\"}\n"
              "{\"label\":\"//a:new_flaky\",\"status\":\"flaky\"}\n"
              "{\"label\":\"//a:same\",\"status\":\"passed\",\"duration_ms\":900}\n"
              "{\"label\":\"//a:slow\",\"status\":\"passed\",\"duration_ms\":3000}\n"
              "{\"label\":\"//a:still\",\"status\":\"failed\"}\n");
    r = ask(request);
    assert_string_equal(member_text(r.answer, "against"), "id-1");
    assert_int_equal(item_count(&r), 7);
    is_change(&r, 0, "newly_failing", "//a:broke");
    is_change(&r, 1, "still_failing", "//a:still");
    is_change(&r, 2, "newly_flaky", "//a:new_flaky");
    is_change(&r, 3, "fixed", "//a:fixed");
    is_change(&r, 4, "slower", "//a:slow");
    is_change(&r, 5, "no_longer_cached", "//a:cache");
    is_change(&r, 6, "not_run", "//a:gone");
    assert_int_equal(member_number(item(&r, 4), "before_ms", 0), 2000);
    json_object_put(r.answer);
    request.status = "fixed";
    r = ask(request);
    assert_int_equal(item_count(&r), 1);
    json_object_put(r.answer);
    request.invocation_id = "id-1";
    r = ask(request);
    assert_string_equal(r.error, "there is no earlier invocation of the same command and targets");
    request.against = "id-2";
    request.status = "newly_failing";
    r = ask(request);
    is_change(&r, 0, "newly_failing", "//a:fixed");
    json_object_put(r.answer);
}

static void history_goes_back_in_time(void **state)
{
    struct view_request request = {.view = VIEW_HISTORY, .label = "//a", .limit = 2};
    struct reply r;
    char cursor[128];

    (void)state;
    tests_ran("id-1", 1000, "{\"label\":\"//a:a\",\"status\":\"passed\",\"duration_ms\":10}\n");
    tests_ran("id-2", 2000,
              "{\"label\":\"//a:a\",\"status\":\"flaky\",\"attempts\":2,\"duration_ms\":30}\n");
    tests_ran("id-3", 3000, "{\"label\":\"//a:a\",\"status\":\"failed\",\"duration_ms\":20}\n");
    tests_ran("id-4", 4000, "{\"label\":\"//a:a\",\"status\":\"passed\",\"cached\":true}\n");
    r = ask(request);
    assert_int_equal(item_count(&r), 2);
    assert_string_equal(member_text(item(&r, 0), "invocation_id"), "id-4");
    assert_int_equal(member_number(member_object(r.answer, "stats"), "runs", 0), 4);
    assert_int_equal(member_number(member_object(r.answer, "stats"), "median_ms", 0), 20);
    snprintf(cursor, sizeof(cursor), "%s", member_text(r.answer, "next_cursor"));
    json_object_put(r.answer);
    request.cursor = cursor;
    r = ask(request);
    assert_int_equal(item_count(&r), 2);
    assert_string_equal(member_text(item(&r, 0), "status"), "flaky");
    assert_int_equal(member_number(item(&r, 0), "attempts", 0), 2);
    assert_string_equal(member_text(item(&r, 1), "invocation_id"), "id-1");
    assert_null(member_text(r.answer, "next_cursor"));
    json_object_put(r.answer);
}

static void is_newest_first(struct json_object *row, size_t i)
{
    char id[32];

    snprintf(id, sizeof(id), "id-%03zu", 49 - i);
    assert_string_equal(member_text(row, "invocation_id"), id);
}

static void the_ledger_is_newest_first(void **state)
{
    struct view_request request = {
        .view = VIEW_INVOCATIONS, .limit = 7, .max_bytes = 1000, .measure = measure_json};
    struct reply r;

    (void)state;
    for (int i = 0; i < 50; i++) {
        char id[32];
        snprintf(id, sizeof(id), "id-%03d", i);
        begin(id, 1000 + i / 10); /* ten at a time */
        if (i % 2)
            finish(id, STATE_SUCCEEDED, 5000);
    }
    assert_int_equal(page_through(request, is_newest_first), 50);
    request.state = "succeeded";
    request.limit = 100;
    request.max_bytes = 8192;
    r = ask(request);
    assert_int_equal(item_count(&r), 25);
    json_object_put(r.answer);
    request.state = NULL;
    request.workspace = "/elsewhere";
    r = ask(request);
    assert_int_equal(item_count(&r), 0);
    json_object_put(r.answer);
}

static void what_was_cleared_away_is_said(void **state)
{
    struct view_request request = {.view = VIEW_LOG, .invocation_id = "id-1"};
    struct reply r;

    (void)state;
    begin("id-1", 1000);
    write_text(STORE_STDERR, "line\n");
    write_text(STORE_DETAILS "/diagnostics.jsonl", "{\"message\":\"kept\"}\n");
    finish("id-1", STATE_SUCCEEDED, clock_wall_ms() - 1000);
    config.retention_days = config.retention_failure_days = 9;
    store_retain(store, on_plain, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    r = ask(request);
    assert_string_equal(r.error, "the events and logs of this invocation have been cleared away");
    request.view = VIEW_DIAGNOSTICS;
    r = ask(request);
    assert_int_equal(item_count(&r), 1);
    json_object_put(r.answer);
}

static void nothing_is_too_long_for_the_smallest_answer(void **state)
{
    char *name = malloc(3000000);
    FILE *f;

    (void)state;
    memset(name, '"', 100000);
    name[100000] = '\0';
    begin("id-1", 1000);
    f = open_file(STORE_DETAILS "/coverage.jsonl");
    fputs("{\"path\":\"", f);
    for (int i = 0; i < 100000; i++)
        fputs("\\u0001\xc3\xa4", f);
    fputs("\",\"uncovered\":[", f);
    for (int i = 0; i < 10000; i++)
        fprintf(f, "%s\"%d-%d\"", i ? "," : "", i, i + 1);
    fputs("]}\n{\"path\":\"b.c\"}\n", f);
    fclose(f);
    f = open_file(STORE_STDOUT);
    for (int i = 0; i < 3000000; i++)
        fputc("ab\"\\"[i % 4], f);
    fputs("\nnext\n", f);
    fclose(f);
    finish("id-1", STATE_SUCCEEDED, 2000);
    for (unsigned bytes = 512; bytes < 2000; bytes += 37) {
        struct view_request request = {.view = VIEW_COVERAGE,
                                       .invocation_id = "id-1",
                                       .max_bytes = bytes,
                                       .measure = bytes % 2 ? measure_json : measure_toon};
        struct reply r = ask(request);
        assert_non_null(r.answer);
        assert_true(item_count(&r) >= 1);
        assert_true(request.measure(r.answer) <= bytes);
        json_object_put(r.answer);
        request.view = VIEW_QUERY_RESULTS;
        r = ask(request);
        assert_int_equal(item_count(&r), 1);
        assert_true(request.measure(r.answer) <= bytes);
        request.cursor = strdup(member_text(r.answer, "next_cursor"));
        json_object_put(r.answer);
        r = ask(request);
        assert_string_equal(line_text(&r, 0), "next");
        free((char *)request.cursor);
        json_object_put(r.answer);
    }
    free(name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(logs_are_cleaned_joined_and_redacted),
        TEST(test_logs_say_whose_they_are),
        TEST(every_case_of_a_test_is_reached),
        TEST(compare_tells_what_changed),
        TEST(history_goes_back_in_time),
        TEST(the_ledger_is_newest_first),
        TEST(what_was_cleared_away_is_said),
        TEST(nothing_is_too_long_for_the_smallest_answer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
