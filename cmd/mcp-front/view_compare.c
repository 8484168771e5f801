/* What changed between two invocations: outcomes of tests and targets, durations, cache hits. */
#include "cmd/mcp-front/member.h"
#include "cmd/mcp-front/record.h"
#include "cmd/mcp-front/viewer.h"

#include <string.h>

/* Slower is told from half as long again, and a second. */
#define SLOWER_FACTOR 1.5
#define SLOWER_MS     1000

enum change {
    NEWLY_FAILING, /* in the order of the answer */
    STILL_FAILING,
    NEWLY_FLAKY,
    FIXED,
    SLOWER,
    NO_LONGER_CACHED,
    NOW_CACHED,
    NOT_RUN,
    SAME,
};

static const char *const change_names[] = {
    [NEWLY_FAILING] = "newly_failing",
    [STILL_FAILING] = "still_failing",
    [NEWLY_FLAKY] = "newly_flaky",
    [FIXED] = "fixed",
    [SLOWER] = "slower",
    [NO_LONGER_CACHED] = "no_longer_cached",
    [NOW_CACHED] = "now_cached",
    [NOT_RUN] = "not_run",
};

/* One label in both invocations; a status is "" where it was not part of one. */
struct pair {
    const char *label, *before, *after;
    bool cached_before, cached_after;
    int64_t ms_before, ms_after; /* -1: not known */
};

static bool is_good(const char *status)
{
    return !strcmp(status, "passed") || !strcmp(status, "succeeded") || !strcmp(status, "flaky");
}

static bool is_bad(const char *status)
{
    return *status && !is_good(status) && strcmp(status, "skipped") &&
           strcmp(status, "no_status") && strcmp(status, "unknown");
}

static bool is_slower(const struct pair *p)
{
    return !p->cached_after && p->ms_before >= 0 && p->ms_after - p->ms_before >= SLOWER_MS &&
           (double)p->ms_after >= SLOWER_FACTOR * (double)p->ms_before;
}

static enum change change_of(const struct pair *p)
{
    if (is_bad(p->after))
        return is_bad(p->before) ? STILL_FAILING : NEWLY_FAILING;
    if (!strcmp(p->after, "flaky") && strcmp(p->before, "flaky"))
        return NEWLY_FLAKY;
    if (!*p->after)
        return *p->before ? NOT_RUN : SAME;
    if (is_bad(p->before) && is_good(p->after))
        return FIXED;
    if (p->cached_before != p->cached_after && *p->before)
        return p->cached_after ? NOW_CACHED : NO_LONGER_CACHED;
    return is_slower(p) ? SLOWER : SAME;
}

static struct pair read_pair(sqlite3_stmt *row)
{
    bool has_before = sqlite3_column_type(row, 3) != SQLITE_NULL;
    bool has_after = sqlite3_column_type(row, 6) != SQLITE_NULL;

    return (struct pair){
        .label = db_text(row, 0),
        .before = db_text(row, 1),
        .after = db_text(row, 4),
        .cached_before = sqlite3_column_int(row, 2),
        .cached_after = sqlite3_column_int(row, 5),
        .ms_before = has_before ? sqlite3_column_int64(row, 3) : -1,
        .ms_after = has_after ? sqlite3_column_int64(row, 6) : -1,
    };
}

static struct json_object *pair_item(const struct pair *p, enum change change, const char *what)
{
    struct json_object *item = json_object_new_object();

    member_add_text(item, "change", change_names[change]);
    member_add_text(item, what, p->label);
    member_add_text(item, "before", p->before);
    member_add_text(item, "after", p->after);
    if (change == SLOWER) {
        member_add_number(item, "before_ms", p->ms_before);
        member_add_number(item, "after_ms", p->ms_after);
    }
    return item;
}

#define TESTS_BOTH                                                                                 \
    "SELECT labels.label, b.status, b.cached, b.duration_ms, a.status, a.cached, a.duration_ms "   \
    "FROM"                                                                                         \
    " (SELECT label AS l FROM tests WHERE invocation IN (?1, ?2) GROUP BY label) JOIN labels ON"   \
    " labels.key = l LEFT JOIN tests b ON b.invocation = ?1 AND b.label = l"                       \
    " LEFT JOIN tests a ON a.invocation = ?2 AND a.label = l ORDER BY labels.label"
