#include "cmd/mcp-front/member.h"
#include "cmd/mcp-front/record.h"
#include "cmd/mcp-front/scrub.h"
#include "common/io/file.h"
#include "common/json/print.h"
#include "common/json/read.h"
#include "common/text/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEADLINE_MAX 1000
#define REASON_MAX   1000

/* Why an UPDATE of a record that is not terminal changed nothing. */
static int explain(struct db *db, int result, const char *id)
{
    if (result != SQLITE_OK || sqlite3_changes(db->sql))
        return result;
    return db_number(db, -1, "SELECT state FROM invocations WHERE id = ?", "t", id) < 0
               ? SQLITE_NOTFOUND
               : SQLITE_MISUSE;
}

int record_move(struct db *db, const char *id, enum store_state state, int64_t at_ms)
{
    int result = db_begin(db, false);

    if (result == SQLITE_OK) {
        result = db_run(db,
                        "UPDATE invocations SET state = ?,"
                        " started_ms = CASE WHEN ? = 2 THEN ? ELSE started_ms END"
                        " WHERE id = ? AND state < 3",
                        "iiit", (int64_t)state, (int64_t)state, at_ms, id);
        result = explain(db, result, id);
    }
    return db_end(db, result);
}

static void add_clipped(struct db *db, struct json_object *record, const char *name,
                        const char *text, size_t max)
{
    struct json_object *string;

    if (!text)
        return;
    string = scrub_string(db->redact, text, strlen(text));
    if ((size_t)json_object_get_string_len(string) > max) {
        struct json_object *cut = json_object_new_string_len(
            json_object_get_string(string),
            (int)utf8_cut(json_object_get_string(string),
                          (size_t)json_object_get_string_len(string), max));
        json_object_put(string);
        string = cut;
    }
    json_object_object_add(record, name, string);
}

/* What the end adds to record.json. */
static struct json_object *end_record(struct db *db, const struct store_end *end)
{
    struct json_object *record = json_object_new_object();

    member_add_number(record, "state", (int)end->state);
    member_add_number(record, "finished_ms", end->finished_ms);
    if (end->exit_code >= 0)
        member_add_number(record, "exit_code", end->exit_code);
    member_add_text(record, "outcome", end->outcome);
    member_add_text(record, "termination", end->termination);
    add_clipped(db, record, "headline", end->headline, HEADLINE_MAX);
    add_clipped(db, record, "cancel_reason", end->cancel_reason, REASON_MAX);
    member_add_number(record, "queue_ms", (int64_t)end->queue_ms);
    member_add_number(record, "lock_wait_ms", (int64_t)end->lock_wait_ms);
    member_add_number(record, "bazel_ms", (int64_t)end->bazel_ms);
    member_add_number(record, "reduction_ms", (int64_t)end->reduction_ms);
    return record;
}

int record_end(struct db *db, const char *id, struct json_object *end)
{
    int result = db_run(
        db,
        "UPDATE invocations SET state = ?, finished_ms = ?, outcome = ?, exit_code = nullif(?, -1),"
        " headline = ?, termination = ?, cancel_reason = ?, queue_ms = ?, lock_wait_ms = ?,"
        " bazel_ms = ?, reduction_ms = ? WHERE id = ? AND state < 3",
        "iititttiiiit", member_number(end, "state", 0), member_number(end, "finished_ms", 0),
        member_text(end, "outcome"), member_number(end, "exit_code", -1),
        member_text(end, "headline"), member_text(end, "termination"),
        member_text(end, "cancel_reason"), member_number(end, "queue_ms", 0),
        member_number(end, "lock_wait_ms", 0), member_number(end, "bazel_ms", 0),
        member_number(end, "reduction_ms", 0), id);

    return explain(db, result, id);
}

/* bep-reduce's object, once more through our own redaction: it is kept for long. */
static bool scrub_summary(struct db *db, const char *summary, struct buf *out)
{
    static const struct json_rules rules = {.max_depth = 32};
    struct json_object *value;

    if (!summary || json_read(summary, strlen(summary), &rules, &value, NULL) != JSON_OK)
        return false;
    scrub_json(db->redact, &value);
    json_print(out, value);
    json_object_put(value);
    return true;
}

static int write_rows(struct db *db, const struct store_end *end, const char *folder,
                      const struct buf *summary)
{
    int64_t key = db_number(db, 0, "SELECT key FROM invocations WHERE id = ?", "t", end->id);
    char *details = NULL;
    int result = SQLITE_OK;

    if (summary->len)
        result = db_run(db, "INSERT OR REPLACE INTO summaries VALUES(?, ?)", "ib", key, summary);
    if (result == SQLITE_OK && folder && asprintf(&details, "%s/" STORE_DETAILS, folder) >= 0) {
        result = record_import(db, key, details);
        free(details);
    }
    return result;
}

static void write_files(const struct record_files *files)
{
    static const struct json_rules rules = {.max_depth = 8};
    struct json_object *record = NULL;
    struct buf text = BUF_INIT;
    char *path = NULL;

    if (asprintf(&path, "%s/" RECORD_FILE, files->folder) >= 0 &&
        !file_read(path, 8UL << 20, &text) &&
        json_read(text.data, text.len, &rules, &record, NULL) == JSON_OK) {
        json_object_object_foreach(files->end, name, value)
            json_object_object_add(record, name, json_object_get(value));
        record_write(files->folder, record);
    }
    json_object_put(record);
    free(path);
    if (files->summary.len && asprintf(&path, "%s/" STORE_SUMMARY, files->folder) >= 0) {
        file_replace(path, files->summary.data, files->summary.len);
        free(path);
    }
    buf_release(&text);
}

int record_finish(struct db *db, const struct store_end *end, struct record_files *files)
{
    int64_t requested =
        db_number(db, 0, "SELECT requested_ms FROM invocations WHERE id = ?", "t", end->id);
    int result = db_begin(db, false);

    record_files_release(files);
    files->folder = db_folder(db, end->id, requested);
    files->end = end_record(db, end);
    scrub_summary(db, end->summary, &files->summary);
    if (result == SQLITE_OK)
        result = record_end(db, end->id, files->end);
    if (result == SQLITE_OK)
        result = write_rows(db, end, files->folder, &files->summary);
    return db_end(db, result);
}

int record_finish_brief(struct db *db, const struct store_end *end)
{
    struct json_object *record = end_record(db, end);
    int result = db_begin(db, true);

    if (result == SQLITE_OK)
        result = record_end(db, end->id, record);
    json_object_put(record);
    return db_end(db, result);
}

int record_settle(struct db *db, const char *id, const struct record_files *files)
{
    int result;

    if (files->folder)
        write_files(files);
    result = db_begin(db, true);
    if (result == SQLITE_OK)
        result = db_run(db, "UPDATE invocations SET bytes = ? WHERE id = ?", "it",
                        files->folder ? file_tree_bytes(files->folder) : (int64_t)0, id);
    if (result == SQLITE_OK && !sqlite3_changes(db->sql))
        result = SQLITE_NOTFOUND;
    return db_end(db, result);
}

void record_files_release(struct record_files *files)
{
    free(files->folder);
    json_object_put(files->end);
    buf_release(&files->summary);
    *files = (struct record_files){.summary = BUF_INIT};
}
