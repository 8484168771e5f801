#include "cmd/bep-durable/durable.h"
#include "common/base/err.h"
#include "common/base/limits.h"
#include "common/io/fd.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>

enum { IN, OUT, ACK, FDS = ACK + ACK_LISTENER_FDS };

static uint64_t window_end(const struct window *w)
{
    return w->offset + w->len;
}

static bool window_has(const struct window *w, uint64_t offset)
{
    return offset >= w->offset && offset < window_end(w);
}

/*
 * Drops what was passed on. Bytes are moved only when at least as many go, so that moving costs less
 * than reading did; where the reader lags too far for that, all are dropped: FILE has them.
 */
static void window_trim(struct window *w, uint64_t passed)
{
    size_t gone = passed > w->offset ? (size_t)(passed - w->offset) : 0;

    if (gone >= w->len - gone) {
        memmove(w->bytes, w->bytes + gone, w->len - gone);
    } else if (w->size - w->len < READ_CHUNK) {
        gone = w->len;
    } else {
        return;
    }
    w->offset += gone;
    w->len -= gone;
}

static void end_input(struct durable *d)
{
    fd_drop(&d->in);
    /* With the connector goes its hope: what is not accepted now never will be. */
    if (!store_finish(&d->store))
        ack_listener_release(&d->ack);
}

/* At the end of an attempt, as far as can be seen: where more has come behind it, the stream goes on. */
static bool must_sync(const struct durable *d)
{
    int more = 0;

    if (d->sync == SYNC_BATCH || !d->scan.last)
        return d->sync == SYNC_BATCH;
    return ioctl(d->in, FIONREAD, &more) || !more;
}

/* Bytes that have come into the live window. False: there will be no more. */
static bool keep(struct durable *d, size_t len)
{
    struct window *w = &d->live;
    struct scan *scan = &d->scan;
    uint64_t frames = scan->frames;
    uint64_t seen = scan->whole + scan->tail;

    scan_bytes(scan, w->bytes + w->len, len);
    if (scan->fault != FRAME_OK) /* from there on nothing is worth keeping */
        len = scan->whole > seen ? (size_t)(scan->whole - seen) : 0;
    if (!store_write(&d->store, w->bytes + w->len, len))
        return false;
    w->len += len;
    if (scan->frames != frames) {
        if (must_sync(d) && !store_sync(&d->store))
            return false;
        store_accept(&d->store, d->start + scan->whole, d->old_frames + scan->frames);
        ack_listener_accepted(&d->ack, d->store.frames);
    }
    return scan->fault == FRAME_OK;
}

static void take_input(struct durable *d)
{
    struct window *w = &d->live;
    ssize_t n;

    window_trim(w, d->out.fd < 0 ? window_end(w) : d->passed);
    n = fd_read(d->in, w->bytes + w->len, w->size - w->len);
    if (n < 0 && errno == EAGAIN)
        return;
    if (n < 0) {
        err_say_errno("stdin");
        d->status = EX_IOERR;
    }
    if (n <= 0 || !keep(d, (size_t)n))
        end_input(d);
}

static bool has_for_reader(const struct durable *d)
{
    return d->out.fd >= 0 && d->passed < d->store.accepted;
}

/* The window that holds the next byte for the reader; NULL: FILE can't be read, and the reader is left. */
static struct window *find_window(struct durable *d)
{
    struct window *w = &d->replay;
    uint64_t left = d->store.accepted - d->passed;

    if (window_has(&d->live, d->passed))
        return &d->live;
    if (window_has(w, d->passed))
        return w;
    w->offset = d->passed;
    w->len = left < w->size ? (size_t)left : w->size;
    if (store_read(&d->store, w->bytes, w->len, w->offset) >= 0)
        return w;
    w->len = 0;
    out_leave(&d->out);
    d->status = EX_IOERR;
    return NULL;
}

static void say_reader(struct durable *d, enum out_status status)
{
    if (status == OUT_GONE)
        err_say("stdout: its reader is gone; %s is written on", d->store.path);
    if (status == OUT_FAILED) {
        err_say_errno("stdout");
        d->status = EX_IOERR;
    }
}

/* At most one piece that is read again: acceptance comes first. */
static void pass_on(struct durable *d)
{
    struct window *w = NULL;
    enum out_status status = OUT_OK;

    while (status == OUT_OK && w != &d->replay && has_for_reader(d)) {
        uint64_t end;
        size_t done;
        w = find_window(d);
        if (!w)
            return;
        end = window_end(w) < d->store.accepted ? window_end(w) : d->store.accepted;
        status = out_write(&d->out, w->bytes + (d->passed - w->offset), (size_t)(end - d->passed),
                           &done);
        d->passed += done;
    }
    say_reader(d, status);
}

static void poll_rows(const struct durable *d, struct pollfd *fds)
{
    fds[IN] = (struct pollfd){.fd = d->in, .events = POLLIN};
    fds[OUT] = (struct pollfd){.fd = has_for_reader(d) ? d->out.fd : -1, .events = POLLOUT};
    ack_listener_poll(&d->ack, &fds[ACK]);
}

static void start(struct durable *d, uint64_t max_frame)
{
    scan_init(&d->scan, max_frame);
    d->start = d->passed = d->store.accepted;
    d->old_frames = d->store.frames;
    d->live = (struct window){.bytes = d->live_bytes, .size = LIVE_BYTES, .offset = d->start};
    d->replay = (struct window){.bytes = d->replay_bytes, .size = REPLAY_BYTES};
    ack_listener_accepted(&d->ack, d->store.frames);
}

void durable_run(struct durable *d, uint64_t max_frame)
{
    struct pollfd fds[FDS];

    start(d, max_frame);
    while (d->in >= 0 || has_for_reader(d)) {
        poll_rows(d, fds);
        if (poll(fds, FDS, -1) < 0) {
            if (errno == EINTR || errno == EAGAIN)
                continue;
            err_say_errno("poll");
            d->status = EX_OSERR;
            end_input(d);
            return;
        }
        ack_listener_serve(&d->ack, &fds[ACK]);
        if (fds[IN].revents)
            take_input(d);
        pass_on(d);
    }
}
