#include "common/ack/address.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_AT offsetof(struct sockaddr_un, sun_path)

bool ack_address_of_pipe(struct ack_address *a, int fd)
{
    struct stat st;
    char *name;
    int len;

    if (fstat(fd, &st) || !S_ISFIFO(st.st_mode))
        return false;
    *a = (struct ack_address){.un = {.sun_family = AF_UNIX}};
    name = a->un.sun_path + 1; /* behind the NUL that makes it abstract */
    len = snprintf(name, sizeof(a->un.sun_path) - 1, "bep-ack-%u-%llu-%llu", geteuid(),
                   (unsigned long long)st.st_dev, (unsigned long long)st.st_ino);
    a->len = (socklen_t)(PATH_AT + 1 + (size_t)len);
    return true;
}

bool ack_address_of_path(struct ack_address *a, const char *path)
{
    size_t len = strlen(path);

    *a = (struct ack_address){.un = {.sun_family = AF_UNIX}};
    if (!len || len >= sizeof(a->un.sun_path))
        return false;
    memcpy(a->un.sun_path, path, len + 1);
    a->len = (socklen_t)(PATH_AT + len + 1);
    return true;
}

const char *ack_address_text(const struct ack_address *a, char *text, size_t size)
{
    const char *path = a->un.sun_path;

    snprintf(text, size, "%s%s", *path ? "" : "@", *path ? path : path + 1);
    return text;
}

bool ack_peer_is_ours(int fd)
{
    struct ucred peer;
    socklen_t len = sizeof(peer);

    return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) && peer.uid == geteuid();
}
