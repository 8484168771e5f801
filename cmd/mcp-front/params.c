#include "cmd/mcp-front/params.h"
#include "cmd/mcp-front/session.h"

#include <string.h>

static struct json_object *choices_array(const char *const *choices)
{
    struct json_object *array = json_object_new_array();

    for (; *choices; choices++)
        json_object_array_add(array, json_object_new_string(*choices));
    return array;
}

static struct json_object *param_schema(const struct param *p, const char *const *choices)
{
    static const char *const types[] = {
        [PARAM_STRING] = "string", [PARAM_STRINGS] = "array", [PARAM_INTEGER] = "integer"};
    struct json_object *schema = json_object_new_object(), *items;

    put_string(schema, "type", types[p->kind]);
    if (p->help)
        put_string(schema, "description", p->help);
    if (choices)
        json_object_object_add(schema, "enum", choices_array(choices));
    if (p->kind == PARAM_INTEGER) {
        put_int(schema, "minimum", p->min);
        put_int(schema, "maximum", p->max);
    }
    if (p->kind == PARAM_STRINGS) {
        items = json_object_new_object();
        put_string(items, "type", "string");
        json_object_object_add(schema, "items", items);
    }
    return schema;
}

struct json_object *params_schema(const struct param *table, const char *const *command_choices)
{
    struct json_object *schema = json_object_new_object(), *properties = json_object_new_object(),
                       *required = json_object_new_array();

    for (const struct param *p = table; p->kind != PARAM_END; p++) {
        bool is_command = command_choices && !strcmp(p->name, "command");

        json_object_object_add(properties, p->name,
                               param_schema(p, is_command ? command_choices : p->choices));
        if (p->required)
            json_object_array_add(required, json_object_new_string(p->name));
    }
    put_string(schema, "type", "object");
    json_object_object_add(schema, "properties", properties);
    json_object_object_add(schema, "required", required);
    put_bool(schema, "additionalProperties", false);
    return schema;
}

static const struct param *find(const struct param *table, const char *name)
{
    for (; table->kind != PARAM_END; table++)
        if (!strcmp(table->name, name))
            return table;
    return NULL;
}

static bool check_strings(const struct param *p, struct json_object *value, struct buf *why)
{
    if (!json_object_is_type(value, json_type_array)) {
        buf_printf(why, "%s must be an array of strings", p->name);
        return false;
    }
    for (size_t i = 0; i < json_object_array_length(value); i++)
        if (!json_object_is_type(json_object_array_get_idx(value, i), json_type_string)) {
            buf_printf(why, "%s[%zu] must be a string", p->name, i);
            return false;
        }
    return true;
}

static bool check_integer(const struct param *p, struct json_object *value, struct buf *why)
{
    int64_t number = json_object_get_int64(value);

    if (json_object_is_type(value, json_type_int) && number >= p->min && number <= p->max)
        return true;
    buf_printf(why, "%s must be an integer from %lld to %lld", p->name, (long long)p->min,
               (long long)p->max);
    return false;
}

static bool check_string(const struct param *p, struct json_object *value, struct buf *why)
{
    if (!json_object_is_type(value, json_type_string))
        buf_printf(why, "%s must be a string", p->name);
    else if (strlen(json_object_get_string(value)) != (size_t)json_object_get_string_len(value))
        buf_printf(why, "%s contains a NUL", p->name);
    else
        return true;
    return false;
}

static bool check_value(const struct param *p, struct json_object *value, struct buf *why)
{
    switch (p->kind) {
    case PARAM_STRINGS:
        return check_strings(p, value, why);
    case PARAM_INTEGER:
        return check_integer(p, value, why);
    default:
        return check_string(p, value, why);
    }
}

bool params_check(const struct param *table, struct json_object *args, struct buf *why)
{
    struct json_object *value;
    const struct param *p;

    if (args) {
        json_object_object_foreach(args, key, given)
        {
            p = find(table, key);
            if (!p) {
                buf_printf(why, "unknown parameter '%s'", key);
                return false;
            }
            if (given && !check_value(p, given, why))
                return false;
        }
    }
    for (p = table; p->kind != PARAM_END; p++) {
        value = NULL;
        if (args)
            json_object_object_get_ex(args, p->name, &value);
        if (p->required && !value) {
            buf_printf(why, "%s is required", p->name);
            return false;
        }
    }
    return true;
}
