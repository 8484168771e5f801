/* The views of one record: its summary and its numbers. */
#include "cmd/mcp-front/member.h"
#include "cmd/mcp-front/scrub.h"
#include "cmd/mcp-front/viewer.h"
#include "common/io/file.h"
#include "common/json/read.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SUMMARY_MAX_BYTES (8UL << 20)

/* The summary of the events so far, or of the end. NULL: there is none. */
static struct json_object *read_summary(struct viewer *v)
{
    static const struct json_rules rules = {.max_depth = 32};
    struct json_object *summary = NULL;
    struct buf text = BUF_INIT;
    char path[4300];

    if (v->request->live_folder) {
        snprintf(path, sizeof(path), "%s/" STORE_SUMMARY, v->request->live_folder);
        file_read(path, SUMMARY_MAX_BYTES, &text);
    } else if (v->record.summary) {
        buf_add_str(&text, v->record.summary);
    }
    if (text.len && json_read(text.data, text.len, &rules, &summary, NULL) == JSON_OK)
        scrub_json(v->db->redact, &summary);
    buf_release(&text);
    if (json_object_is_type(summary, json_type_object))
        return summary;
    json_object_put(summary);
    return NULL;
}

#define ENVELOPE_BYTES 160 /* what stands around the summary in the answer */

static void halve(struct json_object *summary, const char *name)
{
    struct json_object *array = member_array(summary, name);
    size_t n = array ? json_object_array_length(array) : 0;

    if (n > 1)
        json_object_array_del_idx(array, n - n / 2, n / 2);
}

static void drop_details(struct json_object *summary)
{
    struct json_object *array = member_array(summary, "diagnostics");

    for (size_t i = 1; array && i < json_object_array_length(array); i++)
        json_object_object_del(json_object_array_get_idx(array, i), "detail");
}

static bool is_long(struct viewer *v, struct json_object *summary)
{
    return v->request->measure(summary) + ENVELOPE_BYTES > v->request->max_bytes;
}

/* By importance: causes stay longest, each list has a view of its own. */
static void trim(struct viewer *v, struct json_object *summary)
{
    static const char *const whole[] = {"metrics", "bazel", "artifacts", NULL};
    static const char *const lists[] = {"test_results", "failed_targets", "diagnostics", NULL};

    for (const char *const *name = whole; *name && is_long(v, summary); name++)
        json_object_object_del(summary, *name);
    if (is_long(v, summary))
        drop_details(summary);
    for (const char *const *name = lists; *name; name++)
        for (int i = 0; i < 12 && is_long(v, summary); i++)
            halve(summary, *name);
}

void view_summary(struct viewer *v)
{
    struct json_object *summary = read_summary(v);

    v->ended = true;
    json_object_object_add(v->extra, "state",
                           json_object_new_string(store_state_name(v->record.state)));
    if (!summary) {
        summary = json_object_new_object();
        member_add_text(summary, "state", store_state_name(v->record.state));
        member_add_text(summary, "command", v->record.command);
        member_add_text(summary, "headline", v->record.headline);
    }
    trim(v, summary);
    viewer_add(v, summary, (struct cursor){0});
}

static void add_positive(struct json_object *item, const char *name, int64_t value)
{
    if (value > 0)
        member_add_number(item, name, value);
}

static void add_row_numbers(struct viewer *v, struct json_object *item)
{
    static const char *const names[] = {"queue_ms",     "lock_wait_ms",        "bazel_ms",
                                        "reduction_ms", "model_visible_bytes", "inspect_calls"};
    sqlite3_stmt *row = db_query(v->db,
                                 "SELECT queue_ms, lock_wait_ms, bazel_ms, reduction_ms,"
                                 " visible_bytes, inspect_calls, termination FROM invocations"
                                 " WHERE id = ?",
                                 "t", v->record.id);

    if (row && sqlite3_step(row) == SQLITE_ROW) {
        for (int i = 0; i < 6; i++)
            add_positive(item, names[i], sqlite3_column_int64(row, i));
        struct json_object *ended = json_tokener_parse(db_text(row, 6));
        if (ended)
            json_object_object_add(item, "termination", ended);
    }
    sqlite3_finalize(row);
}

static void add_file_size(struct viewer *v, struct json_object *item, const char *name,
                          const char *file)
{
    char path[4300];

    if (!v->record.folder)
        return;
    snprintf(path, sizeof(path), "%s/%s", v->record.folder, file);
    add_positive(item, name, file_tree_bytes(path));
}

void view_metrics(struct viewer *v)
{
    struct json_object *item = json_object_new_object(), *summary = read_summary(v);
    struct json_object *metrics = member_object(summary, "metrics");

    v->ended = true;
    member_add_text(item, "state", store_state_name(v->record.state));
    member_add_text(item, "outcome", v->record.outcome);
    add_positive(item, "requested_at_ms", v->record.requested_ms);
    add_positive(item, "started_at_ms", v->record.started_ms);
    add_positive(item, "finished_at_ms", v->record.finished_ms);
    if (v->record.exit_code >= 0)
        member_add_number(item, "exit_code", v->record.exit_code);
    add_row_numbers(v, item);
    add_file_size(v, item, "bep_bytes", STORE_EVENTS);
    add_file_size(v, item, "stdout_bytes", STORE_STDOUT);
    add_file_size(v, item, "stderr_bytes", STORE_STDERR);
    if (metrics)
        json_object_object_add(item, "metrics", json_object_get(metrics));
    json_object_put(summary);
    viewer_add(v, item, (struct cursor){0});
}
