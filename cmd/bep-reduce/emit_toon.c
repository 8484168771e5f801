/* TOON has tables only for rows of the same scalar members: nested members are flattened, missing ones null. */
#include "cmd/bep-reduce/emit.h"

#include <string.h>

#include <json-c/json.h>

#include "common/json/toon.h"

/* The strings of an array as one. */
static struct json_object *join(struct json_object *array)
{
    struct json_object *joined;
    struct buf text = BUF_INIT;

    for (size_t i = 0; i < json_object_array_length(array); i++)
        buf_printf(&text, "%s%s", i ? " " : "",
                   json_object_get_string(json_object_array_get_idx(array, i)));
    joined = json_object_new_string_len(text.data, (int)text.len);
    buf_release(&text);
    return joined;
}

static bool holds_objects(struct json_object *array)
{
    return json_object_array_length(array) > 0 &&
           json_object_is_type(json_object_array_get_idx(array, 0), json_type_object);
}

/* Members of an inner object come up, strings of an array are joined, rows of an array go elsewhere. */
static void add_member(struct json_object *row, const char *key, struct json_object *value)
{
    if (json_object_is_type(value, json_type_object)) {
        json_object_object_foreach(value, inner, held)
        {
            json_object_object_add(row, inner, json_object_get(held));
        }
    } else if (!json_object_is_type(value, json_type_array)) {
        json_object_object_add(row, key, json_object_get(value));
    } else if (!holds_objects(value)) {
        json_object_object_add(row, key, join(value));
    }
}

static struct json_object *flat_row(struct json_object *object)
{
    struct json_object *row = json_object_new_object();

    json_object_object_foreach(object, key, value)
    {
        add_member(row, key, value);
    }
    return row;
}

/* Every key that any row has, in the order of their first appearance, as a row of nulls. */
static struct json_object *all_keys(struct json_object *rows)
{
    struct json_object *keys = json_object_new_object();

    for (size_t i = 0; i < json_object_array_length(rows); i++) {
        json_object_object_foreach(json_object_array_get_idx(rows, i), key, value)
        {
            (void)value;
            json_object_object_add(keys, key, NULL);
        }
    }
    return keys;
}

static struct json_object *even_row(struct json_object *keys, struct json_object *row)
{
    struct json_object *even = json_object_new_object();

    json_object_object_foreach(keys, key, unused)
    {
        (void)unused;
        json_object_object_add(even, key, json_object_get(json_object_object_get(row, key)));
    }
    return even;
}

/* A table of the same rows; the caller owns it. */
static struct json_object *flatten(struct json_object *array)
{
    struct json_object *rows = json_object_new_array(), *even = json_object_new_array();
    struct json_object *keys;

    for (size_t i = 0; i < json_object_array_length(array); i++)
        json_object_array_add(rows, flat_row(json_object_array_get_idx(array, i)));
    keys = all_keys(rows);
    for (size_t i = 0; i < json_object_array_length(rows); i++)
        json_object_array_add(even, even_row(keys, json_object_array_get_idx(rows, i)));
    json_object_put(keys);
    json_object_put(rows);
    return even;
}

/* The cases of all tests in one table, each with its test's label. */
static struct json_object *collect_cases(struct json_object *tests)
{
    struct json_object *all = json_object_new_array();

    for (size_t i = 0; tests && i < json_object_array_length(tests); i++) {
        struct json_object *test = json_object_array_get_idx(tests, i);
        struct json_object *cases = json_object_object_get(test, "cases");

        for (size_t n = 0; cases && n < json_object_array_length(cases); n++) {
            struct json_object *row = json_object_new_object();

            json_object_object_add(row, "label",
                                   json_object_get(json_object_object_get(test, "label")));
            json_object_object_foreach(json_object_array_get_idx(cases, n), key, value)
            {
                json_object_object_add(row, key, json_object_get(value));
            }
            json_object_array_add(all, row);
        }
    }
    return all;
}

static void replace(struct json_object *root, const char *key, struct json_object *table)
{
    if (json_object_array_length(table) > 0)
        json_object_object_add(root, key, table);
    else
        json_object_put(table);
}

static void flatten_member(struct json_object *root, const char *key)
{
    struct json_object *array = json_object_object_get(root, key);

    if (array)
        replace(root, key, flatten(array));
}

bool emit_toon(const struct summary *summary, struct buf *out)
{
    struct buf json = BUF_INIT;
    struct json_object *root = NULL, *cases, *flat;
    bool good = false;

    if (emit_json(summary, &json))
        root = json_tokener_parse(json.data);
    buf_release(&json);
    if (!root)
        return false;
    cases = collect_cases(json_object_object_get(root, "test_results"));
    flat = flatten(cases);
    json_object_put(cases);
    flatten_member(root, "diagnostics");
    flatten_member(root, "test_results");
    replace(root, "test_cases", flat);
    good = toon_encode(out, root) == BUF_OK && buf_add_char(out, '\n') == BUF_OK;
    json_object_put(root);
    return good;
}
