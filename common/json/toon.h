/*
 * Token-Oriented Object Notation (https://github.com/toon-format/spec, version 3): what JSON says in
 * fewer tokens. LF lines, two spaces an indent, comma as delimiter, no newline at the end. An array of
 * objects with the same keys and only scalars in them becomes a table.
 *
 * Control characters other than \n, \r and \t have no escape in TOON: they become U+FFFD.
 */
#ifndef JSON_TOON_H
#define JSON_TOON_H

#include "common/base/buf.h"

struct json_object;

/* Appends. On failure the buffer is as before. */
enum buf_status toon_encode(struct buf *, struct json_object *);

#endif
