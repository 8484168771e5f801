#include "cmd/mcp-front/record.h"
#include "cmd/mcp-front/member.h"
#include "cmd/mcp-front/scrub.h"
#include "common/io/file.h"
#include "common/json/print.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool record_id_ok(const char *id)
{
    size_t n = strlen(id);

    if (!n || n >= STORE_ID_SIZE)
        return false;
    for (; *id; id++)
        if (!isalnum((unsigned char)*id) && *id != '-')
            return false;
    return true;
}

/* The arguments that are no flags: what a comparison takes for the same targets. */
static struct json_object *target_words(struct json_object *args, const char *target)
{
    struct buf words = BUF_INIT;
    struct json_object *string;
    bool flags = true;

    if (target)
        buf_add_str(&words, target);
    for (size_t i = 0; i < json_object_array_length(args); i++) {
        const char *arg = json_object_get_string(json_object_array_get_idx(args, i));
        if (flags && !strcmp(arg, "--"))
            flags = false;
        else if (!flags || *arg != '-')
            buf_printf(&words, "%s%s", words.len ? " " : "", arg);
    }
    string = json_object_new_string_len(words.data, (int)words.len);
    buf_release(&words);
    return string;
}

/* The record as record.json has it: with every secret taken out. */
static struct json_object *begin_record(struct db *db, const struct store_begin *begin)
{
    struct json_object *record = json_object_new_object();
    struct json_object *args = scrub_args(db->redact, begin->args);
    struct json_object *target =
        begin->target ? scrub_string(db->redact, begin->target, strlen(begin->target)) : NULL;

    json_object_object_add(record, "id", json_object_new_string(begin->id));
    json_object_object_add(record, "workspace", json_object_new_string(begin->workspace));
    json_object_object_add(record, "command", json_object_new_string(begin->command));
    json_object_object_add(record, "targets",
                           target_words(args, target ? json_object_get_string(target) : NULL));
    json_object_object_add(record, "state", json_object_new_int(STATE_QUEUED));
    json_object_object_add(record, "owner", json_object_new_string(db->owner));
    json_object_object_add(record, "requested_ms", json_object_new_int64(begin->requested_ms));
    json_object_object_add(record, "timeout_ms", json_object_new_int64((int64_t)begin->timeout_ms));
    json_object_object_add(record, "startup_args", scrub_args(db->redact, begin->startup_args));
    json_object_object_add(record, "args", args);
    if (target)
        json_object_object_add(record, "target", target);
    json_object_object_add(record, "program_arg_count",
                           json_object_new_int64((int64_t)begin->program_arg_count));
    return record;
}

static void member_json(struct json_object *record, const char *name, struct buf *out)
{
    struct json_object *member = json_object_object_get(record, name);

    buf_clear(out);
    if (member)
        json_print(out, member);
    else
        buf_add_str(out, "[]");
}

int record_insert(struct db *db, struct json_object *record)
{
    struct buf startup = BUF_INIT, args = BUF_INIT;
    int result;

    member_json(record, "startup_args", &startup);
    member_json(record, "args", &args);
    result = db_run(db,
                    "INSERT INTO invocations(id, workspace, command, targets, state, owner,"
                    " requested_ms, timeout_ms, startup_args, args, target, program_arg_count)"
                    " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    "ttttitiibbti", member_text(record, "id"), member_text(record, "workspace"),
                    member_text(record, "command"), member_text(record, "targets"),
                    member_number(record, "state", 0), member_text(record, "owner"),
                    member_number(record, "requested_ms", 0),
                    member_number(record, "timeout_ms", 0), &startup, &args,
                    member_text(record, "target"), member_number(record, "program_arg_count", 0));
    buf_release(&startup);
    buf_release(&args);
    return result;
}

int record_write(const char *folder, struct json_object *record)
{
    struct buf text = BUF_INIT;
    char *path = NULL;
    int result = -1;

    if (json_print(&text, record) == BUF_OK && asprintf(&path, "%s/" RECORD_FILE, folder) >= 0)
        result = file_replace(path, text.data, text.len);
    free(path);
    buf_release(&text);
    return result;
}

int record_begin(struct db *db, const struct store_begin *begin, char **folder)
{
    struct json_object *record;
    int result;

    if (!record_id_ok(begin->id))
        return SQLITE_CONSTRAINT;
    *folder = db_folder(db, begin->id, begin->requested_ms);
    record = *folder ? begin_record(db, begin) : NULL;
    if (!record)
        return SQLITE_NOMEM;
    result = file_make_folders(*folder) || record_write(*folder, record)
                 ? errno == ENOSPC || errno == EDQUOT ? SQLITE_FULL : SQLITE_CANTOPEN
                 : db_begin(db, false);
    if (result == SQLITE_OK)
        result = db_end(db, record_insert(db, record));
    json_object_put(record);
    if (result != SQLITE_OK) {
        file_remove_tree(*folder);
        free(*folder);
        *folder = NULL;
    }
    return result;
}
