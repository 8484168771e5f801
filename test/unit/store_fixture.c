#include "test/unit/store_fixture.h"

char root[64];
struct config config;

/* policy.c has it with all its rules; here nothing is refused. */
bool policy_refuse(struct buf *why, const char *format, ...)
{
    (void)why;
    (void)format;
    return false;
}

void note(struct answer *a, enum store_status status, const char *words)
{
    a->calls++;
    a->status = status;
    snprintf(a->words, sizeof(a->words), "%s", words ? words : "");
}

void on_plain(void *data, enum store_status status, const char *words)
{
    note(data, status, words);
}

void on_begin(void *data, enum store_status status, const char *folder, const char *words)
{
    struct answer *a = data;

    note(a, status, words);
    snprintf(a->folder, sizeof(a->folder), "%s", folder ? folder : "");
}

void on_record(void *data, enum store_status status, const struct store_record *record,
               const char *words)
{
    struct answer *a = data;

    note(a, status, words);
    if (!record)
        return;
    a->record = *record;
    snprintf(a->headline, sizeof(a->headline), "%s", record->headline ? record->headline : "");
    snprintf(a->summary, sizeof(a->summary), "%s", record->summary ? record->summary : "");
    snprintf(a->folder, sizeof(a->folder), "%s", record->folder ? record->folder : "");
}

void on_tasks(void *data, enum store_status status, const struct store_task *tasks, size_t count,
              const char *words)
{
    struct answer *a = data;

    note(a, status, words);
    a->tasks = count;
    if (count)
        snprintf(a->summary, sizeof(a->summary), "%s %s %lld", tasks[0].id, tasks[0].status,
                 (long long)tasks[0].expires_ms);
}

void on_closed(void *data)
{
    *(bool *)data = true;
}

struct store *open_store(uv_loop_t *loop)
{
    struct store *store;

    assert_int_equal(uv_loop_init(loop), 0);
    store = store_new(loop, &config);
    assert_non_null(store);
    return store;
}

void close_store(uv_loop_t *loop, struct store *store)
{
    bool closed = false;

    store_close(store, on_closed, &closed);
    uv_run(loop, UV_RUN_DEFAULT);
    assert_true(closed);
    assert_int_equal(uv_loop_close(loop), 0);
}

struct answer begin(uv_loop_t *loop, struct store *store, const char *id, int64_t at)
{
    static const char *const args[] = {"//app:all",  "--copt=-DX", "--test_env=API_TOKEN=hunter2",
                                       "--password", "s3cret",     NULL};
    struct store_begin b = {.id = id,
                            .workspace = "/ws",
                            .command = "test",
                            .args = args,
                            .requested_ms = at,
                            .timeout_ms = 1000};
    struct answer a = {0};

    store_begin(store, &b, on_begin, &a);
    uv_run(loop, UV_RUN_DEFAULT);
    assert_int_equal(a.calls, 1);
    return a;
}

struct answer finish(uv_loop_t *loop, struct store *store, const char *id, enum store_state state,
                     int64_t at)
{
    struct store_end e = {.id = id,
                          .state = state,
                          .outcome = "tests_failed",
                          .exit_code = 3,
                          .headline = "1 test failed, token=abcdef",
                          .summary = "{\"schema\":1,\"headline\":\"api_key=zzz\"}",
                          .finished_ms = at};
    struct answer a = {0};

    store_finish(store, &e, on_plain, &a);
    uv_run(loop, UV_RUN_DEFAULT);
    assert_int_equal(a.calls, 1);
    return a;
}

struct answer find(uv_loop_t *loop, struct store *store, const char *id)
{
    struct answer a = {0};

    store_find(store, id, on_record, &a);
    uv_run(loop, UV_RUN_DEFAULT);
    assert_int_equal(a.calls, 1);
    return a;
}

void write_text(const char *folder, const char *name, const char *text)
{
    char path[512];
    FILE *f;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

bool exists(const char *folder, const char *name)
{
    char path[512];

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return !access(path, F_OK);
}

int set_up(void **state)
{
    (void)state;
    config = (struct config){.cache_root = root,
                             .retention_days = 7,
                             .retention_failure_days = 30,
                             .retention_evidence_days = 2,
                             .maximum_storage_bytes = 1ULL << 30};
    snprintf(root, sizeof(root), "/tmp/store_test.%d/state", (int)getpid());
    return 0;
}

int tear_down(void **state)
{
    char folder[64];

    (void)state;
    snprintf(folder, sizeof(folder), "/tmp/store_test.%d", (int)getpid());
    return file_remove_tree(folder);
}
