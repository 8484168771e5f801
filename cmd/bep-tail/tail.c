#include "cmd/bep-tail/tail.h"
#include "common/base/clock.h"
#include "common/base/err.h"
#include "common/io/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

/*
 * A process start is known in clock ticks of 10 ms, a file's time in those of 1 to 10 ms: between times
 * that are closer than this nothing can be said.
 */
#define CLOCK_SLACK_MS 20

/* Where the client was gone before it could be looked at, what was written this recently is taken as its. */
#define RECENT_MS 10000

void tail_open(struct tail *t, const char *path, struct client *client, uint64_t max_frame)
{
    *t = (struct tail){.path = path, .client = client, .fd = -1};
    stream_init(&t->stream, max_frame);
    watch_open(&t->watch, path);
}

void tail_close(struct tail *t)
{
    fd_drop(&t->fd);
    watch_close(&t->watch);
    stream_release(&t->stream);
}

static enum tail_status failed(struct tail *t, int status)
{
    t->failure = status;
    return TAIL_FAILED;
}

static enum tail_status cannot_open(struct tail *t)
{
    err_say_errno("%s", t->path);
    return failed(t, errno == EMFILE || errno == ENFILE || errno == ENOMEM ? EX_OSERR : EX_NOINPUT);
}

static enum tail_status not_regular(struct tail *t, mode_t mode)
{
    const char *what = "no regular file";

    if (S_ISDIR(mode))
        what = "a directory, not a file";
    else if (S_ISFIFO(mode))
        what = "a FIFO; that is what bep-fifo reads";
    err_say("%s: %s", t->path, what);
    return failed(t, EX_NOINPUT);
}

static int64_t written_ms(const struct stat *st)
{
    int64_t ms = (int64_t)st->st_mtim.tv_sec * 1000 + st->st_mtim.tv_nsec / 1000000;

    return st->st_mtim.tv_nsec ? ms : ms + 999; /* some file systems keep whole seconds */
}

static int64_t client_started(const struct client *client)
{
    int64_t started = client_started_wall_ms(client);

    return started ? started : clock_wall_ms() - RECENT_MS;
}

static bool untouched(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* The first look: a file that is there already may be an older build's. */
static void look(struct tail *t, const struct stat *st)
{
    t->looked = true;
    if (!st || !t->client->pid)
        return;
    t->first = *st;
    t->held = written_ms(st) <= client_started(t->client) + CLOCK_SLACK_MS;
}

/*
 * Whether the file is still as it was before the client could write it. In doubt, a file is held until
 * it changes or the client has gone, and then is given, lest events be lost.
 */
static bool stale(struct tail *t)
{
    struct stat now;

    if (!t->held)
        return false;
    if (fstat(t->fd, &now) || !untouched(&t->first, &now))
        t->held = false;
    else if (client_gone(t->client))
        t->held = written_ms(&now) < client_started(t->client) - CLOCK_SLACK_MS;
    return t->held;
}

static void begin_anew(struct tail *t)
{
    if (t->any_byte)
        err_note("%s: begun anew after %llu events", t->path,
                 (unsigned long long)t->stream.reader.frames);
    stream_restart(&t->stream);
    t->at = 0;
    t->head_len = 0;
}

/* Opens what the path names now, unless that is the file that is open. IDLE: there is nothing new. */
static enum tail_status open_path(struct tail *t)
{
    struct stat st;
    bool there = !stat(t->path, &st);
    int fd;

    if (!there && errno != ENOENT)
        return cannot_open(t);
    if (!t->looked)
        look(t, there ? &st : NULL);
    if (!there || (t->fd >= 0 && st.st_dev == t->dev && st.st_ino == t->ino))
        return TAIL_IDLE;
    if (!S_ISREG(st.st_mode)) /* never opened: a FIFO's writer would notice */
        return not_regular(t, st.st_mode);
    fd = fd_open(t->path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
    if (fd < 0)
        return errno == ENOENT ? TAIL_IDLE : cannot_open(t);
    if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
        fd_drop(&fd);
        return not_regular(t, st.st_mode);
    }
    begin_anew(t);
    fd_drop(&t->fd);
    t->fd = fd;
    t->dev = st.st_dev;
    t->ino = st.st_ino;
    watch_file(&t->watch, fd);
    return TAIL_DATA;
}

static enum tail_status cannot_read(struct tail *t)
{
    err_say_errno("%s", t->path);
    return failed(t, EX_IOERR);
}

/*
 * Whether the file was truncated: it ends before `end`, or begins with other bytes. A second attempt
 * that has become longer than the first one would look like its continuation otherwise. 1, 0, or -1 and
 * errno.
 */
static int truncated(const struct tail *t, off_t end)
{
    uint8_t head[TAIL_HEAD];
    struct stat st;
    ssize_t n;

    if (fstat(t->fd, &st))
        return -1;
    if (st.st_size < end)
        return 1;
    n = fd_pread_full(t->fd, head, t->head_len, 0);
    if (n < 0)
        return -1;
    return n != (ssize_t)t->head_len || memcmp(head, t->head, t->head_len);
}

static void keep_head(struct tail *t, const void *bytes, size_t n)
{
    size_t room = TAIL_HEAD - t->head_len;

    if (n > room)
        n = room;
    memcpy(t->head + t->head_len, bytes, n);
    t->head_len += n;
}

static enum tail_status read_more(struct tail *t)
{
    size_t room;
    void *bytes = stream_room(&t->stream, &room);
    ssize_t n;
    int anew;

    if (!bytes) {
        err_say("%s: no memory for the frame at byte %llu", t->path,
                (unsigned long long)t->stream.reader.offset);
        return failed(t, EX_OSERR);
    }
    n = fd_pread_full(t->fd, bytes, room, t->at);
    if (n < 0)
        return cannot_read(t);
    anew = truncated(t, t->at + n);
    if (anew < 0)
        return cannot_read(t);
    if (anew) { /* what was read may be of either stream, and is given up */
        begin_anew(t);
        return TAIL_DATA;
    }
    if (!n)
        return TAIL_IDLE;
    keep_head(t, bytes, (size_t)n);
    t->any_byte = true;
    t->at += n;
    stream_added(&t->stream, (size_t)n);
    return TAIL_DATA;
}

enum tail_status tail_read(struct tail *t)
{
    enum tail_status status = TAIL_IDLE;

    if (t->fd >= 0 && !stale(t))
        status = read_more(t);
    /* Another file at the path counts when this one has been read to its end. */
    return status == TAIL_IDLE ? open_path(t) : status;
}
