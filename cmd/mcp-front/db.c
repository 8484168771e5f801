#include "cmd/mcp-front/db.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum db_status db_status(int result)
{
    switch (result & 0xff) {
    case SQLITE_OK:
    case SQLITE_DONE:
    case SQLITE_ROW:
        return DB_OK;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return DB_DAMAGED;
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_FULL:
    case SQLITE_IOERR:
        return DB_UNWRITABLE;
    default:
        return DB_FAILED;
    }
}

static void bind_values(sqlite3_stmt *stmt, const char *types, va_list args)
{
    for (int i = 1; *types; types++, i++) {
        const struct buf *bytes;
        const char *text;
        switch (*types) {
        case 'i':
            sqlite3_bind_int64(stmt, i, va_arg(args, int64_t));
            break;
        case 't':
            text = va_arg(args, const char *);
            sqlite3_bind_text(stmt, i, text, -1, SQLITE_TRANSIENT);
            break;
        case 'b':
            bytes = va_arg(args, const struct buf *);
            sqlite3_bind_text64(stmt, i, bytes->data, bytes->len, SQLITE_TRANSIENT, SQLITE_UTF8);
            break;
        }
    }
}

static sqlite3_stmt *prepare(struct db *db, const char *sql, const char *types, va_list args)
{
    sqlite3_stmt *stmt = NULL;

    int result = sqlite3_prepare_v2(db->sql, sql, -1, &stmt, NULL);

    if (result == SQLITE_OK)
        bind_values(stmt, types, args);
    else
        db->failed = result;
    return stmt;
}

sqlite3_stmt *db_query(struct db *db, const char *sql, const char *types, ...)
{
    sqlite3_stmt *stmt;
    va_list args;

    va_start(args, types);
    stmt = prepare(db, sql, types, args);
    va_end(args);
    return stmt;
}

int db_run(struct db *db, const char *sql, const char *types, ...)
{
    sqlite3_stmt *stmt;
    va_list args;
    int result;

    va_start(args, types);
    stmt = prepare(db, sql, types, args);
    va_end(args);
    if (!stmt)
        return sqlite3_errcode(db->sql);
    result = sqlite3_step(stmt);
    sqlite3_finalize(stmt);
    return result == SQLITE_DONE || result == SQLITE_ROW ? SQLITE_OK : result;
}

int64_t db_number(struct db *db, int64_t otherwise, const char *sql, const char *types, ...)
{
    sqlite3_stmt *stmt;
    va_list args;

    va_start(args, types);
    stmt = prepare(db, sql, types, args);
    va_end(args);
    if (stmt && sqlite3_step(stmt) == SQLITE_ROW)
        otherwise = sqlite3_column_int64(stmt, 0);
    sqlite3_finalize(stmt);
    return otherwise;
}

int db_no_row(struct db *db)
{
    int result = sqlite3_errcode(db->sql);

    return db_status(result) == DB_OK ? SQLITE_NOTFOUND : result;
}

const char *db_text(sqlite3_stmt *stmt, int column)
{
    const char *text = (const char *)sqlite3_column_text(stmt, column);

    return text ? text : "";
}

void db_id(sqlite3_stmt *stmt, int column, char id[STORE_ID_SIZE])
{
    snprintf(id, STORE_ID_SIZE, "%s", db_text(stmt, column));
}

int db_begin(struct db *db, bool synced)
{
    int result =
        sqlite3_exec(db->sql, synced ? "PRAGMA synchronous=FULL" : "PRAGMA synchronous=NORMAL",
                     NULL, NULL, NULL);

    return result == SQLITE_OK ? sqlite3_exec(db->sql, "BEGIN IMMEDIATE", NULL, NULL, NULL)
                               : result;
}

int db_end(struct db *db, int result)
{
    if (result == SQLITE_OK)
        result = sqlite3_exec(db->sql, "COMMIT", NULL, NULL, NULL);
    if (result != SQLITE_OK && !sqlite3_get_autocommit(db->sql))
        sqlite3_exec(db->sql, "ROLLBACK", NULL, NULL, NULL);
    return result;
}

char *db_folder(const struct db *db, const char *id, int64_t requested_ms)
{
    time_t seconds = (time_t)(requested_ms / 1000);
    struct tm day;
    char *folder;

    gmtime_r(&seconds, &day);
    if (asprintf(&folder, "%s/invocations/%04d-%02d-%02d/%s", db->root, day.tm_year + 1900,
                 day.tm_mon + 1, day.tm_mday, id) < 0)
        return NULL;
    return folder;
}
