/* The views over many invocations: the ledger, and what one target or test did over time. */
#include "cmd/mcp-front/member.h"
#include "cmd/mcp-front/policy.h"
#include "cmd/mcp-front/scrub.h"
#include "cmd/mcp-front/viewer.h"
#include "common/text/utf8.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define HEADLINE_MAX 256
#define TARGETS_MAX  128

static void add_clipped(struct viewer *v, struct json_object *item, const char *name,
                        const char *text, size_t max)
{
    struct json_object *string = scrub_string(v->db->redact, text, strlen(text));
    const char *clean = json_object_get_string(string);

    if (*clean)
        json_object_object_add(
            item, name,
            json_object_new_string_len(clean, (int)utf8_cut(clean, strlen(clean), max)));
    json_object_put(string);
}

/* Any path that leads to the workspace; one that does not exist any more is taken as it is. */
static char *canonical_workspace(const struct view_request *r)
{
    char *path;

    if (!r->workspace)
        return NULL;
    path = realpath(r->workspace, NULL);
    return path ? path : strdup(r->workspace);
}

/* Newest first: the page begins behind (time, key); the first one before everything. */
static int64_t start_ms(const struct viewer *v)
{
    return v->continued ? (int64_t)v->from.at : INT64_MAX;
}

static struct json_object *ledger_item(struct viewer *v, sqlite3_stmt *row)
{
    struct json_object *item = json_object_new_object();
    int64_t started = sqlite3_column_int64(row, 6), finished = sqlite3_column_int64(row, 7);

    member_add_text(item, "invocation_id", db_text(row, 1));
    member_add_text(item, "state", store_state_name((enum store_state)sqlite3_column_int(row, 3)));
    member_add_text(item, "command", db_text(row, 4));
    add_clipped(v, item, "targets", db_text(row, 9), TARGETS_MAX);
    add_clipped(v, item, "workspace", db_text(row, 2), HEADLINE_MAX);
    member_add_number(item, "requested_at_ms", sqlite3_column_int64(row, 5));
    if (started && finished)
        member_add_number(item, "duration_ms", finished - started);
    if (sqlite3_column_type(row, 8) != SQLITE_NULL)
        member_add_number(item, "exit_code", sqlite3_column_int(row, 8));
    member_add_text(item, "outcome", db_text(row, 10));
    add_clipped(v, item, "headline", db_text(row, 11), HEADLINE_MAX);
    return item;
}

static bool ledger_passes(struct viewer *v, sqlite3_stmt *row)
{
    const char *targets = db_text(row, 9), *headline = db_text(row, 11);

    return policy_inside_roots(v->db->config, db_text(row, 2)) &&
           (filter_name(&v->filter, targets) ||
            filter_text(&v->filter, headline, strlen(headline)));
}

#define LEDGER                                                                                     \
    "SELECT key, id, workspace, state, command, requested_ms, started_ms, finished_ms, exit_code," \
    " targets, outcome, headline FROM invocations WHERE "
#define LEDGER_REST                                                                                \
    "(requested_ms, key) < (?, ?) AND (? < 0 OR state = ?) AND command = coalesce(?, command)"     \
    " ORDER BY requested_ms DESC, key DESC"

void view_invocations(struct viewer *v)
{
    const struct view_request *r = v->request;
    char *workspace = canonical_workspace(r);
    enum store_state state = STATE_QUEUED;
    int64_t wanted;
    sqlite3_stmt *rows;
    bool more = true;

    if (r->state && !store_state_parse(r->state, &state)) {
        viewer_fail(v, "there is no state by that name");
        free(workspace);
        return;
    }
    wanted = r->state ? (int64_t)state : -1;
    /* One statement for each index, as a condition that may be off would let none be used. */
    rows = workspace ? db_query(v->db, LEDGER "workspace = ? AND " LEDGER_REST, "tiiiit", workspace,
                                start_ms(v), (int64_t)v->from.minor, wanted, wanted, r->command)
                     : db_query(v->db, LEDGER LEDGER_REST, "iiiit", start_ms(v),
                                (int64_t)v->from.minor, wanted, wanted, r->command);
    while (more && rows && sqlite3_step(rows) == SQLITE_ROW)
        if (ledger_passes(v, rows))
            more = viewer_add(v, ledger_item(v, rows),
                              (struct cursor){.at = (uint64_t)sqlite3_column_int64(rows, 5),
                                              .minor = (uint64_t)sqlite3_column_int64(rows, 0)});
    v->ended = more;
    sqlite3_finalize(rows);
    free(workspace);
}

/* "//a/b" is short for "//a/b:b". */
static int64_t label_key(struct viewer *v, const char *label)
{
    int64_t key = db_number(v->db, -1, "SELECT key FROM labels WHERE label = ?", "t", label);
    const char *last = strrchr(label, '/');
    struct buf whole = BUF_INIT;

    if (key < 0 && last && !strchr(last, ':')) {
        buf_printf(&whole, "%s:%s", label, last + 1);
        key = db_number(v->db, -1, "SELECT key FROM labels WHERE label = ?", "t", whole.data);
        buf_release(&whole);
    }
    return key;
}

