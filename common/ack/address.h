/*
 * Where the two ends of the acceptance back-channel meet (bep-pipeline(7)): an abstract Unix stream
 * socket whose name follows from the pipe that joins them, "bep-ack-UID-DEV-INODE", all decimal: the
 * effective user id, and st_dev and st_ino of the pipe. Both ends see the same inode, a tee between
 * them has another. Where there is no pipe: a path (--ack-socket).
 */
#ifndef ACK_ADDRESS_H
#define ACK_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>

/* What travels there, from bep-durable to bes-recv only: the number of accepted frames, little endian. */
#define ACK_NUMBER_BYTES 8

struct ack_address {
    struct sockaddr_un un;
    socklen_t len;
};

/* Of the pipe at `fd` (bes-recv's stdout, bep-durable's stdin). False: `fd` is no FIFO. */
bool ack_address_of_pipe(struct ack_address *, int fd);

/* Of a path. False: too long for a socket (107 bytes), or empty. */
bool ack_address_of_path(struct ack_address *, const char *path);

/* For messages: the path, or the name with '@' in front. Fills `text`, cut to `size`, and returns it. */
const char *ack_address_text(const struct ack_address *, char *text, size_t size);

/* Whether the process at the other end of a connected socket runs under our effective user id. */
bool ack_peer_is_ours(int fd);

#endif
