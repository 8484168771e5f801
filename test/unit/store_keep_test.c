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

static void fill(int count)
{
    uv_loop_t loop;
    struct store *store = open_store(&loop);

    for (int i = 0; i < count; i++) {
        char id[32];
        snprintf(id, sizeof(id), "id-%d", i);
        begin(&loop, store, id, clock_wall_ms());
        finish(&loop, store, id, STATE_FAILED, clock_wall_ms());
    }
    close_store(&loop, store);
}

static void database_path(char *path, size_t size)
{
    snprintf(path, size, "%s/store.db", root);
}

static void expect_rebuilt(void)
{
    uv_loop_t loop;
    struct store *store = open_store(&loop);
    struct answer a = begin(&loop, store, "id-new", clock_wall_ms());

    assert_int_equal(a.status, STORE_OK);
    assert_non_null(strstr(a.words, "was damaged; it was set aside as"));
    for (int i = 0; i < 20; i++) {
        char id[32];
        snprintf(id, sizeof(id), "id-%d", i);
        a = find(&loop, store, id);
        assert_int_equal(a.status, STORE_OK);
        assert_int_equal(a.record.state, STATE_FAILED);
        assert_string_equal(a.headline, "1 test failed, token=[REDACTED]");
        assert_string_equal(a.summary, "{\"schema\":1,\"headline\":\"api_key=[REDACTED]\"}");
    }
    close_store(&loop, store);
}

static void a_database_that_was_cut_is_set_aside_and_made_again(void **state)
{
    char path[256];
    struct stat st;

    (void)state;
    fill(20);
    database_path(path, sizeof(path));
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(truncate(path, st.st_size / 2), 0);
    expect_rebuilt();
}

static void a_database_with_other_bytes_is_set_aside_and_made_again(void **state)
{
    char path[256], junk[4096];
    struct stat st;
    int fd;

    (void)state;
    fill(20);
    database_path(path, sizeof(path));
    assert_int_equal(stat(path, &st), 0);
    memset(junk, 0x5a, sizeof(junk));
    fd = open(path, O_WRONLY);
    for (off_t at = 4096; at < st.st_size; at += 4096)
        assert_int_equal(pwrite(fd, junk, sizeof(junk), at), sizeof(junk));
    close(fd);
    expect_rebuilt();
}

static void what_is_no_database_is_set_aside(void **state)
{
    (void)state;
    fill(20);
    write_text(root, "store.db",
               "these are not the bytes of a database, but many of them are there");
    expect_rebuilt();
}

static void a_newer_database_is_left_alone(void **state)
{
    uv_loop_t loop;
    struct store *store;
    struct answer a;
    struct buf why = BUF_INIT;
    struct db db;

    (void)state;
    fill(1);
    assert_int_equal(db_open(&db, root, &config, "me", false, &why), DB_OK);
    db_run(&db, "PRAGMA user_version=99", "");
    db_close(&db);
    store = open_store(&loop);
    a = begin(&loop, store, "id-n", clock_wall_ms());
    assert_int_equal(a.status, STORE_OK);
    assert_non_null(strstr(a.words, "written by a newer mcp-front (schema 99, this one knows 2)"));
    assert_null(strstr(a.folder, root));
    /* Everything works for this invocation as long as the server lives. */
    assert_int_equal(finish(&loop, store, "id-n", STATE_SUCCEEDED, clock_wall_ms()).status,
                     STORE_OK);
    assert_int_equal(find(&loop, store, "id-n").record.state, STATE_SUCCEEDED);
    assert_true(exists(a.folder, "."));
    close_store(&loop, store);
    assert_false(exists(a.folder, "."));
    assert_int_equal(db_open(&db, root, &config, "me", false, &why), DB_NEWER);
    db_close(&db);
    buf_release(&why);
}

