/*
 * Large files that must survive: created for their owner only, locked, synced together with their names,
 * replaced as a whole. (Small ones: file.h.) Functions return -1 and errno where nothing else is said.
 */
#ifndef IO_DISK_H
#define IO_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Creates for reading and writing, mode 0600. The descriptor; EEXIST where anything has that name. */
int disk_create(const char *path);

/* Opens for reading and writing, or creates like disk_create. Never waits, not for a FIFO's writer. */
int disk_open_or_create(const char *path);

bool disk_is_regular(int fd);

/* Whether both are the same file. */
bool disk_is_same(int fd, int other_fd);

/* Takes the lock that one process at a time can hold, until close(2). EWOULDBLOCK: another has it. */
int disk_lock(int fd);

/* Writes everything at `offset`. A part may have been written when it fails. 0, or -1 and errno. */
int disk_write(int fd, const void *bytes, size_t len, uint64_t offset);

/* ftruncate(2) without EINTR. Async-signal-safe. 0, or -1 and errno. */
int disk_cut(int fd, uint64_t len);

/* Lets the kernel begin to write these bytes to the disk, so that a later sync has less to do. A hint only. */
void disk_begin_sync(int fd, uint64_t offset, uint64_t len);

/*
 * fdatasync(2). A failure is final: the kernel may have dropped what was not written, and a second call
 * would lie.
 */
int disk_sync(int fd);

/* fsync(2) of the folder that `path` lies in, so that the name itself survives. */
int disk_sync_folder(const char *path);

/* A new content for `path`, written beside it, that takes its place as a whole or not at all. */
struct disk_replacement {
    int fd; /* to write to */
    const char *path;
    char *temp; /* name of the file at `fd` */
};

/* `path` must live until commit or abandon. */
int disk_replace_begin(struct disk_replacement *, const char *path);
/*
 * Syncs, renames, syncs the folder. When it fails, nothing is left behind and `path` is as it was, or,
 * where only the folder's sync failed, as it would be.
 */
int disk_replace_commit(struct disk_replacement *);
void disk_replace_abandon(struct disk_replacement *);

#endif
