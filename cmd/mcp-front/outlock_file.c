#include "cmd/mcp-front/outlock_file.h"
#include "common/base/clock.h"
#include "common/io/fd.h"
#include "common/io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* FNV-1a, 128 bits (RFC 9923): file names of fixed length for paths of any. */
static void hash_path(const char *path, char out[33])
{
    const unsigned __int128 prime = ((unsigned __int128)1 << 88) | 0x13b;
    unsigned __int128 hash =
        ((unsigned __int128)0x6c62272e07bb0142ULL << 64) | 0x62b821756295c58dULL;

    for (; *path; path++)
        hash = (hash ^ (uint8_t)*path) * prime;
    snprintf(out, 33, "%016" PRIx64 "%016" PRIx64, (uint64_t)(hash >> 64), (uint64_t)hash);
}

static bool is_folder(const char *path)
{
    struct stat st;

    return !stat(path, &st) && S_ISDIR(st.st_mode) && st.st_uid == geteuid();
}

/* Clients start servers with and without XDG_RUNTIME_DIR; both must find the same folder. */
static char *lock_folder(void)
{
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    char usual[64];
    char *folder;
    int n;

    snprintf(usual, sizeof(usual), "/run/user/%u", (unsigned)geteuid());
    if (!runtime || *runtime != '/' || !is_folder(runtime))
        runtime = is_folder(usual) ? usual : NULL;
    n = runtime ? asprintf(&folder, "%s/mcp-front", runtime)
                : asprintf(&folder, "/tmp/mcp-front-%u", (unsigned)geteuid());
    return n < 0 ? NULL : folder;
}

char *outlock_file_path(const char *key)
{
    char *folder = lock_folder(), *path;
    char hash[33];

    if (!folder)
        return NULL;
    hash_path(key, hash);
    if (asprintf(&path, "%s/%s.lock", folder, hash) < 0)
        path = NULL;
    free(folder);
    return path;
}

/* In /tmp anybody could have made it before us. */
static int open_folder(const char *path)
{
    char *copy = strdup(path);
    struct stat st;
    int fd = -1;

    if (!copy)
        return -1;
    dirname(copy);
    if (!mkdir(copy, 0700) || errno == EEXIST)
        fd = open(copy, O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    free(copy);
    if (fd < 0)
        return -1;
    if (fstat(fd, &st) || st.st_uid != geteuid()) {
        fd_drop(&fd);
        errno = EPERM;
    } else if ((st.st_mode & 077) && fchmod(fd, 0700)) {
        fd_drop(&fd);
    }
    return fd;
}

int outlock_file_open(const char *path)
{
    int folder = open_folder(path), fd, saved;

    if (folder < 0)
        return -1;
    fd = openat(folder, strrchr(path, '/') + 1, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    saved = errno;
    fd_close(folder);
    errno = saved;
    return fd;
}

bool outlock_file_is(int fd, const char *path)
{
    struct stat ours, named;

    return !fstat(fd, &ours) && !stat(path, &named) && ours.st_ino == named.st_ino &&
           ours.st_dev == named.st_dev;
}

void outlock_file_sign(int fd, const char *invocation_id)
{
    char line[160];
    int n = snprintf(line, sizeof(line), "%d %s %" PRId64 "\n", (int)getpid(), invocation_id,
                     clock_wall_ms());

    /* It is for people who wait; the lock holds without it. */
    if (!ftruncate(fd, 0) && !lseek(fd, 0, SEEK_SET))
        fd_write_full(fd, line, (size_t)n);
}

void outlock_file_unsign(int fd)
{
    /* A child between fork and exec may still have the descriptor: closing ours would not unlock. */
    (void)!ftruncate(fd, 0);
    flock(fd, LOCK_UN);
}

void outlock_file_owner(const char *path, struct outlock_owner *owner)
{
    struct buf text = BUF_INIT;
    struct outlock_owner read = *owner;

    if (!file_read(path, 4096, &text) &&
        sscanf(text.data, "%d %63s %" SCNd64, &read.pid, read.invocation_id, &read.since_ms) == 3)
        *owner = read;
    buf_release(&text);
}
