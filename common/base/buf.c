#include "common/base/buf.h"
#include "common/base/mem.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_CAP 64

char buf_empty[1];

void buf_init(struct buf *b, size_t max)
{
    *b = (struct buf)BUF_INIT_MAX(max);
}

void buf_release(struct buf *b)
{
    if (b->cap)
        free(b->data);
    buf_init(b, b->max);
}

void buf_clear(struct buf *b)
{
    buf_truncate(b, 0);
}

static size_t next_cap(const struct buf *b, size_t need)
{
    size_t cap = b->cap ? b->cap : FIRST_CAP;

    while (cap < need && cap <= SIZE_MAX / 2)
        cap *= 2;
    if (cap < need)
        cap = need;
    return b->max && cap > b->max ? b->max : cap;
}

enum buf_status buf_reserve(struct buf *b, size_t extra)
{
    size_t need = b->len + extra;
    size_t cap;
    char *data;

    if (need < extra || need == SIZE_MAX || (b->max && need > b->max))
        return BUF_TOO_BIG;
    if (need <= b->cap)
        return BUF_OK;
    cap = next_cap(b, need);
    data = mem_grow(b->cap ? b->data : NULL, cap + 1, 1);
    if (!data)
        return BUF_NO_MEMORY;
    data[b->len] = 0;
    b->data = data;
    b->cap = cap;
    return BUF_OK;
}

size_t buf_room(const struct buf *b)
{
    return b->cap - b->len;
}

void buf_added(struct buf *b, size_t n)
{
    if (!n)
        return;
    b->len += n;
    b->data[b->len] = 0;
}

void buf_truncate(struct buf *b, size_t len)
{
    if (len >= b->len)
        return;
    b->len = len;
    b->data[len] = 0;
}

enum buf_status buf_add(struct buf *b, const void *bytes, size_t len)
{
    enum buf_status status = buf_reserve(b, len);

    if (status || !len)
        return status;
    memcpy(b->data + b->len, bytes, len);
    buf_added(b, len);
    return BUF_OK;
}

enum buf_status buf_add_str(struct buf *b, const char *s)
{
    return buf_add(b, s, strlen(s));
}

enum buf_status buf_add_char(struct buf *b, char c)
{
    return buf_add(b, &c, 1);
}

enum buf_status buf_vprintf(struct buf *b, const char *format, va_list args)
{
    va_list again;
    enum buf_status status;
    int len;

    va_copy(again, args);
    len = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (len < 0)
        return BUF_TOO_BIG;
    status = buf_reserve(b, (size_t)len);
    if (status || !len)
        return status;
    vsnprintf(b->data + b->len, (size_t)len + 1, format, args);
    buf_added(b, (size_t)len);
    return BUF_OK;
}

enum buf_status buf_printf(struct buf *b, const char *format, ...)
{
    enum buf_status status;
    va_list args;

    va_start(args, format);
    status = buf_vprintf(b, format, args);
    va_end(args);
    return status;
}

void buf_shift(struct buf *b, size_t n)
{
    if (!n)
        return;
    b->len -= n;
    memmove(b->data, b->data + n, b->len);
    b->data[b->len] = 0;
}

char *buf_detach(struct buf *b, size_t *len)
{
    char *data = b->cap ? b->data : NULL;

    if (len)
        *len = b->len;
    buf_init(b, b->max);
    return data;
}
