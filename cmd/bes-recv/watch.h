/*
 * Descriptors that gRPC knows nothing of, for a thread that waits in server_step. They are in an epoll
 * set; watch_ready handles what is ready. A second thread does nothing but wait, when it was armed,
 * until anything in the set is ready, and wakes the first one:
 *
 *     while (... nothing to do ...) {
 *         watch_ready(&set);
 *         watch_arm(&set);
 *         server_step(server, -1);
 *         watch_disarm(&set);
 *     }
 */
#ifndef BES_RECV_WATCH_H
#define BES_RECV_WATCH_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>

#define WATCH_AT_ONCE 16

struct watch {
    void (*ready)(void *self, uint32_t events); /* of epoll(7) */
    void *self;
    int fd; /* -1: not in the set */
    uint32_t events;
};

struct watch_set {
    int members; /* the epoll set of the descriptors */
    int bell;    /* an epoll set with `members` in it, one-shot: what the second thread waits for */
    int stop;    /* an eventfd in `bell`: the second thread ends */
    pthread_t thread;
    bool running;
    atomic_bool armed;
    void (*wake)(void *self);
    void *wake_self;
    struct epoll_event found[WATCH_AT_ONCE]; /* what watch_ready is going through */
    int found_count;
};

/* 0, or -1 and errno. `wake` is called by the second thread, once for each watch_arm at most. */
int watch_open(struct watch_set *, void (*wake)(void *), void *self);
void watch_close(struct watch_set *);

/*
 * Level-triggered. -1 and errno: EPERM for a regular file, which is always ready. The watch must stay
 * where it is until watch_remove.
 */
int watch_add(struct watch_set *, struct watch *, int fd, uint32_t events);
void watch_change(struct watch_set *, struct watch *, uint32_t events);
/* Before the descriptor is closed. No harm where it is not in the set. */
void watch_remove(struct watch_set *, struct watch *);

/* Handles what is ready now; how many that were. */
int watch_ready(struct watch_set *);
/* From now on the first thing that is ready, or is so already, wakes. */
void watch_arm(struct watch_set *);
/* When the first thread is awake: the second one need not run to wake it. */
void watch_disarm(struct watch_set *);

#endif
