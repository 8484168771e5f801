#include "cmd/mcp-front/member.h"

static struct json_object *member(struct json_object *object, const char *name, json_type type)
{
    struct json_object *value = NULL;

    if (!json_object_is_type(object, json_type_object) ||
        !json_object_object_get_ex(object, name, &value) || !json_object_is_type(value, type))
        return NULL;
    return value;
}

const char *member_text(struct json_object *object, const char *name)
{
    struct json_object *value = member(object, name, json_type_string);

    return value ? json_object_get_string(value) : NULL;
}

const char *member_word(struct json_object *object, const char *name)
{
    const char *text = member_text(object, name);

    return text ? text : "";
}

int64_t member_number(struct json_object *object, const char *name, int64_t otherwise)
{
    struct json_object *value = member(object, name, json_type_int);

    return value ? json_object_get_int64(value) : otherwise;
}

struct json_object *member_object(struct json_object *object, const char *name)
{
    return member(object, name, json_type_object);
}

struct json_object *member_array(struct json_object *object, const char *name)
{
    return member(object, name, json_type_array);
}

void member_add_text(struct json_object *object, const char *name, const char *text)
{
    if (text && *text)
        json_object_object_add(object, name, json_object_new_string(text));
}

void member_add_number(struct json_object *object, const char *name, int64_t value)
{
    json_object_object_add(object, name, json_object_new_int64(value));
}
