/* A tool's answer as the result of tools/call, in the configured encoding. */
#ifndef MCP_FRONT_ENCODE_H
#define MCP_FRONT_ENCODE_H

#include "cmd/mcp-front/config.h"

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>

/* {content, structuredContent?, isError?}; takes `answer`. */
struct json_object *encode_result(struct json_object *answer, enum config_encoding);
/* An answer that is only words: what went wrong. */
struct json_object *encode_error(const char *text);

/* Bytes of an answer that a model sees: of the text and of the structured value. */
size_t encode_size(struct json_object *answer, enum config_encoding);

#endif
