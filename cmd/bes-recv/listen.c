#include "cmd/bes-recv/listen.h"
#include "cmd/bes-recv/peer.h"
#include "common/base/err.h"
#include "common/base/num.h"
#include "common/io/fd.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define BACKLOG      128
#define UNIX_PREFIX  "unix:"
#define LOOPBACK_NET 127

/* Never a name: Bazel is told the same literal, and nothing has to be resolved. */
static bool parse_loopback(const char *where, struct sockaddr_in *out)
{
    const char *colon = strrchr(where, ':');
    char address[INET_ADDRSTRLEN];
    uint64_t port;

    if (!colon || (size_t)(colon - where) >= sizeof(address) || !num_parse_u64(colon + 1, &port) ||
        port > UINT16_MAX)
        return false;
    memcpy(address, where, (size_t)(colon - where));
    address[colon - where] = 0;
    *out = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    return inet_pton(AF_INET, address, &out->sin_addr) == 1 &&
           ntohl(out->sin_addr.s_addr) >> 24 == LOOPBACK_NET;
}

static enum listen_status open_tcp(struct listener *l, struct sockaddr_in address)
{
    socklen_t len = sizeof(address);
    char text[INET_ADDRSTRLEN];
    int one = 1;

    l->tcp = true;
    l->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (l->fd < 0)
        return LISTEN_FAILED;
    /* The port of a server that has just ended can be had again; that of a living one can't. */
    setsockopt(l->fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
    if (bind(l->fd, (struct sockaddr *)&address, sizeof(address)) || listen(l->fd, BACKLOG) ||
        getsockname(l->fd, (struct sockaddr *)&address, &len))
        return LISTEN_FAILED;
    inet_ntop(AF_INET, &address.sin_addr, text, sizeof(text));
    snprintf(l->endpoint, sizeof(l->endpoint), "grpc://%s:%u", text, ntohs(address.sin_port));
    return LISTEN_OK;
}

/* A socket that nobody listens on is what a killed process left behind. */
static bool is_dead_socket(const struct sockaddr_un *address)
{
    struct stat st;
    bool dead;
    int fd;

    if (lstat(address->sun_path, &st) || !S_ISSOCK(st.st_mode))
        return false;
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    dead = fd >= 0 && connect(fd, (const struct sockaddr *)address, sizeof(*address)) &&
           errno == ECONNREFUSED;
    fd_drop(&fd);
    return dead;
}

static enum listen_status open_unix(struct listener *l, const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    mode_t mask;
    int result;

    if (!*path || strlen(path) >= sizeof(address.sun_path))
        return LISTEN_BAD_ADDRESS;
    memcpy(address.sun_path, path, strlen(path));
    l->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (l->fd < 0)
        return LISTEN_FAILED;
    if (is_dead_socket(&address))
        unlink(path);
    mask = umask(0177);
    result = bind(l->fd, (struct sockaddr *)&address, sizeof(address));
    umask(mask);
    if (result)
        return LISTEN_FAILED;
    memcpy(l->path, path, strlen(path));
    snprintf(l->endpoint, sizeof(l->endpoint), UNIX_PREFIX "%s", path);
    return listen(l->fd, BACKLOG) ? LISTEN_FAILED : LISTEN_OK;
}

enum listen_status listen_open(struct listener *l, const char *where)
{
    struct sockaddr_in address;
    enum listen_status status;

    *l = (struct listener){.fd = -1, .spare = -1};
    if (!strncmp(where, UNIX_PREFIX, strlen(UNIX_PREFIX)))
        status = open_unix(l, where + strlen(UNIX_PREFIX));
    else if (parse_loopback(where, &address))
        status = open_tcp(l, address);
    else
        status = LISTEN_BAD_ADDRESS;
    if (!status)
        l->spare = fd_open_null(O_RDONLY);
    return status;
}

static void refuse_one(struct listener *l)
{
    int fd;

    fd_drop(&l->spare);
    fd = accept4(l->fd, NULL, NULL, SOCK_CLOEXEC);
    fd_drop(&fd);
    l->spare = fd_open_null(O_RDONLY);
    err_say("too many open files: a connection is refused");
}

/* A small answer is not to wait for the acknowledgement of the one before it. */
static void send_at_once(const struct listener *l, int fd)
{
    int one = 1;

    if (l->tcp)
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
}

int listen_accept(struct listener *l)
{
    const char *why;
    int fd;

    while ((fd = accept4(l->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0 ||
           errno == ECONNABORTED || errno == EINTR) {
        if (fd < 0)
            continue;
        if (peer_is_ours(fd, &why)) {
            send_at_once(l, fd);
            return fd;
        }
        err_note("a connection is refused: %s", why);
        fd_drop(&fd);
    }
    if (errno == EMFILE || errno == ENFILE)
        refuse_one(l);
    return -1;
}

void listen_close(struct listener *l)
{
    fd_drop(&l->fd);
    fd_drop(&l->spare);
    if (*l->path)
        unlink(l->path);
    *l->path = 0;
}
