#include "cmd/bes-recv/sink.h"
#include "common/base/err.h"
#include "common/io/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>

#define FIRST_ROOM 256

static bool is_socket(int fd)
{
    struct stat st;

    return !fstat(fd, &st) && S_ISSOCK(st.st_mode);
}

void sink_init(struct sink *s, int fd, bool handoff)
{
    /* -1 where it can't be had, as when the reader has gone: then the first write says so. */
    int own = fd_is_fifo(fd) ? fd_open_again(fd, O_WRONLY | O_NONBLOCK) : -1;

    *s = (struct sink){.fd = own < 0 ? fd : own,
                       .own_fd = own >= 0,
                       .socket = is_socket(fd),
                       .handoff = handoff,
                       .back = ACK_CONNECTOR_INIT};
}

static void drop_message(struct sink_entry *e)
{
    if (e->message)
        message_release(e->message);
    e->message = NULL;
}

static struct sink_entry *entry(const struct sink *s, uint64_t index)
{
    return &s->entries[index & (s->room - 1)];
}

void sink_release(struct sink *s)
{
    free(s->entries);
    s->entries = NULL;
    s->room = 0;
    ack_connector_release(&s->back);
    if (s->own_fd)
        fd_drop(&s->fd);
}

void sink_connected(struct sink *s)
{
    s->before = s->back.accepted;
}

static void grow(struct sink *s)
{
    uint64_t room = s->room ? 2 * s->room : FIRST_ROOM;
    struct sink_entry *entries = malloc(room * sizeof(*entries));

    if (!entries)
        err_die_memory();
    for (uint64_t i = s->oldest; i < s->end; i++)
        entries[i & (room - 1)] = *entry(s, i);
    free(s->entries);
    s->entries = entries;
    s->room = room;
}

void sink_add(struct sink *s, void *upload, uint64_t number, struct message *message,
              struct view frame)
{
    if (s->end - s->oldest == s->room)
        grow(s);
    if (message) {
        s->frames++;
        s->pending_bytes += frame.len;
    }
    *entry(s, s->end++) = (struct sink_entry){.upload = upload,
                                              .number = number,
                                              .message = message,
                                              .frame = message ? frame : (struct view){0},
                                              .frames = s->frames};
}

bool sink_is_full(const struct sink *s)
{
    return s->end - s->unwritten >= PENDING_MAX_ENTRIES || s->pending_bytes >= BATCH_MAX_BYTES;
}

/* The next batch; gives the number of pieces. */
static int gather(const struct sink *s, struct iovec *out, size_t *bytes)
{
    size_t offset = s->offset;
    int count = 0;

    *bytes = 0;
    for (uint64_t i = s->unwritten; i < s->end && count < BATCH_MAX_EVENTS; i++) {
        const struct sink_entry *e = entry(s, i);
        size_t len = e->frame.len - offset;

        if (count && *bytes + len > BATCH_MAX_BYTES)
            break;
        if (len)
            out[count++] =
                (struct iovec){.iov_base = (void *)(e->frame.bytes + offset), .iov_len = len};
        *bytes += len;
        offset = 0;
    }
    return count;
}

static ssize_t put(const struct sink *s, struct iovec *pieces, int count)
{
    struct msghdr message = {.msg_iov = pieces, .msg_iovlen = (size_t)count};

    return s->socket ? sendmsg(s->fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL)
                     : fd_writev(s->fd, pieces, count);
}

static void written(struct sink *s, size_t bytes)
{
    s->pending_bytes -= bytes;
    s->in_flight += bytes;
    while (s->unwritten < s->end) {
        struct sink_entry *e = entry(s, s->unwritten);
        size_t left = e->frame.len - s->offset;

        if (bytes < left) {
            s->offset += bytes;
            return;
        }
        bytes -= left;
        drop_message(e);
        s->offset = 0;
        s->frames_written = e->frames;
        s->unwritten++;
    }
}

static void fail(struct sink *s, enum sink_failure failure)
{
    s->failure = failure;
    s->failed_errno = errno;
}

static bool may_hand_over(const struct sink *s, size_t bytes)
{
    if (s->handoff || !s->in_flight || s->offset) /* a frame that was begun is finished */
        return true;
    return s->in_flight + bytes <= IN_FLIGHT_MAX_BYTES &&
           s->unwritten - s->oldest < IN_FLIGHT_MAX_ENTRIES;
}

void sink_write(struct sink *s)
{
    struct iovec pieces[BATCH_MAX_EVENTS];

    s->blocked = false;
    while (!s->failure && s->unwritten < s->end) {
        size_t bytes;
        int count = gather(s, pieces, &bytes);
        ssize_t n = 0;

        if (!may_hand_over(s, bytes))
            return;
        if (count)
            n = put(s, pieces, count);
        if (n < 0 && errno == EAGAIN) {
            s->blocked = true;
            return;
        }
        if (n < 0) {
            fail(s, errno == EPIPE || errno == ECONNRESET ? SINK_GONE : SINK_FAILED);
            return;
        }
        written(s, (size_t)n);
    }
}

void sink_receive(struct sink *s)
{
    if (!s->failure && ack_receive(&s->back) != ACK_OK)
        fail(s, SINK_GONE);
}

static uint64_t frames_accepted(const struct sink *s)
{
    uint64_t accepted = s->back.accepted - s->before;

    return s->handoff || accepted > s->frames_written ? s->frames_written : accepted;
}

static void take_oldest(struct sink *s, struct accepted *out)
{
    struct sink_entry *e = entry(s, s->oldest++);

    *out = (struct accepted){e->upload, e->number};
    s->in_flight -= e->frame.len;
}

bool sink_take_accepted(struct sink *s, struct accepted *out)
{
    if (s->oldest == s->unwritten || entry(s, s->oldest)->frames > frames_accepted(s))
        return false;
    take_oldest(s, out);
    return true;
}

bool sink_take_lost(struct sink *s, struct accepted *out)
{
    if (s->oldest == s->end)
        return false;
    if (s->oldest == s->unwritten) {
        struct sink_entry *e = entry(s, s->unwritten++);

        drop_message(e);
        s->in_flight += e->frame.len - s->offset;
        s->pending_bytes -= e->frame.len - s->offset;
        s->offset = 0;
    }
    take_oldest(s, out);
    return true;
}

bool sink_is_empty(const struct sink *s)
{
    return s->oldest == s->end;
}
