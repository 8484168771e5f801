#include "cmd/mcp-front/db.h"
#include "cmd/mcp-front/rebuild.h"
#include "common/base/clock.h"
#include "common/io/fd.h"
#include "common/io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define APPLICATION_ID   0x6d637066 /* "mcpf" */
#define BUSY_MS          10000      /* another server's longest transaction, with room */
#define CHECKPOINT_PAGES 128        /* half a MiB of log, as a store may be small */

static bool db_path(const struct db *db, const char *suffix, char *path, size_t size)
{
    return snprintf(path, size, "%s/store.db%s", db->root, suffix) < (int)size;
}

/*
 * SQLite's own descriptor of the file. Opening it a second time, and closing that, would drop the locks of
 * all our connections to it (fcntl(2)), and the next process to close it would take it for unused.
 */
static sqlite3_file *file_of(struct db *db)
{
    sqlite3_file *file = NULL;

    sqlite3_file_control(db->sql, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    return file && file->pMethods ? file : NULL;
}

/* A file that is shorter than its header says was cut; SQLite notices only when it reads there. */
static bool is_cut(struct db *db)
{
    uint8_t header[100];
    sqlite3_file *file = file_of(db);
    sqlite3_int64 size = 0;
    uint64_t page, pages;

    if (!file || file->pMethods->xFileSize(file, &size) != SQLITE_OK || !size)
        return false;
    if (file->pMethods->xRead(file, header, sizeof(header), 0) != SQLITE_OK)
        return true;
    page = (uint64_t)header[16] << 8 | header[17];
    pages = (uint64_t)header[28] << 24 | header[29] << 16 | header[30] << 8 | header[31];
    return (uint64_t)size < (page == 1 ? 65536 : page) * pages;
}

static int set_up(struct db *db)
{
    static const char *const pragmas[] = {"PRAGMA foreign_keys=ON", "PRAGMA trusted_schema=OFF",
                                          "PRAGMA temp_store=MEMORY",
                                          "PRAGMA journal_size_limit=1048576"};
    char text[64];
    int result = SQLITE_OK;

    sqlite3_busy_timeout(db->sql, BUSY_MS);
    sqlite3_extended_result_codes(db->sql, 1);
    sqlite3_db_config(db->sql, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    for (size_t i = 0; i < sizeof(pragmas) / sizeof(pragmas[0]) && result == SQLITE_OK; i++)
        result = sqlite3_exec(db->sql, pragmas[i], NULL, NULL, NULL);
    /* Before the first table; later it changes nothing. */
    if (result == SQLITE_OK && !db->read_only)
        result = sqlite3_exec(db->sql, "PRAGMA auto_vacuum=INCREMENTAL", NULL, NULL, NULL);
    /* Where write-ahead logging is refused (some network file systems), the mode stays DELETE. */
    if (result == SQLITE_OK && !db->read_only)
        result = sqlite3_exec(db->sql, "PRAGMA journal_mode=WAL", NULL, NULL, NULL);
    sqlite3_wal_autocheckpoint(db->sql, CHECKPOINT_PAGES);
    snprintf(text, sizeof(text), "PRAGMA application_id=%d", APPLICATION_ID);
    if (result == SQLITE_OK && !db->read_only && !db_number(db, 1, "PRAGMA application_id", ""))
        result = sqlite3_exec(db->sql, text, NULL, NULL, NULL);
    return result;
}

static bool is_sound(struct db *db)
{
    sqlite3_stmt *row = db_query(db, "PRAGMA quick_check(1)", "");
    bool sound = row && sqlite3_step(row) == SQLITE_ROW && !strcmp(db_text(row, 0), "ok");

    sqlite3_finalize(row);
    return sound;
}

/* One that is newer is not touched, not even by the checkpoint when it is closed. */
static bool is_newer(struct db *db, struct buf *why)
{
    int64_t version = db_number(db, -1, "PRAGMA user_version", "");

    if (version <= DB_VERSION)
        return false;
    sqlite3_db_config(db->sql, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    buf_printf(
        why, "%s/store.db was written by a newer mcp-front (schema %" PRId64 ", this one knows %d)",
        db->root, version, DB_VERSION);
    return true;
}

/* Brings the schema up to date. Two servers may try at once; the second one finds it done. */
static enum db_status bring_up(struct db *db, struct buf *why)
{
    int64_t version = db_number(db, -1, "PRAGMA user_version", "");
    int result = SQLITE_OK;

    if (version < 0)
        result = sqlite3_errcode(db->sql);
    else if (version < DB_VERSION && db->read_only)
        result = SQLITE_READONLY;
    else if (version < DB_VERSION) {
        result = db_begin(db, true);
        if (result == SQLITE_OK)
            result = db_migrate(db->sql, (int)db_number(db, 0, "PRAGMA user_version", ""));
        result = db_end(db, result);
    }
    if (result == SQLITE_OK)
        /* Reads the schema, so that a broken one shows now. */
        db_number(db, 0, "SELECT 1 FROM invocations LIMIT 1", "");
    result = result == SQLITE_OK ? sqlite3_errcode(db->sql) : result;
    if (db_status(result) != DB_OK)
        buf_printf(why, "%s/store.db: %s", db->root, sqlite3_errstr(result));
    return db_status(result);
}

static void remember_file(struct db *db, const char *path)
{
    struct stat st;

    if (!stat(path, &st)) {
        db->dev = st.st_dev;
        db->ino = st.st_ino;
        db->read_only = db->read_only || access(path, W_OK);
    }
}

/* SQLite would make it readable for all, and gives the log the same mode. One that is there stays closed. */
static void make_private(const char *path)
{
    fd_close(open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
}

static enum db_status open_file(struct db *db, struct buf *why)
{
    char path[4096], uri[4200];
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, result;

    if (!db_path(db, "", path, sizeof(path))) {
        buf_printf(why, "%s: path too long", db->root);
        return DB_UNWRITABLE;
    }
    snprintf(uri, sizeof(uri), "%s", path);
    if (db->read_only)
        flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI;
    /* Nobody else can write there either, and the log's index could not be made. */
    if (db->read_only && !strpbrk(path, "?#%"))
        snprintf(uri, sizeof(uri), "file:%s?immutable=1", path);
    if (!db->read_only)
        make_private(path);
    result = sqlite3_open_v2(uri, &db->sql, flags | SQLITE_OPEN_NOMUTEX, NULL);
    if (result == SQLITE_OK && is_cut(db)) {
        buf_printf(why, "%s is shorter than it says", path);
        return DB_DAMAGED;
    }
    if (result == SQLITE_OK) {
        remember_file(db, path);
        if (is_newer(db, why))
            return DB_NEWER;
        result = set_up(db);
    }
    if (result == SQLITE_OK && db->suspect && !is_sound(db))
        result = SQLITE_CORRUPT;
    if (result == SQLITE_OK)
        return bring_up(db, why);
    buf_printf(why, "%s: %s", path, sqlite3_errstr(result));
    return db_status(result);
}

static void close_file(struct db *db)
{
    sqlite3_close(db->sql);
    db->sql = NULL;
}

static void set_aside(struct db *db)
{
    static const char *const parts[] = {"", "-wal", "-shm"};
    int64_t now = clock_wall_ms();

    for (size_t i = 0; i < 3; i++) {
        char from[4096], to[4160];
        if (!db_path(db, parts[i], from, sizeof(from)))
            continue;
        snprintf(to, sizeof(to), "%s/store.db.damaged-%" PRId64 "%s", db->root, now, parts[i]);
        if (!rename(from, to) && !i)
            buf_printf(&db->notice, "the store's database was damaged; it was set aside as %s", to);
    }
}

/* Only one server at a time opens and repairs; it is held for milliseconds. */
static int open_gate(const struct db *db)
{
    char path[4096];
    int fd;

    snprintf(path, sizeof(path), "%s/store.lock", db->root);
    fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd >= 0)
        flock(fd, LOCK_EX);
    return fd;
}

static enum db_status open_or_repair(struct db *db, struct buf *why)
{
    enum db_status status = open_file(db, why);

    if (status != DB_DAMAGED || db->read_only)
        return status;
    close_file(db);
    set_aside(db);
    db->suspect = false;
    buf_clear(why);
    status = open_file(db, why);
    if (status == DB_OK)
        rebuild(db);
    return status;
}

enum db_status db_open(struct db *db, const char *root, const struct config *config,
                       const char *owner, bool suspect, struct buf *why)
{
    enum db_status status;
    int gate;

    *db = (struct db){.config = config, .owner = owner, .suspect = suspect};
    buf_init(&db->notice, 0);
    db->root = strdup(root);
    db->redact = redact_new();
    if (!db->root || !db->redact) {
        buf_add_str(why, "out of memory");
        return DB_FAILED;
    }
    for (size_t i = 0; i < config->redaction_patterns.count; i++)
        redact_add(db->redact, config->redaction_patterns.items[i], NULL);
    if (file_make_folders(root)) {
        buf_printf(why, "%s: %s", root, strerror(errno));
        return DB_UNWRITABLE;
    }
    gate = open_gate(db);
    db->read_only = gate < 0 && (errno == EROFS || errno == EACCES);
    status = open_or_repair(db, why);
    fd_close(gate);
    if (status == DB_OK && db->read_only) {
        buf_printf(why, "%s: read-only", root);
        status = DB_UNWRITABLE;
    }
    return status;
}

bool db_is_current(const struct db *db)
{
    char path[4096];
    struct stat st;

    return db->sql && db_path(db, "", path, sizeof(path)) && !stat(path, &st) &&
           st.st_ino == db->ino && st.st_dev == db->dev;
}

void db_close(struct db *db)
{
    close_file(db);
    redact_free(db->redact);
    free(db->root);
    buf_release(&db->notice);
    *db = (struct db){0};
}
