#include "cmd/mcp-front/policy.h"
#include "cmd/mcp-front/record.h"
#include "common/json/read.h"

#include <stdlib.h>
#include <string.h>

static char *copy(sqlite3_stmt *row, int column)
{
    const char *text = (const char *)sqlite3_column_text(row, column);

    return text ? strdup(text) : NULL;
}

static void read_list(const char *text, struct config_list *list)
{
    static const struct json_rules rules = {.max_depth = 2};
    struct json_object *array;
    size_t n;

    *list = (struct config_list){0};
    if (json_read(text, strlen(text), &rules, &array, NULL) != JSON_OK)
        return;
    n = json_object_is_type(array, json_type_array) ? json_object_array_length(array) : 0;
    list->items = calloc(n + 1, sizeof(*list->items));
    for (size_t i = 0; list->items && i < n; i++) {
        const char *item = json_object_get_string(json_object_array_get_idx(array, i));
        list->items[list->count] = strdup(item ? item : "");
        list->count += list->items[list->count] != NULL;
    }
    json_object_put(array);
}

static void read_row(struct db *db, sqlite3_stmt *row, struct store_record *record)
{
    *record = (struct store_record){
        .workspace = copy(row, 1),
        .command = copy(row, 2),
        .target = copy(row, 5),
        .program_arg_count = (size_t)sqlite3_column_int64(row, 6),
        .state = (enum store_state)sqlite3_column_int(row, 7),
        .requested_ms = sqlite3_column_int64(row, 8),
        .started_ms = sqlite3_column_int64(row, 9),
        .finished_ms = sqlite3_column_int64(row, 10),
        .outcome = copy(row, 11),
        .exit_code = sqlite3_column_type(row, 12) == SQLITE_NULL ? -1 : sqlite3_column_int(row, 12),
        .headline = copy(row, 13),
        .summary = copy(row, 14),
        .ours = !strcmp(db_text(row, 15), db->owner),
    };
    db_id(row, 0, record->id);
    read_list(db_text(row, 3), &record->startup_args);
    read_list(db_text(row, 4), &record->args);
    if (sqlite3_column_int(row, 16))
        record->folder = db_folder(db, record->id, record->requested_ms);
}

bool record_find(struct db *db, const char *id, struct store_record *record)
{
    sqlite3_stmt *row = db_query(
        db,
        "SELECT id, workspace, command, startup_args, args, target, program_arg_count, state,"
        " requested_ms, started_ms, finished_ms, outcome, exit_code, headline, text, owner,"
        " evidence FROM invocations LEFT JOIN summaries ON invocation = key WHERE id = ?",
        "t", id);
    bool found = row && sqlite3_step(row) == SQLITE_ROW;

    *record = (struct store_record){0};
    /* Roots hold for everything that reads the store, too. */
    found = found && policy_inside_roots(db->config, db_text(row, 1));
    if (found)
        read_row(db, row, record);
    sqlite3_finalize(row);
    return found;
}

static void list_release(struct config_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->items[i]);
    free(list->items);
}

void record_release(struct store_record *record)
{
    free(record->workspace);
    free(record->command);
    list_release(&record->startup_args);
    list_release(&record->args);
    free(record->target);
    free(record->outcome);
    free(record->headline);
    free(record->summary);
    free(record->folder);
    *record = (struct store_record){0};
}
