#include "cmd/bep-fifo/fifo.h"
#include "common/base/err.h"
#include "common/io/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define READ_FLAGS (O_RDONLY | O_NONBLOCK | O_NOFOLLOW)

/* On the same FIFO, whatever its name means by now. */
static int open_again(const struct fifo *f)
{
    return fd_open_again(f->hold, O_RDONLY | O_NONBLOCK);
}

/* What the path may be before it is used: NULL, or why not. */
static const char *unusable(int fd, const struct stat *st)
{
    if (!S_ISFIFO(st->st_mode))
        return "exists and is no FIFO";
    if (st->st_uid != geteuid())
        return "a FIFO of another user";
    if (flock(fd, LOCK_EX | LOCK_NB))
        return "another bep-fifo reads it";
    return NULL;
}

/* Looks before it opens: to open another kind of file may do something. */
static int take(struct fifo *f)
{
    const char *reason = NULL;
    struct stat st;

    if (lstat(f->path, &st))
        goto failed;
    if (!S_ISFIFO(st.st_mode)) {
        reason = "exists and is no FIFO";
        goto failed;
    }
    f->hold = fd_open(f->path, READ_FLAGS, 0);
    if (f->hold < 0 || fstat(f->hold, &st))
        goto failed;
    reason = unusable(f->hold, &st);
    if (reason)
        goto failed;
    f->dev = st.st_dev;
    f->ino = st.st_ino;
    f->fd = open_again(f);
    if (f->fd < 0 || fchmod(f->hold, 0600))
        goto failed;
    return EX_OK;
failed:
    if (reason)
        err_say("%s: %s", f->path, reason);
    else
        err_say_errno("%s", f->path);
    fd_drop(&f->fd);
    fd_drop(&f->hold);
    return EX_CANTCREAT;
}

int fifo_make(struct fifo *f, const char *path)
{
    bool made = !mkfifo(path, 0600);
    int status;

    *f = (struct fifo)FIFO_INIT;
    f->path = path;
    if (!made && errno != EEXIST) {
        err_say_errno("%s", path);
        return EX_CANTCREAT;
    }
    status = take(f);
    if (status && made)
        unlink(path);
    return status;
}

int fifo_forget_writers(struct fifo *f)
{
    fd_drop(&f->fd);
    f->fd = open_again(f);
    return f->fd < 0 ? -1 : 0;
}

void fifo_remove(struct fifo *f)
{
    struct stat st;

    if (f->hold >= 0 && !lstat(f->path, &st) && st.st_dev == f->dev && st.st_ino == f->ino)
        unlink(f->path);
    fd_drop(&f->fd);
    fd_drop(&f->hold);
}
