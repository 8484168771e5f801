/* TOON has tables only for rows of the same scalar members: nested members are flattened, missing ones null. */
#include "cmd/bep-reduce/emit.h"

#include <string.h>

#include <json-c/json.h>

#include "common/json/toon.h"

/* json-c gives NULL for null and for "out of memory" alike: what must not be NULL goes through `made`. */
struct flattening {
    bool failed;
};

static struct json_object *made(struct flattening *f, struct json_object *object)
{
    f->failed |= !object;
    return object;
}

/* Takes over `value`. */
static void set(struct flattening *f, struct json_object *object, const char *key,
                struct json_object *value)
{
    if (object && json_object_object_add(object, key, value) == 0)
        return;
    json_object_put(value);
    f->failed = true;
}

static void append(struct flattening *f, struct json_object *array, struct json_object *value)
{
    if (array && value && json_object_array_add(array, value) == 0)
        return;
    json_object_put(value);
    f->failed = true;
}

static size_t length(struct json_object *array)
{
    return array ? json_object_array_length(array) : 0;
}

/* The strings of an array as one. */
static struct json_object *join(struct flattening *f, struct json_object *array)
{
    struct json_object *joined;
    struct buf text = BUF_INIT;

    for (size_t i = 0; i < length(array); i++)
        buf_printf(&text, "%s%s", i ? " " : "",
                   json_object_get_string(json_object_array_get_idx(array, i)));
    joined = made(f, json_object_new_string_len(text.data, (int)text.len));
    buf_release(&text);
    return joined;
}

static bool holds_objects(struct json_object *array)
{
    return length(array) > 0 &&
           json_object_is_type(json_object_array_get_idx(array, 0), json_type_object);
}

/* Members of an inner object come up, strings of an array are joined, rows of an array go elsewhere. */
static void add_member(struct flattening *f, struct json_object *row, const char *key,
                       struct json_object *value)
{
    if (json_object_is_type(value, json_type_object)) {
        json_object_object_foreach(value, inner, held)
        {
            set(f, row, inner, json_object_get(held));
        }
    } else if (!json_object_is_type(value, json_type_array)) {
        set(f, row, key, json_object_get(value));
    } else if (!holds_objects(value)) {
        set(f, row, key, join(f, value));
    }
}

static struct json_object *flat_row(struct flattening *f, struct json_object *object)
{
    struct json_object *row = made(f, json_object_new_object());

    json_object_object_foreach(object, key, value)
    {
        add_member(f, row, key, value);
    }
    return row;
}

/* Every key that any row has, in the order of their first appearance, as a row of nulls. */
static struct json_object *all_keys(struct flattening *f, struct json_object *rows)
{
    struct json_object *keys = made(f, json_object_new_object());

    for (size_t i = 0; i < length(rows); i++) {
        json_object_object_foreach(json_object_array_get_idx(rows, i), key, value)
        {
            (void)value;
            set(f, keys, key, NULL);
        }
    }
    return keys;
}

static struct json_object *even_row(struct flattening *f, struct json_object *keys,
                                    struct json_object *row)
{
    struct json_object *even = made(f, json_object_new_object());

    if (!keys)
        return even;
    json_object_object_foreach(keys, key, unused)
    {
        (void)unused;
        set(f, even, key, json_object_get(json_object_object_get(row, key)));
    }
    return even;
}

/* A table of the same rows; the caller owns it. */
static struct json_object *flatten(struct flattening *f, struct json_object *array)
{
    struct json_object *rows = made(f, json_object_new_array());
    struct json_object *even = made(f, json_object_new_array());
    struct json_object *keys;

    for (size_t i = 0; i < length(array); i++)
        append(f, rows, flat_row(f, json_object_array_get_idx(array, i)));
    keys = all_keys(f, rows);
    for (size_t i = 0; i < length(rows); i++)
        append(f, even, even_row(f, keys, json_object_array_get_idx(rows, i)));
    json_object_put(keys);
    json_object_put(rows);
    return even;
}

/* A case of a test, with the test's label before it. */
static struct json_object *case_row(struct flattening *f, struct json_object *test,
                                    struct json_object *test_case)
{
    struct json_object *row = made(f, json_object_new_object());

    set(f, row, "label", json_object_get(json_object_object_get(test, "label")));
    json_object_object_foreach(test_case, key, value)
    {
        set(f, row, key, json_object_get(value));
    }
    return row;
}

static struct json_object *collect_cases(struct flattening *f, struct json_object *tests)
{
    struct json_object *all = made(f, json_object_new_array());

    for (size_t i = 0; i < length(tests); i++) {
        struct json_object *test = json_object_array_get_idx(tests, i);
        struct json_object *cases = json_object_object_get(test, "cases");

        for (size_t n = 0; n < length(cases); n++)
            append(f, all, case_row(f, test, json_object_array_get_idx(cases, n)));
    }
    return all;
}

/* Takes over `table`. */
static void replace(struct flattening *f, struct json_object *root, const char *key,
                    struct json_object *table)
{
    if (length(table) > 0)
        set(f, root, key, table);
    else
        json_object_put(table);
}

static void flatten_summary(struct flattening *f, struct json_object *root)
{
    struct json_object *tests = json_object_object_get(root, "test_results");
    struct json_object *cases = collect_cases(f, tests);

    replace(f, root, "test_cases", flatten(f, cases));
    json_object_put(cases);
    replace(f, root, "diagnostics", flatten(f, json_object_object_get(root, "diagnostics")));
    if (tests)
        replace(f, root, "test_results", flatten(f, tests));
}

bool emit_toon(const struct summary *summary, struct buf *out)
{
    struct flattening f = {false};
    struct json_object *root = NULL;
    struct buf json = BUF_INIT;
    bool good = false;

    if (emit_json(summary, &json))
        root = json_tokener_parse(json.data);
    buf_release(&json);
    if (!root)
        return false;
    flatten_summary(&f, root);
    if (!f.failed)
        good = toon_encode(out, root) == BUF_OK && buf_add_char(out, '\n') == BUF_OK;
    json_object_put(root);
    return good;
}
