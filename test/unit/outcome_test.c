// with: cmd/bep-reduce/outcome.c
#include "test/unit/unit.h"
#include "cmd/bep-reduce/outcome.h"

#include <stdio.h>

/* How an invocation ended of which this is known. */
struct known {
    int told;     /* the user's exit code, -1: none */
    int finished; /* the stream's, -1: no such event */
    int events;
    bool last;
    const char *command;
    const char *ends; /* state and outcome */
};

static void follows_exit_codes_and_streams(void **state)
{
    static const struct known cases[] = {
        {-1, 0, 9, true, "build", "succeeded succeeded"},
        {-1, 1, 9, true, "build", "failed build_failed"},
        {-1, 3, 9, true, "test", "failed tests_failed"},
        {-1, 4, 9, true, "test", "failed no_tests"},
        {-1, 8, 9, true, "build", "interrupted interrupted"},
        {3, -1, 0, false, "query", "failed query_failed"},
        {7, -1, 0, false, "cquery", "failed query_failed"},
        {7, -1, 0, false, "build", "failed failed"},
        {2, -1, 2, true, "build", "failed command_line_error"},
        {2, -1, 2, false, "build", "failed command_line_error"},
        {33, 33, 9, true, "build", "failed out_of_memory"},
        {34, 34, 9, true, "build", "failed remote_failed"},
        {37, -1, 9, false, "build", "incomplete server_crashed"},
        {-1, -1, 9, false, "build", "incomplete incomplete"},
        {-1, 0, 9, false, "build", "incomplete incomplete"},
        {-1, -1, 0, false, NULL, "incomplete incomplete"},
        {0, -1, 0, false, "info", "succeeded succeeded"},
        {9, -1, 0, false, "build", "failed locked"},
        {99, -1, 0, false, "build", "failed failed"},
        /* The client was killed: what the server did afterwards counts. */
        {137, 0, 9, true, "build", "succeeded succeeded"},
        {137, -1, 9, false, "build", "incomplete incomplete"},
        {137, -1, 0, false, "build", "failed failed"},
        /* The program of `run`, not the build. */
        {3, 0, 9, true, "run", "failed program_failed"},
        {1, 1, 9, true, "run", "failed build_failed"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const struct known *k = &cases[i];
        struct told told = {k->told, k->command};
        struct state s = {.build = {.exit_code = k->finished,
                                    .finished = k->finished >= 0,
                                    .last_message = k->last},
                          .counts = {.events = (uint64_t)k->events}};
        struct ending e = ending_of(&s, &told);
        char ends[64];

        snprintf(ends, sizeof(ends), "%s %s", end_state_name(e.state), outcome_name(e.outcome));
        assert_string_equal(ends, k->ends);
    }
}

static void names_codes_by_command(void **state)
{
    (void)state;
    assert_string_equal(exit_code_name(3, "test"), "TESTS_FAILED");
    assert_string_equal(exit_code_name(3, "query"), "PARTIAL_ANALYSIS_FAILURE");
    assert_null(exit_code_name(5, "build"));
}

/* Exit code 1 has many reasons. */
static void tells_loading_from_analysis(void **state)
{
    struct diag loading = {.severity = DIAG_ERROR, .category = DIAG_LOADING};
    struct diag *items[] = {&loading};
    struct diag_list causes = {.items = items, .count = 1};
    struct target target = {.outcome = TARGET_ABORTED, .reason = ABORT_ANALYSIS_FAILURE};
    struct aborted pattern = {.kind = ID_PATTERN, .reason = ABORT_LOADING_FAILURE};
    struct state s = {.aborted = &pattern};
    struct ending e = {.outcome = OUTCOME_BUILD_FAILED, .exit_name = "BUILD_FAILURE"};

    (void)state;
    ending_refine(&e, &s, &causes);
    assert_int_equal(e.outcome, OUTCOME_LOADING_FAILED);
    s = (struct state){.targets = &target};
    e = (struct ending){.outcome = OUTCOME_BUILD_FAILED, .exit_name = "PARSING_FAILURE"};
    ending_refine(&e, &s, &causes);
    assert_int_equal(e.outcome, OUTCOME_ANALYSIS_FAILED);
    target.outcome = TARGET_FAILED;
    e = (struct ending){.outcome = OUTCOME_BUILD_FAILED, .exit_name = "BUILD_FAILURE"};
    ending_refine(&e, &s, &causes);
    assert_int_equal(e.outcome, OUTCOME_BUILD_FAILED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(follows_exit_codes_and_streams),
        cmocka_unit_test(names_codes_by_command),
        cmocka_unit_test(tells_loading_from_analysis),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
