/*
 * A json-c object as one line of compact JSON that every client can read: invalid UTF-8 cleaned, U+2028,
 * U+2029, U+0085 and all control characters escaped, '/' as it is. Appends; no newline at the end.
 */
#ifndef JSON_PRINT_H
#define JSON_PRINT_H

#include "common/base/buf.h"

struct json_object;

enum buf_status json_print(struct buf *, struct json_object *);

#endif
