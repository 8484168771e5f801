/*
 * Wakes up when a file may have changed or may have been replaced: inotify on its folder and on the file
 * itself. Where that can't be had (no folder yet, no descriptors or watches left, a file system that is
 * written on other machines, a link that leads nowhere yet) the file is polled.
 */
#ifndef TAIL_WATCH_H
#define TAIL_WATCH_H

#include <stdbool.h>

struct watch {
    const char *path;
    int fd;       /* inotify, for poll(2); -1 where polling */
    int dir_wd;   /* of the folder, for new names in it */
    int file_wd;  /* of the file that is open; -1: none */
    bool polling; /* once true, stays true */
};

/* Watches `path`, which need not exist and must live as long as the watch. */
void watch_open(struct watch *, const char *path);
/* Watches the open file `fd` instead of the one before; -1: none. */
void watch_file(struct watch *, int fd);
/* Takes what has been reported. Look at the file afterwards. */
void watch_clear(struct watch *);
/* How long poll(2) may wait, in milliseconds: -1 where the descriptor wakes up. */
int watch_timeout(const struct watch *);
void watch_close(struct watch *);

#endif
