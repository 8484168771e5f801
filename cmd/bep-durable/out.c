#include "cmd/bep-durable/out.h"
#include "common/io/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* Frees what is open there, but not the number: no other file must become stdout. */
static void leave(int fd)
{
    int null = fd_open_null(O_WRONLY);

    dup3(null, fd, O_CLOEXEC);
    fd_close(null);
}

/* Through /proc, so that O_NONBLOCK is ours alone. ENXIO: a pipe without a reader. */
static enum out_status open_pipe(struct out *o, int fd)
{
    char path[sizeof("/proc/self/fd/") + 3 * sizeof(int)];
    int own;

    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    own = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    if (own < 0 && errno == ENXIO) {
        leave(fd);
        return OUT_GONE;
    }
    *o = (struct out){.fd = own < 0 ? fd : own, .kind = own < 0 ? OUT_PIPE : OUT_OWN};
    if (own >= 0)
        leave(fd);
    return OUT_OK;
}

enum out_status out_open(struct out *o, int fd)
{
    struct stat st;

    *o = (struct out){.fd = -1, .kind = OUT_NONE};
    if (fd_is_terminal(fd))
        return OUT_OK;
    if (fstat(fd, &st))
        return OUT_FAILED;
    if (S_ISFIFO(st.st_mode))
        return open_pipe(o, fd);
    *o = (struct out){.fd = fd, .kind = S_ISSOCK(st.st_mode) ? OUT_SOCKET : OUT_PLAIN};
    return OUT_OK;
}

static enum out_status end(struct out *o, enum out_status status)
{
    int saved = errno;

    leave(o->fd);
    *o = (struct out){.fd = -1, .kind = OUT_NONE};
    errno = saved;
    return status;
}

static ssize_t write_some(const struct out *o, const void *bytes, size_t len)
{
    switch (o->kind) {
    case OUT_SOCKET:
        return send(o->fd, bytes, len, MSG_DONTWAIT | MSG_NOSIGNAL);
    case OUT_PIPE:
        if (fd_wait(o->fd, POLLOUT, 0) == 0) {
            errno = EAGAIN;
            return -1;
        }
        return write(o->fd, bytes, len < PIPE_BUF ? len : PIPE_BUF);
    default:
        return write(o->fd, bytes, len);
    }
}

enum out_status out_write(struct out *o, const void *bytes, size_t len, size_t *done)
{
    *done = 0;
    while (*done < len) {
        ssize_t n = write_some(o, (const char *)bytes + *done, len - *done);
        if (n > 0)
            *done += (size_t)n;
        else if (n == 0 || errno == EAGAIN)
            return OUT_FULL;
        else if (errno == EPIPE || errno == ECONNRESET)
            return end(o, OUT_GONE);
        else if (errno != EINTR)
            return end(o, OUT_FAILED);
    }
    return OUT_OK;
}

enum out_status out_close(struct out *o)
{
    enum out_status status = fd_close(o->fd) ? OUT_FAILED : OUT_OK;

    o->fd = -1;
    o->kind = OUT_NONE;
    return status;
}
