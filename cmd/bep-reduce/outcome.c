#include "cmd/bep-reduce/outcome.h"

#include <string.h>

static const char *const end_names[] = {
    [END_SUCCEEDED] = "succeeded",
    [END_FAILED] = "failed",
    [END_INTERRUPTED] = "interrupted",
    [END_INCOMPLETE] = "incomplete",
};

static const char *const outcome_names[] = {
    [OUTCOME_SUCCEEDED] = "succeeded",
    [OUTCOME_BUILD_FAILED] = "build_failed",
    [OUTCOME_TESTS_FAILED] = "tests_failed",
    [OUTCOME_NO_TESTS] = "no_tests",
    [OUTCOME_LOADING_FAILED] = "loading_failed",
    [OUTCOME_ANALYSIS_FAILED] = "analysis_failed",
    [OUTCOME_QUERY_FAILED] = "query_failed",
    [OUTCOME_COMMAND_LINE_ERROR] = "command_line_error",
    [OUTCOME_INTERRUPTED] = "interrupted",
    [OUTCOME_OUT_OF_MEMORY] = "out_of_memory",
    [OUTCOME_SERVER_CRASHED] = "server_crashed",
    [OUTCOME_REMOTE_FAILED] = "remote_failed",
    [OUTCOME_LOCKED] = "locked",
    [OUTCOME_CONFIGURATION_ERROR] = "configuration_error",
    [OUTCOME_PROGRAM_FAILED] = "program_failed",
    [OUTCOME_INCOMPLETE] = "incomplete",
    [OUTCOME_FAILED] = "failed",
};

const char *end_state_name(enum end_state state)
{
    return end_names[state];
}

const char *outcome_name(enum outcome outcome)
{
    return outcome_names[outcome];
}

/* https://bazel.build/run/scripts#exit-codes and src/main/java/.../util/ExitCode.java */
struct exit_code {
    int code;
    const char *name;
    enum outcome outcome;
    const char *meaning;
};

static const struct exit_code exit_codes[] = {
    {0, "SUCCESS", OUTCOME_SUCCEEDED, NULL},
    {1, "BUILD_FAILURE", OUTCOME_BUILD_FAILED, "the build failed"},
    {2, "COMMAND_LINE_ERROR", OUTCOME_COMMAND_LINE_ERROR,
     "Bazel rejected the command line, or a flag or file that it names"},
    {3, "TESTS_FAILED", OUTCOME_TESTS_FAILED, "the build is good, but tests failed"},
    {4, "NO_TESTS_FOUND", OUTCOME_NO_TESTS, "no test targets were found"},
    {6, "RUN_FAILURE", OUTCOME_PROGRAM_FAILED, "the program could not be run"},
    {7, "ANALYSIS_FAILURE", OUTCOME_QUERY_FAILED, "the command failed"},
    {8, "INTERRUPTED", OUTCOME_INTERRUPTED, "the build was interrupted"},
    {9, "LOCK_HELD_NOBLOCK_FOR_LOCK", OUTCOME_LOCKED,
     "another command holds the lock of the output base"},
    {32, "REMOTE_ENVIRONMENTAL_ERROR", OUTCOME_REMOTE_FAILED,
     "the remote environment had a problem"},
    {33, "OOM_ERROR", OUTCOME_OUT_OF_MEMORY, "Bazel ran out of memory"},
    {34, "REMOTE_ERROR", OUTCOME_REMOTE_FAILED, "remote execution or the remote cache failed"},
    {35, "RESERVED", OUTCOME_FAILED, NULL},
    {36, "LOCAL_ENVIRONMENTAL_ERROR", OUTCOME_CONFIGURATION_ERROR,
     "Bazel could not work in its local environment"},
    {37, "BLAZE_INTERNAL_ERROR", OUTCOME_SERVER_CRASHED, "the Bazel server ended abruptly"},
    {38, "TRANSIENT_BUILD_EVENT_SERVICE_UPLOAD_ERROR", OUTCOME_REMOTE_FAILED,
     "the upload of build events failed"},
    {39, "REMOTE_CACHE_EVICTED", OUTCOME_REMOTE_FAILED,
     "the remote cache lost files of this build"},
    {40, "PERSISTENT_BUILD_EVENT_SERVICE_UPLOAD_ERROR", OUTCOME_REMOTE_FAILED,
     "the upload of build events failed"},
    {45, "PUBLISH_ERROR", OUTCOME_REMOTE_FAILED, "build results could not be published"},
    {48, "EXTERNAL_DEPS_ERROR", OUTCOME_LOADING_FAILED,
     "external dependencies could not be resolved"},
};

static const struct exit_code *find_code(int code)
{
    for (size_t i = 0; i < sizeof(exit_codes) / sizeof(*exit_codes); i++)
        if (exit_codes[i].code == code)
            return &exit_codes[i];
    return NULL;
}

bool command_is_query(const char *command)
{
    return command && (strcmp(command, "query") == 0 || strcmp(command, "cquery") == 0 ||
                       strcmp(command, "aquery") == 0);
}

static bool command_is(const char *command, const char *name)
{
    return command && strcmp(command, name) == 0;
}

