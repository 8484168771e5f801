/*
 * A BEP file that Bazel is still writing. It may not exist yet, may be an older build's, and a second
 * attempt of Bazel truncates it or puts another in its place; then the stream begins anew.
 */
#ifndef TAIL_TAIL_H
#define TAIL_TAIL_H

#include "cmd/bep-tail/watch.h"
#include "common/frame/stream.h"
#include "common/proc/client.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#define TAIL_HEAD 256 /* enough to hold the invocation id and the start time of the first event */

enum tail_status {
    TAIL_DATA,   /* stream.whole may hold frames to pass on; call again */
    TAIL_IDLE,   /* everything that is there has been read, or there is no file yet */
    TAIL_FAILED, /* said on stderr; `failure` is the exit status */
};

struct tail {
    const char *path;
    struct client *client; /* a file last written before it started is stale */
    struct watch watch;
    struct stream stream;
    int fd; /* -1: no file yet */
    dev_t dev;
    ino_t ino;
    off_t at; /* next byte to read */
    uint8_t head[TAIL_HEAD];
    size_t head_len;
    bool looked;       /* at the path, once */
    bool held;         /* the file was there at the first look and seems older than the client */
    struct stat first; /* as it was then */
    bool any_byte;     /* ever seen */
    int failure;
};

/* Begins to watch `path`. Both pointers must outlive the tail. */
void tail_open(struct tail *, const char *path, struct client *, uint64_t max_frame);

/* Reads what fits into one buffer. */
enum tail_status tail_read(struct tail *);

void tail_close(struct tail *);

#endif
