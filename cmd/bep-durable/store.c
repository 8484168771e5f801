#include "cmd/bep-durable/store.h"
#include "cmd/bep-durable/recover.h"
#include "common/base/err.h"
#include "common/io/fd.h"
#include "common/io/disk.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOT_REGULAR "is not a regular file"
#define BEGIN_SYNC                                                                                 \
    (1024UL * 1024) /* bytes: the sync at the end would hold up the last acknowledgement */

static int say(int status, const char *path, const char *why)
{
    err_say("%s: %s", path, why);
    return status;
}

static int say_errno(int status, const char *path)
{
    err_say_errno("%s", path);
    return status;
}

static int say_sync_of_folder(const char *path)
{
    err_say_errno("%s: sync of its folder", path);
    return EX_IOERR;
}

static int say_exists(const char *path)
{
    struct stat st;

    if (!stat(path, &st) && !S_ISREG(st.st_mode))
        return say(EX_CANTCREAT, path, NOT_REGULAR);
    return say(EX_CANTCREAT, path, "exists; --append goes on behind it, --force empties it");
}

static int open_file(struct store *s, enum store_mode mode)
{
    s->fd = mode == STORE_NEW ? disk_create(s->path) : disk_open_or_create(s->path);
    if (s->fd < 0 && errno == EEXIST)
        return say_exists(s->path);
    if (s->fd < 0)
        return say_errno(EX_CANTCREAT, s->path);
    if (!disk_is_regular(s->fd))
        return say(EX_CANTCREAT, s->path, NOT_REGULAR);
    if (disk_is_same(s->fd, STDIN_FILENO) || disk_is_same(s->fd, STDOUT_FILENO))
        return say(EX_USAGE, s->path, "is standard input or output, too");
    if (!disk_lock(s->fd))
        return EX_OK;
    if (errno == EWOULDBLOCK)
        return say(EX_TEMPFAIL, s->path, "another process is writing it");
    return say_errno(EX_CANTCREAT, s->path);
}

int store_open(struct store *s, const char *path, enum store_mode mode, uint64_t max_frame)
{
    int status;

    *s = (struct store){.fd = -1, .path = path};
    status = open_file(s, mode);
    if (!status && mode == STORE_FORCE && disk_cut(s->fd, 0))
        status = say_errno(EX_CANTCREAT, path);
    if (!status && mode == STORE_APPEND)
        status = recover(s->fd, path, max_frame, &s->accepted, &s->frames);
    if (!status && disk_sync_folder(path))
        status = say_sync_of_folder(path);
    if (status)
        fd_drop(&s->fd);
    s->end = s->begun = s->accepted;
    return status;
}

int store_cut(struct store *s)
{
    return disk_cut(s->fd, s->accepted);
}

static bool fail(struct store *s, const char *what)
{
    err_say_errno("%s: %s", s->path, what);
    s->failed = true;
    if (store_cut(s))
        err_say_errno("%s: cutting it back to byte %llu, where the last accepted frame ends",
                      s->path, (unsigned long long)s->accepted);
    s->end = s->accepted;
    return false;
}

bool store_write(struct store *s, const void *bytes, size_t len)
{
    if (disk_write(s->fd, bytes, len, s->end))
        return fail(s, "write");
    s->end += len;
    if (s->end - s->begun >= BEGIN_SYNC) {
        disk_begin_sync(s->fd, s->begun, s->end - s->begun);
        s->begun = s->end;
    }
    return true;
}

bool store_sync(struct store *s)
{
    if (disk_sync(s->fd))
        return fail(s, "sync");
    s->synced = s->end;
    return true;
}

void store_accept(struct store *s, uint64_t end, uint64_t frames)
{
    s->accepted = end;
    s->frames = frames;
}

ssize_t store_read(struct store *s, void *bytes, size_t len, uint64_t offset)
{
    ssize_t n = fd_pread_full(s->fd, bytes, len, (off_t)offset);

    if (n == (ssize_t)len)
        return n;
    if (n < 0)
        err_say_errno("%s: read at byte %llu", s->path, (unsigned long long)offset);
    else
        err_say("%s: somebody has cut it, below byte %llu", s->path,
                (unsigned long long)(offset + len));
    return -1;
}

bool store_finish(struct store *s)
{
    if (s->failed)
        return false;
    if (s->end != s->accepted && store_cut(s))
        return fail(s, "cut");
    s->end = s->accepted;
    return s->synced == s->end || store_sync(s);
}

bool store_close(struct store *s)
{
    int status = fd_close(s->fd);

    s->fd = -1;
    if (status)
        err_say_errno("%s: close", s->path);
    return !status;
}
