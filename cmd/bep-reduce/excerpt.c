#include "cmd/bep-reduce/excerpt.h"

#include <stdlib.h>

#include "cmd/bep-reduce/complaint.h"
#include "common/base/mem.h"
#include "common/io/fd.h"

/* "\n... 12 bytes left out ...\n" and its number's further digits. */
#define GAP_BYTES 48
/* Smaller excerpts are head and tail alone. */
#define MAX_TO_SEARCH (256UL * 1024)
#define CHUNK_BYTES   (64UL * COMPLAINT_BLOCK)
/* Chunks overlap by this much, so that a word is whole in one of them. */
#define OVERLAP_BYTES 64
/* Of a line, what is looked at. */
#define LINE_BYTES 512
/* What a complaint's cause is likely to stand in. */
#define BEFORE_BYTES (4 * 1024)
#define AFTER_BYTES  (12 * 1024)
/* Lines that are looked at closely; a log with more of them has no first ones. */
#define LINES_MAX 50000

struct excerpt {
    int fd;
    struct buf *out;
    off_t kept;  /* up to where the file has been appended or left out */
    size_t room; /* for what comes, the tail included */
    size_t tail; /* the least of the tail */
    off_t end;   /* of the part that is searched */
    char *chunk;
    int lines_left;
};

/* Appends the file's bytes from `from` on, behind a line for those that are left out. */
static bool keep(struct excerpt *e, off_t from, size_t len)
{
    size_t before = e->out->len;
    ssize_t n;

    if (from > e->kept && buf_printf(e->out, "\n... %lld bytes left out ...\n",
                                     (long long)(from - e->kept)) != BUF_OK)
        return false;
    e->room -= e->out->len - before;
    if (buf_reserve(e->out, len) != BUF_OK)
        return false;
    n = fd_pread_full(e->fd, e->out->data + e->out->len, len, from);
    if (n < 0)
        return false;
    buf_added(e->out, (size_t)n);
    e->kept = from + (off_t)len;
    e->room -= len;
    return true;
}

static struct slice line_around(struct slice text, size_t at)
{
    size_t low = at > LINE_BYTES ? at - LINE_BYTES : 0;
    const char *before = memrchr(text.text + low, '\n', at - low);
    size_t start = before ? (size_t)(before - text.text) + 1 : low;
    size_t room = text.len - start < LINE_BYTES * 2 ? text.len - start : LINE_BYTES * 2;
    const char *after = memchr(text.text + start, '\n', room);

    return (struct slice){text.text + start, after ? (size_t)(after - text.text) - start : room};
}

/* Where in the block the first line that complains begins; SIZE_MAX: nowhere. */
static size_t find_complaint(struct excerpt *e, struct slice text, size_t block)
{
    size_t end = block + COMPLAINT_BLOCK < text.len ? block + COMPLAINT_BLOCK : text.len;

    for (size_t at = block; at < end && e->lines_left > 0; e->lines_left--) {
        struct slice line = line_around(text, at);
        size_t start = (size_t)(line.text - text.text);

        if (complaint_is(line))
            return start;
        at = start + line.len + 1;
    }
    return SIZE_MAX;
}

/* Keeps what surrounds the complaint; returns whether it could. */
static bool keep_around(struct excerpt *e, off_t at)
{
    off_t from = at > e->kept + BEFORE_BYTES ? at - BEFORE_BYTES : e->kept;
    off_t to = at + AFTER_BYTES < e->end ? at + AFTER_BYTES : e->end;
    size_t len = (size_t)(to - from), room = e->room - e->tail - GAP_BYTES;

    return keep(e, from, len < room ? len : room);
}

/* The chunk's complaints; returns where to go on, or -1: it cannot be read. */
static off_t search_chunk(struct excerpt *e, off_t offset)
{
    off_t left = e->end - offset;
    ssize_t n = fd_pread_full(e->fd, e->chunk,
                              left < (off_t)CHUNK_BYTES ? (size_t)left : CHUNK_BYTES, offset);
    struct slice text = {e->chunk, n > 0 ? (size_t)n : 0};

    if (n <= OVERLAP_BYTES)
        return n < 0 ? -1 : e->end;
    memset(e->chunk + n, 0, CHUNK_BYTES + COMPLAINT_BLOCK - (size_t)n);
    for (size_t block = 0; block < text.len; block += COMPLAINT_BLOCK) {
        size_t at;

        if (!complaint_may_begin(text.text + block))
            continue;
        at = find_complaint(e, text, block);
        if (at == SIZE_MAX)
            continue;
        return keep_around(e, offset + (off_t)at) ? e->kept : -1;
    }
    return offset + (off_t)text.len - OVERLAP_BYTES;
}

static bool search(struct excerpt *e)
{
    off_t at = e->kept;

    while (at >= 0 && at < e->end && e->room > e->tail + GAP_BYTES && e->lines_left > 0)
        at = search_chunk(e, at);
    return at >= 0;
}

/* What the search did not need makes the tail longer. */
static bool keep_tail(struct excerpt *e, off_t size)
{
    off_t left = size - e->kept;

    if (left <= (off_t)e->room)
        return keep(e, e->kept, (size_t)left);
    return keep(e, size - (off_t)(e->room - GAP_BYTES), e->room - GAP_BYTES);
}

bool excerpt_read(int fd, off_t size, size_t max, struct buf *out)
{
    struct excerpt e = {.fd = fd, .out = out, .room = max, .lines_left = LINES_MAX};
    bool good;

    if (max < 4 * GAP_BYTES)
        return keep(&e, 0, max);
    e.tail = max >= MAX_TO_SEARCH ? max / 8 * 3 : max / 2;
    e.end = size - (off_t)e.tail;
    good = keep(&e, 0, e.tail);
    if (good && max >= MAX_TO_SEARCH) {
        e.chunk = mem_alloc(CHUNK_BYTES + COMPLAINT_BLOCK);
        good = e.chunk && search(&e);
        free(e.chunk);
    }
    return good && keep_tail(&e, size);
}
