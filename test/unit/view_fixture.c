#include "test/unit/view_fixture.h"

char root[64];
struct config config;
uv_loop_t loop;
struct store *store;
char folder[512];

size_t measure_json(struct json_object *answer)
{
    struct buf text = BUF_INIT;
    size_t len;

    json_print(&text, answer);
    len = text.len;
    buf_release(&text);
    return len;
}

size_t measure_toon(struct json_object *answer)
{
    struct buf text = BUF_INIT;
    size_t len;

    toon_encode(&text, answer);
    len = text.len;
    buf_release(&text);
    return len;
}

void on_begin(void *data, enum store_status status, const char *path, const char *words)
{
    (void)data;
    assert_int_equal(status, STORE_OK);
    assert_null(words);
    snprintf(folder, sizeof(folder), "%s", path);
}

void on_plain(void *data, enum store_status status, const char *words)
{
    (void)data;
    assert_int_equal(status, STORE_OK);
    assert_null(words);
}

void on_closed(void *data)
{
    (void)data;
}

void on_view(void *data, struct json_object *answer, const char *error)
{
    struct reply *r = data;

    r->calls++;
    r->answer = answer;
    snprintf(r->error, sizeof(r->error), "%s", error ? error : "");
}

void begin(const char *id, int64_t at)
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

void finish(const char *id, enum store_state state, int64_t at)
{
    struct store_end e = {.id = id,
                          .state = state,
                          .exit_code = 1,
                          .finished_ms = at,
                          .headline = "two tests failed"};

    store_finish(store, &e, on_plain, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
}

FILE *open_file(const char *name)
{
    char path[700];
    FILE *f;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    f = fopen(path, "w");
    assert_non_null(f);
    return f;
}

void write_text(const char *name, const char *text)
{
    FILE *f = open_file(name);

    fputs(text, f);
    fclose(f);
}

struct reply ask(struct view_request request)
{
    struct reply r = {0};

    if (!request.measure)
        request.measure = measure_json;
    view_ask(store, &request, on_view, &r);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(r.calls, 1);
    return r;
}

struct json_object *item(struct reply *r, size_t i)
{
    return json_object_array_get_idx(member_array(r->answer, "items"), i);
}

size_t item_count(struct reply *r)
{
    return json_object_array_length(member_array(r->answer, "items"));
}

size_t page_through(struct view_request request, each_item each)
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

unsigned number_below(unsigned n)
{
    seed = seed * 1103515245 + 12345;
    return (seed >> 16) % n;
}

const struct shape shapes[SHAPES] = {
    {20, 512, measure_json},  {100, 8192, measure_json}, {1, 600, measure_toon},

    {7, 1000, measure_toon},  {100, 512, measure_toon},  {100, 8192, measure_toon},

    {33, 3000, measure_json}, {100, 700, measure_json}};

void is_diagnostic(struct json_object *diagnostic, size_t i)
{
    const char *message = member_text(diagnostic, "message");
    char expected[32];
    int n = snprintf(expected, sizeof(expected), "m%zu ", i);

    assert_non_null(message);
    assert_int_equal(strncmp(message, expected, (size_t)n), 0);
}

void write_diagnostics(void)
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

int set_up(void **state)
{
    (void)state;
    config = (struct config){.cache_root = root, .maximum_storage_bytes = 1ULL << 30};
    snprintf(root, sizeof(root), "/tmp/view_test.%d", (int)getpid());
    if (uv_loop_init(&loop))
        return -1;
    store = store_new(&loop, &config);
    return store ? 0 : -1;
}

int tear_down(void **state)
{
    (void)state;
    store_close(store, on_closed, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    return uv_loop_close(&loop) || file_remove_tree(root);
}