static void add_known(struct json_object *item, const char *name, sqlite3_stmt *row, int column)
{
    if (sqlite3_column_type(row, column) != SQLITE_NULL)
        member_add_number(item, name, sqlite3_column_int64(row, column));
}

static struct json_object *history_item(sqlite3_stmt *row)
{
    struct json_object *item = json_object_new_object();

    member_add_text(item, "invocation_id", db_text(row, 1));
    member_add_number(item, "at_ms", sqlite3_column_int64(row, 2));
    member_add_text(item, "status", db_text(row, 4));
    if (sqlite3_column_int(row, 5) > 1)
        add_known(item, "attempts", row, 5);
    add_known(item, "duration_ms", row, 6);
    if (sqlite3_column_int(row, 7))
        json_object_object_add(item, "cached", json_object_new_boolean(true));
    return item;
}

/* Of the newest 200 runs: how often each outcome was, and how long those took that really ran. */
static void add_stats(struct viewer *v, int64_t label)
{
    static const char newest[] = "(SELECT status, duration_ms, cached FROM tests WHERE label = ?"
                                 " ORDER BY invocation DESC LIMIT 200)";
    struct json_object *stats = json_object_new_object();
    struct buf sql = BUF_INIT;
    int64_t runs = 0, flaky = 0, middle;
    sqlite3_stmt *row;

    buf_printf(&sql, "SELECT status, count(*) FROM %s GROUP BY status ORDER BY 2 DESC, 1", newest);
    row = db_query(v->db, sql.data, "i", label);
    while (row && sqlite3_step(row) == SQLITE_ROW) {
        runs += sqlite3_column_int64(row, 1);
        if (!strcmp(db_text(row, 0), "flaky"))
            flaky = sqlite3_column_int64(row, 1);
        member_add_number(stats, db_text(row, 0), sqlite3_column_int64(row, 1));
    }
    sqlite3_finalize(row);
    buf_clear(&sql);
    buf_printf(
        &sql,
        "SELECT duration_ms FROM %s WHERE NOT cached AND duration_ms >= 0 ORDER BY 1"
        " LIMIT 1 OFFSET (SELECT count(*) / 2 FROM %s WHERE NOT cached AND duration_ms >= 0)",
        newest, newest);
    middle = db_number(v->db, -1, sql.data, "ii", label, label);
    buf_release(&sql);
    member_add_number(stats, "runs", runs);
    if (flaky)
        json_object_object_add(stats, "flake_rate",
                               json_object_new_double((double)(flaky * 1000 / runs) / 1000));
    if (middle >= 0)
        member_add_number(stats, "median_ms", middle);
    json_object_object_add(v->extra, "stats", stats);
}

static bool history_passes(struct viewer *v, sqlite3_stmt *row, const char *workspace)
{
    const char *status = v->request->status;

    return policy_inside_roots(v->db->config, db_text(row, 3)) &&
           (!workspace || !strcmp(workspace, db_text(row, 3))) &&
           (!status || !strcmp(status, db_text(row, 4)));
}

/* Tests first; a label that was never one is a target. */
#define HISTORY(table, columns)                                                                    \
    "SELECT i.key, i.id, i.requested_ms, i.workspace, " columns " FROM " table                     \
    " t JOIN invocations i ON i.key = t.invocation WHERE t.label = ? AND t.invocation < ?"         \
    " ORDER BY t.invocation DESC"

void view_history(struct viewer *v)
{
    const struct view_request *r = v->request;
    char *workspace = canonical_workspace(r);
    int64_t label = r->label ? label_key(v, r->label) : -1;
    bool test =
        db_number(v->db, 0, "SELECT EXISTS(SELECT 1 FROM tests WHERE label = ?)", "i", label);
    sqlite3_stmt *rows;
    bool more = true;

    v->ended = true;
    if (!r->label)
        viewer_fail(v, "the view history needs a label");
    if (label >= 0) {
        if (test && !v->continued)
            add_stats(v, label);
        rows = db_query(
            v->db,
            test ? HISTORY("tests", "t.status, t.attempts, t.duration_ms, t.cached")
                 : HISTORY("targets", "t.status, 1, i.finished_ms - nullif(i.started_ms, 0), 0"),
            "ii", label, start_ms(v));
        while (more && rows && sqlite3_step(rows) == SQLITE_ROW)
            if (history_passes(v, rows, workspace))
                more = viewer_add(v, history_item(rows),
                                  (struct cursor){.at = (uint64_t)sqlite3_column_int64(rows, 0)});
        v->ended = more;
        sqlite3_finalize(rows);
    }
    free(workspace);
}
