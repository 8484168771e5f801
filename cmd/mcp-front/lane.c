#include "cmd/mcp-front/lane.h"
#include "common/base/err.h"
#include "common/io/fd.h"
#include "common/io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define RESERVE_BYTES (128UL * 1024)

void *job_new(size_t size, void (*work)(struct job *), void (*done)(struct job *))
{
    struct job *job = calloc(1, size);

    if (!job)
        err_die_memory();
    job->work = work;
    job->done = done;
    buf_init(&job->words, 0);
    return job;
}

const char *job_copy(struct job *job, const char *text)
{
    char *copy = text ? arena_strndup(&job->arena, text, strlen(text)) : NULL;

    if (text && !copy)
        err_die_memory();
    return copy;
}

const char *const *job_copy_list(struct job *job, const char *const *items)
{
    const char **copy;
    size_t n = 0;

    while (items && items[n])
        n++;
    copy = arena_alloc(&job->arena, (n + 1) * sizeof(*copy));
    if (!copy)
        err_die_memory();
    for (size_t i = 0; i < n; i++)
        copy[i] = job_copy(job, items[i]);
    copy[n] = NULL;
    return copy;
}

const char *job_words(struct job *job)
{
    return job->words.len ? job->words.data : NULL;
}

static void start_next(struct lane *);

static void run(uv_work_t *work)
{
    struct lane *lane = work->data;

    lane->running->work(lane->running);
}

static void after(uv_work_t *work, int status)
{
    struct lane *lane = work->data;
    struct job *job = lane->running;

    (void)status;
    lane->running = NULL;
    start_next(lane);
    if (job->done)
        job->done(job);
    arena_release(&job->arena);
    buf_release(&job->words);
    free(job);
}

static void start_next(struct lane *lane)
{
    lane->running = lane->first;
    if (!lane->running)
        return;
    lane->first = lane->running->next;
    if (!lane->first)
        lane->end = &lane->first;
    lane->work.data = lane;
    uv_queue_work(lane->store->loop, &lane->work, run, after);
}

void job_submit(struct lane *lane, struct job *job)
{
    job->lane = lane;
    job->next = NULL;
    *lane->end = job;
    lane->end = &job->next;
    if (!lane->running)
        start_next(lane);
}

static bool open_primary(struct lane *lane, bool suspect)
{
    struct store *store = lane->store;
    const char *root = store->config->cache_root;
    enum db_status status;

    buf_clear(&lane->why);
    status = db_open(&lane->primary, root, store->config, store->owner, suspect, &lane->why);
    /* Reading works on what cannot be written, too. */
    if (status != DB_OK && (lane->writes || status != DB_UNWRITABLE || !lane->primary.sql)) {
        db_close(&lane->primary);
        return false;
    }
    if (lane->writes && store->lease < 0)
        store->lease = lease_take(root, store->owner);
    if (lane->writes && store->lease < 0) {
        buf_printf(&lane->why, "%s/owners: %s", root, strerror(errno));
        db_close(&lane->primary);
        return false;
    }
    if (lane->writes)
        reserve_make(root);
    return true;
}

struct db *lane_primary(struct lane *lane)
{
    if (lane->primary.root && !db_is_current(&lane->primary))
        db_close(&lane->primary);
    if (!lane->primary.root && !open_primary(lane, lane->primary.suspect))
        return NULL;
    lease_recover(&lane->primary);
    return &lane->primary;
}

bool lane_is_damaged(struct lane *lane, int result)
{
    if (db_status(result) != DB_DAMAGED)
        return false;
    db_close(&lane->primary);
    lane->primary.suspect = true;
    return true;
}

/* The folder for what the store cannot take; NULL and errno. */
static const char *temporary_folder(struct store *store, bool make)
{
    const char *base = getenv("TMPDIR");
    char *path;

    uv_mutex_lock(&store->mutex);
    if (!store->temporary && make &&
        asprintf(&path, "%s/mcp-front-XXXXXX", base && *base ? base : "/tmp") >= 0) {
        store->temporary = mkdtemp(path);
        if (!store->temporary)
            free(path);
    }
    uv_mutex_unlock(&store->mutex);
    return store->temporary;
}

struct db *lane_fallback(struct lane *lane, bool make)
{
    struct store *store = lane->store;
    struct buf why = BUF_INIT;
    const char *root;

    if (lane->fallback.root)
        return &lane->fallback;
    root = temporary_folder(store, make);
    if (!root)
        return NULL;
    if (db_open(&lane->fallback, root, store->config, store->owner, false, &why) != DB_OK)
        db_close(&lane->fallback);
    buf_release(&why);
    return lane->fallback.root ? &lane->fallback : NULL;
}

void lane_close(struct lane *lane)
{
    db_close(&lane->primary);
    db_close(&lane->fallback);
    buf_release(&lane->why);
}

static bool reserve_path(const char *root, char *path, size_t size)
{
    return snprintf(path, size, "%s/reserve", root) < (int)size;
}

void reserve_make(const char *root)
{
    char path[4096];
    struct stat st;
    int fd;

    if (!reserve_path(root, path, sizeof(path)) ||
        (!stat(path, &st) && st.st_size == RESERVE_BYTES))
        return;
    fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return;
    if (posix_fallocate(fd, 0, RESERVE_BYTES))
        unlink(path);
    fd_close(fd);
}

bool reserve_release(const char *root)
{
    char path[4096];

    return reserve_path(root, path, sizeof(path)) && !unlink(path);
}
