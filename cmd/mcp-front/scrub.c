#include "cmd/mcp-front/scrub.h"
#include "common/text/utf8.h"

#include <string.h>

struct json_object *scrub_string(struct redact *redact, const char *text, size_t len)
{
    struct buf clean = BUF_INIT, out = BUF_INIT;
    struct json_object *string;

    /* An escape sequence in the middle of a secret must not hide it. */
    if (utf8_clean(&clean, text, len) != BUF_OK ||
        redact_text(redact, clean.data, clean.len, &out) != BUF_OK) {
        buf_clear(&out);
        buf_add_str(&out, REDACT_MARK);
    }
    string = json_object_new_string_len(out.data, (int)out.len);
    buf_release(&clean);
    buf_release(&out);
    return string;
}

struct json_object *scrub_args(struct redact *redact, const char *const *args)
{
    struct json_object *array = json_object_new_array();

    for (size_t i = 0; array && args && args[i]; i++) {
        bool secret = redact_argument(redact, args, i);
        json_object_array_add(array, secret ? json_object_new_string(REDACT_MARK)
                                            : scrub_string(redact, args[i], strlen(args[i])));
    }
    return array;
}

static struct json_object *scrub_object(struct redact *redact, struct json_object *value)
{
    struct json_object *out = json_object_new_object();

    json_object_object_foreach(value, name, member)
    {
        struct json_object *copy = json_object_get(member);
        struct json_object *key = scrub_string(redact, name, strlen(name));
        scrub_json(redact, &copy);
        json_object_object_add(out, json_object_get_string(key), copy);
        json_object_put(key);
    }
    return out;
}

static struct json_object *scrub_array(struct redact *redact, struct json_object *value)
{
    struct json_object *out = json_object_new_array();

    for (size_t i = 0; i < json_object_array_length(value); i++) {
        struct json_object *copy = json_object_get(json_object_array_get_idx(value, i));
        scrub_json(redact, &copy);
        json_object_array_add(out, copy);
    }
    return out;
}

void scrub_json(struct redact *redact, struct json_object **value)
{
    struct json_object *out;

    switch (json_object_get_type(*value)) {
    case json_type_string:
        out = scrub_string(redact, json_object_get_string(*value),
                           (size_t)json_object_get_string_len(*value));
        break;
    case json_type_object:
        out = scrub_object(redact, *value);
        break;
    case json_type_array:
        out = scrub_array(redact, *value);
        break;
    default:
        return;
    }
    json_object_put(*value);
    *value = out;
}
