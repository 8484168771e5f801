/*
 * Whose process is at the other end of a connection. A TCP port is open to every user of the machine;
 * the kernel knows who owns the other end's socket, and sock_diag(7) tells it.
 */
#ifndef BES_RECV_PEER_H
#define BES_RECV_PEER_H

#include <stdbool.h>

/*
 * Whether the peer of a connected TCP or Unix socket runs under our effective user id. A peer that can't
 * be looked up is not ours; `why`, for a message, says so.
 */
bool peer_is_ours(int fd, const char **why);

#endif
