#include "cmd/mcp-front/encode.h"
#include "cmd/mcp-front/session.h"
#include "common/json/print.h"
#include "common/json/toon.h"

#include <string.h>

static enum buf_status add_text(struct buf *out, struct json_object *answer,
                                enum config_encoding encoding)
{
    return encoding == ENCODING_TOON ? toon_encode(out, answer) : json_print(out, answer);
}

static struct json_object *text_block(const char *text, size_t len)
{
    struct json_object *block = json_object_new_object();

    put_string(block, "type", "text");
    json_object_object_add(block, "text", json_object_new_string_len(text, (int)len));
    return block;
}

struct json_object *encode_result(struct json_object *answer, enum config_encoding encoding)
{
    struct json_object *result = json_object_new_object(), *content = json_object_new_array();
    struct buf text = BUF_INIT;

    if (encoding != ENCODING_STRUCTURED && add_text(&text, answer, encoding) == BUF_OK)
        json_object_array_add(content, text_block(text.data, text.len));
    json_object_object_add(result, "content", content);
    if (encoding == ENCODING_STRUCTURED || encoding == ENCODING_BOTH)
        json_object_object_add(result, "structuredContent", json_object_get(answer));
    json_object_put(answer);
    buf_release(&text);
    return result;
}

struct json_object *encode_error(const char *text)
{
    struct json_object *result = json_object_new_object(), *content = json_object_new_array();

    json_object_array_add(content, text_block(text, strlen(text)));
    json_object_object_add(result, "content", content);
    put_bool(result, "isError", true);
    return result;
}

size_t encode_size(struct json_object *answer, enum config_encoding encoding)
{
    struct buf text = BUF_INIT;
    size_t size;

    add_text(&text, answer, encoding);
    size = text.len;
    buf_release(&text);
    return encoding == ENCODING_BOTH ? 2 * size : size;
}
