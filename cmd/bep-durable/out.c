#include "cmd/bep-durable/out.h"
#include "common/io/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

int out_open(struct out *o, int fd)
{
    struct stat st;
    int own;

    *o = (struct out){.fd = -1, .kind = OUT_NONE, .given = fd};
    if (fd_is_terminal(fd))
        return 0;
    if (fstat(fd, &st))
        return -1;
    o->fd = fd;
    if (S_ISSOCK(st.st_mode)) {
        o->kind = OUT_SOCKET;
    } else if (!S_ISFIFO(st.st_mode)) {
        o->kind = OUT_PLAIN;
    } else if ((own = fd_open_again(fd, O_WRONLY | O_NONBLOCK)) >= 0) {
        o->fd = own;
        o->kind = OUT_OWN;
    } else {
        o->kind = OUT_PIPE;
    }
    return 0;
}

static enum out_status end(struct out *o, enum out_status status)
{
    int saved = errno;

    if (o->fd != o->given)
        fd_close(o->fd);
    fd_to_null(o->given); /* the number stays taken: no other file must become stdout */
    o->fd = -1;
    o->kind = OUT_NONE;
    errno = saved;
    return status;
}

void out_leave(struct out *o)
{
    end(o, OUT_GONE);
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

int out_close(struct out *o)
{
    int status;

    if (o->fd != o->given)
        fd_close(o->fd);
    status = fd_close(o->given);
    *o = (struct out){.fd = -1, .kind = OUT_NONE, .given = -1};
    return status;
}
