/*
 * The address that clients connect to: a port on the loopback interface, or a Unix socket. Connections
 * of other users are closed at once.
 */
#ifndef BES_RECV_LISTEN_H
#define BES_RECV_LISTEN_H

#include <stdbool.h>
#include <sys/un.h>

struct listener {
    int fd;
    int spare; /* given up for a moment to refuse a connection when descriptors run out */
    bool tcp;
    char path[sizeof(((struct sockaddr_un *)0)->sun_path)]; /* to remove at the end; "" for TCP */
    char endpoint[160];                                     /* grpc://127.0.0.1:PORT or unix:PATH */
};

enum listen_status {
    LISTEN_OK,
    LISTEN_BAD_ADDRESS, /* neither 127.x.y.z:PORT nor unix:PATH */
    LISTEN_FAILED,      /* errno says; EADDRINUSE: somebody listens there */
};

/* `where`: 127.0.0.1:PORT (0: any free one) or unix:PATH. A dead socket at PATH is replaced. */
enum listen_status listen_open(struct listener *, const char *where);

/* A new connection of our own user, non-blocking; -1: there is none now. */
int listen_accept(struct listener *);

/* Stops listening, removes the socket. */
void listen_close(struct listener *);

#endif
