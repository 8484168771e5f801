/* Redaction of more than plain text: arguments, and the strings of a JSON value. */
#ifndef MCP_FRONT_SCRUB_H
#define MCP_FRONT_SCRUB_H

#include "common/text/redact.h"

#include <json-c/json.h>

/*
 * A new array of the arguments; one whose flag before it names a secret ("--password") is taken out as a
 * whole. NULL: out of memory.
 */
struct json_object *scrub_args(struct redact *, const char *const *args);

/* A new string. */
struct json_object *scrub_string(struct redact *, const char *text, size_t len);

/* Replaces the value by one whose strings and names are redacted and clean text. */
void scrub_json(struct redact *, struct json_object **value);

#endif
