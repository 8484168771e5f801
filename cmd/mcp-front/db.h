/*
 * One connection to the store's database and the folders beside it. Used by one thread at a time, on
 * libuv's pool; private to store*.c, view*.c and retain.c.
 */
#ifndef MCP_FRONT_DB_H
#define MCP_FRONT_DB_H

#include "cmd/mcp-front/config.h"
#include "cmd/mcp-front/store.h"
#include "common/base/buf.h"
#include "common/text/redact.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define DB_VERSION 2 /* of the schema; db_schema.c has the steps to it */

struct db {
    sqlite3 *sql;
    char *root; /* cache_root, or a temporary folder */
    const struct config *config;
    struct redact *redact;
    const char *owner; /* this server's lease */
    bool read_only;
    bool suspect;
    int failed; /* the last statement that did not compile: a damaged database, or our own bug */
    dev_t dev;  /* of the file that is open */
    ino_t ino;
    struct buf notice; /* what a caller should be told, once: a damaged database was set aside */
};

enum db_status {
    DB_OK,
    DB_NEWER,      /* written by a newer version */
    DB_UNWRITABLE, /* read-only, full, or no such place */
    DB_DAMAGED,
    DB_FAILED,
};

/*
 * Opens or makes the database under `root`, migrates it, sets a damaged one aside and makes it again.
 * `suspect`: something was found damaged, look at all of it. `why` gets the reason of a failure. A db
 * that is DB_UNWRITABLE may still be there to read (`sql` is not NULL). db_close in every case.
 */
enum db_status db_open(struct db *, const char *root, const struct config *, const char *owner,
                       bool suspect, struct buf *why);
void db_close(struct db *);

/* Whether the open file is still the one under the name: another server may have set it aside. */
bool db_is_current(const struct db *);

/* What an SQLite result means for the store. */
enum db_status db_status(int result);

/*
 * A statement with its values: 't' const char * (NULL: null), 'i' int64_t, 'b' const struct buf *.
 * NULL: it does not compile, sqlite3_errcode says why.
 */
sqlite3_stmt *db_query(struct db *, const char *sql, const char *types, ...);
/* Runs one that gives no rows. An SQLite result; SQLITE_OK when done. */
int db_run(struct db *, const char *sql, const char *types, ...);
/* The first column of the first row, or `otherwise`. */
int64_t db_number(struct db *, int64_t otherwise, const char *sql, const char *types, ...);

/* What a query that gave no row means: SQLITE_NOTFOUND, or why it failed. */
int db_no_row(struct db *);

/* A column as text: "" for null. Valid until the statement steps on. */
const char *db_text(sqlite3_stmt *, int column);

/* The same as a record's id, cut to its size. */
void db_id(sqlite3_stmt *, int column, char id[STORE_ID_SIZE]);

/* BEGIN IMMEDIATE; `synced`: the COMMIT is on the disk when it returns. An SQLite result. */
int db_begin(struct db *, bool synced);
/* COMMIT where `result` is SQLITE_OK, else ROLLBACK. Gives the first failure. */
int db_end(struct db *, int result);

/* The folder of an invocation; malloc'ed. */
char *db_folder(const struct db *, const char *id, int64_t requested_ms);

/* Private to db*.c. */
int db_migrate(sqlite3 *, int from);
int db_migrate_to(sqlite3 *, int from, int to);

#endif