const char *exit_code_name(int code, const char *command)
{
    const struct exit_code *known = find_code(code);

    if (code == 3 && command_is_query(command))
        return "PARTIAL_ANALYSIS_FAILURE";
    return known ? known->name : NULL;
}

const char *exit_code_meaning(int code)
{
    const struct exit_code *known = find_code(code);

    return known ? known->meaning : NULL;
}

const char *command_of(const struct state *state, const struct told *told)
{
    return told->command ? told->command : state->build.command;
}

/* After `run` the client's exit code may be the program's: the stream says how the build ended. */
static bool program_ended(const struct state *s, const struct told *told)
{
    return command_is(command_of(s, told), "run") && s->build.finished && s->build.exit_code == 0 &&
           told->exit_code > 0;
}

/* Codes of 128 and more are the client's end by a signal; the server may have gone on and know better. */
static bool client_was_killed(const struct told *told)
{
    return told->exit_code >= 128;
}

static int deciding_code(const struct state *s, const struct told *told)
{
    if (told->exit_code == -1 || (client_was_killed(told) && s->build.finished))
        return s->build.exit_code;
    return told->exit_code;
}

static enum outcome outcome_of_code(int code, const char *command)
{
    const struct exit_code *known = find_code(code);

    if (command_is_query(command) && (code == 1 || code == 3 || code == 7))
        return OUTCOME_QUERY_FAILED;
    if (code == 7 && !command_is_query(command))
        return OUTCOME_FAILED;
    return known ? known->outcome : OUTCOME_FAILED;
}

static enum end_state state_of_outcome(enum outcome outcome)
{
    if (outcome == OUTCOME_SUCCEEDED)
        return END_SUCCEEDED;
    return outcome == OUTCOME_INTERRUPTED ? END_INTERRUPTED : END_FAILED;
}

/* Events without a last message: what became of the rest is not known, whatever the client's exit code says. */
static bool breaks_off(const struct state *s, enum outcome outcome)
{
    if (s->counts.events == 0 || s->build.last_message)
        return false;
    return outcome != OUTCOME_COMMAND_LINE_ERROR || s->build.finished;
}

struct ending ending_of(const struct state *s, const struct told *told)
{
    const char *command = command_of(s, told);
    int code = deciding_code(s, told);
    struct ending e = {END_INCOMPLETE, OUTCOME_INCOMPLETE, code, NULL};

    if (program_ended(s, told)) {
        e.state = END_FAILED;
        e.outcome = OUTCOME_PROGRAM_FAILED;
        e.exit_name = exit_code_name(0, command);
        return e;
    }
    if (code >= 0) {
        e.outcome = outcome_of_code(code, command);
        e.state = state_of_outcome(e.outcome);
        e.exit_name = code == s->build.exit_code && s->build.exit_name
                          ? s->build.exit_name
                          : exit_code_name(code, command);
    }
    if (s->build.aborted && s->build.aborted_reason == ABORT_OUT_OF_MEMORY) {
        e.outcome = OUTCOME_OUT_OF_MEMORY;
        e.state = END_FAILED;
    }
    if (breaks_off(s, e.outcome)) {
        e.state = END_INCOMPLETE;
        if (e.outcome == OUTCOME_SUCCEEDED || code < 0 || client_was_killed(told))
            e.outcome = OUTCOME_INCOMPLETE;
    }
    return e;
}

/* What kept targets from being built, by their abort reasons. */
struct obstacles {
    bool failed_to_build, analysis, pattern_loading;
};

static struct obstacles find_obstacles(const struct state *s)
{
    struct obstacles o = {0};

    for (const struct target *t = s->targets; t; t = t->next) {
        o.failed_to_build |= t->outcome == TARGET_FAILED;
        o.analysis |= t->outcome == TARGET_ABORTED && t->reason == ABORT_ANALYSIS_FAILURE;
    }
    for (const struct aborted *a = s->aborted; a; a = a->next)
        o.pattern_loading |= (a->kind == ID_PATTERN || a->kind == ID_PATTERN_SKIPPED) &&
                             a->reason == ABORT_LOADING_FAILURE;
    return o;
}

static bool is_loading(const struct diag_list *causes)
{
    return causes->count > 0 && causes->items[0]->severity == DIAG_ERROR &&
           causes->items[0]->category == DIAG_LOADING;
}

static bool says_parsing_failure(const struct ending *e)
{
    return e->exit_name && strcmp(e->exit_name, "PARSING_FAILURE") == 0;
}

void ending_refine(struct ending *e, const struct state *s, const struct diag_list *causes)
{
    struct obstacles o;

    if (e->outcome != OUTCOME_BUILD_FAILED)
        return;
    o = find_obstacles(s);
    if (o.failed_to_build)
        return;
    if (o.pattern_loading && !o.analysis)
        e->outcome = OUTCOME_LOADING_FAILED;
    else if (o.analysis)
        e->outcome = !says_parsing_failure(e) && is_loading(causes) ? OUTCOME_LOADING_FAILED
                                                                    : OUTCOME_ANALYSIS_FAILED;
    else if (says_parsing_failure(e))
        e->outcome = OUTCOME_ANALYSIS_FAILED;
}
