#include "cmd/mcp-front/page.h"
#include "common/base/limits.h"
#include "common/io/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

/* 1: more bytes came; 0: the end; -1. */
static int fill(struct page *page)
{
    ssize_t n;

    if (page->ended)
        return 0;
    buf_shift(&page->buf, page->at);
    page->at = 0;
    if (buf_reserve(&page->buf, READ_CHUNK) != BUF_OK) {
        errno = ENOMEM;
        return -1;
    }
    n = fd_pread_full(page->fd, page->buf.data + page->buf.len, READ_CHUNK,
                      (off_t)(page->offset + page->buf.len));
    if (n < 0)
        return -1;
    buf_added(&page->buf, (size_t)n);
    page->ended = (size_t)n < READ_CHUNK;
    return n > 0;
}

static void take(struct page *page, size_t n)
{
    page->at += n;
    page->offset += n;
}

/* The end of the line that begins at `at`; reads on until there is one, up to PAGE_LINE_MAX. */
static int find_end(struct page *page, size_t *len, bool *newline)
{
    size_t seen = 0;

    for (;;) {
        const char *from = page->buf.data + page->at;
        size_t have = page->buf.len - page->at;
        const char *stop = memchr(from + seen, '\n', have - seen);
        int status;
        *newline = stop;
        *len = stop ? (size_t)(stop - from) : have;
        if (stop || have > PAGE_LINE_MAX)
            return 0;
        seen = have;
        status = fill(page);
        if (status <= 0)
            return status;
    }
}

static int skip_line(struct page *page)
{
    for (;;) {
        const char *from = page->buf.data + page->at;
        size_t have = page->buf.len - page->at;
        const char *stop = memchr(from, '\n', have);
        int status;
        take(page, stop ? (size_t)(stop - from) + 1 : have);
        if (stop)
            return 0;
        status = fill(page);
        if (status <= 0)
            return status;
    }
}

static bool begins_line(struct page *page)
{
    char before = '\n';

    return !page->offset || fd_pread_full(page->fd, &before, 1, (off_t)(page->offset - 1)) < 1 ||
           before == '\n';
}

int page_open(struct page *page, const char *path, uint64_t offset)
{
    struct stat st;

    *page = (struct page){.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW),
                          .offset = offset};
    buf_init(&page->buf, 0);
    buf_init(&page->long_line, 0);
    if (page->fd < 0)
        return -1;
    if (fstat(page->fd, &st))
        return -1;
    if (!S_ISREG(st.st_mode) || offset > INT64_MAX) {
        errno = EINVAL;
        return -1;
    }
    return begins_line(page) ? 0 : skip_line(page);
}

void page_close(struct page *page)
{
    fd_drop(&page->fd);
    buf_release(&page->buf);
    buf_release(&page->long_line);
}

static size_t cut_at_blank(const char *text, size_t len)
{
    size_t cut = len;

    while (cut && text[cut - 1] != ' ' && text[cut - 1] != '\t')
        cut--;
    return cut ? cut : len;
}

static int give_long(struct page *page, struct page_line *line)
{
    size_t len = cut_at_blank(page->buf.data + page->at, PAGE_LINE_MAX);

    buf_clear(&page->long_line);
    if (buf_add(&page->long_line, page->buf.data + page->at, len) != BUF_OK) {
        errno = ENOMEM;
        return -1;
    }
    line->text = page->long_line.data;
    line->len = len;
    line->cut = true;
    if (skip_line(page))
        return -1;
    line->next = page->offset;
    line->whole = true;
    return 1;
}

int page_next(struct page *page, struct page_line *line)
{
    size_t len;

    *line = (struct page_line){.start = page->offset};
    if (find_end(page, &len, &line->whole))
        return -1;
    if (!len && !line->whole)
        return 0;
    if (len > PAGE_LINE_MAX)
        return give_long(page, line);
    line->text = page->buf.data + page->at;
    line->len = len - (len && line->text[len - 1] == '\r');
    take(page, len + line->whole);
    line->next = page->offset;
    return 1;
}
