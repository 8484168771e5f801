#include "common/io/fd.h"
#include "common/base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>

void fd_start(void)
{
    int fd;

    do {
        fd = open("/dev/null", O_RDWR); /* without O_CLOEXEC: it may become 0, 1 or 2 */
        if (fd < 0 && errno != EINTR)
            _exit(EX_OSERR); /* and nowhere to say so */
    } while (fd <= 2);
    close(fd);
    signal(SIGPIPE, SIG_IGN);
}

ssize_t fd_read(int fd, void *bytes, size_t len)
{
    ssize_t n;

    do
        n = read(fd, bytes, len);
    while (n < 0 && errno == EINTR);
    return n;
}

ssize_t fd_read_full(int fd, void *bytes, size_t len)
{
    size_t got = 0;

    while (got < len) {
        ssize_t n = fd_read(fd, (char *)bytes + got, len - got);
        if (n < 0)
            return -1;
        if (!n)
            break;
        got += (size_t)n;
    }
    return (ssize_t)got;
}

ssize_t fd_pread_full(int fd, void *bytes, size_t len, off_t offset)
{
    size_t got = 0;

    while (got < len) {
        ssize_t n = pread(fd, (char *)bytes + got, len - got, offset + (off_t)got);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        if (!n)
            break;
        got += (size_t)n;
    }
    return (ssize_t)got;
}

ssize_t fd_write(int fd, const void *bytes, size_t len)
{
    ssize_t n;

    do
        n = write(fd, bytes, len);
    while (n < 0 && errno == EINTR);
    return n;
}

ssize_t fd_writev(int fd, const struct iovec *pieces, int count)
{
    ssize_t n;

    do
        n = writev(fd, pieces, count);
    while (n < 0 && errno == EINTR);
    return n;
}

int fd_write_full(int fd, const void *bytes, size_t len)
{
    struct iovec all = {.iov_base = (void *)bytes, .iov_len = len};

    return fd_writev_full(fd, &all, 1);
}

/* Takes `n` written bytes off the front of the vector. */
static void advance(struct iovec **iov, int *count, size_t n)
{
    while (*count && n >= (*iov)->iov_len) {
        n -= (*iov)->iov_len;
        ++*iov;
        --*count;
    }
    if (*count) {
        (*iov)->iov_base = (char *)(*iov)->iov_base + n;
        (*iov)->iov_len -= n;
    }
}

int fd_writev_full(int fd, struct iovec *iov, int count)
{
    advance(&iov, &count, 0);
    while (count) {
        ssize_t n = writev(fd, iov, count);
        if (n < 0 && errno == EAGAIN) {
            if (fd_wait(fd, POLLOUT, -1) < 0)
                return -1;
        } else if (n < 0 && errno != EINTR) {
            return -1;
        } else if (n == 0) {
            errno = ENOSPC; /* a zero-length write that is no error would loop for ever */
            return -1;
        } else if (n > 0) {
            advance(&iov, &count, (size_t)n);
        }
    }
    return 0;
}

int fd_write_unless(int fd, const void *bytes, size_t len, int (*stop)(void))
{
    const char *at = bytes;

    while (len) {
        ssize_t n = write(fd, at, len);
        if (n == (ssize_t)len)
            return 0;
        if (n > 0) {
            at += n;
            len -= (size_t)n;
        } else if (n == 0) {
            errno = ENOSPC;
            return -1;
        } else if (errno == EAGAIN) {
            poll(&(struct pollfd){.fd = fd, .events = POLLOUT}, 1, -1);
        } else if (errno != EINTR) {
            return -1;
        }
        /* A short write of a blocking descriptor is an interrupted one. */
        if (stop()) {
            errno = EINTR;
            return -1;
        }
    }
    return 0;
}

int fd_close(int fd)
{
    if (fd < 0 || !close(fd) || errno == EINTR)
        return 0;
    return -1;
}

void fd_drop(int *fd)
{
    int saved = errno;

    fd_close(*fd);
    *fd = -1;
    errno = saved;
}

int fd_open(const char *path, int flags, mode_t mode)
{
    int fd;

    do
        fd = open(path, flags | O_CLOEXEC, mode);
    while (fd < 0 && errno == EINTR);
    return fd;
}

int fd_open_again(int fd, int flags)
{
    char path[sizeof("/proc/self/fd/") + 3 * sizeof(int)];

    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    return fd_open(path, flags, 0);
}

int fd_pipe(int ends[2])
{
    return pipe2(ends, O_CLOEXEC);
}

static int change_flags(int fd, int get, int set, int flag, bool on)
{
    int flags = fcntl(fd, get);
    int wanted = on ? flags | flag : flags & ~flag;

    if (flags < 0)
        return -1;
    return wanted == flags ? 0 : fcntl(fd, set, wanted);
}

int fd_set_nonblocking(int fd, bool on)
{
    return change_flags(fd, F_GETFL, F_SETFL, O_NONBLOCK, on);
}

int fd_set_cloexec(int fd, bool on)
{
    return change_flags(fd, F_GETFD, F_SETFD, FD_CLOEXEC, on);
}

int fd_open_null(int flags)
{
    return open("/dev/null", flags | O_CLOEXEC);
}

int fd_to_null(int fd)
{
    int null = fd_open_null(O_RDWR);
    int result = null < 0 ? -1 : dup2(null, fd);

    fd_drop(&null);
    return result < 0 ? -1 : 0;
}

bool fd_is_terminal(int fd)
{
    int saved = errno;
    bool is = isatty(fd);

    errno = saved;
    return is;
}

bool fd_is_fifo(int fd)
{
    struct stat st;

    return !fstat(fd, &st) && S_ISFIFO(st.st_mode);
}

int fd_wait(int fd, short events, int timeout_ms)
{
    struct pollfd p = {.fd = fd, .events = events};
    uint64_t deadline = clock_ms() + (uint64_t)(timeout_ms < 0 ? 0 : timeout_ms);
    int n;

    while ((n = poll(&p, 1, timeout_ms)) < 0 && errno == EINTR)
        if (timeout_ms >= 0)
            timeout_ms = clock_left(deadline);
    return n > 0 ? p.revents : n;
}

int fd_dup(int fd)
{
    return fcntl(fd, F_DUPFD_CLOEXEC, 3);
}

int fd_replace(int fd, int from)
{
    int got;

    do
        got = dup2(from, fd);
    while (got < 0 && errno == EINTR);
    return got < 0 ? -1 : 0;
}
