#include "cmd/mcp-front/outlock.h"
#include "cmd/mcp-front/outlock_file.h"
#include "common/base/clock.h"
#include "common/io/fd.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <unistd.h>

/*
 * The kernel tells that a file is closed a moment before it takes the lock from a process that was
 * killed; who tries in that moment tries again after 1, 4, 16, 64 and 256 ms.
 */
#define RETRIES 5

struct outlock {
    struct outlocks *all;
    struct outlock *next;
    char *path;
    char invocation_id[64];
    int fd;
    int watch; /* of inotify; -1: none */
    bool held, called;
    int error;
    outlock_cb cb;
    void *data;
};

struct outlocks {
    uv_loop_t *loop;
    uv_timer_t tick;       /* zero: somebody is to be called or tried */
    uv_poll_t poll;        /* of `inotify` */
    struct outlock *first; /* in the order of outlock_take */
    int inotify;           /* -1: nobody has waited yet */
    int retries;
    int open_handles; /* while closing */
    void (*closed)(void *data);
    void *closed_data;
};

static void on_tick(uv_timer_t *);

static void tick_after(struct outlocks *all, uint64_t ms)
{
    uv_timer_start(&all->tick, on_tick, ms, 0);
}

struct outlocks *outlocks_new(uv_loop_t *loop)
{
    struct outlocks *all = calloc(1, sizeof(*all));

    if (!all)
        return NULL;
    all->loop = loop;
    all->inotify = -1;
    uv_timer_init(loop, &all->tick);
    all->tick.data = all;
    return all;
}

static void on_event(uv_poll_t *poll, int status, int events)
{
    struct outlocks *all = poll->data;
    char bytes[4096] __attribute__((aligned(__alignof__(struct inotify_event))));

    (void)status;
    (void)events;
    while (fd_read(all->inotify, bytes, sizeof(bytes)) > 0)
        ;
    all->retries = RETRIES;
    tick_after(all, 0);
}

static int start_watching(struct outlocks *all)
{
    if (all->inotify >= 0)
        return 0;
    all->inotify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (all->inotify < 0)
        return -1;
    if (uv_poll_init(all->loop, &all->poll, all->inotify)) {
        fd_drop(&all->inotify);
        return -1;
    }
    all->poll.data = all;
    uv_poll_start(&all->poll, UV_READABLE, on_event);
    return 0;
}

static void stop_watch(struct outlock *lock)
{
    if (lock->watch >= 0)
        inotify_rm_watch(lock->all->inotify, lock->watch);
    lock->watch = -1;
}

/* Watches first and tries then, so that no release is missed between the two. */
static int try_lock(struct outlock *lock)
{
    if (lock->fd < 0)
        lock->fd = outlock_file_open(lock->path);
    if (lock->fd < 0 || start_watching(lock->all))
        return -1;
    if (lock->watch < 0)
        lock->watch = inotify_add_watch(lock->all->inotify, lock->path, IN_CLOSE | IN_DELETE_SELF);
    if (lock->watch < 0)
        return -1;
    if (flock(lock->fd, LOCK_EX | LOCK_NB))
        return errno == EWOULDBLOCK ? 0 : -1;
    stop_watch(lock);
    if (!outlock_file_is(lock->fd, lock->path)) {
        /* It was deleted meanwhile, and another may hold a new one by this name. */
        fd_drop(&lock->fd);
        return try_lock(lock);
    }
    lock->held = true;
    outlock_file_sign(lock->fd, lock->invocation_id);
    return 0;
}

/* How many of this server have the lock or come before it. */
static int count_ahead(const struct outlock *lock)
{
    int n = 0;

    for (const struct outlock *other = lock->all->first; other != lock; other = other->next)
        n += !strcmp(other->path, lock->path) && !other->error;
    return n;
}

static void try_all(struct outlocks *all)
{
    bool waiting = false;

    for (struct outlock *lock = all->first; lock; lock = lock->next) {
        if (lock->held || lock->error || count_ahead(lock))
            continue;
        if (try_lock(lock))
            lock->error = errno;
        waiting = waiting || !(lock->held || lock->error);
    }
    if (waiting && all->retries)
        tick_after(all, 1ULL << (2 * (RETRIES - all->retries--)));
}

static struct outlock *next_to_call(struct outlocks *all)
{
    struct outlock *lock = all->first;

    while (lock && (lock->called || !(lock->held || lock->error)))
        lock = lock->next;
    return lock;
}

static void on_tick(uv_timer_t *timer)
{
    struct outlocks *all = timer->data;
    struct outlock *lock;

    try_all(all);
    /* A callback may release any lock, so that each round starts anew. */
    while ((lock = next_to_call(all))) {
        lock->called = true;
        lock->cb(lock->data, lock->error);
    }
}

struct outlock *outlock_take(struct outlocks *all, const char *key, const char *invocation_id,
                             outlock_cb cb, void *data)
{
    struct outlock *lock = calloc(1, sizeof(*lock)), **end = &all->first;

    if (!lock)
        return NULL;
    *lock = (struct outlock){.all = all, .fd = -1, .watch = -1, .cb = cb, .data = data};
    snprintf(lock->invocation_id, sizeof(lock->invocation_id), "%s", invocation_id);
    lock->path = outlock_file_path(key);
    if (!lock->path) {
        free(lock);
        return NULL;
    }
    while (*end)
        end = &(*end)->next;
    *end = lock;
    tick_after(all, 0);
    return lock;
}

bool outlock_waits(struct outlock *lock, struct outlock_owner *owner)
{
    if (lock->held || lock->error)
        return false;
    *owner = (struct outlock_owner){.ahead = count_ahead(lock)};
    outlock_file_owner(lock->path, owner);
    return true;
}

void outlock_release(struct outlock *lock)
{
    struct outlocks *all = lock->all;
    struct outlock **at = &all->first;

    while (*at != lock)
        at = &(*at)->next;
    *at = lock->next;
    stop_watch(lock);
    if (lock->held)
        outlock_file_unsign(lock->fd);
    fd_drop(&lock->fd);
    free(lock->path);
    free(lock);
    tick_after(all, 0);
}

static void on_closed(uv_handle_t *handle)
{
    struct outlocks *all = handle->data;

    if (--all->open_handles)
        return;
    fd_drop(&all->inotify);
    all->closed(all->closed_data);
    free(all);
}

void outlocks_close(struct outlocks *all, void (*closed)(void *data), void *data)
{
    all->closed = closed;
    all->closed_data = data;
    all->open_handles = 1 + (all->inotify >= 0);
    if (all->inotify >= 0)
        uv_close((uv_handle_t *)&all->poll, on_closed);
    uv_close((uv_handle_t *)&all->tick, on_closed);
}
