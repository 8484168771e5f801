#include "common/ack/listener.h"
#include "common/io/fd.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Closed at one go, so that somebody who connects in a loop cannot keep us from the stream. */
#define ACCEPTS_A_TURN 16

static int bind_private(int fd, const struct ack_address *a)
{
    mode_t mask = umask(0177);
    int status = bind(fd, (const struct sockaddr *)&a->un, a->len);

    umask(mask);
    return status;
}

/* Whether the path is a socket of ours that nobody listens on. */
static bool is_left_over(const struct ack_address *a)
{
    struct stat st;
    bool refused;
    int fd;

    if (lstat(a->un.sun_path, &st) || !S_ISSOCK(st.st_mode) || st.st_uid != geteuid())
        return false;
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    refused =
        fd >= 0 && connect(fd, (const struct sockaddr *)&a->un, a->len) && errno == ECONNREFUSED;
    fd_drop(&fd);
    return refused;
}

static int bind_address(int fd, const struct ack_address *a)
{
    bool is_path = a->un.sun_path[0];

    if (!bind_private(fd, a))
        return 0;
    if (errno != EADDRINUSE || !is_path)
        return -1;
    if (!is_left_over(a)) {
        errno = EADDRINUSE;
        return -1;
    }
    return unlink(a->un.sun_path) ? -1 : bind_private(fd, a);
}

int ack_listen(struct ack_listener *l, const struct ack_address *a)
{
    *l = (struct ack_listener)ACK_LISTENER_INIT;
    l->listen_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (l->listen_fd < 0)
        return -1;
    if (bind_address(l->listen_fd, a) || listen(l->listen_fd, SOMAXCONN)) {
        fd_drop(&l->listen_fd);
        return -1;
    }
    memcpy(l->path, a->un.sun_path, sizeof(l->path));
    return 0;
}

static bool has_news(const struct ack_listener *l)
{
    return l->part_len || !l->greeted || l->sent != l->accepted;
}

void ack_listener_poll(const struct ack_listener *l, struct pollfd *fds)
{
    fds[0] = (struct pollfd){.fd = l->listen_fd, .events = POLLIN};
    fds[1] = (struct pollfd){.fd = l->fd, .events = POLLIN};
    if (has_news(l))
        fds[1].events |= POLLOUT;
}

static void drop_connector(struct ack_listener *l)
{
    fd_drop(&l->fd);
    l->greeted = false;
    l->part_len = 0;
}

/* True: sent whole. False: there is no room for the rest, or nobody there any more. */
static bool send_part(struct ack_listener *l)
{
    ssize_t n;

    do
        n = send(l->fd, l->part, l->part_len, MSG_DONTWAIT | MSG_NOSIGNAL);
    while (n < 0 && errno == EINTR);
    if (n < 0 && errno != EAGAIN)
        drop_connector(l);
    if (n <= 0)
        return false;
    l->part_len -= (size_t)n;
    memmove(l->part, l->part + n, l->part_len);
    return !l->part_len;
}

/* Only the newest number counts, but one that is sent in part comes to its end first. */
static void send_news(struct ack_listener *l)
{
    while (l->fd >= 0 && has_news(l)) {
        if (l->part_len % ACK_NUMBER_BYTES == 0) {
            for (int i = 0; i < ACK_NUMBER_BYTES; i++)
                l->part[i] = (uint8_t)(l->accepted >> (8 * i));
            l->part_len = ACK_NUMBER_BYTES;
            l->sent = l->accepted;
            l->greeted = true;
        }
        if (!send_part(l))
            break;
    }
}

void ack_listener_accepted(struct ack_listener *l, uint64_t frames)
{
    l->accepted = frames;
    send_news(l);
}

/* A connector never sends: what can be read is its end, or noise, which is thrown away. */
static void look_at_connector(struct ack_listener *l)
{
    char noise[256];
    ssize_t n = fd_read(l->fd, noise, sizeof(noise));

    if (n == 0 || (n < 0 && errno != EAGAIN))
        drop_connector(l);
}

static void take_connectors(struct ack_listener *l)
{
    for (int i = 0; i < ACCEPTS_A_TURN; i++) {
        int fd = accept4(l->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd < 0 && (errno == EINTR || errno == ECONNABORTED))
            continue;
        if (fd < 0 && errno != EAGAIN)
            fd_drop(&l->listen_fd); /* EMFILE: it would stay readable, and poll would spin */
        if (fd < 0)
            return;
        if (l->fd < 0 && ack_peer_is_ours(fd))
            l->fd = fd;
        else
            fd_close(fd);
    }
}

void ack_listener_serve(struct ack_listener *l, const struct pollfd *fds)
{
    if (l->fd >= 0 && (fds[1].revents & (POLLIN | POLLHUP | POLLERR)))
        look_at_connector(l);
    if (fds[0].revents)
        take_connectors(l);
    send_news(l);
}

void ack_listener_release(struct ack_listener *l)
{
    fd_drop(&l->fd);
    fd_drop(&l->listen_fd);
    if (l->path[0])
        unlink(l->path);
    *l = (struct ack_listener)ACK_LISTENER_INIT;
}
