#include "cmd/mcp-front/member.h"
#include "cmd/mcp-front/page.h"
#include "cmd/mcp-front/record.h"
#include "cmd/mcp-front/scrub.h"
#include "common/json/read.h"

#include <stdio.h>

struct import {
    struct db *db;
    int64_t key; /* of the invocation */
    int64_t ordinal;
};

typedef int (*import_row)(struct import *, struct json_object *row);

static int label_key(struct db *db, const char *label, int64_t *key)
{
    int result = db_run(db, "INSERT OR IGNORE INTO labels(label) VALUES(?)", "t", label);

    *key = db_number(db, 0, "SELECT key FROM labels WHERE label = ?", "t", label);
    return result;
}

static int import_target(struct import *in, struct json_object *row)
{
    const char *label = member_text(row, "label");
    int64_t key;
    int result;

    if (!label)
        return SQLITE_OK;
    result = label_key(in->db, label, &key);
    return result != SQLITE_OK ? result
                               : db_run(in->db, "INSERT OR REPLACE INTO targets VALUES(?, ?, ?)",
                                        "iit", in->key, key, member_word(row, "outcome"));
}

static int import_test(struct import *in, struct json_object *row)
{
    const char *label = member_text(row, "label");
    struct json_object *cached = json_object_object_get(row, "cached");
    int64_t key;
    int result;

    if (!label)
        return SQLITE_OK;
    result = label_key(in->db, label, &key);
    if (result != SQLITE_OK)
        return result;
    return db_run(in->db, "INSERT OR REPLACE INTO tests VALUES(?, ?, ?, ?, ?, ?, ?, nullif(?, -1))",
                  "iitiiiii", in->key, key, member_word(row, "status"),
                  member_number(row, "attempts", 1), member_number(row, "runs", 1),
                  member_number(row, "shards", 1), (int64_t)json_object_get_boolean(cached),
                  member_number(row, "duration_ms", -1));
}

static int import_diagnostic(struct import *in, struct json_object *row)
{
    struct json_object *place = member_object(row, "location");

    return db_run(in->db,
                  "INSERT OR REPLACE INTO diagnostics"
                  " VALUES(?, ?, ?, ?, ?, ?, nullif(?, 0), nullif(?, 0), ?, ?)",
                  "iitttt"
                  "iiti",
                  in->key, in->ordinal, member_word(row, "severity"), member_word(row, "category"),
                  member_word(row, "message"), member_text(place, "path"),
                  member_number(place, "line", 0), member_number(place, "column", 0),
                  member_text(row, "target"), member_number(row, "repetition_count", 1));
}

static int import_artifact(struct import *in, struct json_object *row)
{
    return db_run(in->db, "INSERT OR REPLACE INTO artifacts VALUES(?, ?, ?, ?, nullif(?, -1))",
                  "iitti", in->key, in->ordinal, member_text(row, "label"),
                  member_word(row, "path"), member_number(row, "bytes", -1));
}

static int import_line(struct import *in, const struct page_line *line, import_row row)
{
    static const struct json_rules rules = {.max_depth = 16};
    struct json_object *value;
    int result = SQLITE_OK;

    if (json_read(line->text, line->len, &rules, &value, NULL) != JSON_OK)
        return SQLITE_OK; /* one bad line costs itself only */
    if (json_object_is_type(value, json_type_object)) {
        scrub_json(in->db->redact, &value);
        result = row(in, value);
        in->ordinal++;
    }
    json_object_put(value);
    return result;
}

static int import_file(struct db *db, int64_t key, const char *details, const char *name,
                       import_row row, int64_t max)
{
    struct import in = {.db = db, .key = key};
    char path[4200];
    struct page page;
    struct page_line line;
    int result = SQLITE_OK;

    snprintf(path, sizeof(path), "%s/%s", details, name);
    if (!page_open(&page, path, 0))
        while (result == SQLITE_OK && in.ordinal < max && page_next(&page, &line) > 0)
            result = import_line(&in, &line, row);
    page_close(&page);
    return result;
}

int record_import(struct db *db, int64_t key, const char *details)
{
    static const struct {
        const char *name;
        import_row row;
        int64_t max;
    } files[] = {
        {"targets.jsonl", import_target, RECORD_MAX_TARGETS},
        {"tests.jsonl", import_test, RECORD_MAX_TESTS},
        {"diagnostics.jsonl", import_diagnostic, RECORD_MAX_DIAGNOSTICS},
        {"artifacts.jsonl", import_artifact, RECORD_MAX_ARTIFACTS},
    };
    int result = SQLITE_OK;

    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]) && result == SQLITE_OK; i++)
        result = import_file(db, key, details, files[i].name, files[i].row, files[i].max);
    return result;
}
