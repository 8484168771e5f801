/* Text from anywhere, made fit for JSON and terminals. */
#ifndef TEXT_UTF8_H
#define TEXT_UTF8_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/buf.h"

/* Length of the well-formed UTF-8 sequence at the front of `bytes` (RFC 3629), 0 where there is none. */
size_t utf8_sequence(const void *bytes, size_t len);

/* Whether it is valid UTF-8 without NUL, escape sequences or control characters other than \n and \t. */
bool utf8_is_clean(const void *bytes, size_t len);

/*
 * Appends `bytes` as clean text: an invalid byte and a NUL become U+FFFD, escape sequences (ECMA-48) and other
 * control characters but \n and \t are left out.
 */
enum buf_status utf8_clean(struct buf *out, const void *bytes, size_t len);

/* The longest length <= max that ends no sequence in its middle; `text` has `len` bytes. */
size_t utf8_cut(const char *text, size_t len, size_t max);

#endif
