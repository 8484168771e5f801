#include "cmd/mcp-front/config_table.h"

#include <string.h>

#define AT(member) offsetof(struct config, member)

static const char *const transports[] = {"tail", "fifo", "bes", NULL};
static const char *const syncs[] = {"end", "batch", NULL};
static const char *const encodings[] = {"text", "toon", "structured", "both", NULL};
static const char *const executions[] = {"auto", "sync_only", "tasks_required", NULL};
static const char *const spellings[] = {"auto", "dotted", "underscored", NULL};
static const char *const presets[] = {"standard", "minimal", NULL};

static const char *const allowed[] = {"aquery", "build", "coverage", "cquery",  "help", "info",
                                      "mod",    "query", "test",     "version", NULL};
static const char *const denied[] = {"clean", "fetch", "mobile-install", "run", "shutdown",
                                     "sync",  NULL};
static const char *const none[] = {NULL};

#define DAY  (24ULL * 60 * 60)
#define YEAR (366 * DAY)
#define TIB  (1ULL << 40)

#define NUMBER(key, preset, least, most, text)                                                     \
    {                                                                                              \
        .name = #key, .type = CONFIG_NUMBER, .offset = AT(key), .number = (preset),                \
        .min = (least), .max = (most), .doc = (text)                                               \
    }
#define CHOICE(key, values, text)                                                                  \
    {                                                                                              \
        .name = #key, .type = CONFIG_CHOICE, .offset = AT(key), .choices = (values), .doc = (text) \
    }
#define NAMES(key, preset, text)                                                                   \
    {                                                                                              \
        .name = #key, .type = CONFIG_NAMES, .offset = AT(key), .names = (preset), .doc = (text)    \
    }
#define OTHER(key, kind, text)                                                                     \
    {                                                                                              \
        .name = #key, .type = (kind), .offset = AT(key), .doc = (text)                             \
    }

const struct config_key config_keys[] = {
    OTHER(allowed_roots, CONFIG_PATHS, "folders that workspaces must be in; none: anywhere"),
    OTHER(cache_root, CONFIG_PATH, "the store's folder; outside every allowed root"),
    OTHER(bazel_executable, CONFIG_PATH, "the Bazel to run; unset: as people find it"),
    OTHER(output_user_root, CONFIG_PATH, "Bazel's --output_user_root; unset: its own"),
    NUMBER(isolated_bazel_server_idle_seconds, 60, 1, YEAR,
           "--max_idle_secs of servers under output_user_root"),

    NAMES(allowed_commands, allowed, "Bazel commands that may be run"),
    NAMES(denied_commands, denied, "Bazel commands that may not; wins over allowed_commands"),
    OTHER(allow_outside_flags, CONFIG_BOOL,
          "flags that read or write files, or run programs, of the caller's choice"),
    CHOICE(environment_preset, presets, "which variables Bazel gets"),
    NAMES(environment_allowlist, none, "further variables; a '*' at the end stands for any rest"),
    NAMES(redaction_patterns, none, "PCRE2 patterns of secrets, beside the built-in ones"),

    NUMBER(global_concurrency, 4, 1, 1024, "invocations that run at once"),
    NUMBER(maximum_pending_invocations, 256, 1, 65536, "invocations that run or wait"),
    NUMBER(default_timeout_seconds, 1800, 1, YEAR, "time limit of an invocation that names none"),
    NUMBER(maximum_timeout_seconds, 7200, 1, YEAR, "longest time limit that may be asked for"),
    NUMBER(lock_timeout_seconds, 0, 0, YEAR,
           "how long to wait for an output base; 0: no limit of its own"),
    NUMBER(maximum_output_bytes, 1ULL << 30, 1, TIB, "stdout and stderr of Bazel together"),
    NUMBER(maximum_run_output_bytes, 256ULL << 20, 1, TIB, "the same, for run"),
    NUMBER(cancellation_interrupt_grace_seconds, 10, 0, 3600, "between SIGINT and SIGTERM"),
    NUMBER(cancellation_terminate_grace_seconds, 5, 0, 3600, "between SIGTERM and SIGKILL"),
    NUMBER(version_check_timeout_seconds, 30, 1, 3600, "time limit of bazel --version"),

    CHOICE(bep_transport, transports, "how events are captured"),
    CHOICE(bep_sync, syncs, "when events are synced to disk (bep-durable --sync)"),
    NUMBER(progress_interval_seconds, 15, 1, 15, "longest time between two progress messages"),

    {.name = "result_encoding",
     .type = CONFIG_CHOICE,
     .offset = AT(result_encoding),
     .number = ENCODING_TOON,
     .choices = encodings,
     .doc = "how results are written"},
    CHOICE(mcp_execution_policy, executions, "whether bazel.run may become a task"),
    CHOICE(tool_names, spellings, "bazel.run or bazel_run in tools/list"),
    NUMBER(task_ttl_seconds, DAY, 1, YEAR, "how long a task's result is kept after its end"),
    NUMBER(task_poll_interval_ms, 2000, 100, 60000, "how often clients are asked to poll"),

    NUMBER(retention_days, 7, 0, 36500, "how long a success is kept"),
    NUMBER(retention_failure_days, 30, 0, 36500, "how long anything else is kept"),
    NUMBER(retention_evidence_days, 2, 0, 36500, "how long a success's events and logs are kept"),
    NUMBER(maximum_storage_bytes, 10ULL << 30, 1, 1024 * TIB, "size of the store"),
    NUMBER(retention_cleanup_interval_seconds, 3600, 1, YEAR, "how often old records are cleared"),
};

const size_t config_key_count = sizeof(config_keys) / sizeof(config_keys[0]);

const char *config_refused(const char *name)
{
    static const struct {
        const char *name, *why;
    } refused[] = {
        {"aspect", "Aspect CLI routing is not supported"},
        {"starlark", "Starlark reducers are not supported"},
        {"reducer", "external reducers are not supported"},
        {"reducers", "external reducers are not supported"},
        {"external_reducers", "external reducers are not supported"},
        {"supported_bazel_major_versions", "not needed: every Bazel from 2.1 on is tried"},
        {"allow_unsupported_bazel_versions", "not needed: every Bazel from 2.1 on is tried"},
        {"progress_initial_seconds", "not needed: the first progress message comes at once"},
    };

    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
        if (!strcmp(name, refused[i].name))
            return refused[i].why;
    return NULL;
}
