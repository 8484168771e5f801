// link: uv
// link: json-c
// link: sqlite3
// link: pcre2
// link: threads
// with: cmd/mcp-front/store.c cmd/mcp-front/store_finish.c cmd/mcp-front/store_task.c cmd/mcp-front/lane.c
// with: cmd/mcp-front/db.c cmd/mcp-front/db_open.c cmd/mcp-front/db_schema.c cmd/mcp-front/lease.c
// with: cmd/mcp-front/record.c cmd/mcp-front/record_end.c cmd/mcp-front/record_import.c cmd/mcp-front/record_read.c
// with: cmd/mcp-front/rebuild.c cmd/mcp-front/retain.c cmd/mcp-front/scrub.c cmd/mcp-front/member.c
// with: cmd/mcp-front/page.c cmd/mcp-front/policy_workspace.c
// with: test/unit/store_fixture.c
#include "test/unit/store_fixture.h"

static void a_new_store_touches_no_disk(void **state)
{
    uv_loop_t loop;
    struct store *store = open_store(&loop);

    (void)state;
    close_store(&loop, store);
    assert_int_equal(access(root, F_OK), -1);
}

static void an_invocation_lives_and_ends_once(void **state)
{
    uv_loop_t loop;
    struct store *store = open_store(&loop);
    struct answer a = begin(&loop, store, "id-1", 1700000000000), b = {0};
    struct stat st;

    (void)state;
    assert_int_equal(a.status, STORE_OK);
    assert_string_equal(a.words, "");
    assert_int_equal(stat(a.folder, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0700);
    assert_non_null(strstr(a.folder, "/invocations/2023-11-14/id-1"));
    store_move(store, "id-1", STATE_RUNNING, 1700000000500, on_plain, &b);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(b.status, STORE_OK);
    a = finish(&loop, store, "id-1", STATE_FAILED, 1700000009000);
    assert_int_equal(a.status, STORE_OK);
    a = find(&loop, store, "id-1");
    assert_int_equal(a.record.state, STATE_FAILED);
    assert_int_equal(a.record.started_ms, 1700000000500);
    assert_int_equal(a.record.exit_code, 3);
    assert_true(a.record.ours);
    assert_string_equal(a.headline, "1 test failed, token=[REDACTED]");
    assert_string_equal(a.summary, "{\"schema\":1,\"headline\":\"api_key=[REDACTED]\"}");
    assert_int_equal(finish(&loop, store, "id-1", STATE_SUCCEEDED, 1).status, STORE_FINAL);
    store_move(store, "id-1", STATE_RUNNING, 1, on_plain, &b);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(b.status, STORE_FINAL);
    assert_int_equal(find(&loop, store, "id-2").status, STORE_NOT_FOUND);
    assert_int_equal(finish(&loop, store, "id-2", STATE_FAILED, 1).status, STORE_NOT_FOUND);
    close_store(&loop, store);
}

static void no_secret_gets_into_the_files(void **state)
{
    uv_loop_t loop;
    struct store *store = open_store(&loop);
    char command[256];

    (void)state;
    begin(&loop, store, "id-1", clock_wall_ms());
    finish(&loop, store, "id-1", STATE_FAILED, clock_wall_ms());
    close_store(&loop, store);
    snprintf(command, sizeof(command), "! grep -rqE 'hunter2|s3cret|abcdef|zzz' '%s'", root);
    assert_int_equal(system(command), 0);
    snprintf(command, sizeof(command), "grep -rqF '[REDACTED]' '%s'", root);
    assert_int_equal(system(command), 0);
}

/* Another server that begins an invocation and is killed. */
static void killed_server(const char *id)
{
    pid_t pid = fork();
    int status;

    if (!pid) {
        uv_loop_t loop;
        struct store *store = open_store(&loop);
        begin(&loop, store, id, clock_wall_ms());
        kill(getpid(), SIGKILL);
    }
    waitpid(pid, &status, 0);
    assert_true(WIFSIGNALED(status));
}

static void records_of_a_killed_server_become_interrupted(void **state)
{
    uv_loop_t loop;
    struct store *store;
    struct answer a;

    (void)state;
    killed_server("id-k");
    store = open_store(&loop);
    a = find(&loop, store, "id-k");
    assert_int_equal(a.record.state, STATE_INTERRUPTED);
    assert_false(a.record.ours);
    assert_non_null(strstr(a.headline, "Interrupted"));
    /* also at a later look of a server that runs already */
    killed_server("id-l");
    assert_int_equal(find(&loop, store, "id-l").record.state, STATE_INTERRUPTED);
    close_store(&loop, store);
}

static void records_of_a_living_server_stay(void **state)
{
    uv_loop_t loop, other_loop;
    struct store *store = open_store(&loop), *other = open_store(&other_loop);

    (void)state;
    begin(&loop, store, "id-1", clock_wall_ms());
    assert_int_equal(find(&other_loop, other, "id-1").record.state, STATE_QUEUED);
    close_store(&loop, store);
    assert_int_equal(find(&other_loop, other, "id-1").record.state, STATE_INTERRUPTED);
    close_store(&other_loop, other);
}

static void another_server_can_ask_to_cancel(void **state)
{
    uv_loop_t loop, other_loop;
    struct store *store = open_store(&loop), *other = open_store(&other_loop);
    struct answer a = begin(&loop, store, "id-1", clock_wall_ms()), b = {0};

    (void)state;
    store_ask_cancel(other, "id-1", "enough", on_plain, &b);
    uv_run(&other_loop, UV_RUN_DEFAULT);
    assert_int_equal(b.status, STORE_OK);
    assert_true(exists(a.folder, STORE_CANCEL));
    finish(&loop, store, "id-1", STATE_CANCELLED, clock_wall_ms());
    store_ask_cancel(other, "id-1", NULL, on_plain, &b);
    uv_run(&other_loop, UV_RUN_DEFAULT);
    assert_int_equal(b.status, STORE_FINAL);
    close_store(&loop, store);
    close_store(&other_loop, other);
}

static void details_become_rows(void **state)
{
    uv_loop_t loop;
    struct store *store = open_store(&loop);
    struct answer a = begin(&loop, store, "id-1", clock_wall_ms());
    struct buf why = BUF_INIT;
    struct db db;
    char details[512];

    (void)state;
    snprintf(details, sizeof(details), "%s/" STORE_DETAILS, a.folder);
    mkdir(details, 0700);
    write_text(details, "tests.jsonl",
               "{\"label\":\"//a:t\",\"status\":\"flaky\",\"attempts\":2,\"duration_ms\":7}\n"
               "not JSON\n{\"label\":\"//a:u\",\"status\":\"passed\",\"cached\":true}\n");
    write_text(details, "targets.jsonl", "{\"label\":\"//a:t\",\"outcome\":\"succeeded\"}\n");
    write_text(details, "diagnostics.jsonl",
               "{\"severity\":\"error\",\"category\":\"test\",\"message\":\"token=qqqq\","
               "\"location\":{\"path\":\"a.c\",\"line\":2}}\n");
    write_text(details, "artifacts.jsonl",
               "{\"label\":\"//a:b\",\"path\":\"bin/a\",\"bytes\":9}\n");
    finish(&loop, store, "id-1", STATE_FAILED, clock_wall_ms());
    assert_int_equal(db_open(&db, root, &config, "me", false, &why), DB_OK);
    assert_int_equal(db_number(&db, -1, "SELECT count(*) FROM tests", ""), 2);
    assert_int_equal(db_number(&db, -1,
                               "SELECT attempts * 10 + duration_ms FROM tests t JOIN labels l"
                               " ON t.label = l.key WHERE l.label = '//a:t' AND status = 'flaky'",
                               ""),
                     27);
    assert_int_equal(db_number(&db, -1, "SELECT sum(cached) FROM tests", ""), 1);
    assert_int_equal(db_number(&db, -1, "SELECT count(*) FROM targets", ""), 1);
    assert_int_equal(db_number(&db, -1,
                               "SELECT line FROM diagnostics WHERE path = 'a.c' AND column IS NULL"
                               " AND message = 'token=[REDACTED]'",
                               ""),
                     2);
    assert_int_equal(db_number(&db, -1, "SELECT bytes FROM artifacts", ""), 9);
    db_close(&db);
    buf_release(&why);
    close_store(&loop, store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_new_store_touches_no_disk),
        TEST(an_invocation_lives_and_ends_once),
        TEST(no_secret_gets_into_the_files),
        TEST(records_of_a_killed_server_become_interrupted),
        TEST(records_of_a_living_server_stay),
        TEST(another_server_can_ask_to_cancel),
        TEST(details_become_rows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
