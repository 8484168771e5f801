#include "cmd/mcp-front/result_parts.h"
#include "cmd/mcp-front/excerpt.h"
#include "cmd/mcp-front/rpc.h"
#include "cmd/mcp-front/scrub.h"
#include "cmd/mcp-front/session.h"
#include "common/text/utf8.h"

#include <stdio.h>
#include <string.h>

#define ELLIPSIS "…"

void put_clipped(struct json_object *object, const char *key, const char *text, size_t max)
{
    size_t len = strlen(text), ellipsis = strlen(ELLIPSIS);
    struct buf cut = BUF_INIT;

    if (len <= max) {
        put_string(object, key, text);
        return;
    }
    buf_add(&cut, text, utf8_cut(text, len, max > ellipsis ? max - ellipsis : 0));
    buf_add_str(&cut, ELLIPSIS);
    put_string(object, key, cut.data);
    buf_release(&cut);
}

/* An object of numbers without its zeros. */
static void put_nonzero(struct json_object *answer, struct json_object *summary, const char *key)
{
    struct json_object *counts = rpc_member(summary, key, json_type_object),
                       *kept = json_object_new_object();

    if (counts) {
        json_object_object_foreach(counts, name,
                                   value) if (json_object_is_type(value, json_type_int) &&
                                              json_object_get_int64(value))
            json_object_object_add(kept, name, json_object_get(value));
    }
    if (json_object_object_length(kept))
        json_object_object_add(answer, key, kept);
    else
        json_object_put(kept);
}

void parts_counts(struct json_object *answer, struct json_object *summary)
{
    put_nonzero(answer, summary, "targets");
    put_nonzero(answer, summary, "tests");
}

/* ---- diagnostics */

static void put_location(struct json_object *row, struct json_object *diagnostic)
{
    struct json_object *location = rpc_member(diagnostic, "location", json_type_object);
    const char *path = rpc_string(location, "path");
    int64_t line = rpc_int(location, "line", 0), column = rpc_int(location, "column", 0);
    struct buf text = BUF_INIT;

    if (!path)
        return;
    buf_add_str(&text, path);
    if (line > 0)
        buf_printf(&text, ":%lld", (long long)line);
    if (line > 0 && column > 0)
        buf_printf(&text, ":%lld", (long long)column);
    put_string(row, "location", text.data);
    buf_release(&text);
}

/* Up to `lines` lines and `bytes` bytes of the excerpt. */
static void put_detail(struct json_object *row, const char *detail,
                       const struct result_level *level)
{
    struct buf text = BUF_INIT;
    size_t len = 0;

    for (int i = 0; i < level->detail_lines && detail[len]; i++)
        len += strcspn(detail + len, "\n") + (detail[len + strcspn(detail + len, "\n")] == '\n');
    while (len && detail[len - 1] == '\n')
        len--;
    if (!len)
        return;
    buf_add(&text, detail, len);
    put_clipped(row, "detail", text.data, level->detail_bytes);
    buf_release(&text);
}

static void put_also(struct json_object *row, struct json_object *diagnostic,
                     const struct result_level *level)
{
    struct json_object *also = rpc_member(diagnostic, "also", json_type_array);
    size_t count = also ? json_object_array_length(also) : 0;
    struct buf text = BUF_INIT;

    for (size_t i = 0; i < count && i < (size_t)level->also; i++)
        buf_printf(&text, "%s%s", i ? " " : "",
                   json_object_get_string(json_object_array_get_idx(also, i)));
    if (text.len && count > (size_t)level->also)
        buf_add_str(&text, " and more"); /* the list itself may be cut */
    if (text.len)
        put_string(row, "also", text.data);
    buf_release(&text);
}

static struct json_object *diagnostic_row(struct json_object *d, const struct result_level *level)
{
    struct json_object *row = json_object_new_object();
    const char *severity = rpc_string(d, "severity"), *message = rpc_string(d, "message");
    const char *category = rpc_string(d, "category"), *target = rpc_string(d, "target");
    const char *detail = rpc_string(d, "detail");
    int64_t repeated = rpc_int(d, "repetition_count", 1);
    bool is_test = category && !strcmp(category, "test");

    if (severity && strcmp(severity, "error") != 0)
        put_string(row, "severity", severity);
    if (category && !level->bare)
        put_string(row, "category", category);
    put_clipped(row, "message", message ? message : "", level->message);
    put_location(row, d);
    if (target)
        put_string(row, "target", target);
    if (detail && (is_test || !level->tests_only))
        put_detail(row, detail, level);
    if (level->also)
        put_also(row, d, level);
    if (repeated > 1)
        put_int(row, "repetition_count", repeated);
    return row;
}

static void collect_keys(struct json_object *row, struct json_object *all)
{
    json_object_object_foreach(row, key, value)
    {
        (void)value;
        json_object_object_add(all, key, NULL);
    }
}

static void add_missing_keys(struct json_object *row, struct json_object *all)
{
    struct json_object *value;

    json_object_object_foreach(all, key, unused)
    {
        (void)unused;
        if (!json_object_object_get_ex(row, key, &value))
            put_string(row, key, "");
    }
}

