/* The reading end of a pipe from a child, on the loop. */
#ifndef MCP_FRONT_READER_H
#define MCP_FRONT_READER_H

#include "common/base/buf.h"

#include <uv.h>

struct reader;

struct reader_handler {
    void (*line)(void *data, const char *line); /* each line without its newline; NULL: keep all */
    void (*end)(void *data,
                struct buf *all); /* every writer has closed; `all` where lines are not given */
    void *data;
};

/* Takes `fd`. What passes `max` bytes (of a line, or of all) is dropped. NULL: out of memory. */
struct reader *reader_open(uv_loop_t *, int fd, size_t max, const struct reader_handler *);

/* Nobody who matters writes any more: takes what is there, and ends as if every writer had closed. */
void reader_finish(struct reader *);

/* Frees it, at once for the caller; no handler is called any more. NULL is nothing. */
void reader_close(struct reader *);

#endif