static void an_older_database_is_brought_up(void **state)
{
    char path[256];
    struct buf why = BUF_INIT;
    struct db db;
    sqlite3 *sql;

    (void)state;
    assert_int_equal(file_make_folders(root), 0);
    database_path(path, sizeof(path));
    assert_int_equal(sqlite3_open(path, &sql), SQLITE_OK);
    assert_int_equal(db_migrate_to(sql, 0, 1), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(
            sql,
            "INSERT INTO invocations(id, workspace, command, targets, state, owner,"
            " requested_ms, startup_args, args) VALUES('old','/ws','build','//x',3,'o',5,'[]',"
            "'[]')",
            NULL, NULL, NULL),
        SQLITE_OK);
    sqlite3_close(sql);
    assert_int_equal(db_open(&db, root, &config, "me", false, &why), DB_OK);
    assert_int_equal(db_number(&db, 0, "PRAGMA user_version", ""), DB_VERSION);
    assert_int_equal(db_number(&db, 0, "SELECT requested_ms FROM invocations WHERE id='old'", ""),
                     5);
    assert_int_equal(
        db_number(&db, 0, "SELECT count(*) FROM sqlite_master WHERE name='tests_label'", ""), 1);
    db_close(&db);
    buf_release(&why);
}

static void roots_hold_for_readers(void **state)
{
    uv_loop_t loop;
    struct store *store = open_store(&loop);
    char other[] = "/other";
    char *roots[] = {other, NULL};

    (void)state;
    begin(&loop, store, "id-1", clock_wall_ms());
    config.allowed_roots = (struct config_list){roots, 1};
    assert_int_equal(find(&loop, store, "id-1").status, STORE_NOT_FOUND);
    config.allowed_roots = (struct config_list){0};
    assert_int_equal(find(&loop, store, "id-1").status, STORE_OK);
    close_store(&loop, store);
}

static void tasks_are_promises_that_only_grow(void **state)
{
    uv_loop_t loop;
    struct store *store = open_store(&loop);
    int64_t now = clock_wall_ms();
    struct store_task task = {.id = "id-1",
                              .dialect = "2025-11-25",
                              .status = "working",
                              .created_ms = now,
                              .updated_ms = now,
                              .ttl_ms = 1000};
    struct answer a = {0};
    char expected[128];

    (void)state;
    store_task_save(store, &task, on_plain, &a);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(a.status, STORE_NOT_FOUND);
    begin(&loop, store, "id-1", now);
    store_task_save(store, &task, on_plain, &a);
    task.status = "completed";
    task.expires_ms = now + 60000;
    store_task_save(store, &task, on_plain, &a);
    task.expires_ms = now + 10;
    store_task_save(store, &task, on_plain, &a);
    uv_run(&loop, UV_RUN_DEFAULT);
    store_task_find(store, "id-1", on_tasks, &a);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(a.tasks, 1);
    snprintf(expected, sizeof(expected), "id-1 completed %lld", (long long)now + 60000);
    assert_string_equal(a.summary, expected);
    store_task_list(store, "2025-11-25", 0, NULL, 10, on_tasks, &a);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(a.tasks, 1);
    store_task_list(store, "2025-11-25", now, "id-1", 10, on_tasks, &a);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(a.tasks, 0);
    store_task_list(store, "extension", 0, NULL, 10, on_tasks, &a);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(a.tasks, 0);
    close_store(&loop, store);
}

static void kept(uv_loop_t *loop, struct store *store, const char *id, enum store_state state,
                 int64_t at, char folder[256])
{
    struct answer a = begin(loop, store, id, at);

    write_text(a.folder, STORE_EVENTS, "events");
    finish(loop, store, id, state, at);
    snprintf(folder, 256, "%s", a.folder);
}