/* Every row gets the keys that any row has; TOON then says them once. */
static void make_uniform(struct json_object *rows)
{
    struct json_object *all = json_object_new_object();

    for (size_t i = 0; i < json_object_array_length(rows); i++)
        collect_keys(json_object_array_get_idx(rows, i), all);
    for (size_t i = 0; i < json_object_array_length(rows); i++)
        add_missing_keys(json_object_array_get_idx(rows, i), all);
    json_object_put(all);
}

static void put_rows(struct json_object *answer, const char *key, struct json_object *rows,
                     bool table)
{
    if (!json_object_array_length(rows)) {
        json_object_put(rows);
        return;
    }
    if (table)
        make_uniform(rows);
    json_object_object_add(answer, key, rows);
}

static void note_cut(struct json_object *answer, const char *key, size_t left_out)
{
    struct json_object *cut = rpc_member(answer, "truncated", json_type_object);

    if (!left_out)
        return;
    if (!cut) {
        cut = json_object_new_object();
        json_object_object_add(answer, "truncated", cut);
    }
    put_int(cut, key, (int64_t)left_out + rpc_int(cut, key, 0));
}

static bool is_bazels_own(struct json_object *diagnostic)
{
    const char *category = rpc_string(diagnostic, "category");

    return category && !strcmp(category, "bazel");
}

void parts_diagnostics(struct json_object *answer, struct json_object *summary,
                       const struct result_level *level, bool stopped, bool table)
{
    struct json_object *all = rpc_member(summary, "diagnostics", json_type_array),
                       *rows = json_object_new_array();
    size_t count = all ? json_object_array_length(all) : 0, left_out = 0;

    for (size_t i = 0; i < count; i++) {
        struct json_object *diagnostic = json_object_array_get_idx(all, i);

        if (stopped && is_bazels_own(diagnostic))
            continue;
        if (json_object_array_length(rows) < (size_t)level->diagnostics)
            json_object_array_add(rows, diagnostic_row(diagnostic, level));
        else
            left_out++;
    }
    put_rows(answer, "diagnostics", rows, table);
    note_cut(answer, "diagnostics", left_out);
}

/* ---- tests */

static bool is_told(struct json_object *summary, const char *label)
{
    struct json_object *all = rpc_member(summary, "diagnostics", json_type_array);

    for (size_t i = 0; all && i < json_object_array_length(all); i++) {
        const char *target = rpc_string(json_object_array_get_idx(all, i), "target");

        if (target && label && !strcmp(target, label))
            return true;
    }
    return false;
}

static struct json_object *test_row(struct json_object *test)
{
    struct json_object *row = json_object_new_object();
    const char *label = rpc_string(test, "label"), *status = rpc_string(test, "status");
    int64_t attempts = rpc_int(test, "attempts", 0);

    put_string(row, "label", label ? label : "");
    put_string(row, "status", status ? status : "");
    if (attempts > 1)
        put_int(row, "attempts", attempts);
    return row;
}

/* Tests that did not pass and that no diagnostic tells: flaky, skipped, not built. */
void parts_tests(struct json_object *answer, struct json_object *summary,
                 const struct result_level *level, bool table)
{
    struct json_object *all = rpc_member(summary, "test_results", json_type_array),
                       *rows = json_object_new_array();
    size_t left_out = 0;

    for (size_t i = 0; all && i < json_object_array_length(all); i++) {
        struct json_object *test = json_object_array_get_idx(all, i);
        const char *status = rpc_string(test, "status");

        if (!status || !strcmp(status, "passed") || is_told(summary, rpc_string(test, "label")))
            continue;
        if (json_object_array_length(rows) < (size_t)level->tests)
            json_object_array_add(rows, test_row(test));
        else
            left_out++;
    }
    put_rows(answer, "test_results", rows, table);
    note_cut(answer, "test_results", left_out);
}

/* ---- the rest */

void parts_query(struct json_object *answer, struct json_object *summary,
                 const struct result_level *level)
{
    struct json_object *query = rpc_member(summary, "query", json_type_object);
    struct json_object *sample = rpc_member(query, "sample", json_type_array), *rows, *holder;
    size_t count = sample ? json_object_array_length(sample) : 0, given;

    if (!query)
        return;
    put_int(answer, "query_result_count", rpc_int(query, "rows", 0));
    rows = json_object_new_array();
    holder = json_object_new_object();
    for (size_t i = 0; i < count && i < (size_t)level->rows; i++) {
        put_clipped(holder, "row", json_object_get_string(json_object_array_get_idx(sample, i)),
                    level->row);
        json_object_array_add(rows, json_object_get(rpc_member(holder, "row", json_type_string)));
    }
    json_object_put(holder);
    given = json_object_array_length(rows);
    if (given)
        json_object_object_add(answer, "query_sample", rows);
    else
        json_object_put(rows);
    note_cut(answer, "query_sample", (size_t)rpc_int(query, "rows", 0) - given);
}

/* A program that was stopped has run, too. */
static bool ran_program(const struct invocation *inv)
{
    const char *outcome = rpc_string(inv->summary, "outcome");

    return !outcome || strcmp(outcome, "build_failed") != 0;
}

