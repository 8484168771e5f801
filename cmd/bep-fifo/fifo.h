/*
 * A private FIFO and its reading end. From fifo_make to fifo_remove there is always a reader: Bazel
 * blocks for ever on a FIFO without one, and a reader that leaves fails its build.
 */
#ifndef FIFO_FIFO_H
#define FIFO_FIFO_H

#include <sys/types.h>

struct fifo {
    const char *path;
    int fd;   /* to poll and to read, non-blocking */
    int hold; /* another reader, which stays open while `fd` is opened anew, and holds the lock */
    dev_t dev;
    ino_t ino;
};

#define FIFO_INIT                                                                                  \
    {                                                                                              \
        .fd = -1, .hold = -1                                                                       \
    }

/*
 * Makes it, 0600, or takes over one that is ours and that no other bep-fifo reads: its source may have
 * died while Bazel writes. EX_OK, or the exit status; then it has said why. `path` must live as long.
 */
int fifo_make(struct fifo *, const char *path);

/*
 * When all writers have left, poll(2) says POLLHUP for ever. This ends that, once everything has been
 * read; a writer that comes meanwhile is not missed. 0, or -1 and errno.
 */
int fifo_forget_writers(struct fifo *);

/* Removes it, unless its name is another file's by now, and only then closes it. */
void fifo_remove(struct fifo *);

#endif
