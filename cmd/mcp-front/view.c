#include "cmd/mcp-front/view.h"
#include "cmd/mcp-front/lane.h"
#include "cmd/mcp-front/record.h"
#include "cmd/mcp-front/viewer.h"
#include "common/io/file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATTERNS_MAX_BYTES (4UL << 20)

/* Which members of a request a view understands. */
enum {
    TAKES_FILTER = 1,
    TAKES_STATUS = 2,
    TAKES_LABEL = 4,
    TAKES_INVOCATION = 8, /* and needs it */
    TAKES_WORKSPACE = 16,
    TAKES_STATE = 32, /* and command */
    TAKES_AGAINST = 64,
    TAKES_TYPES = 128,
};

struct kind {
    void (*make)(struct viewer *);
    unsigned takes;
};

static const struct kind kinds[VIEW_COUNT] = {
    [VIEW_SUMMARY] = {view_summary, TAKES_INVOCATION},
    [VIEW_METRICS] = {view_metrics, TAKES_INVOCATION},
    [VIEW_DIAGNOSTICS] = {view_diagnostics, TAKES_INVOCATION | TAKES_FILTER | TAKES_STATUS},
    [VIEW_TESTS] = {view_tests, TAKES_INVOCATION | TAKES_FILTER | TAKES_STATUS},
    [VIEW_TEST_LOG] = {view_test_log, TAKES_INVOCATION | TAKES_FILTER},
    [VIEW_COVERAGE] = {view_coverage, TAKES_INVOCATION | TAKES_FILTER},
    [VIEW_ARTIFACTS] = {view_artifacts, TAKES_INVOCATION | TAKES_FILTER},
    [VIEW_QUERY_RESULTS] = {view_query_results, TAKES_INVOCATION | TAKES_FILTER},
    [VIEW_LOG] = {view_log, TAKES_INVOCATION | TAKES_FILTER},
    [VIEW_INVOCATIONS] = {view_invocations, TAKES_FILTER | TAKES_WORKSPACE | TAKES_STATE},
    [VIEW_COMPARE] = {view_compare, TAKES_INVOCATION | TAKES_FILTER | TAKES_STATUS | TAKES_AGAINST},
    [VIEW_HISTORY] = {view_history, TAKES_LABEL | TAKES_STATUS | TAKES_WORKSPACE},
    [VIEW_EVENTS] = {view_events, TAKES_INVOCATION | TAKES_FILTER | TAKES_LABEL | TAKES_TYPES},
};

const char *const view_names[VIEW_COUNT + 1] = {
    [VIEW_SUMMARY] = "summary",
    [VIEW_DIAGNOSTICS] = "diagnostics",
    [VIEW_TESTS] = "tests",
    [VIEW_TEST_LOG] = "test_log",
    [VIEW_COVERAGE] = "coverage",
    [VIEW_ARTIFACTS] = "artifacts",
    [VIEW_QUERY_RESULTS] = "query_results",
    [VIEW_LOG] = "log",
    [VIEW_METRICS] = "metrics",
    [VIEW_INVOCATIONS] = "invocations",
    [VIEW_COMPARE] = "compare",
    [VIEW_HISTORY] = "history",
    [VIEW_EVENTS] = "events",
};

bool view_parse(const char *name, enum view_kind *kind)
{
    for (int i = 0; i < VIEW_COUNT; i++) {
        if (!strcmp(name, view_names[i])) {
            *kind = (enum view_kind)i;
            return true;
        }
    }
    return false;
}

struct view_job {
    struct job job;
    struct view_request request;
    struct json_object *answer;
    view_cb cb;
    void *data;
};

void viewer_fail(struct viewer *v, const char *format, ...)
{
    va_list args;

    buf_clear(&v->error);
    va_start(args, format);
    buf_vprintf(&v->error, format, args);
    va_end(args);
}

bool viewer_add(struct viewer *v, struct json_object *item, struct cursor behind)
{
    size_t count = json_object_array_length(v->items);
    size_t limit = v->request->limit;

    behind.total = v->total;
    v->behind[count] = behind;
    v->bytes += strlen(json_object_to_json_string_ext(item, JSON_C_TO_STRING_PLAIN));
    json_object_array_add(v->items, item);
    v->passed++;
    /* One more than the limit tells that there is more; and no encoding halves the JSON's size twice. */
    return count < limit && v->bytes < 4UL * v->request->max_bytes;
}

