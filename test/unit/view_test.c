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
// with: cmd/mcp-front/config_duplicate.c
#include "cmd/mcp-front/member.h"
#include "cmd/mcp-front/view.h"
#include "common/base/clock.h"
#include "common/io/file.h"
#include "common/json/print.h"
#include "common/json/toon.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char root[64];
static struct config config;
static uv_loop_t loop;
static struct store *store;
static char folder[512];

struct reply {
    int calls;
    struct json_object *answer;
    char error[512];
};

static size_t measure_json(struct json_object *answer)
{
    struct buf text = BUF_INIT;
    size_t len;

    json_print(&text, answer);
    len = text.len;
    buf_release(&text);
    return len;
}

static size_t measure_toon(struct json_object *answer)
{
    struct buf text = BUF_INIT;
    size_t len;

    toon_encode(&text, answer);
    len = text.len;
    buf_release(&text);
    return len;
}

static void on_begin(void *data, enum store_status status, const char *path, const char *words)
{
    (void)data;
    assert_int_equal(status, STORE_OK);
    assert_null(words);
    snprintf(folder, sizeof(folder), "%s", path);
}

static void on_plain(void *data, enum store_status status, const char *words)
{
    (void)data;
    assert_int_equal(status, STORE_OK);
    assert_null(words);
}

static void on_closed(void *data)
{
    (void)data;
}

static void on_view(void *data, struct json_object *answer, const char *error)
{
    struct reply *r = data;

    r->calls++;
    r->answer = answer;
    snprintf(r->error, sizeof(r->error), "%s", error ? error : "");
}

static void begin(const char *id, int64_t at)
{
    static const char *const args[] = {"//app/...", NULL};
    struct store_begin b = {
        .id = id, .workspace = "/ws", .command = "test", .args = args, .requested_ms = at};
    char details[600];

    store_begin(store, &b, on_begin, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    snprintf(details, sizeof(details), "%s/" STORE_DETAILS "/test-logs", folder);
    assert_int_equal(file_make_folders(details), 0);
}

static void finish(const char *id, enum store_state state, int64_t at)
{
    struct store_end e = {.id = id,
                          .state = state,
                          .exit_code = 1,
                          .finished_ms = at,
                          .headline = "two tests failed"};

    store_finish(store, &e, on_plain, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
}

static FILE *open_file(const char *name)
{
    char path[700];
    FILE *f;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    f = fopen(path, "w");
    assert_non_null(f);
    return f;
}

static void write_text(const char *name, const char *text)
{
    FILE *f = open_file(name);

    fputs(text, f);
    fclose(f);
}

static struct reply ask(struct view_request request)
{
    struct reply r = {0};

    if (!request.measure)
        request.measure = measure_json;
    view_ask(store, &request, on_view, &r);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(r.calls, 1);
    return r;
}

static struct json_object *item(struct reply *r, size_t i)
{
    return json_object_array_get_idx(member_array(r->answer, "items"), i);
}

static size_t item_count(struct reply *r)
{
    return json_object_array_length(member_array(r->answer, "items"));
}

typedef void (*each_item)(struct json_object *item, size_t number);

/* Pages through a view; every page is within its bytes, and none is empty and has a cursor. */
static size_t page_through(struct view_request request, each_item each)
{
    char cursor[128] = "";
    size_t seen = 0;

    for (;;) {
        struct reply r;
        const char *next;
        request.cursor = *cursor ? cursor : NULL;
        r = ask(request);
        assert_string_equal(r.error, "");
        assert_true(request.measure(r.answer) <= request.max_bytes);
        assert_true(item_count(&r) <= request.limit);
        for (size_t i = 0; i < item_count(&r); i++)
            each(item(&r, i), seen++);
        next = member_text(r.answer, "next_cursor");
        if (next)
            assert_true(item_count(&r) > 0);
        snprintf(cursor, sizeof(cursor), "%s", next ? next : "");
        json_object_put(r.answer);
        if (!*cursor)
            return seen;
    }
}

static unsigned seed = 7;

static unsigned number_below(unsigned n)
{
    seed = seed * 1103515245 + 12345;
    return (seed >> 16) % n;
}

static const struct {
    unsigned limit, bytes;
    size_t (*measure)(struct json_object *);
} shapes[] = {{20, 512, measure_json},  {100, 8192, measure_json}, {1, 600, measure_toon},
              {7, 1000, measure_toon},  {100, 512, measure_toon},  {100, 8192, measure_toon},
              {33, 3000, measure_json}, {100, 700, measure_json}};

#define DIAGNOSTICS 400

static void is_diagnostic(struct json_object *diagnostic, size_t i)
{
    const char *message = member_text(diagnostic, "message");
    char expected[32];
    int n = snprintf(expected, sizeof(expected), "m%zu ", i);

    assert_non_null(message);
    assert_int_equal(strncmp(message, expected, (size_t)n), 0);
}

static void write_diagnostics(void)
{
    FILE *f = open_file(STORE_DETAILS "/diagnostics.jsonl");

    for (int i = 0; i < DIAGNOSTICS; i++) {
        fprintf(f, "{\"severity\":\"%s\",\"category\":\"test\",\"message\":\"m%d ",
                i % 2 ? "error" : "warning", i);
        for (unsigned n = number_below(i % 10 ? 200 : 20000); n; n--)
            fputs(n % 7 ? "x" : "\\u00e4\\\"", f);
        fprintf(f, "\",\"target\":\"//app/p%d:t%d\"}\n", i % 4, i);
    }
    fclose(f);
}

static void every_diagnostic_is_reached_in_every_shape(void **state)
{
    (void)state;
    begin("id-1", 1000);
    write_diagnostics();
    finish("id-1", STATE_FAILED, 2000);
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
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
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
        if (shapes[i].limit > 1)
            assert_int_equal(page_through((struct view_request){.view = VIEW_LOG,
                                                                .invocation_id = "id-1",
                                                                .limit = shapes[i].limit,
                                                                .max_bytes = shapes[i].bytes,
                                                                .measure = shapes[i].measure},
                                          is_log_line),
                             2 * LOG_LINES);
}

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

static int set_up(void **state)
{
    (void)state;
    config = (struct config){.cache_root = root, .maximum_storage_bytes = 1ULL << 30};
    snprintf(root, sizeof(root), "/tmp/view_test.%d", (int)getpid());
    if (uv_loop_init(&loop))
        return -1;
    store = store_new(&loop, &config);
    return store ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    store_close(store, on_closed, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    return uv_loop_close(&loop) || file_remove_tree(root);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_diagnostic_is_reached_in_every_shape),
        TEST(filters_choose_and_count),
        TEST(a_cursor_belongs_to_its_view_and_filter),
        TEST(what_does_not_apply_is_an_error),
        TEST(every_log_line_is_reached),
        TEST(logs_are_cleaned_joined_and_redacted),
        TEST(test_logs_say_whose_they_are),
        TEST(every_case_of_a_test_is_reached),
        TEST(compare_tells_what_changed),
        TEST(history_goes_back_in_time),
        TEST(the_ledger_is_newest_first),
        TEST(nothing_is_too_long_for_the_smallest_answer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
