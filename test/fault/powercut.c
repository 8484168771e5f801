/*
 * A preload library that cuts the power of a machine on which one program writes one file, append-only:
 * before the N-th write to it or sync of it, it leaves the image of what the disk would hold, and kills
 * the program.
 *
 *     cc -shared -fPIC -o powercut.so test/fault/powercut.c
 *     POWERCUT_FILE=/tmp/e.bep POWERCUT_AT=5 POWERCUT_MODEL=tear POWERCUT_IMAGE=/tmp/e.image \
 *         LD_PRELOAD=./powercut.so bep-durable --sync=batch /tmp/e.bep
 *
 * What no sync has covered is, by POWERCUT_MODEL,
 *     drop     gone
 *     prefix   there up to some byte
 *     tear     there or zero, sector by sector of 512 bytes, at full length
 * and where the folder was never synced there is no image at all.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SECTOR 512

static off_t synced;
static bool name_synced;
static long events;

static bool is_the_file(int fd)
{
    const char *path = getenv("POWERCUT_FILE");
    struct stat a, b;

    return path && !fstat(fd, &a) && !stat(path, &b) && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

static bool sector_survives(off_t sector)
{
    return ((unsigned long)sector * 2654435761UL + (unsigned long)events * 40503UL) >> 7 & 1;
}

static void copy(int from, int to, off_t begin, off_t end)
{
    char bytes[SECTOR];

    for (off_t at = begin; at < end; at += SECTOR) {
        size_t len = end - at < SECTOR ? (size_t)(end - at) : SECTOR;
        if (syscall(SYS_pread64, from, bytes, len, at) != (long)len ||
            syscall(SYS_pwrite64, to, bytes, len, at) != (long)len)
            abort();
    }
}

static void leave_image(int fd)
{
    const char *model = getenv("POWERCUT_MODEL");
    int image = open(getenv("POWERCUT_IMAGE"), O_RDWR | O_CREAT | O_TRUNC, 0600);
    off_t len = lseek(fd, 0, SEEK_END);

    copy(fd, image, 0, synced);
    if (!strcmp(model, "prefix"))
        copy(fd, image, synced, synced + (len - synced) * (events * 37 % 101) / 101);
    if (!strcmp(model, "tear")) {
        if (ftruncate(image, len))
            abort();
        for (off_t at = synced; at < len; at = (at / SECTOR + 1) * SECTOR) {
            off_t end = (at / SECTOR + 1) * SECTOR;
            if (sector_survives(at / SECTOR))
                copy(fd, image, at, end < len ? end : len);
        }
    }
}

static void event(int fd)
{
    const char *at = getenv("POWERCUT_AT");

    if (!is_the_file(fd) || ++events != (at ? strtol(at, NULL, 10) : 0))
        return;
    if (name_synced)
        leave_image(fd);
    raise(SIGKILL);
}

ssize_t pwrite(int fd, const void *bytes, size_t len, off_t offset)
{
    event(fd);
    return syscall(SYS_pwrite64, fd, bytes, len, offset);
}

ssize_t pwrite64(int fd, const void *bytes, size_t len, off_t offset)
{
    return pwrite(fd, bytes, len, offset);
}

int fdatasync(int fd)
{
    event(fd);
    if (is_the_file(fd))
        synced = lseek(fd, 0, SEEK_END);
    return 0;
}

int fsync(int fd)
{
    struct stat st;

    if (!fstat(fd, &st) && S_ISDIR(st.st_mode))
        name_synced = true;
    return fdatasync(fd);
}
