#include <inttypes.h>
#include <stdio.h>

#include "cmd/bep-reduce/emit.h"
#include "cmd/bep-reduce/member.h"

#define TEST_CASES_SHOWN 20

static void place(struct json_writer *w, const struct place *p)
{
    if (!p->path)
        return;
    json_begin_object(w, "location");
    json_put_string(w, "path", p->path);
    member_positive(w, "line", p->line);
    if (p->line)
        member_positive(w, "column", p->column);
    json_end_object(w);
}

void emit_diagnostic(struct json_writer *w, const struct diag *d)
{
    json_begin_object(w, NULL);
    json_put_string(w, "severity", diag_severity_name(d->severity));
    json_put_string(w, "category", diag_category_name(d->category));
    json_put_string(w, "message", d->message);
    place(w, &d->place);
    member_text(w, "target", d->target);
    member_text(w, "action", d->action);
    member_text(w, "detail", d->detail);
    if (d->also_count) {
        json_begin_array(w, "also");
        for (uint32_t i = 0; i < d->also_count; i++)
            json_put_string(w, NULL, d->also[i]);
        json_end_array(w);
        member_positive(w, "also_more", d->also_more);
    }
    json_put_int(w, "repetition_count", d->repetition_count);
    json_end_object(w);
}

static void test_case(struct json_writer *w, const struct test_case *c)
{
    static const char *const names[] = {
        [CASE_FAILED] = "failed", [CASE_ERROR] = "error", [CASE_SKIPPED] = "skipped"};

    json_begin_object(w, NULL);
    member_text(w, "name", c->name);
    member_text(w, "class", c->class_name);
    json_put_string(w, "status", names[c->status]);
    member_text(w, "message", c->message);
    place(w, &c->place);
    member_known(w, "duration_ms", c->duration_ms);
    json_end_object(w);
}

static void test_cases(struct json_writer *w, const struct test_cases *cases, size_t max)
{
    size_t shown = 0;

    if (cases->count == 0)
        return;
    json_begin_array(w, "cases");
    for (const struct test_case *c = cases->first; c && shown < max; c = c->next, shown++)
        test_case(w, c);
    json_end_array(w);
    member_positive(w, "cases_more", (int64_t)(cases->count - shown + cases->more));
}

/* The log of the last attempt that failed, else of the one that passed. */
static const struct output *log_of(const struct test *t)
{
    const struct output *log = &t->log;

    for (const struct attempt *a = t->list; a; a = a->next)
        if (a->log.uri)
            log = &a->log;
    return log;
}

static void test_log(struct json_writer *w, const struct test *t)
{
    const struct output *log = log_of(t);

    if (!log->uri)
        return;
    json_begin_object(w, "log");
    json_put_string(w, "uri", log->uri);
    json_put_bool(w, "available", !log->missing);
    member_text(w, "reason", log->missing);
    json_end_object(w);
}

/* Which run, shard and attempt it was that failed. */
static void test_failures(struct json_writer *w, const struct test *t)
{
    bool several = t->runs > 1 || t->shards > 1 || t->attempts > 1;
    int left = 10;

    if (!t->list || !several)
        return;
    json_begin_array(w, "failures");
    for (const struct attempt *a = t->list; a && left > 0; a = a->next, left--) {
        json_begin_object(w, NULL);
        json_put_string(w, "status", test_status_name(a->status));
        if (t->runs > 1)
            member_positive(w, "run", a->run);
        if (t->shards > 1)
            member_positive(w, "shard", a->shard);
        member_positive(w, "attempt", a->attempt);
        member_positive(w, "exit_code", a->exit_code);
        json_end_object(w);
    }
    json_end_array(w);
}

/* Where --details has copies. */
static void test_copies(struct json_writer *w, const struct test *t)
{
    bool any = false;

    for (const struct attempt *a = t->list; a; a = a->next)
        any |= a->log.copy || a->xml.copy;
    if (!any)
        return;
    json_begin_array(w, "copies");
    for (const struct attempt *a = t->list; a; a = a->next) {
        if (a->log.copy)
            json_put_string(w, NULL, a->log.copy);
        if (a->xml.copy)
            json_put_string(w, NULL, a->xml.copy);
    }
    json_end_array(w);
}

