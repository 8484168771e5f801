#include "cmd/mcp-front/clientlock.h"
#include "common/base/buf.h"
#include "common/base/num.h"
#include "common/io/fd.h"
#include "common/io/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Both are a few short lines. */
#define MAX_TEXT 4096

static const char name[] = "/lock";

/* /proc/PID/fdinfo/FD tells the locks that were taken through it. */
static bool has_it(const char *folder, const char *fd)
{
    struct buf text = BUF_INIT;
    char path[PATH_MAX];
    bool has;

    snprintf(path, sizeof(path), "%sinfo/%s", folder, fd);
    has = !file_read(path, MAX_TEXT, &text) && text.len && strstr(text.data, "\nlock:");
    buf_release(&text);
    return has;
}

/* Whoever has the lock writes "pid=N" as the file's first line; who had it before may still stand there. */
static pid_t signed_by(const char *path)
{
    struct buf text = BUF_INIT;
    uint64_t pid = 0;

    if (!file_read(path, MAX_TEXT, &text) && text.len && !strncmp(text.data, "pid=", 4)) {
        buf_truncate(&text, strcspn(text.data, "\n"));
        if (!num_parse_u64(text.data + 4, &pid) || pid > INT_MAX || getpgid((pid_t)pid) < 0)
            pid = 0;
    }
    buf_release(&text);
    return (pid_t)pid;
}

/* The owner of a lock that belongs to an open file, not to a process, is told as -1. */
static bool is_locked(const char *path, pid_t *holder)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int fd = fd_open(path, O_RDONLY | O_NONBLOCK, 0);
    bool locked = fd >= 0 && !fcntl(fd, F_GETLK, &lock) && lock.l_type != F_UNLCK;

    fd_drop(&fd);
    if (locked)
        *holder = lock.l_pid > 0 ? lock.l_pid : signed_by(path);
    return locked;
}

static bool process_waits(const char *pid, pid_t *holder)
{
    char folder[64], path[PATH_MAX];
    struct dirent *entry;
    bool waits = false;
    DIR *fds;

    snprintf(folder, sizeof(folder), "/proc/%.20s/fd", pid);
    fds = opendir(folder);
    if (!fds)
        return false;
    while (!waits && (entry = readdir(fds))) {
        ssize_t n = readlinkat(dirfd(fds), entry->d_name, path, sizeof(path) - 1);

        if (n < (ssize_t)sizeof(name))
            continue;
        path[n] = '\0';
        waits = !strcmp(path + n - strlen(name), name) && !has_it(folder, entry->d_name) &&
                is_locked(path, holder);
    }
    closedir(fds);
    return waits;
}

bool clientlock_waits(pid_t group, pid_t *holder)
{
    DIR *processes = opendir("/proc");
    struct dirent *entry;
    bool waits = false;
    uint64_t pid;

    *holder = 0;
    while (processes && !waits && (entry = readdir(processes)))
        waits = num_parse_u64(entry->d_name, &pid) && getpgid((pid_t)pid) == group &&
                process_waits(entry->d_name, holder);
    if (processes)
        closedir(processes);
    return waits;
}
