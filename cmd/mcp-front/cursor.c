#include "cmd/mcp-front/cursor.h"
#include "common/base/limits.h"
#include "common/frame/varint.h"

#include <stddef.h>
#include <string.h>

#define VERSION    1
#define HEADER     9 /* version and context */
#define MAX_BYTES  (HEADER + 3 * VARINT_MAX_BYTES)
#define FNV_OFFSET 0xcbf29ce484222325ULL
#define FNV_PRIME  0x100000001b3ULL

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

uint64_t cursor_context(const char *const *parts, int count)
{
    uint64_t hash = FNV_OFFSET;

    for (int i = 0; i < count; i++) {
        /* 0xff is in no UTF-8, so that parts cannot run into each other. */
        hash = (hash ^ (parts[i] ? 0xffU : 0xfeU)) * FNV_PRIME;
        for (const char *c = parts[i] ? parts[i] : ""; *c; c++)
            hash = (hash ^ (uint8_t)*c) * FNV_PRIME;
    }
    return hash;
}

static void encode(const uint8_t *bytes, size_t len, char *text)
{
    uint32_t bits = 0;
    int have = 0;

    for (size_t i = 0; i < len; i++) {
        bits = bits << 8 | bytes[i];
        for (have += 8; have >= 6; have -= 6)
            *text++ = letters[bits >> (have - 6) & 63];
    }
    if (have)
        *text++ = letters[bits << (6 - have) & 63];
    *text = '\0';
}

/* The number of bytes; 0: no base64url, or too long. */
static size_t decode(const char *text, uint8_t bytes[MAX_BYTES])
{
    uint32_t bits = 0;
    int have = 0;
    size_t len = 0;

    for (; *text; text++) {
        const char *letter = strchr(letters, *text);
        if (!letter || len == MAX_BYTES)
            return 0;
        bits = bits << 6 | (uint32_t)(letter - letters);
        have += 6;
        if (have >= 8) {
            have -= 8;
            bytes[len++] = (uint8_t)(bits >> have);
        }
    }
    return len;
}

void cursor_write(const struct cursor *cursor, uint64_t context, char text[CURSOR_TEXT_MAX])
{
    uint8_t bytes[MAX_BYTES];
    size_t len = 0;

    bytes[len++] = VERSION;
    for (int shift = 56; shift >= 0; shift -= 8)
        bytes[len++] = (uint8_t)(context >> shift);
    len += varint_write(bytes + len, cursor->at);
    len += varint_write(bytes + len, cursor->minor);
    len += varint_write(bytes + len, cursor->total + 1); /* so that "not known" takes one byte */
    encode(bytes, len, text);
}

bool cursor_read(const char *text, uint64_t context, struct cursor *cursor)
{
    uint64_t *const numbers[] = {&cursor->at, &cursor->minor, &cursor->total};
    uint8_t bytes[MAX_BYTES];
    size_t len = decode(text, bytes), at = HEADER, used;
    uint64_t bound = 0;

    if (len < HEADER || bytes[0] != VERSION)
        return false;
    for (int i = 1; i < HEADER; i++)
        bound = bound << 8 | bytes[i];
    if (bound != context)
        return false;
    for (int i = 0; i < 3; i++, at += used)
        if (varint_read(bytes + at, len - at, numbers[i], &used) != VARINT_OK)
            return false;
    cursor->total--;
    return at == len && cursor->at <= INT64_MAX && cursor->minor <= INT64_MAX;
}
