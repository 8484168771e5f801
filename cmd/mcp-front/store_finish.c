#include "cmd/mcp-front/lane.h"
#include "cmd/mcp-front/record.h"
#include "common/base/clock.h"
#include "common/base/err.h"
#include "common/io/file.h"

#include <stdlib.h>

struct finish_job {
    struct job job;
    struct store_end end;
    struct record_files files;
    store_cb cb;
    void *data;
};

/* What follows the answer to the caller. */
struct settle_job {
    struct job job;
    const char *id;
    struct record_files files;
};

static int finish_step(struct db *db, struct job *job)
{
    struct finish_job *f = (struct finish_job *)job;

    return record_finish(db, &f->end, &f->files);
}

static int brief_step(struct db *db, struct job *job)
{
    struct finish_job *f = (struct finish_job *)job;

    return record_finish_brief(db, &f->end);
}

/* What is left of an end that found no room, tried again with each later job. */
static void keep_for_later(struct store *store, const struct store_end *end)
{
    struct finish_job *f = job_new(sizeof(*f), NULL, NULL);

    f->end = (struct store_end){.id = job_copy(&f->job, end->id),
                                .state = end->state,
                                .exit_code = end->exit_code,
                                .outcome = job_copy(&f->job, end->outcome),
                                .finished_ms = end->finished_ms};
    f->job.next = store->unwritten;
    store->unwritten = &f->job;
}

static void retry_unwritten(struct lane *lane)
{
    struct job **at = &lane->store->unwritten;

    while (*at) {
        struct job *job = *at;
        struct db *db;
        int result = store_on_primary(lane, job, brief_step, &db);
        if (store_status_of(result) == STORE_FAILED) {
            at = &job->next;
            continue;
        }
        *at = job->next;
        arena_release(&job->arena);
        buf_release(&job->words);
        free(job);
    }
}

static void finish_work(struct job *job)
{
    struct finish_job *f = (struct finish_job *)job;
    struct lane *lane = job->lane;
    int result;

    retry_unwritten(lane);
    result = store_on_either(lane, job, finish_step);
    job->status = store_status_of(result);
    if (job->status != STORE_FAILED)
        return;
    record_files_release(&f->files);
    buf_clear(&job->words);
    buf_printf(&job->words, "the details of this invocation could not be kept: %s", lane->why.data);
    reserve_release(lane->store->config->cache_root);
    if (store_status_of(store_on_either(lane, job, brief_step)) == STORE_FAILED)
        keep_for_later(lane->store, &f->end);
    job->status = STORE_OK;
}

static int settle_step(struct db *db, struct job *job)
{
    struct settle_job *s = (struct settle_job *)job;

    return record_settle(db, s->id, &s->files);
}

static void settle_work(struct job *job)
{
    job->status = store_status_of(store_on_either(job->lane, job, settle_step));
    reserve_make(job->lane->store->config->cache_root);
}

/* The caller has had his answer: the next one is told, and whoever reads our words. */
static void settle_done(struct job *job)
{
    struct settle_job *s = (struct settle_job *)job;
    struct buf *late = &job->lane->store->late;

    if (job->status == STORE_FAILED) {
        buf_printf(late, "%sinvocation %s may be lost when the power fails: %s",
                   late->len ? "; " : "", s->id, job->words.data);
        err_say("%s", late->data);
    }
    record_files_release(&s->files);
}

static void settle(struct lane *lane, struct finish_job *f)
{
    struct settle_job *s = job_new(sizeof(*s), settle_work, settle_done);

    s->id = job_copy(&s->job, f->end.id);
    s->files = f->files;
    f->files = (struct record_files){.summary = BUF_INIT};
    job_submit(lane, &s->job);
}

static void finish_done(struct job *job)
{
    struct finish_job *f = (struct finish_job *)job;

    /* First: the callback may close the store. */
    if (f->files.end)
        settle(job->lane, f);
    store_add_late(job);
    f->cb(f->data, job->status, job_words(job));
}

void store_finish(struct store *store, const struct store_end *end, store_cb cb, void *data)
{
    struct finish_job *f = job_new(sizeof(*f), finish_work, finish_done);

    f->end = *end;
    f->end.id = job_copy(&f->job, end->id);
    f->end.outcome = job_copy(&f->job, end->outcome);
    f->end.termination = job_copy(&f->job, end->termination);
    f->end.headline = job_copy(&f->job, end->headline);
    f->end.summary = job_copy(&f->job, end->summary);
    f->end.cancel_reason = job_copy(&f->job, end->cancel_reason);
    buf_init(&f->files.summary, 0);
    f->cb = cb;
    f->data = data;
    job_submit(&store->writer, &f->job);
}

/* A server that was never asked for anything has opened nothing, and opens nothing now. */
static void close_work(struct job *job)
{
    struct lane *lane = job->lane;
    struct store *store = lane->store;

    if (lane->writes && lane->primary.root) {
        retry_unwritten(lane);
        db_run(&lane->primary,
               "UPDATE invocations SET state = ?, finished_ms = ?, outcome = 'interrupted'"
               " WHERE owner = ? AND state < 3",
               "iit", (int64_t)STATE_INTERRUPTED, clock_wall_ms(), store->owner);
    }
    lane_close(lane);
    if (lane->writes)
        lease_drop(store->config->cache_root, store->owner, store->lease);
}

static void free_store(struct store *store)
{
    while (store->unwritten) {
        struct job *job = store->unwritten;
        store->unwritten = job->next;
        arena_release(&job->arena);
        free(job);
    }
    buf_release(&store->late);
    uv_mutex_destroy(&store->mutex);
    free(store);
}

static void remove_work(struct job *job)
{
    file_remove_tree(job->lane->store->temporary);
}

static void remove_done(struct job *job)
{
    struct store *store = job->lane->store;

    free(store->temporary);
    store->temporary = NULL;
    store->closed(store->closed_data);
    free_store(store);
}

static void close_done(struct job *job)
{
    struct store *store = job->lane->store;

    if (--store->closing)
        return;
    if (store->temporary) {
        job_submit(&store->writer, job_new(sizeof(struct job), remove_work, remove_done));
        return;
    }
    store->closed(store->closed_data);
    free_store(store);
}

void store_close(struct store *store, void (*closed)(void *data), void *data)
{
    store->closed = closed;
    store->closed_data = data;
    store->closing = 2;
    job_submit(&store->writer, job_new(sizeof(struct job), close_work, close_done));
    job_submit(&store->reader, job_new(sizeof(struct job), close_work, close_done));
}