void emit_test(struct json_writer *w, const struct test_row *row, bool all)
{
    const struct test *t = row->test;

    json_begin_object(w, NULL);
    json_put_string(w, "label", t->label);
    json_put_string(w, "status", test_status_name(row->status));
    member_known(w, "duration_ms", t->duration_ms);
    json_put_int(w, "attempts", t->attempts > 0 ? t->attempts : 1);
    if (t->shards > 1)
        json_put_int(w, "shards", t->shards);
    json_put_int(w, "runs", t->runs > 0 ? t->runs : 1);
    json_put_bool(w, "cached", test_is_cached(t));
    test_failures(w, t);
    test_cases(w, &row->cases, all ? CASES_MAX : TEST_CASES_SHOWN);
    test_log(w, t);
    if (all)
        test_copies(w, t);
    json_end_object(w);
}

static const char *target_outcome(const struct summary *s, const struct target *t)
{
    static const char *const names[] = {
        [CLASS_PENDING] = "unknown",
        [CLASS_SUCCEEDED] = "succeeded",
        [CLASS_FAILED] = "failed",
        [CLASS_SKIPPED] = "skipped",
    };

    return names[summary_class(s, t)];
}

static void abort_reason(struct json_writer *w, uint32_t reason)
{
    static const char *const names[] = {
        [ABORT_UNKNOWN] = "unknown",
        [ABORT_USER_INTERRUPTED] = "user_interrupted",
        [ABORT_TIME_OUT] = "time_out",
        [ABORT_REMOTE_ENVIRONMENT_FAILURE] = "remote_environment_failure",
        [ABORT_INTERNAL] = "internal",
        [ABORT_LOADING_FAILURE] = "loading_failure",
        [ABORT_ANALYSIS_FAILURE] = "analysis_failure",
        [ABORT_SKIPPED] = "skipped",
        [ABORT_NO_ANALYZE] = "no_analyze",
        [ABORT_NO_BUILD] = "no_build",
        [ABORT_INCOMPLETE] = "incomplete",
        [ABORT_OUT_OF_MEMORY] = "out_of_memory",
    };
    char number[32];

    snprintf(number, sizeof(number), "reason %" PRIu32, reason);
    json_put_string(w, "reason", reason < sizeof(names) / sizeof(*names) ? names[reason] : number);
}

void emit_target(struct json_writer *w, const struct summary *s, const struct target *t)
{
    json_begin_object(w, NULL);
    json_put_string(w, "label", t->label);
    member_text(w, "aspect", t->aspect);
    json_put_string(w, "outcome", target_outcome(s, t));
    member_text(w, "kind", t->kind);
    if (t->outcome == TARGET_ABORTED)
        abort_reason(w, t->reason);
    if (t->completed > 1) {
        json_put_int(w, "configurations", t->completed);
        json_put_int(w, "configurations_failed", t->failed);
    }
    if (t->incomplete_outputs)
        json_put_bool(w, "artifacts_incomplete", true);
    json_end_object(w);
}

void emit_artifact(struct json_writer *w, const char *label, const struct artifact *a)
{
    json_begin_object(w, NULL);
    member_text(w, "label", label);
    member_text(w, "path", a->path);
    member_known(w, "bytes", a->bytes);
    json_end_object(w);
}

static void uncovered_range(struct json_writer *w, uint32_t first, uint32_t last)
{
    char range[32];

    if (first == last)
        snprintf(range, sizeof(range), "%" PRIu32, first);
    else
        snprintf(range, sizeof(range), "%" PRIu32 "-%" PRIu32, first, last);
    json_put_string(w, NULL, range);
}

/* Lines without code between two that were not reached do not end a range. */
static void uncovered(struct json_writer *w, const struct covered_list *lines)
{
    json_begin_array(w, "uncovered");
    for (size_t i = 0; i < lines->count; i++) {
        size_t first = i;

        if (lines->items[i].hit)
            continue;
        while (i + 1 < lines->count && !lines->items[i + 1].hit)
            i++;
        uncovered_range(w, (uint32_t)lines->items[first].key, (uint32_t)lines->items[i].key);
    }
    json_end_array(w);
}

static void covered(struct json_writer *w, const char *found, const char *hit,
                    const struct covered_list *list)
{
    if (list->count == 0)
        return;
    json_put_int(w, found, (int64_t)list->count);
    json_put_int(w, hit, (int64_t)list->hit);
}

void emit_covered_file(struct json_writer *w, const struct covered_file *f)
{
    json_begin_object(w, NULL);
    json_put_string(w, "path", f->path);
    json_put_int(w, "lines_found", (int64_t)f->lines.count);
    json_put_int(w, "lines_hit", (int64_t)f->lines.hit);
    if (f->lines.count)
        json_put_decimal(w, "percent", 100.0 * (double)f->lines.hit / (double)f->lines.count);
    covered(w, "branches_found", "branches_hit", &f->branches);
    covered(w, "functions_found", "functions_hit", &f->functions);
    uncovered(w, &f->lines);
    json_end_object(w);
}
