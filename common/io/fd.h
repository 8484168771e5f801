/*
 * File descriptors. Raw read(2), write(2) and their kind are called here and in common/proc only, so
 * that EINTR, short counts and close-on-exec are handled once. Every descriptor made here is
 * close-on-exec. Functions return -1 and errno where nothing else is said.
 */
#ifndef IO_FD_H
#define IO_FD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

/* First line of every main: descriptors 0, 1 and 2 exist (/dev/null where not), SIGPIPE is ignored. */
void fd_start(void);

/* read(2) without EINTR. 0 is the end. With O_NONBLOCK: -1 and EAGAIN. */
ssize_t fd_read(int fd, void *bytes, size_t len);
/* Reads until `len` bytes or the end; gives what came. */
ssize_t fd_read_full(int fd, void *bytes, size_t len);
ssize_t fd_pread_full(int fd, void *bytes, size_t len, off_t offset);

/* write(2) without EINTR; may be short. */
ssize_t fd_write(int fd, const void *bytes, size_t len);
ssize_t fd_writev(int fd, const struct iovec *, int count);
/* Writes everything, waiting where the descriptor is non-blocking. 0, or -1 and errno. */
int fd_write_full(int fd, const void *bytes, size_t len);
/* The same for a vector, which it changes while it goes. */
int fd_writev_full(int fd, struct iovec *, int count);

/*
 * The same for one block, but given up with EINTR after any number of bytes once `stop` says so; it is
 * asked when a signal has interrupted a write that waited.
 */
int fd_write_unless(int fd, const void *bytes, size_t len, int (*stop)(void));

/* close(2) that reports; EINTR is success on Linux. Does nothing with a negative fd. */
int fd_close(int fd);
/* Closes and sets to -1. */
void fd_drop(int *fd);

/* open(2), close-on-exec, without EINTR. */
int fd_open(const char *path, int flags, mode_t mode);
/*
 * Opens once more what `fd` is open on, by /proc: a description of its own, so that O_NONBLOCK is no
 * business of those who share `fd`. Fails for a socket, and for a named pipe whose other end is gone.
 */
int fd_open_again(int fd, int flags);
int fd_pipe(int ends[2]);
int fd_set_nonblocking(int fd, bool on);
int fd_set_cloexec(int fd, bool on);
int fd_open_null(int flags);
/* A second descriptor, above 2, for what `fd` is open on. */
int fd_dup(int fd);
/* Makes `fd` (0, 1 or 2) what `from` is; children inherit it. 0, or -1 and errno. */
int fd_replace(int fd, int from);
/* Puts /dev/null in the place of `fd`, which others see as closed. 0, or -1 and errno. */
int fd_to_null(int fd);

bool fd_is_terminal(int fd);
bool fd_is_fifo(int fd);

/*
 * Waits until fd is ready for `events` (poll.h) or `timeout_ms` has passed (-1: for ever). Gives
 * revents, 0 for the time-out, -1 and errno. Copes with EINTR without waiting longer.
 */
int fd_wait(int fd, short events, int timeout_ms);

#endif