static void put_target(struct json_object *part, const struct invocation *inv)
{
    const char *target = inv->call.target;
    struct json_object *clean;

    if (!target)
        return;
    clean = scrub_string(inv->engine->redact, target, strlen(target));
    put_clipped(part, "target", json_object_get_string(clean), 300);
    json_object_put(clean);
}

static void put_run(struct json_object *answer, const struct invocation *inv,
                    const struct result_level *level)
{
    struct json_object *run = rpc_member(inv->summary, "run", json_type_object), *part;
    int64_t code = rpc_int(run, "program_exit_code", -1);
    struct buf text = BUF_INIT;

    if (bazel_kind(inv->call.command) != BAZEL_RUN)
        return;
    part = json_object_new_object();
    put_target(part, inv);
    if (code >= 0)
        put_int(part, "program_exit_code", code);
    if (ran_program(inv))
        excerpt_program(inv, level->excerpt, &text);
    if (text.len)
        put_string(part, "output_excerpt", text.data);
    buf_release(&text);
    json_object_object_add(answer, "run", part);
}

static void put_output(struct json_object *answer, const struct invocation *inv,
                       const struct result_level *level)
{
    struct buf text = BUF_INIT;

    if (bazel_kind(inv->call.command) != BAZEL_OTHER || !inv->bazel_ran || level->bare ||
        json_object_object_get_ex(answer, "info", NULL))
        return;
    excerpt_head(inv, 1000, &text);
    if (text.len)
        put_string(answer, "output", text.data);
    buf_release(&text);
}

static void put_coverage(struct json_object *answer, struct json_object *coverage,
                         const struct result_level *level)
{
    struct json_object *lines;

    if (!level->terse) {
        json_object_object_add(answer, "coverage", json_object_get(coverage));
        return;
    }
    lines = json_object_new_object();
    put_int(lines, "lines_found", rpc_int(coverage, "lines_found", 0));
    put_int(lines, "lines_hit", rpc_int(coverage, "lines_hit", 0));
    json_object_object_add(answer, "coverage", lines);
}

void parts_others(struct json_object *answer, const struct invocation *inv,
                  const struct result_level *level)
{
    struct json_object *info = rpc_member(inv->summary, "info", json_type_object);
    struct json_object *coverage = rpc_member(inv->summary, "coverage", json_type_object);

    if (coverage)
        put_coverage(answer, coverage, level);
    if (info && !level->bare)
        json_object_object_add(answer, "info", json_object_get(info));
    put_run(answer, inv, level);
    put_output(answer, inv, level);
}

void parts_truncated(struct json_object *answer, struct json_object *summary)
{
    struct json_object *cut = rpc_member(summary, "truncated", json_type_object), *ours;

    if (cut) {
        /* Of a query our own, shorter sample says how many rows it leaves out. */
        json_object_object_foreach(cut, key, value) if (json_object_is_type(value, json_type_int) &&
                                                        strcmp(key, "query") != 0)
            note_cut(answer, key, (size_t)json_object_get_int64(value));
    }
    /* Said while its field was written; it belongs to the end. */
    ours = rpc_member(answer, "truncated", json_type_object);
    if (ours) {
        json_object_get(ours);
        json_object_object_del(answer, "truncated");
        json_object_object_add(answer, "truncated", ours);
    }
}

/* ---- where to look next */

static bool has(struct json_object *summary, const char *key)
{
    struct json_object *array = rpc_member(summary, key, json_type_array);

    return array ? json_object_array_length(array) > 0
                 : rpc_member(summary, key, json_type_object) != NULL;
}

static bool has_failed_test(struct json_object *summary)
{
    struct json_object *tests = rpc_member(summary, "tests", json_type_object);

    return rpc_int(tests, "failed", 0) || rpc_int(tests, "timed_out", 0);
}

static const char *best_view(struct json_object *answer, const struct invocation *inv)
{
    struct json_object *cut = rpc_member(answer, "truncated", json_type_object);
    struct json_object *query = rpc_member(inv->summary, "query", json_type_object);
    struct json_object *sample = rpc_member(answer, "query_sample", json_type_array);

    if (rpc_int(cut, "diagnostics", 0))
        return "diagnostics";
    if (query &&
        rpc_int(query, "rows", 0) > (int64_t)(sample ? json_object_array_length(sample) : 0))
        return "query_results";
    if (rpc_int(cut, "test_results", 0))
        return "tests";
    if (inv->state == STATE_SUCCEEDED && json_object_object_get_ex(answer, "coverage", NULL))
        return "coverage";
    if (inv->state == STATE_SUCCEEDED)
        return json_object_object_get_ex(answer, "output", NULL) ? "log" : NULL;
    if (has_failed_test(inv->summary))
        return "test_log";
    return has(inv->summary, "diagnostics") || !inv->bazel_ran ? NULL : "log";
}

void parts_hint(struct json_object *answer, const struct invocation *inv)
{
    const char *view = best_view(answer, inv);

    if (view)
        put_string(answer, "inspect_hint", view);
}
