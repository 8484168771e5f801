#include "cmd/mcp-front/bazel.h"
#include "cmd/mcp-front/policy.h"
#include "common/io/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum bazel_kind bazel_kind(const char *command)
{
    static const struct {
        const char *command;
        enum bazel_kind kind;
    } kinds[] = {
        {"build", BAZEL_BUILD},  {"mobile-install", BAZEL_BUILD},
        {"test", BAZEL_TEST},    {"coverage", BAZEL_TEST},
        {"run", BAZEL_RUN},      {"query", BAZEL_QUERY},
        {"cquery", BAZEL_QUERY}, {"aquery", BAZEL_QUERY},
    };

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (!strcmp(command, kinds[i].command))
            return kinds[i].kind;
    return BAZEL_OTHER;
}

bool bazel_kind_has_events(enum bazel_kind kind)
{
    return kind == BAZEL_BUILD || kind == BAZEL_TEST || kind == BAZEL_RUN;
}

struct bazel_version bazel_parse_version(const char *output)
{
    static const char *const prefixes[] = {"bazel ", "Build label: ", "release "};
    struct bazel_version v = {0};

    for (const char *line = output; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
            size_t len = strlen(prefixes[i]);

            if (!strncmp(line, prefixes[i], len) &&
                sscanf(line + len, "%d.%d", &v.major, &v.minor) == 2)
                return v;
        }
    }
    return (struct bazel_version){0};
}

static bool is_ourselves(const struct stat *file)
{
    struct stat self;

    return !stat("/proc/self/exe", &self) && self.st_dev == file->st_dev &&
           self.st_ino == file->st_ino;
}

static bool is_program(const char *path)
{
    struct stat st;

    return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK) && !is_ourselves(&st);
}

static char *find_on_path(const char *name)
{
    const char *path = getenv("PATH"), *end;
    char *candidate;

    for (; path && *path; path = *end ? end + 1 : end) {
        end = strchrnul(path, ':');
        if (asprintf(&candidate, "%.*s/%s", end > path ? (int)(end - path) : 1,
                     end > path ? path : ".", name) < 0)
            return NULL;
        if (is_program(candidate))
            return candidate;
        free(candidate);
    }
    return NULL;
}

char *bazel_find(const struct config *config, const char *workspace, struct buf *why)
{
    char *path = NULL;

    if (config->bazel_executable) {
        if (is_program(config->bazel_executable))
            return strdup(config->bazel_executable);
        buf_printf(why, "bazel_executable is no program that can be run: %s",
                   config->bazel_executable);
        return NULL;
    }
    if (asprintf(&path, "%s/tools/bazel", workspace) >= 0 && is_program(path))
        return path;
    free(path);
    path = find_on_path("bazelisk");
    if (!path)
        path = find_on_path("bazel");
    if (!path)
        buf_add_str(why, "no Bazel found: no tools/bazel in the workspace, no bazelisk or bazel on "
                         "PATH; set bazel_executable");
    return path;
}

/* The first one is given twice: a flag of the caller's without its value swallows it. */
static void add_owned_flags(struct argv *a, const struct bazel_call *call, enum bazel_kind kind)
{
    if (kind == BAZEL_OTHER)
        return;
    argv_add(a, "--color=no");
    if (kind != BAZEL_QUERY) {
        argv_addf(a, "--invocation_id=%s", call->invocation_id);
        argv_addf(a, "--build_request_id=%s", call->request_id);
        argv_add(a, "--tool_tag=mcp-front");
        argv_add_all(a, call->event_flags);
    }
    argv_add(a, "--color=no");
    argv_add(a, "--curses=no");
    if (kind == BAZEL_QUERY) {
        argv_add(a, "--noshow_progress");
        return;
    }
    argv_add(a, "--show_progress");
    argv_add(a, "--show_progress_rate_limit=1");
    if (kind == BAZEL_TEST) {
        argv_add(a, "--test_output=errors");
        argv_add(a, "--test_summary=none");
    }
}

static size_t flags_end(char *const *args)
{
    struct policy_arg items[POLICY_MAX_ARGS];
    struct policy_args list = {items, 0};

    for (; args && args[list.count]; list.count++)
        items[list.count] = (struct policy_arg){args[list.count], strlen(args[list.count])};
    return policy_flags_end(&list);
}

void bazel_command_line(struct argv *a, const struct bazel_call *call)
{
    enum bazel_kind kind = bazel_kind(call->command);
    size_t end = flags_end(call->args);

    argv_add(a, call->executable);
    if (call->config->output_user_root) {
        argv_addf(a, "--output_user_root=%s", call->config->output_user_root);
        argv_addf(a, "--max_idle_secs=%llu",
                  (unsigned long long)call->config->isolated_bazel_server_idle_seconds);
    }
    argv_add_all(a, call->startup_args);
    argv_add(a, call->command);
    for (size_t i = 0; i < end; i++)
        argv_add(a, call->args[i]);
    add_owned_flags(a, call, kind);
    if (call->args)
        argv_add_all(a, call->args + end);
    if (call->target)
        argv_add(a, call->target);
    if (call->program_args && *call->program_args) {
        argv_add(a, "--");
        argv_add_all(a, call->program_args);
    }
}

/* https://bazel.build/run/scripts#exit-codes */
const char *bazel_exit_name(int status)
{
    static const struct {
        int status;
        const char *name;
    } names[] = {
        {0, "SUCCESS"},
        {1, "BUILD_FAILURE"},
        {2, "COMMAND_LINE_ERROR"},
        {3, "TESTS_FAILED"},
        {4, "NO_TESTS_FOUND"},
        {7, "COMMAND_FAILURE"},
        {8, "INTERRUPTED"},
        {9, "LOCK_HELD_NOBLOCK_FOR_LOCK"},
        {32, "REMOTE_ENVIRONMENTAL_ERROR"},
        {33, "OOM_ERROR"},
        {36, "LOCAL_ENVIRONMENTAL_ERROR"},
        {37, "BLAZE_INTERNAL_ERROR"},
        {38, "TRANSIENT_BUILD_EVENT_SERVICE_UPLOAD_ERROR"},
        {39, "REMOTE_CACHE_EVICTED"},
        {45, "PERSISTENT_BUILD_EVENT_SERVICE_UPLOAD_ERROR"},
    };

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (names[i].status == status)
            return names[i].name;
    return NULL;
}
