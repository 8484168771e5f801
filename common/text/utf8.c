#include "common/text/utf8.h"

#include <stdint.h>
#include <string.h>

#define REPLACEMENT "\xef\xbf\xbd"
#define ESC         0x1b

static size_t sequence_length(uint8_t first)
{
    if (first < 0x80)
        return 1;
    if (first >= 0xc2 && first <= 0xdf)
        return 2;
    if ((first & 0xf0) == 0xe0)
        return 3;
    return first >= 0xf0 && first <= 0xf4 ? 4 : 0;
}

/* Overlong forms, surrogates and what lies beyond U+10FFFF show in the second byte. */
static bool second_is_valid(uint8_t first, uint8_t second)
{
    switch (first) {
    case 0xe0:
        return second >= 0xa0 && second <= 0xbf;
    case 0xed:
        return second >= 0x80 && second <= 0x9f;
    case 0xf0:
        return second >= 0x90 && second <= 0xbf;
    case 0xf4:
        return second >= 0x80 && second <= 0x8f;
    default:
        return (second & 0xc0) == 0x80;
    }
}

size_t utf8_sequence(const void *bytes, size_t len)
{
    const uint8_t *at = bytes;
    size_t need = len ? sequence_length(at[0]) : 0;

    if (need == 0 || need > len)
        return 0;
    if (need > 1 && !second_is_valid(at[0], at[1]))
        return 0;
    for (size_t i = 2; i < need; i++)
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    return need;
}

static bool is_plain(uint8_t c)
{
    return (c >= 0x20 && c < 0x7f) || c == '\n' || c == '\t';
}

/* C1 controls (U+0080 to U+009F) are two bytes in UTF-8. */
static bool is_c1(const uint8_t *at)
{
    return at[0] == 0xc2 && at[1] < 0xa0;
}

static size_t plain_run(const uint8_t *at, size_t len)
{
    size_t n = 0;

    while (n < len && is_plain(at[n]))
        n++;
    return n;
}

bool utf8_is_clean(const void *bytes, size_t len)
{
    const uint8_t *at = bytes;

    for (size_t i = 0; i < len;) {
        size_t n = plain_run(at + i, len - i);

        if (n == 0 && at[i] >= 0x80) {
            n = utf8_sequence(at + i, len - i);
            if (n == 2 && is_c1(at + i))
                n = 0;
        }
        if (n == 0)
            return false;
        i += n;
    }
    return true;
}

/* OSC and its kind run to BEL or to ESC \; an unfinished one ends at the line's end. */
static size_t string_sequence(const uint8_t *at, size_t len)
{
    for (size_t i = 2; i < len; i++) {
        if (at[i] == '\n')
            return i;
        if (at[i] == 0x07)
            return i + 1;
        if (at[i] == ESC)
            return i + 1 < len && at[i + 1] == '\\' ? i + 2 : i;
    }
    return len;
}

/* ESC [, parameters, one final byte. */
static size_t control_sequence(const uint8_t *at, size_t len)
{
    size_t n = 2;

    while (n < len && at[n] >= 0x20 && at[n] < 0x40)
        n++;
    return n < len && at[n] >= 0x40 && at[n] < 0x7f ? n + 1 : n;
}

static size_t escape_sequence(const uint8_t *at, size_t len)
{
    if (len < 2 || at[1] < 0x20 || at[1] >= 0x7f)
        return 1;
    if (at[1] == '[')
        return control_sequence(at, len);
    return strchr("]P_^X", at[1]) ? string_sequence(at, len) : 2;
}

/* Appends what one character that is not plain becomes; gives the bytes that it took, 0: no memory. */
static size_t clean_one(struct buf *out, const uint8_t *at, size_t len)
{
    size_t n;

    if (at[0] == ESC)
        return escape_sequence(at, len);
    if (at[0] != 0 && at[0] < 0x80)
        return 1;
    n = utf8_sequence(at, len);
    if (n == 2 && is_c1(at))
        return 2;
    if (at[0] == 0 || n == 0)
        return buf_add(out, REPLACEMENT, 3) == BUF_OK ? 1 : 0;
    return buf_add(out, at, n) == BUF_OK ? n : 0;
}

enum buf_status utf8_clean(struct buf *out, const void *bytes, size_t len)
{
    const uint8_t *at = bytes;
    size_t before = out->len;

    for (size_t i = 0; i < len;) {
        size_t n = plain_run(at + i, len - i);

        if (n > 0 && buf_add(out, at + i, n) != BUF_OK)
            n = 0;
        else if (n == 0)
            n = clean_one(out, at + i, len - i);
        if (n == 0) {
            buf_truncate(out, before);
            return out->max ? BUF_TOO_BIG : BUF_NO_MEMORY;
        }
        i += n;
    }
    return BUF_OK;
}

size_t utf8_cut(const char *text, size_t len, size_t max)
{
    if (len <= max)
        return len;
    while (max > 0 && ((uint8_t)text[max] & 0xc0) == 0x80)
        max--;
    return max;
}
