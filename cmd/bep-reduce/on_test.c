/* What the events say of tests: each attempt, and Bazel's own sum of them. */
#include <string.h>

#include "cmd/bep-reduce/handlers.h"
#include "proto/build_event_stream.pb-c.h"

static bool name_is(const BuildEventStream__File *file, const char *word)
{
    return file->name.len == strlen(word) && memcmp(file->name.data, word, file->name.len) == 0;
}

static const BuildEventStream__File *output_named(const BuildEventStream__TestResult *result,
                                                  const char *name)
{
    for (size_t i = 0; i < result->n_test_action_output; i++)
        if (name_is(result->test_action_output[i], name))
            return result->test_action_output[i];
    return NULL;
}

static void keep_coverage(struct reducer *r, const BuildEventStream__TestResult *result)
{
    const BuildEventStream__File *file = output_named(result, "test.lcov");
    struct lcov *lcov;

    if (!file)
        file = output_named(result, "coverage.dat");
    if (!file || file->file_case != BUILD_EVENT_STREAM__FILE__FILE_URI)
        return;
    lcov = state_lcov(&r->state);
    if (lcov)
        lcov->uri = state_text(&r->state, view(file->uri));
}

/* When a test's outputs were complete, if it ran here and now: what comes from a cache is written when it is fetched. */
static int64_t written_ms(const BuildEventStream__TestResult *result)
{
    const BuildEventStream__TestResult__ExecutionInfo *info = result->execution_info;
    bool elsewhere = info && (info->cached_remotely || info->hostname.len > 0 ||
                              memmem(info->strategy.data, info->strategy.len, "remote", 6));

    if (result->cached_locally || elsewhere || result->test_attempt_start_millis_epoch <= 0)
        return 0;
    return result->test_attempt_start_millis_epoch + result->test_attempt_duration_millis;
}

static void keep_failure(struct reducer *r, struct test *test, const struct event_id *id,
                         const BuildEventStream__TestResult *result)
{
    const BuildEventStream__TestResult__ExecutionInfo *info = result->execution_info;
    struct test_place place = {test->label, id->run, id->shard, id->attempt, written_ms(result)};
    struct attempt *attempt = state_attempt(&r->state, test);

    if (!attempt)
        return;
    attempt->run = id->run;
    attempt->shard = id->shard;
    attempt->attempt = id->attempt;
    attempt->status = (enum test_status)result->status;
    attempt->duration_ms = result->test_attempt_duration_millis;
    attempt->exit_code = info ? info->exit_code : 0;
    attempt->timeout_s = info ? info->timeout_seconds : 0;
    attempt->details = state_text(&r->state, view(result->status_details));
    keep_output(r, output_named(result, "test.log"), &place, &attempt->log);
    keep_output(r, output_named(result, "test.xml"), &place, &attempt->xml);
    if (r->on_log)
        r->on_log(r->context, &r->files, &r->state, test, attempt);
}

/* Its log is only named: nobody needs to read it now. */
static void keep_pass(struct reducer *r, struct test *test,
                      const BuildEventStream__TestResult *result)
{
    const BuildEventStream__File *file = output_named(result, "test.log");
    struct buf path = BUF_INIT;

    test->passed++;
    if (test->log.uri || !file || file->file_case != BUILD_EVENT_STREAM__FILE__FILE_URI)
        return;
    test->log.uri = state_text(&r->state, view(file->uri));
    test->log.missing = files_path(&r->files, view(file->uri), &path);
    buf_release(&path);
}

static void at_least(int32_t *value, int32_t seen)
{
    if (seen > *value)
        *value = seen;
}

void on_test_result(struct reducer *r, const struct event *event, const void *message)
{
    const BuildEventStream__TestResult *result = message;
    struct test *test = state_test(&r->state, &event->id);

    if (!test)
        return;
    test->results++;
    at_least(&test->runs, event->id.run);
    at_least(&test->shards, event->id.shard);
    at_least(&test->attempts, event->id.attempt);
    if (result->cached_locally)
        test->cached_locally++;
    else if (result->execution_info && result->execution_info->cached_remotely)
        test->cached_remotely++;
    if (result->status == BUILD_EVENT_STREAM__TEST_STATUS__PASSED)
        keep_pass(r, test, result);
    else
        keep_failure(r, test, &event->id, result);
    keep_coverage(r, result);
}

static void count_summary(struct counts *counts, uint32_t status, bool has_row)
{
    counts->tests_done++;
    counts->tests_failed += status != TEST_PASSED && status != TEST_FLAKY;
    if (!has_row)
        counts->tests[status < TEST_STATUSES ? status : TEST_NO_STATUS]++;
}

void on_test_summary(struct reducer *r, const struct event *event, const void *message)
{
    const BuildEventStream__TestSummary *summary = message;
    struct test *test = state_test(&r->state, &event->id);

    count_summary(&r->state.counts, (uint32_t)summary->overall_status, test != NULL);
    if (!test)
        return;
    test->summary = (int)summary->overall_status;
    test->duration_ms = summary->total_run_duration_millis;
    at_least(&test->runs, summary->run_count);
    at_least(&test->shards, summary->shard_count);
    at_least(&test->attempts, summary->attempt_count);
}
