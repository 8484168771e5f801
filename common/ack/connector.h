/*
 * bes-recv's end of the acceptance back-channel: connects to the bep-durable that reads our stdout and
 * learns how many frames it has accepted. Never blocks, except in ack_connect_until.
 *
 *     struct ack_connector c = ACK_CONNECTOR_INIT;
 *     if (ack_connect_until(&c, &address, deadline, 1, signal_fd) != ACK_OK) ... c.accepted is known ...
 *     poll c.fd for POLLIN; ack_receive(&c); c.accepted has grown
 *
 * A number is 8 bytes, little endian: the frames in FILE, those included that it held before (--append).
 * So the frame that is written next is number c.accepted + 1 of the first answer.
 */
#ifndef ACK_CONNECTOR_H
#define ACK_CONNECTOR_H

#include "common/ack/address.h"

#include <stdint.h>

enum ack_status {
    ACK_OK,
    ACK_NOT_YET,  /* nobody listens there (yet), or it has not answered yet: try again */
    ACK_STRANGER, /* another user has taken the name: say --ack-socket */
    ACK_STOPPED,  /* stop_fd became ready first */
    ACK_CLOSED,   /* the writer has gone or failed: what is not accepted will never be */
    ACK_BAD,      /* a number went backwards */
    ACK_FAILED,   /* errno says */
};

struct ack_connector {
    int fd;            /* to poll for POLLIN; -1: not connected */
    bool answered;     /* the first number has come: we are the one connector that is served */
    uint64_t accepted; /* the newest number */
    uint8_t part[ACK_NUMBER_BYTES];
    size_t part_len;
};

#define ACK_CONNECTOR_INIT                                                                         \
    {                                                                                              \
        .fd = -1                                                                                   \
    }

/*
 * One attempt: ACK_OK when connected and the first number has come. ACK_NOT_YET, ACK_STRANGER (the
 * squatter may go): call again after ACK_RETRY_MS. ACK_FAILED: no socket could be had.
 */
enum ack_status ack_connect(struct ack_connector *, const struct ack_address *);

/* How long to wait between two attempts: a writer that starts beside us is ready in about 1 ms. */
#define ACK_RETRY_MS 2

/*
 * Attempts until `deadline` (clock_ms); after it the last attempt's answer. Ends early with ACK_CLOSED
 * when nobody reads the pipe `out_fd` any more, and with ACK_STOPPED when `stop_fd` (signals_open)
 * becomes readable. Either may be -1.
 */
enum ack_status ack_connect_until(struct ack_connector *, const struct ack_address *,
                                  uint64_t deadline, int out_fd, int stop_fd);

/*
 * Takes in every number that has come. ACK_OK, also where none has; ACK_CLOSED, ACK_BAD or ACK_FAILED:
 * final, the fd is closed, `accepted` holds the last good number.
 */
enum ack_status ack_receive(struct ack_connector *);

void ack_connector_release(struct ack_connector *);

#endif
