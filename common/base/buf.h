/*
 * A growing byte buffer with a hard maximum. `data` is never NULL and always has a NUL after `len`
 * bytes; `cap` is private. It grows with bytes that arrive, never by a length that was announced.
 *
 * After a failure the content is as it was before the call.
 */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stdarg.h>
#include <stddef.h>

enum buf_status {
    BUF_OK,
    BUF_TOO_BIG,   /* would pass the maximum */
    BUF_NO_MEMORY, /* the allocator said no */
};

struct buf {
    char *data;
    size_t len;
    size_t cap; /* bytes allocated less the one for the NUL; 0: nothing allocated */
    size_t max; /* longest `len`; 0: no limit but memory */
};

/* The one NUL that an empty buffer points to. Never written. */
extern char buf_empty[1];

#define BUF_INIT                                                                                   \
    {                                                                                              \
        .data = buf_empty                                                                          \
    }
#define BUF_INIT_MAX(m)                                                                            \
    {                                                                                              \
        .data = buf_empty, .max = (m)                                                              \
    }

void buf_init(struct buf *, size_t max);
void buf_release(struct buf *); /* frees the content; the buffer is then empty and usable */
void buf_clear(struct buf *);   /* len = 0, keeps the memory */

/* Makes room for `extra` more bytes behind `len`. The room is at data + len. */
enum buf_status buf_reserve(struct buf *, size_t extra);
/* The room behind `len` that needs no allocation. */
size_t buf_room(const struct buf *);
/* Says that `n` bytes were put into that room. */
void buf_added(struct buf *, size_t n);
/* Cuts the content to its first `len` bytes. */
void buf_truncate(struct buf *, size_t len);

enum buf_status buf_add(struct buf *, const void *bytes, size_t len);
enum buf_status buf_add_str(struct buf *, const char *);
enum buf_status buf_add_char(struct buf *, char);
enum buf_status buf_printf(struct buf *, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
enum buf_status buf_vprintf(struct buf *, const char *format, va_list);

/* Drops the first `n` bytes (n <= len) and moves the rest to the front. */
void buf_shift(struct buf *, size_t n);

/* Hands the memory to the caller, who frees it; NULL where there is none. The buffer is then empty. */
char *buf_detach(struct buf *, size_t *len);

#endif