static void retention_goes_by_age_and_outcome(void **state)
{
    uv_loop_t loop;
    struct store *store = open_store(&loop);
    int64_t now = clock_wall_ms();
    char young[256], middle[256], old[256], failed[256], ancient[256], promised[256];
    struct store_task task = {.id = "promised",
                              .dialect = "extension",
                              .status = "completed",
                              .created_ms = now,
                              .expires_ms = now + 60000};
    struct answer a = {0};

    (void)state;
    kept(&loop, store, "young", STATE_SUCCEEDED, now - DAY_MS, young);
    kept(&loop, store, "middle", STATE_SUCCEEDED, now - 3 * DAY_MS, middle);
    kept(&loop, store, "old", STATE_SUCCEEDED, now - 8 * DAY_MS, old);
    kept(&loop, store, "failed", STATE_FAILED, now - 8 * DAY_MS, failed);
    kept(&loop, store, "ancient", STATE_FAILED, now - 31 * DAY_MS, ancient);
    kept(&loop, store, "promised", STATE_SUCCEEDED, now - 8 * DAY_MS, promised);
    begin(&loop, store, "running", now - 99 * DAY_MS);
    store_task_save(store, &task, on_plain, &a);
    store_retain(store, on_plain, &a);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(a.status, STORE_OK);
    assert_true(exists(young, STORE_EVENTS));
    assert_false(exists(middle, STORE_EVENTS));
    assert_true(exists(middle, STORE_SUMMARY));
    assert_int_equal(find(&loop, store, "middle").status, STORE_OK);
    assert_false(exists(old, "."));
    assert_int_equal(find(&loop, store, "old").status, STORE_NOT_FOUND);
    assert_true(exists(failed, STORE_EVENTS));
    assert_int_equal(find(&loop, store, "ancient").status, STORE_NOT_FOUND);
    assert_int_equal(find(&loop, store, "promised").status, STORE_OK);
    assert_int_equal(find(&loop, store, "running").status, STORE_OK);
    close_store(&loop, store);
}

static void retention_goes_by_size(void **state)
{
    uv_loop_t loop;
    struct store *store = open_store(&loop);
    int64_t now = clock_wall_ms();
    char good[256], bad[256], *big = calloc(1, 1000001);
    struct answer a = begin(&loop, store, "good", now), b = begin(&loop, store, "bad", now);

    (void)state;
    memset(big, 'x', 1000000);
    snprintf(good, sizeof(good), "%s", a.folder);
    snprintf(bad, sizeof(bad), "%s", b.folder);
    write_text(good, STORE_EVENTS, big);
    write_text(bad, STORE_EVENTS, big);
    finish(&loop, store, "good", STATE_SUCCEEDED, now);
    finish(&loop, store, "bad", STATE_FAILED, now);
    config.maximum_storage_bytes = 1600000;
    store_retain(store, on_plain, &a);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_false(exists(good, STORE_EVENTS));
    assert_true(exists(bad, STORE_EVENTS));
    assert_int_equal(find(&loop, store, "good").status, STORE_OK);
    config.maximum_storage_bytes = 1;
    store_retain(store, on_plain, &a);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(find(&loop, store, "good").status, STORE_NOT_FOUND);
    assert_int_equal(find(&loop, store, "bad").status, STORE_NOT_FOUND);
    close_store(&loop, store);
    free(big);
}

static void servers_share_a_store(void **state)
{
    enum { SERVERS = 10, EACH = 10 };
    pid_t pids[SERVERS];
    uv_loop_t loop;
    struct store *store;

    (void)state;
    for (int s = 0; s < SERVERS; s++) {
        pids[s] = fork();
        if (pids[s])
            continue;
        store = open_store(&loop);
        for (int i = 0; i < EACH; i++) {
            char id[32];
            snprintf(id, sizeof(id), "s%d-%d", s, i);
            if (begin(&loop, store, id, clock_wall_ms()).status != STORE_OK ||
                finish(&loop, store, id, STATE_SUCCEEDED, clock_wall_ms()).words[0])
                _exit(1);
        }
        close_store(&loop, store);
        _exit(0);
    }
    for (int s = 0; s < SERVERS; s++) {
        int status;
        waitpid(pids[s], &status, 0);
        assert_int_equal(status, 0);
    }
    store = open_store(&loop);
    for (int s = 0; s < SERVERS; s++) {
        for (int i = 0; i < EACH; i++) {
            char id[32];
            snprintf(id, sizeof(id), "s%d-%d", s, i);
            assert_int_equal(find(&loop, store, id).record.state, STATE_SUCCEEDED);
        }
    }
    close_store(&loop, store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_database_that_was_cut_is_set_aside_and_made_again),
        TEST(a_database_with_other_bytes_is_set_aside_and_made_again),
        TEST(what_is_no_database_is_set_aside),
        TEST(a_newer_database_is_left_alone),
        TEST(an_older_database_is_brought_up),
        TEST(roots_hold_for_readers),
        TEST(tasks_are_promises_that_only_grow),
        TEST(retention_goes_by_age_and_outcome),
        TEST(retention_goes_by_size),
        TEST(servers_share_a_store),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
