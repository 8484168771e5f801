#include "cmd/bep-reduce/emit.h"
#include "cmd/bep-reduce/member.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static void line(struct json_writer *w, const char *key, struct slice value)
{
    json_put_bytes(w, key, value.text, value.len);
}

static void exit_status(struct json_writer *w, const struct ending *e)
{
    if (e->exit_code < 0)
        return;
    json_begin_object(w, "exit");
    json_put_int(w, "code", e->exit_code);
    member_text(w, "name", e->exit_name);
    json_end_object(w);
}

static void targets(struct json_writer *w, const struct summary *s)
{
    uint64_t shown = 0;

    if (s->targets.requested == 0)
        return;
    json_begin_object(w, "targets");
    json_put_int(w, "requested", (int64_t)s->targets.requested);
    json_put_int(w, "succeeded", (int64_t)s->targets.succeeded);
    json_put_int(w, "failed", (int64_t)s->targets.failed);
    json_put_int(w, "skipped", (int64_t)s->targets.skipped);
    json_end_object(w);
    if (s->targets.failed == 0)
        return;
    json_begin_array(w, "failed_targets");
    for (const struct target *t = s->state->targets; t && shown < FAILED_TARGETS_MAX; t = t->next)
        if (!t->aspect && summary_class(s, t) == CLASS_FAILED && ++shown)
            json_put_string(w, NULL, t->label);
    json_end_array(w);
    member_positive(w, "failed_targets_more", (int64_t)(s->targets.failed - shown));
}

static void test_counts(struct json_writer *w, const struct test_counts *c)
{
    if (c->total == 0)
        return;
    json_begin_object(w, "tests");
    json_put_int(w, "passed", (int64_t)c->passed);
    json_put_int(w, "failed", (int64_t)c->failed);
    json_put_int(w, "timed_out", (int64_t)c->timed_out);
    json_put_int(w, "flaky", (int64_t)c->flaky);
    json_put_int(w, "incomplete", (int64_t)c->incomplete);
    json_put_int(w, "skipped", (int64_t)c->skipped);
    json_put_int(w, "cached", (int64_t)c->cached);
    json_end_object(w);
}

static void diagnostics(struct json_writer *w, const struct summary *s)
{
    json_begin_array(w, "diagnostics");
    for (size_t i = 0; i < s->causes.count && i < s->max_diagnostics; i++)
        emit_diagnostic(w, s->causes.items[i]);
    json_end_array(w);
}

static void tests(struct json_writer *w, const struct summary *s)
{
    if (s->test_row_count == 0)
        return;
    json_begin_array(w, "test_results");
    for (size_t i = 0; i < s->test_row_count && i < TEST_RESULTS_MAX; i++)
        emit_test(w, &s->test_rows[i], false);
    json_end_array(w);
}

static void coverage(struct json_writer *w, const struct coverage *c)
{
    if (c->reports == 0)
        return;
    json_begin_object(w, "coverage");
    json_put_int(w, "files", (int64_t)c->file_count);
    json_put_int(w, "lines_found", (int64_t)c->lines_found);
    json_put_int(w, "lines_hit", (int64_t)c->lines_hit);
    if (c->lines_found)
        json_put_decimal(w, "percent", 100.0 * (double)c->lines_hit / (double)c->lines_found);
    if (c->branches_found) {
        json_put_int(w, "branches_found", (int64_t)c->branches_found);
        json_put_int(w, "branches_hit", (int64_t)c->branches_hit);
    }
    if (c->functions_found) {
        json_put_int(w, "functions_found", (int64_t)c->functions_found);
        json_put_int(w, "functions_hit", (int64_t)c->functions_hit);
    }
    member_text(w, "report", c->report);
    json_end_object(w);
}

/* Files that a target names itself, not those of the sets behind its sets. */
static void artifacts(struct json_writer *w, const struct summary *s)
{
    int left = IMPORTANT_OUTPUTS_MAX;

    if (s->outputs.files == 0)
        return;
    json_begin_object(w, "artifacts");
    json_put_int(w, "count", (int64_t)s->outputs.files);
    if (s->outputs.bytes) /* Bazel before 5 names no lengths: 0 would be made up */
        json_put_int(w, "bytes", (int64_t)s->outputs.bytes);
    json_begin_array(w, "important");
    for (const struct artifact *a = s->state->artifacts; a && left > 0; a = a->next) {
        const char *label = a->label ? a->label : summary_set_owner(s, a->set);

        if (label && left--)
            emit_artifact(w, label, a);
    }
    json_end_array(w);
    json_end_object(w);
}

static void query(struct json_writer *w, const struct query_result *q)
{
    if (!q->known)
        return;
    json_begin_object(w, "query");
    json_put_int(w, "rows", (int64_t)q->rows);
    json_begin_array(w, "sample");
    for (size_t i = 0; i < q->sample_count; i++)
        line(w, NULL, q->sample[i]);
    json_end_array(w);
    json_end_object(w);
}

static void info(struct json_writer *w, const struct info_result *i)
{
    char key[256];

    if (i->count == 0)
        return;
    json_begin_object(w, "info");
    for (size_t n = 0; n < i->count; n++) {
        snprintf(key, sizeof(key), "%.*s", (int)i->entries[n].key.len, i->entries[n].key.text);
        line(w, key, i->entries[n].value);
    }
    json_end_object(w);
}

