#include "cmd/bes-recv/peer.h"
#include "common/ack/address.h"
#include "common/io/fd.h"

#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define WAIT_MS 1000 /* for the kernel's answer, which is there at once */

struct query {
    struct nlmsghdr head;
    struct inet_diag_req_v2 body;
};

union reply {
    struct nlmsghdr head;
    char bytes[8192];
};

/* An IPv4 address as it stands in a row of the family: a JVM's socket is of AF_INET6. */
static void put_address(__be32 out[4], int family, struct in_addr address)
{
    memset(out, 0, 4 * sizeof(out[0]));
    if (family == AF_INET) {
        out[0] = address.s_addr;
    } else {
        out[2] = htonl(0xffff);
        out[3] = address.s_addr;
    }
}

/* The row whose source is the peer: the other end's socket, not ours. */
static struct query exact_query(int family, const struct sockaddr_in *peer,
                                const struct sockaddr_in *own)
{
    struct query q = {
        .head = {.nlmsg_len = sizeof(q),
                 .nlmsg_type = SOCK_DIAG_BY_FAMILY,
                 .nlmsg_flags = NLM_F_REQUEST},
        .body = {.sdiag_family = (__u8)family,
                 .sdiag_protocol = IPPROTO_TCP,
                 .idiag_states = 1U << TCP_ESTABLISHED},
    };

    q.body.id.idiag_sport = peer->sin_port;
    q.body.id.idiag_dport = own->sin_port;
    put_address(q.body.id.idiag_src, family, peer->sin_addr);
    put_address(q.body.id.idiag_dst, family, own->sin_addr);
    q.body.id.idiag_cookie[0] = INET_DIAG_NOCOOKIE;
    q.body.id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
    return q;
}

/* Where no connection matches, the kernel answers with a listening socket: ports and state tell. */
static bool read_owner(const union reply *reply, ssize_t len, const struct query *q, uid_t *owner)
{
    const struct inet_diag_msg *row = NLMSG_DATA(&reply->head);

    if (len < (ssize_t)NLMSG_LENGTH(sizeof(*row)) || !NLMSG_OK(&reply->head, (size_t)len) ||
        reply->head.nlmsg_type != SOCK_DIAG_BY_FAMILY)
        return false;
    if (row->idiag_state != TCP_ESTABLISHED || row->id.idiag_sport != q->body.id.idiag_sport ||
        row->id.idiag_dport != q->body.id.idiag_dport)
        return false;
    *owner = row->idiag_uid;
    return true;
}

static bool ask(int family, const struct sockaddr_in *peer, const struct sockaddr_in *own,
                uid_t *owner)
{
    struct query q = exact_query(family, peer, own);
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
    union reply reply;
    bool found = false;

    if (fd < 0)
        return false;
    if (send(fd, &q, sizeof(q), 0) == (ssize_t)sizeof(q) && fd_wait(fd, POLLIN, WAIT_MS) > 0)
        found = read_owner(&reply, recv(fd, &reply, sizeof(reply), 0), &q, owner);
    fd_drop(&fd);
    return found;
}

static bool tcp_peer_is_ours(const struct sockaddr_in *peer, const struct sockaddr_in *own,
                             const char **why)
{
    uid_t owner;

    if (!ask(AF_INET, peer, own, &owner) && !ask(AF_INET6, peer, own, &owner)) {
        *why = "the kernel does not say whose it is";
        return false;
    }
    *why = "it is another user's";
    return owner == geteuid();
}

bool peer_is_ours(int fd, const char **why)
{
    struct sockaddr_in peer = {0}, own = {0};
    socklen_t peer_len = sizeof(peer), own_len = sizeof(own);

    *why = "it is another user's";
    if (getsockname(fd, (struct sockaddr *)&own, &own_len))
        return false;
    if (own.sin_family == AF_UNIX)
        return ack_peer_is_ours(fd);
    if (getpeername(fd, (struct sockaddr *)&peer, &peer_len)) {
        *why = "it has gone already";
        return false;
    }
    return tcp_peer_is_ours(&peer, &own, why);
}
