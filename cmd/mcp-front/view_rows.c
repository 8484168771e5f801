/* The views whose items are the lines of one of bep-reduce's JSON lines files. */
#include "cmd/mcp-front/member.h"
#include "cmd/mcp-front/page.h"
#include "cmd/mcp-front/scrub.h"
#include "cmd/mcp-front/view_rows.h"
#include "common/json/read.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool rows_path(struct viewer *v, const char *name, char *path, size_t size)
{
    if (!v->folder) {
        viewer_fail(v, "the details of this invocation have been cleared away");
        return false;
    }
    return snprintf(path, size, "%s/%s", v->folder, name) < (int)size;
}

bool rows_have_evidence(struct viewer *v)
{
    if (v->record.folder && db_number(v->db, 0, "SELECT evidence FROM invocations WHERE id = ?",
                                      "t", v->record.id) == 2)
        return true;
    viewer_fail(v, "the events and logs of this invocation have been cleared away");
    return false;
}

static uint64_t count_lines(const char *path)
{
    struct page page;
    struct page_line line;
    uint64_t n = 0;

    if (!page_open(&page, path, 0))
        while (page_next(&page, &line) > 0)
            n += line.whole;
    page_close(&page);
    return n;
}

struct json_object *rows_parse(struct viewer *v, const struct page_line *line)
{
    static const struct json_rules rules = {.max_depth = 32};
    struct json_object *row;

    /* A line without its newline is still being written. */
    if (!line->whole || json_read(line->text, line->len, &rules, &row, NULL) != JSON_OK)
        return NULL;
    if (!json_object_is_type(row, json_type_object)) {
        json_object_put(row);
        return NULL;
    }
    scrub_json(v->db->redact, &row);
    return row;
}

/* Whether any of the names or texts passes the filter. */
static bool passes(struct viewer *v, const struct rows *rows, struct json_object *row)
{
    const char *status = rows->status ? member_text(row, rows->status) : NULL;

    if (v->request->status && (!status || strcmp(status, v->request->status)))
        return false;
    if (!v->filter.text)
        return true;
    for (const char *const *name = rows->names; *name; name++)
        if (filter_name(&v->filter, member_text(row, *name)))
            return true;
    for (const char *const *name = rows->texts; *name; name++) {
        const char *text = member_text(row, *name);
        if (text && filter_text(&v->filter, text, strlen(text)))
            return true;
    }
    return filter_name(&v->filter, member_text(member_object(row, "location"), "path"));
}

/* Adds the parts of a row from `part` on. False: stop. */
static bool add_row(struct viewer *v, const struct rows *rows, struct json_object *row,
                    const struct page_line *line, uint64_t part)
{
    uint64_t parts = rows->parts ? rows->parts(row) : 1;
    bool more = true;

    for (; part < parts && more; part++) {
        struct cursor behind = {.at = part + 1 < parts ? line->start : line->next,
                                .minor = part + 1 < parts ? part + 1 : 0};
        struct json_object *item = parts > 1 ? rows->part(row, part) : json_object_get(row);
        if (rows->slim)
            item = rows->slim(item);
        more = viewer_add(v, item, behind);
    }
    return more;
}

void rows_view(struct viewer *v, const struct rows *rows)
{
    char path[4300];
    struct page page;
    struct page_line line;
    bool more = true;

    if (!rows_path(v, rows->file, path, sizeof(path)))
        return;
    if (!v->continued)
        v->total = count_lines(path);
    v->ended = true;
    if (!page_open(&page, path, v->from.at)) {
        while (more && page_next(&page, &line) > 0) {
            struct json_object *row = rows_parse(v, &line);
            if (row && passes(v, rows, row))
                more = add_row(v, rows, row, &line, line.start == v->from.at ? v->from.minor : 0);
            json_object_put(row);
        }
    }
    v->ended = more;
    page_close(&page);
}

static const char *const none[] = {NULL};

/* "path:line:column" */
static void add_place(struct json_object *item, struct json_object *place)
{
    int64_t line = member_number(place, "line", 0), column = member_number(place, "column", 0);
    struct buf text = BUF_INIT;

    buf_add_str(&text, member_word(place, "path"));
    if (line)
        buf_printf(&text, ":%" PRId64, line);
    if (line && column)
        buf_printf(&text, ":%" PRId64, column);
    json_object_object_add(item, "location", json_object_new_string(text.data));
    buf_release(&text);
}