/* What is given though the view makes nothing of it would otherwise be ignored in silence. */
static const char *misplaced(const struct view_request *r)
{
    const struct {
        const char *given, *name;
        unsigned needs;
    } members[] = {
        {r->filter, "filter", TAKES_FILTER},
        {r->status, "status", TAKES_STATUS},
        {r->label, "label", TAKES_LABEL},
        {r->invocation_id, "invocation_id", TAKES_INVOCATION},
        {r->workspace, "workspace", TAKES_WORKSPACE},
        {r->state, "state", TAKES_STATE},
        {r->command, "command", TAKES_STATE},
        {r->against, "against", TAKES_AGAINST},
        {r->types, "types", TAKES_TYPES},
    };

    for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
        if (members[i].given && !(kinds[r->view].takes & members[i].needs))
            return members[i].name;
    return NULL;
}

static bool check(struct viewer *v, uint64_t context)
{
    const struct view_request *r = v->request;
    const char *wrong = misplaced(r);

    if (wrong)
        viewer_fail(v, "%s does not apply to the view %s", wrong, view_names[r->view]);
    else if ((kinds[r->view].takes & TAKES_INVOCATION) && !r->invocation_id)
        viewer_fail(v, "the view %s needs an invocation_id", view_names[r->view]);
    else if (r->cursor && !cursor_read(r->cursor, context, &v->from))
        viewer_fail(v, "the cursor belongs to another view, invocation or filter");
    v->continued = r->cursor;
    v->total = r->cursor ? v->from.total : UINT64_MAX;
    return !v->error.len;
}

static uint64_t context_of(const struct view_request *r)
{
    const char *parts[] = {
        view_names[r->view], r->invocation_id, r->workspace, r->state, r->command,
        r->filter,           r->status,        r->against,   r->label, r->types};

    return cursor_context(parts, sizeof(parts) / sizeof(parts[0]));
}

static void add_page(struct viewer *v, struct json_object *answer, size_t count, uint64_t context)
{
    size_t all = json_object_array_length(v->items);
    bool more = count < all || !v->ended;

    if (count && more) {
        char text[CURSOR_TEXT_MAX];
        cursor_write(&v->behind[count - 1], context, text);
        json_object_object_add(answer, "next_cursor", json_object_new_string(text));
    }
}

/* The answer with its first `count` items; those are shared, not copied. */
static struct json_object *envelope(struct viewer *v, size_t count)
{
    const struct view_request *r = v->request;
    struct json_object *answer = json_object_new_object(), *items = json_object_new_array();
    bool all = v->ended && count == json_object_array_length(v->items);

    if (r->invocation_id)
        json_object_object_add(answer, "invocation_id", json_object_new_string(r->invocation_id));
    json_object_object_add(answer, "view", json_object_new_string(view_names[r->view]));
    json_object_object_foreach(v->extra, name, value)
        json_object_object_add(answer, name, json_object_get(value));
    for (size_t i = 0; i < count; i++)
        json_object_array_add(items, json_object_get(json_object_array_get_idx(v->items, i)));
    json_object_object_add(answer, "items", items);
    if (v->total != UINT64_MAX)
        json_object_object_add(answer, "total_count", json_object_new_int64((int64_t)v->total));
    if ((v->filter.text || r->status) && all && !v->continued)
        json_object_object_add(answer, "filtered_count", json_object_new_int64((int64_t)v->passed));
    add_page(v, answer, count, context_of(r));
    return answer;
}

static size_t measure(struct viewer *v, size_t count)
{
    struct json_object *answer = envelope(v, count);
    size_t bytes = v->request->measure(answer);

    json_object_put(answer);
    return bytes;
}

/* What it adds; `both` says it twice. */
#define TRUNCATED_BYTES (2 * sizeof("\"truncated\": true,"))

struct json_object *viewer_fit(struct viewer *v, size_t max)
{
    size_t low = 0, high = json_object_array_length(v->items);
    struct json_object *answer;
    bool cut = false;

