/*
 * Writes JSON (RFC 8259) into a buffer, on one line, as it goes. `key` names a member inside an object and is NULL
 * inside an array. Strings are cleaned first (utf8.h), so that what is written is always valid.
 *
 * A failure to grow is remembered: `failed` is asked once, at the end.
 */
#ifndef JSON_WRITE_H
#define JSON_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buf.h"

struct json_writer {
    struct buf *out; /* the caller's */
    bool comma;      /* something stands before on this level */
    bool failed;
};

void json_begin(struct json_writer *, struct buf *out);

void json_begin_object(struct json_writer *, const char *key);
void json_end_object(struct json_writer *);
void json_begin_array(struct json_writer *, const char *key);
void json_end_array(struct json_writer *);

void json_put_string(struct json_writer *, const char *key, const char *text);
void json_put_bytes(struct json_writer *, const char *key, const void *bytes, size_t len);
void json_put_int(struct json_writer *, const char *key, int64_t);
void json_put_bool(struct json_writer *, const char *key, bool);
/* With at most two decimals. */
void json_put_decimal(struct json_writer *, const char *key, double);
void json_put_null(struct json_writer *, const char *key);

#endif
