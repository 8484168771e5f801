#include "cmd/bep-reduce/summary.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/bep-reduce/evidence.h"
#include "cmd/bep-reduce/headline.h"
#include "cmd/bep-reduce/reduce.h"
#include "cmd/bep-reduce/results.h"
#include "cmd/bep-reduce/testxml.h"
#include "common/base/mem.h"

#define CAUSES_MAX_BYTES (18UL * 1024 * 1024) /* of 100,000 short ones */
#define OWNERS_MAX       1000                 /* targets that are asked for a file set */
#define CASES_MAX_BYTES  (8UL * 1024 * 1024)

static const char *const status_names[] = {
    [TEST_NO_STATUS] = "no_status",
    [TEST_PASSED] = "passed",
    [TEST_FLAKY] = "flaky",
    [TEST_TIMEOUT] = "timed_out",
    [TEST_FAILED] = "failed",
    [TEST_INCOMPLETE] = "incomplete",
    [TEST_REMOTE_FAILURE] = "remote_failure",
    [TEST_FAILED_TO_BUILD] = "failed_to_build",
    [TEST_TOOL_HALTED] = "incomplete",
};

const char *test_status_name(enum test_status status)
{
    return (size_t)status < sizeof(status_names) / sizeof(*status_names) ? status_names[status]
                                                                         : "no_status";
}

static enum target_class class_of_abort(const struct summary *s, const struct target *t)
{
    switch (t->reason) {
    case ABORT_LOADING_FAILURE:
    case ABORT_ANALYSIS_FAILURE:
        return CLASS_FAILED;
    case ABORT_UNKNOWN:
        return s->ending.outcome == OUTCOME_ANALYSIS_FAILED ? CLASS_FAILED : CLASS_SKIPPED;
    default:
        return CLASS_SKIPPED;
    }
}

enum target_class summary_class(const struct summary *s, const struct target *t)
{
    switch (t->outcome) {
    case TARGET_SUCCEEDED:
        return CLASS_SUCCEEDED;
    case TARGET_FAILED:
        return CLASS_FAILED;
    case TARGET_ABORTED:
        return class_of_abort(s, t);
    default:
        return CLASS_PENDING;
    }
}

const char *summary_set_owner(const struct summary *s, uint32_t set)
{
    int left = OWNERS_MAX;

    for (const struct target *t = s->state->targets; t && left > 0; t = t->next, left--)
        for (uint32_t i = 0; i < t->root_count; i++)
            if (filesets_root_set(&s->state->filesets, t->first_root + i) == set)
                return t->label;
    return NULL;
}

static void count_targets(struct summary *s)
{
    const struct counts *more = &s->state->counts;

    s->targets.succeeded = more->targets_succeeded;
    s->targets.failed = more->targets_failed;
    s->targets.requested = more->targets_succeeded + more->targets_failed;
    for (const struct target *t = s->state->targets; t; t = t->next) {
        enum target_class class = summary_class(s, t);

        if (t->aspect)
            continue;
        s->targets.requested++;
        s->targets.succeeded += class == CLASS_SUCCEEDED;
        s->targets.failed += class == CLASS_FAILED;
        s->targets.skipped += class == CLASS_SKIPPED;
    }
}

static void count_tests(struct test_counts *c, enum test_status status, uint64_t n)
{
    c->total += n;
    switch (status) {
    case TEST_PASSED:
        c->passed += n;
        break;
    case TEST_FLAKY:
        c->flaky += n;
        break;
    case TEST_TIMEOUT:
        c->timed_out += n;
        break;
    case TEST_FAILED:
    case TEST_REMOTE_FAILURE:
    case TEST_FAILED_TO_BUILD:
        c->failed += n;
        break;
    case TEST_NO_STATUS:
        c->skipped += n;
        break;
    default:
        c->incomplete += n;
    }
}

/* Not-passed first; among equals, as they came. */
static int importance(enum test_status status)
{
    static const int order[] = {
        [TEST_FAILED] = 0,     [TEST_TIMEOUT] = 1,     [TEST_REMOTE_FAILURE] = 2,
        [TEST_INCOMPLETE] = 3, [TEST_TOOL_HALTED] = 3, [TEST_FAILED_TO_BUILD] = 4,
        [TEST_NO_STATUS] = 5,  [TEST_FLAKY] = 6,       [TEST_PASSED] = 8,
    };

    return (size_t)status < sizeof(order) / sizeof(*order) ? order[status] : 7;
}

static void fill_rows(struct summary *s)
{
    size_t n = 0;

    for (int rank = 0; rank <= importance(TEST_PASSED); rank++)
        for (const struct test *t = s->state->tests; t; t = t->next)
            if (importance(test_status_of(t)) == rank)
                s->test_rows[n++] = (struct test_row){.test = t, .status = test_status_of(t)};
    s->test_row_count = n;
}

static void drop_bazels_own(struct test_cases *cases)
{
    struct test_case **at = &cases->first;

    while (*at) {
        if (testxml_is_bazels_own(*at)) {
            *at = (*at)->next;
            cases->count--;
        } else {
            at = &(*at)->next;
        }
    }
    cases->tail = at;
}

static void read_cases(struct summary *s, struct test_row *row)
{
    if (row->status == TEST_PASSED)
        return;
    for (const struct attempt *a = row->test->list; a; a = a->next)
        if (a->xml.text && !(a->next && a->next->run == a->run && a->next->shard == a->shard))
            testxml_read(a->xml.text, a->xml.len, &s->memory, &row->cases);
    drop_bazels_own(&row->cases);
}

