/*
 * The place where a page ends, as a word for the client: base64url (RFC 4648, no padding) of a version
 * byte, eight bytes of context (a hash of what the cursor belongs to: view, invocation, filters) and
 * three varints. It holds no secret and gives no rights; a forged one only names another place.
 */
#ifndef MCP_FRONT_CURSOR_H
#define MCP_FRONT_CURSOR_H

#include <stdbool.h>
#include <stdint.h>

#define CURSOR_TEXT_MAX 64 /* with its NUL */

struct cursor {
    uint64_t at;    /* what the view makes of it: an offset, a time */
    uint64_t minor; /* within that: a file, a row, a part of an item */
    uint64_t total; /* items in all, counted for the first page; UINT64_MAX: not known */
};

/* Binds a cursor to what it belongs to. NULL among `parts` differs from "". */
uint64_t cursor_context(const char *const *parts, int count);

void cursor_write(const struct cursor *, uint64_t context, char text[CURSOR_TEXT_MAX]);

/* False: no cursor, or one of another context. */
bool cursor_read(const char *text, uint64_t context, struct cursor *);

#endif
