#include "cmd/bep-tail/watch.h"
#include "common/base/err.h"
#include "common/io/fd.h"

#include <limits.h>
#include <linux/magic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#define POLL_MS 100 /* Bazel flushes every 250 ms, and a stat costs a microsecond */

/* Not in linux/magic.h of Debian 12. */
#ifndef SMB2_SUPER_MAGIC
#define SMB2_SUPER_MAGIC 0xfe534d42
#endif

static void start_polling(struct watch *w, const char *reason)
{
    if (!w->polling)
        err_verbose("%s: polling: %s", w->path, reason);
    w->polling = true;
    fd_drop(&w->fd);
}

/* The folder of `path`; false: too long. */
static bool folder_of(const char *path, char *folder, size_t size)
{
    const char *slash = strrchr(path, '/');
    size_t len = slash ? (size_t)(slash - path) + 1 : 1;

    if (len >= size)
        return false;
    memcpy(folder, slash ? path : ".", len);
    folder[len] = 0;
    return true;
}

/* What other machines or a user-space daemon write, inotify does not see. */
static bool written_elsewhere(const char *folder)
{
    struct statfs fs;

    if (statfs(folder, &fs))
        return false;
    switch ((unsigned long)fs.f_type) {
    case NFS_SUPER_MAGIC:
    case SMB_SUPER_MAGIC:
    case CIFS_SUPER_MAGIC:
    case SMB2_SUPER_MAGIC:
    case FUSE_SUPER_MAGIC:
    case V9FS_MAGIC:
    case CEPH_SUPER_MAGIC:
    case AFS_FS_MAGIC:
    case CODA_SUPER_MAGIC:
        return true;
    }
    return false;
}

/* A link whose target does not exist: the target will appear in a folder that is not watched. */
static bool leads_nowhere(const char *path)
{
    struct stat st;

    return !lstat(path, &st) && S_ISLNK(st.st_mode) && stat(path, &st);
}

void watch_open(struct watch *w, const char *path)
{
    char folder[PATH_MAX];

    *w = (struct watch){.path = path, .fd = -1, .dir_wd = -1, .file_wd = -1};
    if (!folder_of(path, folder, sizeof(folder)))
        return start_polling(w, "its name is too long");
    if (written_elsewhere(folder))
        return start_polling(w, "not all writes to this file system are reported");
    if (leads_nowhere(path))
        return start_polling(w, "a link that leads nowhere yet");
    w->fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (w->fd < 0)
        return start_polling(w, "no inotify");
    w->dir_wd = inotify_add_watch(w->fd, folder, IN_CREATE | IN_MOVED_TO | IN_MOVE_SELF);
    if (w->dir_wd < 0)
        start_polling(w, "its folder can't be watched");
}

void watch_file(struct watch *w, int fd)
{
    char path[64];

    if (w->polling)
        return;
    if (w->file_wd >= 0)
        inotify_rm_watch(w->fd, w->file_wd);
    w->file_wd = -1;
    if (fd < 0)
        return;
    /* By descriptor: the name may be another file's by now. */
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    w->file_wd = inotify_add_watch(w->fd, path, IN_MODIFY);
    if (w->file_wd < 0)
        start_polling(w, "the file can't be watched");
}

void watch_clear(struct watch *w)
{
    _Alignas(struct inotify_event) char events[4096];
    ssize_t n;

    while (w->fd >= 0 && (n = fd_read(w->fd, events, sizeof(events))) > 0) {
        const struct inotify_event *event;
        for (char *at = events; at < events + n; at += sizeof(*event) + event->len) {
            event = (const struct inotify_event *)at;
            if (event->wd == w->dir_wd && event->mask & (IN_MOVE_SELF | IN_IGNORED)) {
                start_polling(w, "its folder has gone");
                return;
            }
        }
    }
}

int watch_timeout(const struct watch *w)
{
    return w->polling ? POLL_MS : -1;
}

void watch_close(struct watch *w)
{
    fd_drop(&w->fd);
}
