#include "cmd/bes-recv/watch.h"
#include "common/io/fd.h"

#include <errno.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

static void *wait_and_wake(void *self)
{
    struct watch_set *set = self;
    struct epoll_event event;

    for (;;) {
        int n = epoll_wait(set->bell, &event, 1, -1);

        if (n < 0 && errno != EINTR)
            return NULL;
        if (n < 1)
            continue;
        if (event.data.fd == set->stop)
            return NULL;
        atomic_store(&set->armed, false);
        set->wake(set->wake_self);
    }
}

static int ring_for(struct watch_set *set, int operation, int fd, uint32_t events)
{
    struct epoll_event event = {.events = events, .data.fd = fd};

    return epoll_ctl(set->bell, operation, fd, &event);
}

/* Signals are the first thread's: they are to interrupt what it waits for. */
static int start_thread(struct watch_set *set)
{
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    errno = pthread_create(&set->thread, NULL, wait_and_wake, set);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    set->running = !errno;
    return set->running ? 0 : -1;
}

int watch_open(struct watch_set *set, void (*wake)(void *), void *self)
{
    *set = (struct watch_set){.wake = wake, .wake_self = self};
    set->members = epoll_create1(EPOLL_CLOEXEC);
    set->bell = epoll_create1(EPOLL_CLOEXEC);
    set->stop = eventfd(0, EFD_CLOEXEC);
    if (set->members < 0 || set->bell < 0 || set->stop < 0 ||
        ring_for(set, EPOLL_CTL_ADD, set->stop, EPOLLIN) ||
        ring_for(set, EPOLL_CTL_ADD, set->members, EPOLLONESHOT) || start_thread(set)) {
        int saved = errno;

        watch_close(set);
        errno = saved;
        return -1;
    }
    return 0;
}

void watch_close(struct watch_set *set)
{
    uint64_t one = 1;

    if (set->running) {
        fd_write_full(set->stop, &one, sizeof(one));
        pthread_join(set->thread, NULL);
        set->running = false;
    }
    fd_drop(&set->stop);
    fd_drop(&set->bell);
    fd_drop(&set->members);
}

int watch_add(struct watch_set *set, struct watch *w, int fd, uint32_t events)
{
    struct epoll_event event = {.events = events, .data.ptr = w};

    w->fd = -1;
    if (epoll_ctl(set->members, EPOLL_CTL_ADD, fd, &event))
        return -1;
    w->fd = fd;
    w->events = events;
    return 0;
}

void watch_change(struct watch_set *set, struct watch *w, uint32_t events)
{
    struct epoll_event event = {.events = events, .data.ptr = w};

    if (w->fd < 0 || w->events == events)
        return;
    w->events = events;
    epoll_ctl(set->members, EPOLL_CTL_MOD, w->fd, &event);
}

void watch_remove(struct watch_set *set, struct watch *w)
{
    if (w->fd < 0)
        return;
    epoll_ctl(set->members, EPOLL_CTL_DEL, w->fd, NULL);
    w->fd = -1;
    for (int i = 0; i < set->found_count; i++)
        if (set->found[i].data.ptr == w)
            set->found[i].data.ptr = NULL;
}

int watch_ready(struct watch_set *set)
{
    int count = epoll_wait(set->members, set->found, WATCH_AT_ONCE, 0);

    set->found_count = count < 0 ? 0 : count;
    for (int i = 0; i < set->found_count; i++) {
        struct watch *w = set->found[i].data.ptr;

        if (w)
            w->ready(w->self, set->found[i].events);
    }
    count = set->found_count;
    set->found_count = 0;
    return count;
}

void watch_arm(struct watch_set *set)
{
    if (!atomic_exchange(&set->armed, true))
        ring_for(set, EPOLL_CTL_MOD, set->members, EPOLLIN | EPOLLONESHOT);
}

void watch_disarm(struct watch_set *set)
{
    if (atomic_exchange(&set->armed, false))
        ring_for(set, EPOLL_CTL_MOD, set->members, EPOLLONESHOT);
}
