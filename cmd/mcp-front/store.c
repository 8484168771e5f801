#include "cmd/mcp-front/lane.h"
#include "cmd/mcp-front/record.h"
#include "cmd/mcp-front/scrub.h"
#include "common/base/clock.h"
#include "common/io/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const state_names[] = {
    [STATE_QUEUED] = "queued",       [STATE_STARTING] = "starting",
    [STATE_RUNNING] = "running",     [STATE_SUCCEEDED] = "succeeded",
    [STATE_FAILED] = "failed",       [STATE_CANCELLED] = "cancelled",
    [STATE_TIMED_OUT] = "timed_out", [STATE_INTERRUPTED] = "interrupted",
};

const char *store_state_name(enum store_state state)
{
    return state_names[state];
}

bool store_state_parse(const char *name, enum store_state *state)
{
    for (int i = STATE_QUEUED; i <= STATE_INTERRUPTED; i++) {
        if (!strcmp(name, state_names[i])) {
            *state = (enum store_state)i;
            return true;
        }
    }
    return false;
}

bool store_state_final(enum store_state state)
{
    return state >= STATE_SUCCEEDED;
}

static void lane_init(struct lane *lane, struct store *store, bool writes)
{
    *lane = (struct lane){.store = store, .writes = writes};
    lane->end = &lane->first;
    buf_init(&lane->why, 0);
}

struct store *store_new(uv_loop_t *loop, const struct config *config)
{
    struct store *store = calloc(1, sizeof(*store));

    if (!store || uv_mutex_init(&store->mutex) || !lease_name(store->owner)) {
        free(store);
        return NULL;
    }
    store->loop = loop;
    store->config = config;
    store->lease = -1;
    buf_init(&store->late, 0);
    lane_init(&store->writer, store, true);
    lane_init(&store->reader, store, false);
    return store;
}

/* What the database was set aside for is told with the first answer after it. */
static void add_notice(struct job *job, struct db *db)
{
    if (db->notice.len)
        buf_printf(&job->words, "%s%s", job->words.len ? "; " : "", db->notice.data);
    buf_clear(&db->notice);
}

enum store_status store_status_of(int result)
{
    switch (result) {
    case SQLITE_OK:
        return STORE_OK;
    case SQLITE_NOTFOUND:
        return STORE_NOT_FOUND;
    case SQLITE_MISUSE:
        return STORE_FINAL;
    default:
        return STORE_FAILED;
    }
}

int store_on_primary(struct lane *lane, struct job *job, db_step step, struct db **used)
{
    int result = SQLITE_CANTOPEN;

    for (int tries = 0; tries < 2; tries++) {
        *used = lane_primary(lane);
        if (!*used)
            return SQLITE_CANTOPEN;
        result = step(*used, job);
        if (!lane_is_damaged(lane, result)) {
            if (db_status(result) != DB_OK) {
                buf_clear(&lane->why);
                buf_printf(&lane->why, "%s: %s", (*used)->root, sqlite3_errstr(result));
            }
            add_notice(job, *used);
            return result;
        }
    }
    return result;
}

int store_on_either(struct lane *lane, struct job *job, db_step step)
{
    struct db *db;
    int result = store_on_primary(lane, job, step, &db), other = SQLITE_NOTFOUND;

    if (result == SQLITE_OK || result == SQLITE_MISUSE)
        return result;
    db = lane_fallback(lane, false);
    if (db)
        other = step(db, job);
    if (other != SQLITE_NOTFOUND)
        return other;
    if (store_status_of(result) == STORE_FAILED)
        buf_add(&job->words, lane->why.data, lane->why.len);
    return result;
}

struct begin_job {
    struct job job;
    struct store_begin begin;
    char *folder;
    store_begin_cb cb;
    void *data;
};

static int begin_step(struct db *db, struct job *job)
{
    struct begin_job *b = (struct begin_job *)job;

    return record_begin(db, &b->begin, &b->folder);
}

static void begin_work(struct job *job)
{
    struct lane *lane = job->lane;
    struct db *db;
    int result = store_on_primary(lane, job, begin_step, &db);

    if (result == SQLITE_OK)
        return;
    buf_printf(&job->words, "%sthis invocation is kept only until the server ends: %s",
               job->words.len ? "; " : "", lane->why.data);
    db = lane_fallback(lane, true);
    result = db ? begin_step(db, job) : SQLITE_CANTOPEN;
    if (result != SQLITE_OK)
        job->status = STORE_FAILED;
}

void store_add_late(struct job *job)
{
    struct buf *late = &job->lane->store->late;

    if (late->len)
        buf_printf(&job->words, "%s%s", job->words.len ? "; " : "", late->data);
    buf_clear(late);
}

static void begin_done(struct job *job)
{
    struct begin_job *b = (struct begin_job *)job;

    store_add_late(job);
    b->cb(b->data, job->status, b->folder, job_words(job));
    free(b->folder);
}

