#include "cmd/mcp-front/watch.h"
#include "common/io/fd.h"

#include <errno.h>
#include <sys/epoll.h>

static void on_poll(uv_poll_t *poll, int status, int events)
{
    struct watch *w = poll->data;

    (void)status;
    (void)events;
    w->ready(w->data);
}

static void on_idle(uv_idle_t *idle)
{
    struct watch *w = idle->data;

    w->ready(w->data);
}

int watch_open(struct watch *w, uv_loop_t *loop, int fd, bool for_writing,
               void (*ready)(void *data), void *data)
{
    struct epoll_event event = {.events = for_writing ? EPOLLOUT : EPOLLIN | EPOLLRDHUP};

    *w = (struct watch){.epoll = epoll_create1(EPOLL_CLOEXEC), .ready = ready, .data = data};
    if (w->epoll < 0)
        return -1;
    if (epoll_ctl(w->epoll, EPOLL_CTL_ADD, fd, &event)) {
        fd_drop(&w->epoll);
        if (errno != EPERM)
            return -1;
    }
    if (w->epoll >= 0)
        uv_poll_init(loop, &w->poll, w->epoll);
    else
        uv_idle_init(loop, &w->idle);
    w->poll.data = w->idle.data = w;
    w->open = true;
    return 0;
}

void watch_start(struct watch *w)
{
    if (!w->open)
        return;
    if (w->epoll >= 0)
        uv_poll_start(&w->poll, UV_READABLE, on_poll);
    else
        uv_idle_start(&w->idle, on_idle);
}

void watch_stop(struct watch *w)
{
    if (!w->open)
        return;
    if (w->epoll >= 0)
        uv_poll_stop(&w->poll);
    else
        uv_idle_stop(&w->idle);
}

void watch_close(struct watch *w)
{
    if (!w->open)
        return;
    w->open = false;
    uv_close(w->epoll >= 0 ? (uv_handle_t *)&w->poll : (uv_handle_t *)&w->idle, NULL);
    fd_drop(&w->epoll);
}
