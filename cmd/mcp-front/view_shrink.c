#include "cmd/mcp-front/viewer.h"
#include "common/text/utf8.h"

#include <string.h>

#define ELLIPSIS     "…"
#define STRING_LEAST 16 /* a string of that length is worth more than the room it takes */

/* The largest string and the largest array with more than one element, by bytes. */
struct largest {
    struct json_object *string, *array;
    size_t string_bytes, array_bytes;
};

static size_t weigh(struct json_object *value, struct largest *l);

static size_t weigh_array(struct json_object *value, struct largest *l)
{
    size_t n = json_object_array_length(value), bytes = 2;

    for (size_t i = 0; i < n; i++)
        bytes += weigh(json_object_array_get_idx(value, i), l) + 1;
    if (n > 1 && bytes > l->array_bytes) {
        l->array = value;
        l->array_bytes = bytes;
    }
    return bytes;
}

static size_t weigh_object(struct json_object *value, struct largest *l)
{
    size_t bytes = 2;

    json_object_object_foreach(value, name, member) bytes += strlen(name) + 4 + weigh(member, l);
    return bytes;
}

static size_t weigh(struct json_object *value, struct largest *l)
{
    size_t bytes;

    switch (json_object_get_type(value)) {
    case json_type_array:
        return weigh_array(value, l);
    case json_type_object:
        return weigh_object(value, l);
    case json_type_string:
        bytes = (size_t)json_object_get_string_len(value);
        if (bytes > l->string_bytes) {
            l->string = value;
            l->string_bytes = bytes;
        }
        return bytes + 2;
    default:
        return 8;
    }
}

static void halve_string(struct json_object *string, size_t bytes)
{
    const char *text = json_object_get_string(string);
    struct buf cut = BUF_INIT;
    size_t most = bytes / 2 > STRING_LEAST ? bytes / 2 : STRING_LEAST;

    buf_add(&cut, text, utf8_cut(text, bytes, most - strlen(ELLIPSIS)));
    buf_add_str(&cut, ELLIPSIS);
    json_object_set_string_len(string, cut.data, (int)cut.len);
    buf_release(&cut);
}

static void halve_array(struct json_object *array)
{
    size_t n = json_object_array_length(array);

    json_object_array_del_idx(array, n - n / 2, n / 2);
}

/* Without its last member, which says least; at last without any. */
static struct json_object *drop_member(struct json_object *item)
{
    const char *last = NULL;

    if (json_object_is_type(item, json_type_object)) {
        json_object_object_foreach(item, name, member)
        {
            (void)member;
            last = name;
        }
    }
    if (!last)
        return json_object_new_object();
    json_object_object_del(item, last);
    return json_object_get(item);
}

void viewer_shrink(struct viewer *v)
{
    struct json_object *item = json_object_array_get_idx(v->items, 0);
    struct largest l = {0};
    size_t bytes = weigh(item, &l);

    if (l.array && (bytes > 4UL * v->request->max_bytes || l.string_bytes <= 4 * STRING_LEAST))
        halve_array(l.array);
    else if (l.string_bytes > STRING_LEAST)
        halve_string(l.string, l.string_bytes);
    else if (l.array)
        halve_array(l.array);
    else
        json_object_array_put_idx(v->items, 0, drop_member(item));
}
