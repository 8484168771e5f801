/*
 * stdout, which is shared with others and may be read slowly or never: nothing here blocks, and nothing
 * changes a flag that others share.
 */
#ifndef BEP_DURABLE_OUT_H
#define BEP_DURABLE_OUT_H

#include <stddef.h>
#include <sys/types.h>

enum out_kind {
    OUT_NONE,   /* nobody reads: a terminal, or the reader is gone */
    OUT_OWN,    /* a pipe, through a non-blocking description of our own */
    OUT_PIPE,   /* a pipe that can't be opened again: POLLOUT promises room for PIPE_BUF bytes */
    OUT_SOCKET, /* MSG_DONTWAIT */
    OUT_PLAIN,  /* a file or a device: never waits for long */
};

enum out_status {
    OUT_OK,
    OUT_FULL,   /* wait for POLLOUT */
    OUT_GONE,   /* the reader is gone; left */
    OUT_FAILED, /* errno says; left */
};

struct out {
    int fd; /* to poll for POLLOUT, -1: none */
    enum out_kind kind;
    int given; /* what out_open got; open until the end, so that its number is no other file's */
};

/* Takes `fd` until out_close. 0, or -1 and errno. */
int out_open(struct out *, int fd);

/* Writes what fits; *done says how much, also before OUT_FULL. */
enum out_status out_write(struct out *, const void *bytes, size_t len, size_t *done);

/* Writes no more: a reader sees the end. */
void out_leave(struct out *);

/* 0, or -1 and errno when close(2) says that something was lost. */
int out_close(struct out *);

#endif
