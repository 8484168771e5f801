/*
 * FILE, the authoritative one: regular, locked, whole frames and at most one torn tail at any moment.
 * Fail-stop: after the first failed write or sync it is cut back to the last accepted frame, and nothing
 * is ever written, synced or accepted again.
 */
#ifndef BEP_DURABLE_STORE_H
#define BEP_DURABLE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum store_mode {
    STORE_NEW,    /* refuses a FILE that exists */
    STORE_FORCE,  /* empties it */
    STORE_APPEND, /* goes on behind its last whole frame; a torn tail becomes FILE.torn */
};

struct store {
    int fd;
    const char *path;
    uint64_t end;      /* bytes written */
    uint64_t accepted; /* offset behind the last accepted frame */
    uint64_t frames;   /* accepted, those included that FILE held before */
    uint64_t begun;    /* what the kernel was told to write to the disk already */
    uint64_t synced;   /* what a sync has covered of it */
    bool failed;       /* final */
};

/*
 * Syncs the folder as well, so that it is no part of what the last acceptance waits for.
 * EX_OK, or what has been said on stderr: 73 FILE cannot be had, 75 another process holds it, 65 it is
 * no stream of frames, 74. `path` must live as long as the store.
 */
int store_open(struct store *, const char *path, enum store_mode, uint64_t max_frame);

/* Writes behind `end`. False: failed, and said. */
bool store_write(struct store *, const void *bytes, size_t len);

/* Syncs what is written. False: failed, and said. */
bool store_sync(struct store *);

/* All frames up to offset `end` count from now on. */
void store_accept(struct store *, uint64_t end, uint64_t frames);

/* Reads accepted bytes again. How many; -1: failed, and said. */
ssize_t store_read(struct store *, void *bytes, size_t len, uint64_t offset);

/* Takes away what is not accepted. Async-signal-safe. 0, or -1 and errno. */
int store_cut(struct store *);

/* No more is to come: cuts, and syncs what no sync has covered. False: failed, now or before. */
bool store_finish(struct store *);

/* False: failed, and said. */
bool store_close(struct store *);

#endif