    if (high > v->request->limit)
        high = v->request->limit;
    /* `low` items are known to fit; in tables more items may take less, so that the end is tried first. */
    if (measure(v, high) <= max)
        low = high;
    while (low < high) {
        size_t middle = low + (high - low + 1) / 2;
        if (measure(v, middle) <= max)
            low = middle;
        else
            high = middle - 1;
    }
    if (!low && json_object_array_length(v->items)) {
        low = 1;
        cut = true;
        while (measure(v, 1) + TRUNCATED_BYTES > max)
            viewer_shrink(v);
    }
    answer = envelope(v, low);
    if (cut)
        json_object_object_add(answer, "truncated", json_object_new_boolean(true));
    return answer;
}

/* Not those of another invocation that the view may look at, too: its lines are redacted already. */
static void read_words(struct viewer *v)
{
    struct buf text = BUF_INIT;
    char path[4300];

    if (v->record.folder &&
        snprintf(path, sizeof(path), "%s/" STORE_PATTERNS, v->record.folder) < (int)sizeof(path) &&
        !file_read(path, PATTERNS_MAX_BYTES, &text))
        redact_read_words(text.data, text.len, &v->words);
    redact_words(v->db->redact, &v->words);
    buf_release(&text);
}

static void make(struct viewer *v)
{
    const struct view_request *r = v->request;

    if (r->invocation_id && !record_find(v->db, r->invocation_id, &v->record)) {
        viewer_fail(v, "there is no invocation %s", r->invocation_id);
        return;
    }
    v->folder = r->live_folder ? r->live_folder : v->record.folder;
    filter_init(&v->filter, r->filter);
    read_words(v);
    kinds[r->view].make(v);
    redact_words(v->db->redact, NULL);
}

static int view_step(struct db *db, struct job *job)
{
    struct view_job *j = (struct view_job *)job;
    struct viewer v = {.request = &j->request, .db = db};
    int result = SQLITE_OK;

    buf_init(&v.error, 0);
    buf_init(&v.words, 0);
    buf_clear(&job->words);
    v.items = json_object_new_array();
    v.extra = json_object_new_object();
    db->failed = SQLITE_OK;
    if (check(&v, context_of(&j->request)))
        make(&v);
    if (db->failed && !v.error.len) {
        result = db->failed;
        viewer_fail(&v, "the store cannot be read: %s", sqlite3_errstr(result));
    }
    if (j->request.invocation_id && !*v.record.id && v.error.len)
        result = db_no_row(db);
    if (v.error.len)
        buf_add(&job->words, v.error.data, v.error.len);
    else
        j->answer = viewer_fit(&v, j->request.max_bytes);
    json_object_put(v.items);
    json_object_put(v.extra);
    record_release(&v.record);
    buf_release(&v.error);
    buf_release(&v.words);
    return result;
}

static void view_work(struct job *job)
{
    struct view_job *j = (struct view_job *)job;

    store_on_either(job->lane, job, view_step);
    if (!j->answer && !job->words.len)
        buf_add_str(&job->words, "the store is not to be had");
}

static void view_done(struct job *job)
{
    struct view_job *j = (struct view_job *)job;

    j->cb(j->data, j->answer, j->answer ? NULL : job->words.data);
}

static unsigned clamp(unsigned value, unsigned otherwise, unsigned least, unsigned most)
{
    if (!value)
        value = otherwise;
    return value < least ? least : value > most ? most : value;
}

void view_ask(struct store *store, const struct view_request *request, view_cb cb, void *data)
{
    struct view_job *j = job_new(sizeof(*j), view_work, view_done);
    struct view_request *r = &j->request;

    *r = *request;
    r->invocation_id = job_copy(&j->job, request->invocation_id);
    r->workspace = job_copy(&j->job, request->workspace);
    r->state = job_copy(&j->job, request->state);
    r->command = job_copy(&j->job, request->command);
    r->filter = job_copy(&j->job, request->filter);
    r->status = job_copy(&j->job, request->status);
    r->against = job_copy(&j->job, request->against);
    r->label = job_copy(&j->job, request->label);
    r->types = job_copy(&j->job, request->types);
    r->cursor = job_copy(&j->job, request->cursor);
    r->live_folder = job_copy(&j->job, request->live_folder);
    r->limit = clamp(request->limit, VIEW_LIMIT_DEFAULT, 1, VIEW_LIMIT_MAX);
    r->max_bytes = clamp(request->max_bytes, VIEW_BYTES_MAX, VIEW_BYTES_MIN, VIEW_BYTES_MAX);
    j->cb = cb;
    j->data = data;
    job_submit(&store->reader, &j->job);
}
