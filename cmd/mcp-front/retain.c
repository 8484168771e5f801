#include "cmd/mcp-front/retain.h"
#include "cmd/mcp-front/lane.h"
#include "common/base/clock.h"
#include "common/io/fd.h"
#include "common/io/file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define DAY_MS (24LL * 60 * 60 * 1000)
#define BATCH  100 /* records between two looks at the size */

#define SUCCESS   "state = 3"
#define OTHERS    "state IN (4, 5, 6, 7)"
#define UNCLAIMED "NOT EXISTS (SELECT 1 FROM tasks t WHERE t.id = i.id)"

struct old {
    int64_t key;
    int64_t requested_ms;
    char id[STORE_ID_SIZE];
};

typedef int (*retain_step)(struct db *, const struct old *);

static const char *const bulky[] = {STORE_EVENTS, STORE_STDOUT, STORE_STDERR,
                                    STORE_DETAILS "/test-logs", "views"};

/* The events and the console logs; the summary and its details stay. */
static int drop_evidence(struct db *db, const struct old *old)
{
    char *folder = db_folder(db, old->id, old->requested_ms);
    char path[4300];
    int result;

    for (size_t i = 0; folder && i < sizeof(bulky) / sizeof(bulky[0]); i++) {
        snprintf(path, sizeof(path), "%s/%s", folder, bulky[i]);
        file_remove_tree(path);
    }
    result = db_run(db, "UPDATE invocations SET evidence = 1, bytes = ? WHERE key = ?", "ii",
                    folder ? file_tree_bytes(folder) : 0, old->key);
    free(folder);
    return result;
}

/* Moved away first, so that a crash leaves no record whose folder is half there. */
static int drop_record(struct db *db, const struct old *old)
{
    char *folder = db_folder(db, old->id, old->requested_ms);
    char trash[4300];
    int result;

    snprintf(trash, sizeof(trash), "%s/trash/%s", db->root, old->id);
    if (folder && rename(folder, trash))
        file_remove_tree(folder);
    result = db_run(db, "DELETE FROM invocations WHERE key = ?", "i", old->key);
    file_remove_tree(trash);
    if (folder) {
        *strrchr(folder, '/') = '\0';
        rmdir(folder); /* the day's, when it was the last */
    }
    free(folder);
    return result;
}

/* Applies `step` to the next records that `where` finds, oldest first; gives how many. */
static int next_batch(struct db *db, const char *where, int64_t until_ms, retain_step step,
                      int *result)
{
    struct old batch[BATCH];
    int count = 0;
    char sql[512];
    sqlite3_stmt *rows;

    snprintf(sql, sizeof(sql),
             "SELECT key, requested_ms, id FROM invocations i WHERE %s AND finished_ms <= ?"
             " ORDER BY finished_ms LIMIT %d",
             where, BATCH);
    rows = db_query(db, sql, "i", until_ms);
    while (rows && sqlite3_step(rows) == SQLITE_ROW) {
        batch[count] =
            (struct old){sqlite3_column_int64(rows, 0), sqlite3_column_int64(rows, 1), ""};
        db_id(rows, 2, batch[count++].id);
    }
    sqlite3_finalize(rows);
    *result = count ? db_begin(db, false) : SQLITE_OK;
    for (int i = 0; i < count && *result == SQLITE_OK; i++)
        *result = step(db, &batch[i]);
    if (count)
        *result = db_end(db, *result);
    return *result == SQLITE_OK ? count : 0;
}

static int by_age(struct db *db, const char *where, int64_t until_ms, retain_step step)
{
    int result;

    while (next_batch(db, where, until_ms, step, &result))
        ;
    return result;
}

static uint64_t store_bytes(struct db *db)
{
    char path[4096];
    struct stat st;
    int64_t bytes = db_number(db, 0, "SELECT sum(bytes) FROM invocations", "");

    snprintf(path, sizeof(path), "%s/store.db", db->root);
    return (uint64_t)bytes + (stat(path, &st) ? 0 : (uint64_t)st.st_size);
}

static int by_size(struct db *db)
{
    static const struct {
        const char *where;
        retain_step step;
    } order[] = {
        {SUCCESS " AND evidence = 2", drop_evidence},
        {OTHERS " AND evidence = 2", drop_evidence},
        {SUCCESS " AND " UNCLAIMED, drop_record},
        {OTHERS " AND " UNCLAIMED, drop_record},
    };
    uint64_t most = db->config->maximum_storage_bytes;
    int result = SQLITE_OK;

    if (store_bytes(db) <= most)
        return SQLITE_OK;
    for (size_t i = 0; i < sizeof(order) / sizeof(order[0]) && result == SQLITE_OK; i++)
        while (store_bytes(db) > most / 5 * 4)
            if (!next_batch(db, order[i].where, INT64_MAX, order[i].step, &result))
                break;
    /* Pages of deleted rows go back to the disk only so. */
    return result == SQLITE_OK
               ? sqlite3_exec(db->sql, "PRAGMA incremental_vacuum", NULL, NULL, NULL)
               : result;
}

static int64_t days_before(int64_t now_ms, uint64_t days)
{
    return now_ms - (int64_t)days * DAY_MS;
}

static int one_round(struct db *db, int64_t now_ms)
{
    const struct config *config = db->config;
    int result = db_run(db,
                        "DELETE FROM tasks WHERE expires_ms > 0 AND expires_ms <= ? AND NOT EXISTS"
                        " (SELECT 1 FROM invocations i WHERE i.id = tasks.id AND state < 3)",
                        "i", now_ms);

    if (result == SQLITE_OK)
        result = by_age(db, SUCCESS " AND evidence = 2",
                        days_before(now_ms, config->retention_evidence_days), drop_evidence);
    if (result == SQLITE_OK)
        result = by_age(db, SUCCESS " AND " UNCLAIMED, days_before(now_ms, config->retention_days),
                        drop_record);
    if (result == SQLITE_OK)
        result = by_age(db, OTHERS " AND " UNCLAIMED,
                        days_before(now_ms, config->retention_failure_days), drop_record);
    return result == SQLITE_OK ? by_size(db) : result;
}

int retain(struct db *db, int64_t now_ms)
{
    char path[4096];
    int fd, result = SQLITE_OK;

    snprintf(path, sizeof(path), "%s/retain.lock", db->root);
    fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0)
        return SQLITE_CANTOPEN;
    if (!flock(fd, LOCK_EX | LOCK_NB)) {
        snprintf(path, sizeof(path), "%s/trash", db->root);
        file_remove_tree(path); /* of a round that was cut short */
        if (!file_make_folders(path))
            result = one_round(db, now_ms);
    }
    fd_close(fd);
    return result;
}

struct retain_job {
    struct job job;
    store_cb cb;
    void *data;
};

static int retain_step_now(struct db *db, struct job *job)
{
    (void)job;
    return retain(db, clock_wall_ms());
}

static void retain_work(struct job *job)
{
    struct db *db;

    job->status = store_status_of(store_on_primary(job->lane, job, retain_step_now, &db));
    if (job->status != STORE_OK)
        buf_add(&job->words, job->lane->why.data, job->lane->why.len);
}

static void retain_done(struct job *job)
{
    struct retain_job *r = (struct retain_job *)job;

    if (r->cb)
        r->cb(r->data, job->status, job_words(job));
}

void store_retain(struct store *store, store_cb cb, void *data)
{
    struct retain_job *r = job_new(sizeof(*r), retain_work, retain_done);

    r->cb = cb;
    r->data = data;
    job_submit(&store->writer, &r->job);
}