static void run(struct json_writer *w, const struct summary *s)
{
    const struct build *b = &s->state->build;
    const struct target *t = s->state->targets;

    if (!s->command || strcmp(s->command, "run") != 0)
        return;
    json_begin_object(w, "run");
    if (t)
        json_put_string(w, "target", t->label);
    if (b->argc) {
        json_begin_array(w, "argv");
        for (size_t i = 0; i < b->argc; i++)
            json_put_string(w, NULL, b->argv[i] ? b->argv[i] : "");
        json_end_array(w);
    }
    member_known(w, "program_exit_code", s->program_exit);
    json_end_object(w);
}

static void metrics(struct json_writer *w, const struct summary *s)
{
    const struct metrics *m = &s->state->metrics;

    json_begin_object(w, "metrics");
    if (m->known) {
        json_put_int(w, "actions_created", m->actions_created);
        json_put_int(w, "actions_executed", m->actions_executed);
        member_positive(w, "action_cache_hits", m->action_cache_hits);
        member_positive(w, "disk_cache_hits", m->disk_cache_hits);
        member_positive(w, "remote_cache_hits", m->remote_cache_hits);
        member_positive(w, "packages_loaded", m->packages_loaded);
        member_positive(w, "targets_configured", m->targets_configured);
        member_positive(w, "wall_ms", m->wall_ms);
        member_positive(w, "cpu_ms", m->cpu_ms);
        member_positive(w, "analysis_ms", m->analysis_ms);
        member_positive(w, "execution_ms", m->execution_ms);
    }
    member_known(w, "critical_path_ms", m->critical_path_ms);
    json_put_int(w, "bep_events", (int64_t)s->state->counts.events);
    json_put_int(w, "bep_bytes", (int64_t)s->state->counts.bytes);
    member_positive(w, "undecodable_events", (int64_t)s->state->counts.undecodable);
    json_end_object(w);
}

static void started_at(struct json_writer *w, int64_t ms)
{
    time_t seconds = (time_t)(ms / 1000);
    char text_of[40];
    struct tm utc;
    size_t len;

    if (ms <= 0 || !gmtime_r(&seconds, &utc))
        return;
    len = strftime(text_of, sizeof(text_of), "%Y-%m-%dT%H:%M:%S", &utc);
    if (len == 0)
        return;
    snprintf(text_of + len, sizeof(text_of) - len, ".%03dZ", (int)(ms % 1000));
    json_put_string(w, "started_at", text_of);
}

static void displaced(struct json_writer *w, const char *const options[DISPLACED_MAX])
{
    if (!options[0] && !options[1])
        return;
    json_begin_array(w, "displaced");
    for (size_t i = 0; i < DISPLACED_MAX; i++)
        member_text(w, NULL, options[i]);
    json_end_array(w);
}

static void bazel(struct json_writer *w, const struct build *b)
{
    if (!b->started)
        return;
    json_begin_object(w, "bazel");
    member_text(w, "version", b->version);
    member_text(w, "invocation_id", b->invocation_id);
    member_text(w, "workspace", b->workspace);
    started_at(w, b->start_ms);
    displaced(w, b->displaced);
    json_end_object(w);
}

static uint64_t over(uint64_t count, uint64_t max)
{
    return count > max ? count - max : 0;
}

static void truncated(struct json_writer *w, const struct summary *s)
{
    const struct left_out *l = &s->state->left_out;
    const struct state *state = s->state;

    json_begin_object(w, "truncated");
    member_positive(w, "targets", (int64_t)l->targets);
    member_positive(
        w, "diagnostics",
        (int64_t)(over(s->causes.count, s->max_diagnostics) + s->causes.dropped + l->actions));
    member_positive(w, "test_results",
                    (int64_t)(over(s->test_row_count, TEST_RESULTS_MAX) + l->tests + l->attempts));
    member_positive(w, "artifacts", (int64_t)(state->filesets.left_out + l->artifacts));
    member_positive(w, "coverage", s->coverage.cut);
    member_positive(w, "query", (int64_t)over(s->query.rows, s->query.sample_count));
    member_positive(w, "info", (int64_t)s->info.more);
    member_positive(w, "output", (int64_t)l->texts);
    member_positive(w, "console_bytes",
                    (int64_t)(state->console_out.dropped + state->console_err.dropped));
    member_positive(w, "events", (int64_t)l->oversized);
    json_end_object(w);
}

bool emit_json(const struct summary *s, struct buf *out)
{
    struct json_writer w;

    json_begin(&w, out);
    json_begin_object(&w, NULL);
    json_put_int(&w, "schema", 1);
    json_put_string(&w, "state", end_state_name(s->ending.state));
    json_put_string(&w, "outcome", outcome_name(s->ending.outcome));
    member_text(&w, "command", s->command);
    exit_status(&w, &s->ending);
    json_put_bytes(&w, "headline", s->headline.data, s->headline.len);
    member_known(&w, "duration_ms", s->duration_ms);
    targets(&w, s);
    test_counts(&w, &s->tests);
    diagnostics(&w, s);
    tests(&w, s);
    coverage(&w, &s->coverage);
    artifacts(&w, s);
    query(&w, &s->query);
    info(&w, &s->info);
    run(&w, s);
    metrics(&w, s);
    bazel(&w, &s->state->build);
    truncated(&w, s);
    json_end_object(&w);
    return buf_add_char(out, '\n') == BUF_OK && !w.failed;
}
