#include "cmd/mcp-front/rebuild.h"
#include "cmd/mcp-front/member.h"
#include "cmd/mcp-front/record.h"
#include "common/io/file.h"
#include "common/json/read.h"

#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RECORD_MAX_BYTES (8UL << 20)

static struct json_object *read_object(const char *folder, const char *name)
{
    static const struct json_rules rules = {.max_depth = 32};
    struct json_object *value = NULL;
    struct buf text = BUF_INIT;
    char path[4300];

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    if (!file_read(path, RECORD_MAX_BYTES, &text) &&
        json_read(text.data, text.len, &rules, &value, NULL) == JSON_OK &&
        !json_object_is_type(value, json_type_object)) {
        json_object_put(value);
        value = NULL;
    }
    buf_release(&text);
    return value;
}

static bool is_record(struct json_object *record, const char *folder)
{
    const char *id = member_text(record, "id");

    return id && record_id_ok(id) && !strcmp(strrchr(folder, '/') + 1, id) &&
           member_text(record, "workspace") && member_text(record, "command") &&
           member_text(record, "targets") && member_text(record, "owner");
}

static int insert_end(struct db *db, struct json_object *record, const char *folder)
{
    const char *id = member_text(record, "id");
    int64_t key = db_number(db, 0, "SELECT key FROM invocations WHERE id = ?", "t", id);
    struct buf summary = BUF_INIT;
    char path[4300];
    int result = record_end(db, id, record);

    snprintf(path, sizeof(path), "%s/" STORE_SUMMARY, folder);
    if (result == SQLITE_OK && !file_read(path, RECORD_MAX_BYTES, &summary))
        result = db_run(db, "INSERT OR REPLACE INTO summaries VALUES(?, ?)", "ib", key, &summary);
    snprintf(path, sizeof(path), "%s/" STORE_DETAILS, folder);
    if (result == SQLITE_OK)
        result = record_import(db, key, path);
    if (result == SQLITE_OK)
        result = db_run(db, "UPDATE invocations SET bytes = ? WHERE key = ?", "ii",
                        file_tree_bytes(folder), key);
    buf_release(&summary);
    return result;
}

static void rebuild_one(struct db *db, const char *folder)
{
    struct json_object *record = read_object(folder, RECORD_FILE);
    int64_t state = member_number(record, "state", -1);
    int result;

    if (record && is_record(record, folder) && state >= 0 && state <= STATE_INTERRUPTED) {
        bool final = store_state_final((enum store_state)state);
        result = db_begin(db, false);
        if (final)
            json_object_object_add(record, "state", json_object_new_int(STATE_RUNNING));
        if (result == SQLITE_OK)
            result = record_insert(db, record);
        json_object_object_add(record, "state", json_object_new_int64(state));
        if (result == SQLITE_OK && final)
            result = insert_end(db, record, folder);
        db_end(db, result);
    }
    json_object_put(record);
}

/* Days in their order and ids in theirs, which begin with the time: keys grow as they did. */
static int by_name(const FTSENT **one, const FTSENT **other)
{
    return strcmp((*one)->fts_name, (*other)->fts_name);
}

void rebuild(struct db *db)
{
    char path[4200];
    char *const roots[] = {path, NULL};
    FTS *walk;
    FTSENT *entry;

    snprintf(path, sizeof(path), "%s/invocations", db->root);
    walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, by_name);
    while (walk && (entry = fts_read(walk))) {
        if (entry->fts_info != FTS_D || entry->fts_level < 2)
            continue;
        rebuild_one(db, entry->fts_path);
        fts_set(walk, entry, FTS_SKIP);
    }
    if (walk)
        fts_close(walk);
}
