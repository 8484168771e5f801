#include "common/io/disk.h"
#include "common/io/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define PRIVATE 0600
/* O_NONBLOCK and O_NOCTTY: whatever the name turns out to be, opening it has no effect on us. */
#define FLAGS (O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)

static int open_again(const char *path, int flags)
{
    int fd;

    do
        fd = open(path, flags, PRIVATE);
    while (fd < 0 && errno == EINTR);
    return fd;
}

int disk_create(const char *path)
{
    return open_again(path, FLAGS | O_EXCL);
}

int disk_open_or_create(const char *path)
{
    return open_again(path, FLAGS);
}

bool disk_is_regular(int fd)
{
    struct stat st;

    return !fstat(fd, &st) && S_ISREG(st.st_mode);
}

bool disk_is_same(int fd, int other_fd)
{
    struct stat a, b;

    return !fstat(fd, &a) && !fstat(other_fd, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

int disk_lock(int fd)
{
    int status;

    do
        status = flock(fd, LOCK_EX | LOCK_NB);
    while (status && errno == EINTR);
    return status;
}

int disk_write(int fd, const void *bytes, size_t len, uint64_t offset)
{
    size_t done = 0;

    while (done < len) {
        ssize_t n = pwrite(fd, (const char *)bytes + done, len - done, (off_t)(offset + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n == 0)
            errno = ENOSPC;
        if (n <= 0)
            return -1;
        done += (size_t)n;
    }
    return 0;
}

int disk_cut(int fd, uint64_t len)
{
    int status;

    do
        status = ftruncate(fd, (off_t)len);
    while (status && errno == EINTR);
    return status;
}

void disk_begin_sync(int fd, uint64_t offset, uint64_t len)
{
    /* Without SYNC_FILE_RANGE_WAIT_*, which would take errors away from the sync that has to report them. */
    (void)sync_file_range(fd, (off_t)offset, (off_t)len, SYNC_FILE_RANGE_WRITE);
}

int disk_sync(int fd)
{
    int status;

    do
        status = fdatasync(fd);
    while (status && errno == EINTR);
    return status;
}

/* A malloc'ed copy of the folder's name, or NULL. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    if (!slash)
        return strdup(".");
    return strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

int disk_sync_folder(const char *path)
{
    char *folder = folder_of(path);
    int status = -1;
    int fd;

    if (!folder)
        return -1;
    fd = open_again(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        do
            status = fsync(fd);
        while (status && errno == EINTR);
        if (status &&
            errno == EINVAL) /* a file system without such a sync: there is nothing to lose */
            status = 0;
    }
    fd_drop(&fd);
    free(folder);
    return status;
}

static void forget(struct disk_replacement *r)
{
    int saved = errno;

    fd_drop(&r->fd);
    free(r->temp);
    r->temp = NULL;
    errno = saved;
}

int disk_replace_begin(struct disk_replacement *r, const char *path)
{
    *r = (struct disk_replacement){.fd = -1, .path = path};
    if (asprintf(&r->temp, "%s.XXXXXX", path) < 0) {
        r->temp = NULL;
        return -1;
    }
    r->fd = mkostemp(r->temp, O_CLOEXEC);
    if (r->fd >= 0)
        return 0;
    forget(r);
    return -1;
}

int disk_replace_commit(struct disk_replacement *r)
{
    int status;

    if (disk_sync(r->fd) || rename(r->temp, r->path)) {
        disk_replace_abandon(r);
        return -1;
    }
    status = disk_sync_folder(r->path);
    forget(r);
    return status;
}

void disk_replace_abandon(struct disk_replacement *r)
{
    int saved = errno;

    if (r->temp)
        unlink(r->temp);
    errno = saved;
    forget(r);
}
