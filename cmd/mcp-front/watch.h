/*
 * Readiness of a descriptor that we share with others: stdin and stdout belong to whoever started us.
 * libuv makes what it polls non-blocking, and that flag would be seen by the others; so it polls an
 * epoll descriptor of ours that holds the real one. A regular file is always ready.
 */
#ifndef MCP_FRONT_WATCH_H
#define MCP_FRONT_WATCH_H

#include <stdbool.h>
#include <uv.h>

struct watch {
    uv_poll_t poll;
    uv_idle_t idle; /* in place of `poll` for what epoll refuses */
    int epoll;      /* -1: `idle` is used */
    bool open;
    void (*ready)(void *data);
    void *data;
};

/* Stopped at first. `fd` stays the caller's. 0, or -1 and errno. */
int watch_open(struct watch *, uv_loop_t *, int fd, bool for_writing, void (*ready)(void *data),
               void *data);
void watch_start(struct watch *);
void watch_stop(struct watch *);
/* The memory must stay until the loop has let go of its handles. */
void watch_close(struct watch *);

#endif
