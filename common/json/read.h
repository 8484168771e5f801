/*
 * JSON (RFC 8259) from outside, read strictly into a json-c object: whole text, valid UTF-8, no
 * duplicate keys, no bare control characters, no NaN, bounded depth. json-c alone lets all of these
 * pass. Numbers beyond 64 bits come saturated (INT64_MIN, UINT64_MAX); who cares refuses these values.
 */
#ifndef JSON_READ_H
#define JSON_READ_H

#include <stddef.h>

struct json_object;

enum json_status {
    JSON_OK,
    JSON_SYNTAX,
    JSON_BAD_UTF8,
    JSON_TOO_DEEP,
    JSON_DUPLICATE_KEY,
    JSON_NOT_A_NUMBER, /* NaN or Infinity, which some writers take for JSON */
    JSON_NO_MEMORY,
};

enum json_flags {
    JSON_PLAIN = 0,
    JSON_COMMENTS = 1, /* a line comment from two slashes or a star comment counts as white space */
};

/* `max_depth` counts nested arrays and objects; a scalar has depth 0. */
struct json_rules {
    int max_depth;
    enum json_flags flags;
};

struct json_error {
    enum json_status status;
    size_t line; /* from 1; 0 where no place is known */
};

/*
 * JSON_OK: *value is the caller's (json_object_put); it is NULL for the text "null". Otherwise *value
 * is NULL and *error, where it is not NULL, tells the place.
 */
enum json_status json_read(const char *text, size_t len, const struct json_rules *,
                           struct json_object **value, struct json_error *error);

/* In the words of a message: "duplicate key". */
const char *json_status_text(enum json_status);

#endif
