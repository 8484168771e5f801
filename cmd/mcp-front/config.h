/*
 * The configuration, mcp-front.json(5): one JSON object, comments allowed. Every key stands in one table
 * in config_table.c with its type, default, bounds and meaning; the manual is checked against it.
 *
 * Where it comes from: --config, else MCP_FRONT_CONFIG, else $XDG_CONFIG_HOME/mcp-front/config.json (else
 * ~/.config/mcp-front/config.json), else the defaults. A file that was named must exist. An empty variable
 * counts as unset. Options of the command line win over the file, key by key.
 */
#ifndef MCP_FRONT_CONFIG_H
#define MCP_FRONT_CONFIG_H

#include "common/base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct config_list {
    char **items; /* NULL-terminated once anything is in it */
    size_t count;
};

enum config_transport { TRANSPORT_TAIL, TRANSPORT_FIFO, TRANSPORT_BES };
enum config_sync { SYNC_END, SYNC_BATCH };
enum config_encoding { ENCODING_TEXT, ENCODING_TOON, ENCODING_STRUCTURED, ENCODING_BOTH };
enum config_execution { EXECUTION_AUTO, EXECUTION_SYNC_ONLY, EXECUTION_TASKS_REQUIRED };
enum config_tool_names { TOOL_NAMES_AUTO, TOOL_NAMES_DOTTED, TOOL_NAMES_UNDERSCORED };
enum config_preset { PRESET_STANDARD, PRESET_MINIMAL };

/* Paths are absolute; roots, executable and output_user_root have no symbolic link and no "..". */
struct config {
    struct config_list allowed_roots; /* empty: anywhere */
    char *cache_root;
    char *bazel_executable; /* NULL: looked for */
    char *output_user_root; /* NULL: Bazel's own */
    uint64_t isolated_bazel_server_idle_seconds;

    struct config_list allowed_commands;
    struct config_list denied_commands; /* wins */
    bool allow_outside_flags;           /* flags that read or write files of the caller's choice */
    int environment_preset;             /* enum config_preset */
    struct config_list environment_allowlist;
    struct config_list redaction_patterns; /* beside the built-in ones */

    uint64_t global_concurrency;
    uint64_t maximum_pending_invocations; /* running and queued */
    uint64_t default_timeout_seconds;
    uint64_t maximum_timeout_seconds;
    uint64_t
        lock_timeout_seconds; /* for an output base; 0: as long as the invocation's own timeout */
    uint64_t maximum_output_bytes;     /* stdout and stderr of Bazel together */
    uint64_t maximum_run_output_bytes; /* the same for `run` */
    uint64_t cancellation_interrupt_grace_seconds;
    uint64_t cancellation_terminate_grace_seconds;
    uint64_t version_check_timeout_seconds;

    int bep_transport; /* enum config_transport */
    int bep_sync;      /* enum config_sync: bep-durable --sync */
    uint64_t progress_interval_seconds;

    int result_encoding;      /* enum config_encoding */
    int mcp_execution_policy; /* enum config_execution */
    int tool_names;           /* enum config_tool_names */
    uint64_t task_ttl_seconds;
    uint64_t task_poll_interval_ms;

    uint64_t retention_days;          /* of successes */
    uint64_t retention_failure_days;  /* of everything else */
    uint64_t retention_evidence_days; /* of a success's events and console logs */
    uint64_t maximum_storage_bytes;
    uint64_t retention_cleanup_interval_seconds;

    char *file;           /* the file that was read; NULL: none */
    const char **origins; /* where each value came from, in the table's order */
};

/* What the command line says. */
struct config_options {
    const char *file;               /* --config; NULL: not given */
    const char *const *allow_roots; /* --allow-root, added to those of the file */
    size_t allow_root_count;
    const char *cache_root; /* --cache-root; NULL: not given */
};

/*
 * Reads and checks everything. True, or false and one message a line in `errors`: "FILE: key: what is
 * wrong" or "FILE:LINE: what is wrong". config_release frees in both cases.
 */
bool config_load(struct config *, const struct config_options *, struct buf *errors);
void config_release(struct config *);

/* --check-config: what is in force and where each value came from, one key a line, as a file to reuse. */
void config_print(const struct config *, FILE *);

bool config_list_has(const struct config_list *, const char *item);

#endif