/* The same members in each, so that TOON makes a table of them. */
static struct json_object *slim_diagnostic(struct json_object *row)
{
    static const char *const words[] = {"target", "action", "detail", NULL};
    struct json_object *item = json_object_new_object(), *also = member_array(row, "also");
    int64_t repeated = member_number(row, "repetition_count", 1);

    json_object_object_add(item, "severity", json_object_new_string(member_word(row, "severity")));
    json_object_object_add(item, "category", json_object_new_string(member_word(row, "category")));
    json_object_object_add(item, "message", json_object_new_string(member_word(row, "message")));
    add_place(item, member_object(row, "location"));
    for (const char *const *word = words; *word; word++)
        json_object_object_add(item, *word, json_object_new_string(member_word(row, *word)));
    if (also)
        json_object_object_add(item, "also", json_object_get(also));
    if (repeated > 1)
        member_add_number(item, "repetition_count", repeated);
    json_object_put(row);
    return item;
}

void view_diagnostics(struct viewer *v)
{
    static const char *const names[] = {"target", NULL};
    static const char *const texts[] = {"message", "category", "action", "detail", NULL};
    static const struct rows rows = {.file = STORE_DETAILS "/diagnostics.jsonl",
                                     .names = names,
                                     .texts = texts,
                                     .status = "severity",
                                     .slim = slim_diagnostic};

    rows_view(v, &rows);
}

void view_coverage(struct viewer *v)
{
    static const char *const names[] = {"path", NULL};
    static const struct rows rows = {
        .file = STORE_DETAILS "/coverage.jsonl", .names = names, .texts = none};

    rows_view(v, &rows);
}

void view_artifacts(struct viewer *v)
{
    static const char *const names[] = {"label", "path", NULL};
    static const struct rows rows = {
        .file = STORE_DETAILS "/artifacts.jsonl", .names = names, .texts = none};

    rows_view(v, &rows);
}

/* A test with many cases is told in parts, so that each case can be reached. */
#define CASES_A_PART 5

static size_t case_count(struct json_object *row)
{
    struct json_object *cases = member_array(row, "cases");

    return cases ? json_object_array_length(cases) : 0;
}

static uint64_t test_parts(struct json_object *row)
{
    size_t n = case_count(row);

    return n ? (n + CASES_A_PART - 1) / CASES_A_PART : 1;
}

static struct json_object *test_part(struct json_object *row, uint64_t part)
{
    struct json_object *item = json_object_new_object(), *cases = json_object_new_array();
    struct json_object *all = member_array(row, "cases");
    size_t from = part * CASES_A_PART, to = from + CASES_A_PART;

    json_object_object_foreach(
        row, name, value) if (strcmp(name, "cases") &&
                              (!part || !strcmp(name, "label") || !strcmp(name, "status")))
        json_object_object_add(item, name, json_object_get(value));
    for (size_t i = from; i < to && i < json_object_array_length(all); i++)
        json_object_array_add(cases, json_object_get(json_object_array_get_idx(all, i)));
    json_object_object_add(item, "cases", cases);
    return item;
}

static bool says_nothing(const char *name, struct json_object *value)
{
    if (!strcmp(name, "copies"))
        return true;
    if (!strcmp(name, "attempts") || !strcmp(name, "runs"))
        return json_object_get_int64(value) == 1;
    if (!strcmp(name, "cached"))
        return !json_object_get_boolean(value);
    return !strcmp(name, "log") && !member_text(value, "reason");
}

static struct json_object *slim_test(struct json_object *row)
{
    struct json_object *item = json_object_new_object();

    json_object_object_foreach(row, name, value) if (!says_nothing(name, value))
        json_object_object_add(item, name, json_object_get(value));
    json_object_put(row);
    return item;
}

void view_tests(struct viewer *v)
{
    static const char *const names[] = {"label", NULL};
    static const struct rows rows = {.file = STORE_DETAILS "/tests.jsonl",
                                     .names = names,
                                     .texts = none,
                                     .status = "status",
                                     .parts = test_parts,
                                     .part = test_part,
                                     .slim = slim_test};

    rows_view(v, &rows);
}
