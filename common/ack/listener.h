/*
 * bep-durable's end of the acceptance back-channel: serves one connector of our own user and tells it
 * how many frames FILE holds. Nothing here blocks or fails the capture: a number that does not fit is
 * dropped and the newest is sent when there is room; strangers and a second connector are closed at
 * once.
 */
#ifndef ACK_LISTENER_H
#define ACK_LISTENER_H

#include "common/ack/address.h"

#include <poll.h>
#include <stdint.h>

#define ACK_LISTENER_FDS 2 /* rows of pollfd that it needs */

struct ack_listener {
    int listen_fd;                  /* -1: no back-channel */
    int fd;                         /* the connector that is served, -1: none */
    uint64_t accepted;              /* what the connector is to know */
    uint64_t sent;                  /* what was sent last */
    bool greeted;                   /* anything was sent at all */
    uint8_t part[ACK_NUMBER_BYTES]; /* of a number that did not fit whole */
    size_t part_len;
    char
        path[sizeof(((struct sockaddr_un *)0)->sun_path)]; /* to remove at the end; "" for a name */
};

#define ACK_LISTENER_INIT                                                                          \
    {                                                                                              \
        .listen_fd = -1, .fd = -1                                                                  \
    }

/*
 * Listens. A path is created with mode 0600; a socket that a killed bep-durable left there is replaced.
 * 0, or -1 and errno; EADDRINUSE: taken, or the path is something else.
 */
int ack_listen(struct ack_listener *, const struct ack_address *);

/* Fills ACK_LISTENER_FDS rows for poll(2); fd -1 where there is nothing to wait for. */
void ack_listener_poll(const struct ack_listener *, struct pollfd *);

/* Does what can be done without blocking: takes or closes connectors, sends the newest number. */
void ack_listener_serve(struct ack_listener *, const struct pollfd *);

/* `frames` are accepted now: sends it if it fits. */
void ack_listener_accepted(struct ack_listener *, uint64_t frames);

/* The connector sees the end and knows that no more will be accepted. Removes the path. */
void ack_listener_release(struct ack_listener *);

#endif