/* Of a test, its own row says it better. */
#define TARGETS_BOTH                                                                               \
    "SELECT labels.label, b.status, 0, NULL, a.status, 0, NULL FROM"                               \
    " (SELECT label AS l FROM targets WHERE invocation IN (?1, ?2) GROUP BY label) JOIN labels ON" \
    " labels.key = l LEFT JOIN targets b ON b.invocation = ?1 AND b.label = l"                     \
    " LEFT JOIN targets a ON a.invocation = ?2 AND a.label = l WHERE NOT EXISTS"                   \
    " (SELECT 1 FROM tests t WHERE t.invocation IN (?1, ?2) AND t.label = l) ORDER BY "            \
    "labels.label"

/* All pairs of one kind of change; `seen` numbers them for the cursor. */
static bool add_changes(struct viewer *v, const char *sql, const char *what, const int64_t keys[2],
                        enum change wanted, uint64_t *seen)
{
    sqlite3_stmt *rows = db_query(v->db, sql, "ii", keys[0], keys[1]);
    bool more = true;

    while (more && rows && sqlite3_step(rows) == SQLITE_ROW) {
        struct pair p = read_pair(rows);
        if (change_of(&p) != wanted || !filter_name(&v->filter, p.label))
            continue;
        if ((*seen)++ >= v->from.at)
            more = viewer_add(v, pair_item(&p, wanted, what), (struct cursor){.at = *seen});
    }
    sqlite3_finalize(rows);
    return more;
}

/* The invocation before it with the same workspace, command and targets, or the one that was named. */
static bool find_other(struct viewer *v, char id[STORE_ID_SIZE])
{
    struct store_record other;
    sqlite3_stmt *row;
    bool found;

    if (v->request->against) {
        found =
            record_id_ok(v->request->against) && record_find(v->db, v->request->against, &other);
        if (found)
            memcpy(id, other.id, STORE_ID_SIZE);
        record_release(&other);
        return found;
    }
    row = db_query(v->db,
                   "SELECT b.id FROM invocations a JOIN invocations b ON b.workspace = a.workspace"
                   " AND b.command = a.command AND b.targets = a.targets"
                   " AND (b.requested_ms, b.key) < (a.requested_ms, a.key) AND b.state >= 3"
                   " WHERE a.id = ? ORDER BY b.requested_ms DESC, b.key DESC LIMIT 1",
                   "t", v->record.id);
    found = row && sqlite3_step(row) == SQLITE_ROW;
    if (found)
        db_id(row, 0, id);
    sqlite3_finalize(row);
    return found;
}

static int64_t key_of(struct viewer *v, const char *id)
{
    return db_number(v->db, -1, "SELECT key FROM invocations WHERE id = ?", "t", id);
}

static bool is_wanted(const struct view_request *r, enum change change)
{
    return !r->status || !strcmp(r->status, change_names[change]);
}

void view_compare(struct viewer *v)
{
    char other[STORE_ID_SIZE] = "";
    int64_t keys[2];
    uint64_t seen = 0;
    bool more = true;

    if (!store_state_final(v->record.state)) {
        viewer_fail(v, "the invocation has not ended yet");
        return;
    }
    if (!find_other(v, other)) {
        viewer_fail(v,
                    v->request->against ? "there is no invocation %s to compare with"
                                        : "%sthere is no earlier invocation of the same command "
                                          "and targets",
                    v->request->against ? v->request->against : "");
        return;
    }
    json_object_object_add(v->extra, "against", json_object_new_string(other));
    keys[0] = key_of(v, other);
    keys[1] = key_of(v, v->record.id);
    for (int change = 0; change < SAME && more; change++) {
        if (!is_wanted(v->request, (enum change)change))
            continue;
        more = add_changes(v, TESTS_BOTH, "test", keys, (enum change)change, &seen) &&
               add_changes(v, TARGETS_BOTH, "target", keys, (enum change)change, &seen);
    }
    v->ended = more;
}
