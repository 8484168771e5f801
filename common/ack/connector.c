#include "common/ack/connector.h"
#include "common/base/clock.h"
#include "common/io/fd.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#define READ_NUMBERS 512 /* so many may lie there when we come late; more are read in turns */

static uint64_t decode(const uint8_t *bytes)
{
    uint64_t number = 0;

    for (int i = 0; i < ACK_NUMBER_BYTES; i++)
        number |= (uint64_t)bytes[i] << (8 * i);
    return number;
}

static enum ack_status finish(struct ack_connector *c, enum ack_status status)
{
    fd_drop(&c->fd);
    return status;
}

/* The numbers in `bytes`, of which the first part_len were there before. False: one went backwards. */
static bool take_numbers(struct ack_connector *c, const uint8_t *bytes, size_t len)
{
    size_t at;

    for (at = 0; len - at >= ACK_NUMBER_BYTES; at += ACK_NUMBER_BYTES) {
        uint64_t number = decode(bytes + at);
        if (number < c->accepted)
            return false;
        c->accepted = number;
        c->answered = true;
    }
    c->part_len = len - at;
    memcpy(c->part, bytes + at, c->part_len);
    return true;
}

enum ack_status ack_receive(struct ack_connector *c)
{
    uint8_t bytes[READ_NUMBERS * ACK_NUMBER_BYTES];

    for (;;) {
        ssize_t n;
        size_t had = c->part_len;
        memcpy(bytes, c->part, had);
        n = fd_read(c->fd, bytes + had, sizeof(bytes) - had);
        if (n < 0 && errno == EAGAIN)
            return ACK_OK;
        if (n == 0 || (n < 0 && errno == ECONNRESET))
            return finish(c, ACK_CLOSED);
        if (n < 0)
            return finish(c, ACK_FAILED);
        if (!take_numbers(c, bytes, had + (size_t)n))
            return finish(c, ACK_BAD);
    }
}

static enum ack_status open_socket(struct ack_connector *c, const struct ack_address *a)
{
    *c = (struct ack_connector)ACK_CONNECTOR_INIT;
    c->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (c->fd < 0)
        return ACK_FAILED;
    if (connect(c->fd, (const struct sockaddr *)&a->un, a->len))
        return finish(c, errno == EACCES || errno == EPERM ? ACK_STRANGER : ACK_NOT_YET);
    if (!ack_peer_is_ours(c->fd))
        return finish(c, ACK_STRANGER);
    return ACK_OK;
}

enum ack_status ack_connect(struct ack_connector *c, const struct ack_address *a)
{
    enum ack_status status = c->fd < 0 ? open_socket(c, a) : ACK_OK;

    if (status != ACK_OK)
        return status;
    status = ack_receive(c);
    if (status == ACK_CLOSED) /* it serves another connector, or has ended: ask again */
        return ACK_NOT_YET;
    if (status != ACK_OK)
        return status;
    return c->answered ? ACK_OK : ACK_NOT_YET;
}

/* ACK_NOT_YET: try again. */
static enum ack_status pause_between(const struct ack_connector *c, int out_fd, int stop_fd,
                                     int timeout_ms)
{
    struct pollfd fds[] = {
        {.fd = stop_fd, .events = POLLIN}, {.fd = out_fd}, {.fd = c->fd, .events = POLLIN}};

    if (poll(fds, 3, timeout_ms) <= 0)
        return ACK_NOT_YET;
    if (fds[0].revents)
        return ACK_STOPPED;
    return fds[1].revents ? ACK_CLOSED : ACK_NOT_YET;
}

enum ack_status ack_connect_until(struct ack_connector *c, const struct ack_address *a,
                                  uint64_t deadline, int out_fd, int stop_fd)
{
    for (;;) {
        enum ack_status status = ack_connect(c, a);
        int left = clock_left(deadline);
        if ((status != ACK_NOT_YET && status != ACK_STRANGER) || !left)
            return status;
        status = pause_between(c, out_fd, stop_fd, left < ACK_RETRY_MS ? left : ACK_RETRY_MS);
        if (status != ACK_NOT_YET)
            return status;
    }
}

void ack_connector_release(struct ack_connector *c)
{
    fd_drop(&c->fd);
}
