/*
 * Lines of a file from a byte offset on, in bounded memory, whatever the file's size: logs of 500 MB,
 * JSON lines of 10^6 rows. A line longer than PAGE_LINE_MAX comes cut at its last blank before that, so
 * that no secret is cut in its middle; its rest is skipped.
 */
#ifndef MCP_FRONT_PAGE_H
#define MCP_FRONT_PAGE_H

#include "common/base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PAGE_LINE_MAX (256UL * 1024)

struct page {
    int fd;
    struct buf buf; /* what was read and is not given out yet, from `at` on */
    size_t at;
    struct buf long_line; /* of the last line that was cut */
    uint64_t offset;      /* in the file, of buf.data + at */
    bool ended;           /* the file has no more */
};

struct page_line {
    const char *text; /* valid until the next call; without the newline and a '\r' before it */
    size_t len;
    uint64_t start; /* offset of its first byte */
    uint64_t next;  /* offset of the line behind it */
    bool cut;
    bool whole; /* ends with a newline: false for the last line of a file that is still written */
};

/*
 * Opens a regular file; -1 and errno. An offset behind the end gives no lines, one within a line begins at the
 * next: what stands behind a part of a line could not be redacted.
 */
int page_open(struct page *, const char *path, uint64_t offset);
void page_close(struct page *);

/* 1: a line; 0: the end; -1 and errno. */
int page_next(struct page *, struct page_line *);

#endif