void store_begin(struct store *store, const struct store_begin *begin, store_begin_cb cb,
                 void *data)
{
    struct begin_job *b = job_new(sizeof(*b), begin_work, begin_done);

    b->begin = *begin;
    b->begin.id = job_copy(&b->job, begin->id);
    b->begin.workspace = job_copy(&b->job, begin->workspace);
    b->begin.command = job_copy(&b->job, begin->command);
    b->begin.startup_args = job_copy_list(&b->job, begin->startup_args);
    b->begin.args = job_copy_list(&b->job, begin->args);
    b->begin.target = job_copy(&b->job, begin->target);
    b->cb = cb;
    b->data = data;
    job_submit(&store->writer, &b->job);
}

/* Jobs whose callback is a store_cb. */
struct plain_job {
    struct job job;
    store_cb cb; /* NULL: nobody asks */
    void *data;
    const char *id;
    enum store_state state;
    int64_t at_ms;
    uint64_t bytes;
    unsigned calls;
};

static void plain_done(struct job *job)
{
    struct plain_job *p = (struct plain_job *)job;

    if (p->cb)
        p->cb(p->data, job->status, job_words(job));
}

static int move_step(struct db *db, struct job *job)
{
    struct plain_job *p = (struct plain_job *)job;

    return record_move(db, p->id, p->state, p->at_ms);
}

static void move_work(struct job *job)
{
    job->status = store_status_of(store_on_either(job->lane, job, move_step));
}

void store_move(struct store *store, const char *id, enum store_state state, int64_t at_ms,
                store_cb cb, void *data)
{
    struct plain_job *p = job_new(sizeof(*p), move_work, plain_done);

    p->cb = cb;
    p->data = data;
    p->id = job_copy(&p->job, id);
    p->state = state;
    p->at_ms = at_ms;
    job_submit(&store->writer, &p->job);
}

static int count_step(struct db *db, struct job *job)
{
    struct plain_job *p = (struct plain_job *)job;

    db_run(db,
           "UPDATE invocations SET visible_bytes = visible_bytes + ?,"
           " inspect_calls = inspect_calls + ? WHERE id = ?",
           "iit", (int64_t)p->bytes, (int64_t)p->calls, p->id);
    return sqlite3_changes(db->sql) ? SQLITE_OK : SQLITE_NOTFOUND;
}

static void count_work(struct job *job)
{
    store_on_either(job->lane, job, count_step);
}

void store_count(struct store *store, const char *id, uint64_t visible_bytes,
                 unsigned inspect_calls)
{
    struct plain_job *p = job_new(sizeof(*p), count_work, plain_done);

    p->id = job_copy(&p->job, id);
    p->bytes = visible_bytes;
    p->calls = inspect_calls;
    job_submit(&store->writer, &p->job);
}

struct find_job {
    struct job job;
    const char *id;
    struct store_record record;
    store_record_cb cb;
    void *data;
};

static int find_step(struct db *db, struct job *job)
{
    struct find_job *f = (struct find_job *)job;

    return record_find(db, f->id, &f->record) ? SQLITE_OK : db_no_row(db);
}

static void find_work(struct job *job)
{
    job->status = store_status_of(store_on_either(job->lane, job, find_step));
}

static void find_done(struct job *job)
{
    struct find_job *f = (struct find_job *)job;

    f->cb(f->data, job->status, job->status == STORE_OK ? &f->record : NULL, job_words(job));
    record_release(&f->record);
}

void store_find(struct store *store, const char *id, store_record_cb cb, void *data)
{
    struct find_job *f = job_new(sizeof(*f), find_work, find_done);

    f->id = job_copy(&f->job, id);
    f->cb = cb;
    f->data = data;
    job_submit(&store->reader, &f->job);
}

struct cancel_job {
    struct plain_job plain;
    const char *reason;
};

static int write_reason(struct db *db, const char *path, const char *reason)
{
    struct json_object *clean = scrub_string(db->redact, reason, strlen(reason));
    int result = file_replace(path, json_object_get_string(clean),
                              (size_t)json_object_get_string_len(clean));

    json_object_put(clean);
    return result ? SQLITE_CANTOPEN : SQLITE_OK;
}

static int cancel_step(struct db *db, struct job *job)
{
    struct cancel_job *c = (struct cancel_job *)job;
    struct store_record record;
    char *path = NULL;
    int result = SQLITE_NOMEM;

    if (!record_find(db, c->plain.id, &record))
        return db_no_row(db);
    if (store_state_final(record.state))
        result = SQLITE_MISUSE;
    else if (record.folder && asprintf(&path, "%s/" STORE_CANCEL, record.folder) >= 0)
        result = write_reason(db, path, c->reason);
    free(path);
    record_release(&record);
    return result;
}

static void cancel_work(struct job *job)
{
    job->status = store_status_of(store_on_either(job->lane, job, cancel_step));
}

void store_ask_cancel(struct store *store, const char *id, const char *reason, store_cb cb,
                      void *data)
{
    struct cancel_job *c = job_new(sizeof(*c), cancel_work, plain_done);

    c->plain.id = job_copy(&c->plain.job, id);
    c->reason = job_copy(&c->plain.job, reason ? reason : "");
    c->plain.cb = cb;
    c->plain.data = data;
    job_submit(&store->writer, &c->plain.job);
}
