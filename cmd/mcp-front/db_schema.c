#include "cmd/mcp-front/db.h"

/*
 * Each step leads from one version to the next and is never changed again once it was released. Labels
 * are kept once, as the same few thousand come back in every invocation.
 */
static const char *const steps[DB_VERSION] = {
    "CREATE TABLE invocations("
    " key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,"
    " workspace TEXT NOT NULL, command TEXT NOT NULL, targets TEXT NOT NULL,"
    " state INTEGER NOT NULL, owner TEXT NOT NULL,"
    " requested_ms INTEGER NOT NULL, started_ms INTEGER NOT NULL DEFAULT 0,"
    " finished_ms INTEGER NOT NULL DEFAULT 0, timeout_ms INTEGER NOT NULL DEFAULT 0,"
    " outcome TEXT, exit_code INTEGER, headline TEXT, termination TEXT, cancel_reason TEXT,"
    " startup_args TEXT NOT NULL, args TEXT NOT NULL, target TEXT,"
    " program_arg_count INTEGER NOT NULL DEFAULT 0,"
    " queue_ms INTEGER NOT NULL DEFAULT 0, lock_wait_ms INTEGER NOT NULL DEFAULT 0,"
    " bazel_ms INTEGER NOT NULL DEFAULT 0, reduction_ms INTEGER NOT NULL DEFAULT 0,"
    " visible_bytes INTEGER NOT NULL DEFAULT 0, inspect_calls INTEGER NOT NULL DEFAULT 0,"
    /* 2: everything is there; 1: events and logs are cleared away; 0: the folder is */
    " evidence INTEGER NOT NULL DEFAULT 2, bytes INTEGER NOT NULL DEFAULT 0);"
    "CREATE INDEX invocations_alive ON invocations(owner) WHERE state < 3;"
    "CREATE INDEX invocations_requested ON invocations(requested_ms);"
    "CREATE TABLE summaries("
    " invocation INTEGER PRIMARY KEY REFERENCES invocations ON DELETE CASCADE, text TEXT NOT NULL);"
    "CREATE TABLE labels(key INTEGER PRIMARY KEY, label TEXT NOT NULL UNIQUE);"
    "CREATE TABLE targets("
    " invocation INTEGER NOT NULL REFERENCES invocations ON DELETE CASCADE,"
    " label INTEGER NOT NULL REFERENCES labels, status TEXT NOT NULL,"
    " PRIMARY KEY(invocation, label)) WITHOUT ROWID;"
    "CREATE TABLE tests("
    " invocation INTEGER NOT NULL REFERENCES invocations ON DELETE CASCADE,"
    " label INTEGER NOT NULL REFERENCES labels, status TEXT NOT NULL,"
    " attempts INTEGER, runs INTEGER, shards INTEGER, cached INTEGER NOT NULL DEFAULT 0,"
    " duration_ms INTEGER, PRIMARY KEY(invocation, label)) WITHOUT ROWID;"
    "CREATE TABLE diagnostics("
    " invocation INTEGER NOT NULL REFERENCES invocations ON DELETE CASCADE,"
    " ordinal INTEGER NOT NULL, severity TEXT NOT NULL, category TEXT NOT NULL,"
    " message TEXT NOT NULL, path TEXT, line INTEGER, column INTEGER, target TEXT,"
    " repetition_count INTEGER, PRIMARY KEY(invocation, ordinal)) WITHOUT ROWID;"
    "CREATE TABLE artifacts("
    " invocation INTEGER NOT NULL REFERENCES invocations ON DELETE CASCADE,"
    " ordinal INTEGER NOT NULL, target TEXT, path TEXT NOT NULL, bytes INTEGER,"
    " PRIMARY KEY(invocation, ordinal)) WITHOUT ROWID;"
    "CREATE TABLE tasks("
    " id TEXT PRIMARY KEY, dialect TEXT NOT NULL, status TEXT NOT NULL, message TEXT,"
    " created_ms INTEGER NOT NULL, updated_ms INTEGER NOT NULL, ttl_ms INTEGER NOT NULL,"
    " expires_ms INTEGER NOT NULL, result TEXT) WITHOUT ROWID;"
    "CREATE INDEX tasks_created ON tasks(dialect, created_ms, id);",

    /* history, comparison and retention without a scan */
    "CREATE INDEX tests_label ON tests(label, invocation);"
    "CREATE INDEX targets_label ON targets(label, invocation);"
    "CREATE INDEX invocations_alike ON invocations(workspace, command, targets, requested_ms);"
    "CREATE INDEX invocations_workspace ON invocations(workspace, requested_ms);"
    "CREATE INDEX invocations_finished ON invocations(state, finished_ms, evidence, bytes);",
};

int db_migrate_to(sqlite3 *sql, int from, int to)
{
    int result = SQLITE_OK;

    for (int version = from; version < to && result == SQLITE_OK; version++) {
        char done[64];
        result = sqlite3_exec(sql, steps[version], NULL, NULL, NULL);
        sqlite3_snprintf(sizeof(done), done, "PRAGMA user_version=%d", version + 1);
        if (result == SQLITE_OK)
            result = sqlite3_exec(sql, done, NULL, NULL, NULL);
    }
    return result;
}

int db_migrate(sqlite3 *sql, int from)
{
    return db_migrate_to(sql, from, DB_VERSION);
}
