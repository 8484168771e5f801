/* Members of a json-c object, with an answer where they are missing or of another type. */
#ifndef MCP_FRONT_MEMBER_H
#define MCP_FRONT_MEMBER_H

#include <json-c/json.h>
#include <stdint.h>

/* NULL where it is missing. Valid while the object is. */
const char *member_text(struct json_object *, const char *name);
/* The same, but "" where it is missing. */
const char *member_word(struct json_object *, const char *name);
int64_t member_number(struct json_object *, const char *name, int64_t otherwise);
/* NULL where it is missing or no object or array. */
struct json_object *member_object(struct json_object *, const char *name);
struct json_object *member_array(struct json_object *, const char *name);

/* Adds a string, or nothing for NULL and "". */
void member_add_text(struct json_object *, const char *name, const char *text);
void member_add_number(struct json_object *, const char *name, int64_t);

#endif