static void list_tests(struct summary *s)
{
    for (const struct test *t = s->state->tests; t; t = t->next) {
        count_tests(&s->tests, test_status_of(t), 1);
        s->tests.cached += test_status_of(t) == TEST_PASSED && test_is_cached(t);
    }
    s->test_rows = mem_zeroed(s->tests.total + 1, sizeof(*s->test_rows));
    for (int status = 0; status < TEST_STATUSES; status++)
        count_tests(&s->tests, (enum test_status)status, s->state->counts.tests[status]);
    if (!s->test_rows)
        return;
    fill_rows(s);
    for (size_t i = 0; i < s->test_row_count; i++)
        read_cases(s, &s->test_rows[i]);
}

static void sum_outputs(struct summary *s, struct filesets *sets)
{
    for (const struct target *t = s->state->targets; t; t = t->next)
        if (!t->aspect && t->outcome == TARGET_SUCCEEDED && t->root_count > 0)
            filesets_visit(sets, t->first_root, t->root_count, &s->outputs);
    for (const struct artifact *a = s->state->artifacts; a; a = a->next) {
        if (!a->label)
            continue;
        s->outputs.files++;
        s->outputs.bytes += a->bytes > 0 ? (uint64_t)a->bytes : 0;
    }
}

static int64_t duration_of(const struct state *s)
{
    const struct build *b = &s->build;

    if (s->metrics.known && s->metrics.wall_ms > 0)
        return s->metrics.wall_ms;
    return b->start_ms > 0 && b->finish_ms >= b->start_ms ? b->finish_ms - b->start_ms : -1;
}

static bool is_error(const struct diag *diag, void *context)
{
    (void)context;
    return diag->severity == DIAG_ERROR;
}

static bool is_note(const struct diag *diag, void *context)
{
    (void)context;
    return diag->severity == DIAG_NOTE;
}

/* An end that nothing explains is explained by its exit code. */
static void add_last_resort(struct summary *s)
{
    const char *meaning = exit_code_meaning(s->ending.exit_code);
    struct diag diag = {
        .severity = DIAG_ERROR, .category = DIAG_BAZEL, .message = meaning, .unspecific = true};

    if (s->ending.state == END_SUCCEEDED || !meaning)
        return;
    for (size_t i = 0; i < s->causes.count; i++)
        if (s->causes.items[i]->severity == DIAG_ERROR)
            return;
    diag_list_add(&s->causes, &diag);
}

static void add_retry_note(struct summary *s)
{
    struct buf message = BUF_INIT;
    const char *name = exit_code_name(s->state->superseded_exit, NULL);
    struct diag diag = {.severity = DIAG_NOTE, .category = DIAG_BAZEL};

    if (s->state->attempts < 2)
        return;
    buf_printf(
        &message,
        "Bazel tried %u times; the attempt before the last one ended with exit code %d%s%s%s",
        s->state->attempts, s->state->superseded_exit, name ? " (" : "", name ? name : "",
        name ? ")" : "");
    diag.message = message.data;
    diag_list_add(&s->causes, &diag);
    buf_release(&message);
}

static const char *base_name(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;

    return slash ? slash + 1 : NULL;
}

static void find_causes(struct summary *s, const char *workspace)
{
    bool succeeded = s->ending.state == END_SUCCEEDED;
    struct paths paths = {.workspace = workspace ? workspace : s->state->build.workspace,
                          .main_repository = base_name(s->state->build.exec_root)};
    struct evidence_options how = {
        .paths = &paths,
        .succeeded = succeeded,
        .program_failed = s->ending.outcome == OUTCOME_PROGRAM_FAILED,
        .program_exit = s->program_exit,
    };

    evidence_gather(s->state, s->console, &how, &s->causes);
    add_last_resort(s);
    if (succeeded)
        diag_list_remove_if(&s->causes, is_error, NULL);
    diag_list_remove_if(&s->causes, is_note, NULL);
    add_retry_note(s);
    diag_list_finish(&s->causes);
    ending_refine(&s->ending, s->state, &s->causes);
}

void summary_make(struct summary *s, struct reducer *r, const struct console_log *console,
                  const struct summary_options *options)
{
    *s = (struct summary){.state = &r->state,
                          .console = console,
                          .command = command_of(&r->state, &options->told),
                          .ending = ending_of(&r->state, &options->told),
                          .max_diagnostics = options->max_diagnostics,
                          .memory = ARENA_INIT(CASES_MAX_BYTES),
                          .program_exit = -1};
    buf_init(&s->headline, 0);
    diag_list_init(&s->causes, CAUSES_MAX_BYTES);
    coverage_init(&s->coverage);
    s->duration_ms = duration_of(s->state);
    if (s->ending.outcome == OUTCOME_PROGRAM_FAILED)
        s->program_exit = options->told.exit_code;
    else if (s->state->build.exec_request && s->ending.state == END_SUCCEEDED)
        s->program_exit = options->told.exit_code;
    find_causes(s, options->workspace);
    count_targets(s);
    list_tests(s);
    sum_outputs(s, &r->state.filesets);
    results_of_command(s);
    results_of_coverage(s, &r->files);
    headline_make(s);
}

void summary_release(struct summary *s)
{
    free(s->test_rows);
    buf_release(&s->headline);
    diag_list_release(&s->causes);
    coverage_release(&s->coverage);
    arena_release(&s->memory);
}
