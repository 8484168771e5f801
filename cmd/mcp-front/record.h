/*
 * One invocation in the database and its folder: how it begins, moves on and ends. Runs on libuv's pool.
 */
#ifndef MCP_FRONT_RECORD_H
#define MCP_FRONT_RECORD_H

#include "cmd/mcp-front/db.h"
#include "cmd/mcp-front/store.h"

#include <json-c/json.h>

/* Beside the evidence in an invocation's folder: what the database says of it, to make it again. */
#define RECORD_FILE "record.json"

/* Most rows of one invocation in the database; the folder's JSON lines have all. */
#define RECORD_MAX_TARGETS     20000
#define RECORD_MAX_TESTS       20000
#define RECORD_MAX_DIAGNOSTICS 1000
#define RECORD_MAX_ARTIFACTS   1000

/*
 * Makes the folder and the row. `folder` gets its path, malloc'ed. An SQLite result; SQLITE_FULL or
 * SQLITE_CANTOPEN where the folder could not be made, and nothing is left behind.
 */
int record_begin(struct db *, const struct store_begin *, char **folder);

/* As in the folder's record.json: everything redacted already. An SQLite result. */
int record_insert(struct db *, struct json_object *record);

/* Writes a folder's record.json. -1 and errno. */
int record_write(const char *folder, struct json_object *record);

/* SQLITE_NOTFOUND: no such record; SQLITE_MISUSE: it is terminal. */
int record_move(struct db *, const char *id, enum store_state, int64_t at_ms);

/* What record_settle has to write into the folder. */
struct record_files {
    char *folder;            /* NULL: nothing */
    struct json_object *end; /* for record.json */
    struct buf summary;      /* empty: there is none */
};

/*
 * The end, committed but not synced. Results as record_move's. `files` is for record_settle; the caller
 * releases it.
 */
int record_finish(struct db *, const struct store_end *, struct record_files *files);
/* The row alone, synced, for a disk that is full. */
int record_finish_brief(struct db *, const struct store_end *);
/*
 * After record_finish: writes record.json and summary.json, as well as it goes, and counts the folder's bytes
 * in a synced transaction, which brings what was committed before to the disk, too.
 */
int record_settle(struct db *, const char *id, const struct record_files *);
void record_files_release(struct record_files *);

/* The row's part of the end, as record.json has it. Inside a transaction. */
int record_end(struct db *, const char *id, struct json_object *end);

/* The rows of targets, tests, diagnostics and artifacts from a folder's details. An SQLite result. */
int record_import(struct db *, int64_t key, const char *details);

/* Reads one; false: not there. record_release frees what it holds. */
bool record_find(struct db *, const char *id, struct store_record *);
void record_release(struct store_record *);

/* An id that can be a folder's name: letters, digits and dashes. */
bool record_id_ok(const char *id);

#endif
