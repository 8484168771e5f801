/*
 * A preload library that lets system calls and allocations of one program fail at a chosen point:
 *
 *     cc -shared -fPIC -o faultio.so test/fault/faultio.c
 *     FAULT_PROGRAM=bep-durable FAULT_CALL=write FAULT_NTH=3 FAULT_ERRNO=28 LD_PRELOAD=./faultio.so ...
 *
 * FAULT_PROGRAM  the one that is meant; what it starts, or what starts it, is left alone
 * FAULT_CALL     alloc, open, read, write, sync, truncate, poll, or several with commas
 * FAULT_NTH      the N-th of these calls fails; 0: none
 * FAULT_FROM     set: and so does every later one
 * FAULT_HALF     set: the N-th write takes half of its bytes, and what follows fails, as on a full disk
 * FAULT_ERRNO    with this number
 * FAULT_SHORT    each read and write of FAULT_CALL takes at most so many bytes
 * FAULT_COUNT    a file that gets the number of these calls at exit
 *
 * Everything goes to the kernel directly, so that nothing here depends on what it replaces. With
 * -DWITHOUT_ALLOC it fits beside a sanitizer, which has an allocator of its own.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_long calls;
static atomic_int ready; /* 0: not looked yet, 1: meant, 2: not meant */
static const char *kinds = "";
static long nth, most;
static int error_number;
static bool from, half;

static long number(const char *name)
{
    const char *text = getenv(name);

    return text ? strtol(text, NULL, 10) : 0;
}

/* Also before main: the loader's allocations come here, and getenv works then. */
static bool is_meant(void)
{
    const char *program = getenv("FAULT_PROGRAM");

    if (ready)
        return ready == 1;
    if (!program || !program_invocation_short_name)
        return false;
    if (strcmp(program, program_invocation_short_name)) {
        ready = 2;
        return false;
    }
    kinds = getenv("FAULT_CALL") ? getenv("FAULT_CALL") : "";
    nth = number("FAULT_NTH");
    most = number("FAULT_SHORT");
    error_number = (int)number("FAULT_ERRNO");
    from = getenv("FAULT_FROM");
    half = getenv("FAULT_HALF");
    ready = 1;
    return true;
}

static bool is_kind(const char *kind)
{
    size_t len = strlen(kind);

    for (const char *at = kinds; *at; at += strcspn(at, ","), at += *at == ',')
        if (!strncmp(at, kind, len) && (!at[len] || at[len] == ','))
            return true;
    return false;
}

/* Whether this call fails; errno is set then. Cuts *len where one is given. */
static bool fails(const char *kind, size_t *len)
{
    long call;

    if (!is_meant() || !is_kind(kind))
        return false;
    call = ++calls;
    if (len && most && *len > (size_t)most)
        *len = (size_t)most;
    if (!nth || call < nth || (call > nth && !from && !half))
        return false;
    if (half && call == nth) {
        if (len && *len > 1)
            *len /= 2;
        return false;
    }
    errno = error_number;
    return true;
}

__attribute__((destructor)) static void write_count(void)
{
    const char *path = getenv("FAULT_COUNT");
    char text[32];
    int fd, len;

    if (!path || !is_meant())
        return;
    len = snprintf(text, sizeof(text), "%ld\n", (long)calls);
    fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    syscall(SYS_write, fd, text, len);
    syscall(SYS_close, fd);
}

#ifndef WITHOUT_ALLOC
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);

void *malloc(size_t size)
{
    return fails("alloc", NULL) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return fails("alloc", NULL) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    return fails("alloc", NULL) ? NULL : __libc_realloc(old, size);
}
#endif

static int open_it(int folder, const char *path, int flags, mode_t mode)
{
    return fails("open", NULL) ? -1 : (int)syscall(SYS_openat, folder, path, flags, mode);
}

#define OPEN(name)                                                                                 \
    int name(const char *path, int flags, ...)                                                     \
    {                                                                                              \
        va_list args;                                                                              \
        mode_t mode;                                                                               \
        va_start(args, flags);                                                                     \
        mode = va_arg(args, mode_t);                                                               \
        va_end(args);                                                                              \
        return open_it(AT_FDCWD, path, flags, mode);                                               \
    }
OPEN(open)
OPEN(open64)

/* With -D_FORTIFY_SOURCE the compiler calls these. */
int __open_2(const char *path, int flags)
{
    return open_it(AT_FDCWD, path, flags, 0);
}

int __open64_2(const char *path, int flags)
{
    return open_it(AT_FDCWD, path, flags, 0);
}

ssize_t read(int fd, void *bytes, size_t len)
{
    return fails("read", &len) ? -1 : syscall(SYS_read, fd, bytes, len);
}

ssize_t __read_chk(int fd, void *bytes, size_t len, size_t size)
{
    (void)size;
    return read(fd, bytes, len);
}

ssize_t pread(int fd, void *bytes, size_t len, off_t offset)
{
    return fails("read", &len) ? -1 : syscall(SYS_pread64, fd, bytes, len, offset);
}

ssize_t pread64(int fd, void *bytes, size_t len, off_t offset)
{
    return pread(fd, bytes, len, offset);
}

ssize_t __pread_chk(int fd, void *bytes, size_t len, off_t offset, size_t size)
{
    (void)size;
    return pread(fd, bytes, len, offset);
}

ssize_t __pread64_chk(int fd, void *bytes, size_t len, off_t offset, size_t size)
{
    (void)size;
    return pread(fd, bytes, len, offset);
}

ssize_t write(int fd, const void *bytes, size_t len)
{
    if (fd == STDERR_FILENO) /* the words that a test reads */
        return syscall(SYS_write, fd, bytes, len);
    return fails("write", &len) ? -1 : syscall(SYS_write, fd, bytes, len);
}

ssize_t pwrite(int fd, const void *bytes, size_t len, off_t offset)
{
    return fails("write", &len) ? -1 : syscall(SYS_pwrite64, fd, bytes, len, offset);
}

ssize_t pwrite64(int fd, const void *bytes, size_t len, off_t offset)
{
    return pwrite(fd, bytes, len, offset);
}

/* The first block that holds anything, so that it can be short. */
ssize_t writev(int fd, const struct iovec *iov, int count)
{
    int i = 0;

    if (!is_meant() || !is_kind("write"))
        return syscall(SYS_writev, fd, iov, count);
    while (i < count - 1 && !iov[i].iov_len)
        i++;
    return write(fd, iov[i].iov_base, iov[i].iov_len);
}

ssize_t send(int fd, const void *bytes, size_t len, int flags)
{
    return fails("write", &len) ? -1 : syscall(SYS_sendto, fd, bytes, len, flags, NULL, 0);
}

int fdatasync(int fd)
{
    return fails("sync", NULL) ? -1 : (int)syscall(SYS_fdatasync, fd);
}

int fsync(int fd)
{
    return fails("sync", NULL) ? -1 : (int)syscall(SYS_fsync, fd);
}

int ftruncate(int fd, off_t len)
{
    return fails("truncate", NULL) ? -1 : (int)syscall(SYS_ftruncate, fd, len);
}

int ftruncate64(int fd, off_t len)
{
    return ftruncate(fd, len);
}

int poll(struct pollfd *fds, nfds_t count, int timeout)
{
    return fails("poll", NULL) ? -1 : (int)syscall(SYS_poll, fds, count, timeout);
}

int __poll_chk(struct pollfd *fds, nfds_t count, int timeout, size_t size)
{
    (void)size;
    return poll(fds, count, timeout);
}
