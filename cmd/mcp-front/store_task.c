#include "cmd/mcp-front/lane.h"
#include "cmd/mcp-front/policy.h"
#include "common/base/clock.h"

#include <stdlib.h>
#include <string.h>

#define LIST_MAX 1000

struct save_job {
    struct job job;
    struct store_task task;
    store_cb cb;
    void *data;
};

/* The promise to keep a result until some time only grows. */
static int save_step(struct db *db, struct job *job)
{
    const struct store_task *t = &((struct save_job *)job)->task;

    if (db_number(db, -1, "SELECT state FROM invocations WHERE id = ?", "t", t->id) < 0)
        return db_no_row(db);
    return db_run(
        db,
        "INSERT INTO tasks VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT(id) DO UPDATE SET"
        " status = excluded.status, message = excluded.message,"
        " updated_ms = excluded.updated_ms, ttl_ms = max(ttl_ms, excluded.ttl_ms),"
        " expires_ms = max(expires_ms, excluded.expires_ms),"
        " result = coalesce(excluded.result, result)",
        "ttttiiiit", t->id, t->dialect, t->status, t->message, t->created_ms, t->updated_ms,
        t->ttl_ms, t->expires_ms, t->result);
}

static void save_work(struct job *job)
{
    job->status = store_status_of(store_on_either(job->lane, job, save_step));
}

static void save_done(struct job *job)
{
    struct save_job *s = (struct save_job *)job;

    if (s->cb)
        s->cb(s->data, job->status, job_words(job));
}

void store_task_save(struct store *store, const struct store_task *task, store_cb cb, void *data)
{
    struct save_job *s = job_new(sizeof(*s), save_work, save_done);

    s->task = *task;
    s->task.dialect = job_copy(&s->job, task->dialect);
    s->task.status = job_copy(&s->job, task->status);
    s->task.message = job_copy(&s->job, task->message);
    s->task.result = job_copy(&s->job, task->result);
    s->cb = cb;
    s->data = data;
    job_submit(&store->writer, &s->job);
}

struct look_job {
    struct job job;
    const char *id;
    const char *dialect, *before_id;
    int64_t before_ms;
    size_t limit;
    struct store_task *tasks;
    size_t count;
    store_task_cb cb;
    void *data;
};

#define COLUMNS                                                                                    \
    "SELECT t.id, dialect, status, message, created_ms, updated_ms, ttl_ms, expires_ms, result,"   \
    " state, workspace FROM tasks t JOIN invocations i ON i.id = t.id WHERE "
#define UNEXPIRED "(state < 3 OR expires_ms = 0 OR expires_ms > ?)"

static const char *copy(struct job *job, sqlite3_stmt *row, int column)
{
    return job_copy(job, (const char *)sqlite3_column_text(row, column));
}

static void take_rows(struct look_job *look, struct db *db, sqlite3_stmt *rows)
{
    while (rows && look->count < look->limit && sqlite3_step(rows) == SQLITE_ROW) {
        struct store_task *t = &look->tasks[look->count];
        if (!policy_inside_roots(db->config, db_text(rows, 10)))
            continue;
        *t = (struct store_task){
            .dialect = copy(&look->job, rows, 1),
            .status = copy(&look->job, rows, 2),
            .message = copy(&look->job, rows, 3),
            .created_ms = sqlite3_column_int64(rows, 4),
            .updated_ms = sqlite3_column_int64(rows, 5),
            .ttl_ms = sqlite3_column_int64(rows, 6),
            .expires_ms = sqlite3_column_int64(rows, 7),
            .result = copy(&look->job, rows, 8),
            .state = (enum store_state)sqlite3_column_int(rows, 9),
        };
        db_id(rows, 0, t->id);
        look->count++;
    }
    sqlite3_finalize(rows);
}

static int look_step(struct db *db, struct job *job)
{
    struct look_job *look = (struct look_job *)job;

    if (!look->tasks)
        look->tasks = calloc(look->limit, sizeof(*look->tasks));
    if (!look->tasks)
        return SQLITE_NOMEM;
    if (look->id)
        take_rows(look, db,
                  db_query(db, COLUMNS "t.id = ? AND " UNEXPIRED, "ti", look->id, clock_wall_ms()));
    else
        take_rows(look, db,
                  db_query(db,
                           COLUMNS "dialect = ? AND (created_ms, t.id) < (?, ?) AND " UNEXPIRED
                                   " ORDER BY created_ms DESC, t.id DESC",
                           "titi", look->dialect, look->before_id ? look->before_ms : INT64_MAX,
                           look->before_id ? look->before_id : "", clock_wall_ms()));
    /* A list is complete only with those of the temporary database, which is asked next. */
    return look->count && (look->id || look->count == look->limit) ? SQLITE_OK : db_no_row(db);
}

static void look_work(struct job *job)
{
    struct look_job *look = (struct look_job *)job;

    job->status = store_status_of(store_on_either(job->lane, job, look_step));
    if (!look->id && job->status == STORE_NOT_FOUND)
        job->status = STORE_OK;
}

static void look_done(struct job *job)
{
    struct look_job *look = (struct look_job *)job;

    look->cb(look->data, job->status, look->tasks, look->count, job_words(job));
    free(look->tasks);
}

static struct look_job *look_new(store_task_cb cb, void *data, size_t limit)
{
    struct look_job *look = job_new(sizeof(*look), look_work, look_done);

    look->limit = limit && limit < LIST_MAX ? limit : LIST_MAX;
    look->cb = cb;
    look->data = data;
    return look;
}

void store_task_find(struct store *store, const char *id, store_task_cb cb, void *data)
{
    struct look_job *look = look_new(cb, data, 1);

    look->id = job_copy(&look->job, id);
    job_submit(&store->reader, &look->job);
}

void store_task_list(struct store *store, const char *dialect, int64_t before_ms,
                     const char *before_id, size_t limit, store_task_cb cb, void *data)
{
    struct look_job *look = look_new(cb, data, limit);

    look->dialect = job_copy(&look->job, dialect);
    look->before_ms = before_ms;
    look->before_id = job_copy(&look->job, before_id);
    job_submit(&store->reader, &look->job);
}
