#include "common/json/toon.h"
#include "common/text/utf8.h"

#include <ctype.h>
#include <json-c/json.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define REPLACEMENT "\xef\xbf\xbd"

/* A failure to grow stays in `status`; everything after it does nothing. */
struct toon {
    struct buf *out;
    enum buf_status status;
};

static void put(struct toon *t, const char *bytes, size_t len)
{
    if (t->status == BUF_OK)
        t->status = buf_add(t->out, bytes, len);
}

static void put_str(struct toon *t, const char *text)
{
    put(t, text, strlen(text));
}

static void new_line(struct toon *t, int level)
{
    if (t->out->len)
        put(t, "\n", 1);
    for (int i = 0; i < level; i++)
        put(t, "  ", 2);
}

static bool looks_like_a_number(const char *text, size_t len)
{
    size_t i = *text == '-';

    if (i == len || !isdigit((unsigned char)text[i]))
        return false;
    return strspn(text + i, "0123456789.eE+-") == len - i;
}

static bool is_a_word_of_toon(const char *text)
{
    return !strcmp(text, "null") || !strcmp(text, "true") || !strcmp(text, "false");
}

static bool needs_quotes(const char *text, size_t len)
{
    if (!len || text[0] == '-' || isspace((unsigned char)text[0]) ||
        isspace((unsigned char)text[len - 1]))
        return true;
    if (is_a_word_of_toon(text) || looks_like_a_number(text, len))
        return true;
    for (size_t i = 0; i < len; i++)
        if ((uint8_t)text[i] < 0x20 || strchr("[]{}:\"\\,", text[i]))
            return true;
    return false;
}

static void put_quoted_byte(struct toon *t, char c)
{
    static const char from[] = "\"\\\n\r\t", to[] = "\"\\nrt";
    const char *found = c ? strchr(from, c) : NULL;
    char escape[2] = {'\\'};

    if (found) {
        escape[1] = to[found - from];
        put(t, escape, 2);
    } else if ((uint8_t)c < 0x20) {
        put_str(t, REPLACEMENT);
    } else {
        put(t, &c, 1);
    }
}

static void put_text(struct toon *t, const char *text, size_t len)
{
    if (!needs_quotes(text, len)) {
        put(t, text, len);
        return;
    }
    put(t, "\"", 1);
    for (size_t i = 0; i < len; i++)
        put_quoted_byte(t, text[i]);
    put(t, "\"", 1);
}

static void put_key(struct toon *t, const char *key)
{
    size_t len = strlen(key);
    bool bare = isalpha((unsigned char)*key) || *key == '_';

    for (size_t i = 0; i < len; i++)
        bare = bare && (isalnum((unsigned char)key[i]) || key[i] == '_' || key[i] == '.');
    if (bare) {
        put(t, key, len);
        return;
    }
    put(t, "\"", 1);
    for (size_t i = 0; i < len; i++)
        put_quoted_byte(t, key[i]);
    put(t, "\"", 1);
}

static void put_double(struct toon *t, double value)
{
    char text[400]; /* DBL_MAX has 309 digits before the point */
    int len = snprintf(text, sizeof(text), "%.6f", value);

    if (!isfinite(value)) {
        put_str(t, "null");
        return;
    }
    while (text[len - 1] == '0')
        len--;
    if (text[len - 1] == '.')
        len--;
    if (!strncmp(text, "-0", (size_t)len))
        put_str(t, "0");
    else
        put(t, text, (size_t)len);
}

static bool is_scalar(struct json_object *value)
{
    return !json_object_is_type(value, json_type_object) &&
           !json_object_is_type(value, json_type_array);
}

static void put_scalar(struct toon *t, struct json_object *value)
{
    if (json_object_is_type(value, json_type_string))
        put_text(t, json_object_get_string(value), (size_t)json_object_get_string_len(value));
    else if (json_object_is_type(value, json_type_double))
        put_double(t, json_object_get_double(value));
    else
        put_str(t, value ? json_object_to_json_string(value) : "null");
}

static bool all_scalars(struct json_object *array)
{
    for (size_t i = 0; i < json_object_array_length(array); i++)
        if (!is_scalar(json_object_array_get_idx(array, i)))
            return false;
    return true;
}

static bool is_row_like(struct json_object *row, struct json_object *first)
{
    if (!json_object_is_type(row, json_type_object) ||
        json_object_object_length(row) != json_object_object_length(first))
        return false;
    json_object_object_foreach(
        row, key,
        value) if (!is_scalar(value) || !json_object_object_get_ex(first, key, NULL)) return false;
    return true;
}

static bool is_table(struct json_object *array)
{
    struct json_object *first = json_object_array_get_idx(array, 0);

    if (!json_object_is_type(first, json_type_object) || !json_object_object_length(first))
        return false;
    for (size_t i = 0; i < json_object_array_length(array); i++)
        if (!is_row_like(json_object_array_get_idx(array, i), first))
            return false;
    return true;
}

static void put_length(struct toon *t, struct json_object *array)
{
    char text[32];
    int len = snprintf(text, sizeof(text), "[%zu]", (size_t)json_object_array_length(array));

    put(t, text, (size_t)len);
}

static void put_row(struct toon *t, struct json_object *row, struct json_object *first)
{
    const char *comma = "";

    json_object_object_foreach(first, key, unused)
    {
        struct json_object *value = NULL;

        (void)unused;
        put_str(t, comma);
        json_object_object_get_ex(row, key, &value);
        put_scalar(t, value);
        comma = ",";
    }
}

static void put_table(struct toon *t, struct json_object *array, int level)
{
    struct json_object *first = json_object_array_get_idx(array, 0);
    const char *comma = "{";

    json_object_object_foreach(first, key, unused)
    {
        (void)unused;
        put_str(t, comma);
        put_key(t, key);
        comma = ",";
    }
    put_str(t, "}:");
    for (size_t i = 0; i < json_object_array_length(array); i++) {
        new_line(t, level + 1);
        put_row(t, json_object_array_get_idx(array, i), first);
    }
}

static void put_fields(struct toon *t, struct json_object *object, int level, bool first_inline);
static void put_array(struct toon *t, struct json_object *array, int level);

static void put_item(struct toon *t, struct json_object *item, int level)
{
    new_line(t, level);
    put(t, "-", 1);
    if (json_object_is_type(item, json_type_object)) {
        if (json_object_object_length(item))
            put(t, " ", 1);
        put_fields(t, item, level + 1, true);
        return;
    }
    put(t, " ", 1);
    if (json_object_is_type(item, json_type_array))
        put_array(t, item, level);
    else
        put_scalar(t, item);
}

/* From the "[N]" on; the key stands already. */
static void put_array(struct toon *t, struct json_object *array, int level)
{
    size_t count = json_object_array_length(array);

    put_length(t, array);
    if (count && is_table(array)) {
        put_table(t, array, level);
        return;
    }
    put(t, ":", 1);
    if (all_scalars(array)) {
        for (size_t i = 0; i < count; i++) {
            put_str(t, i ? "," : " ");
            put_scalar(t, json_object_array_get_idx(array, i));
        }
        return;
    }
    for (size_t i = 0; i < count; i++)
        put_item(t, json_object_array_get_idx(array, i), level + 1);
}

static void put_field(struct toon *t, const char *key, struct json_object *value, int level)
{
    put_key(t, key);
    if (json_object_is_type(value, json_type_array)) {
        put_array(t, value, level);
    } else if (json_object_is_type(value, json_type_object)) {
        put(t, ":", 1);
        put_fields(t, value, level + 1, false);
    } else {
        put(t, ": ", 2);
        put_scalar(t, value);
    }
}

/* `first_inline`: the first field goes on in the line of a list's dash. */
static void put_fields(struct toon *t, struct json_object *object, int level, bool first_inline)
{
    json_object_object_foreach(object, key, value)
    {
        if (!first_inline)
            new_line(t, level);
        first_inline = false;
        put_field(t, key, value, level);
    }
}

enum buf_status toon_encode(struct buf *out, struct json_object *value)
{
    struct buf text = BUF_INIT_MAX(out->max);
    struct toon t = {.out = &text};

    if (json_object_is_type(value, json_type_object))
        put_fields(&t, value, 0, false);
    else if (json_object_is_type(value, json_type_array))
        put_array(&t, value, 0);
    else
        put_scalar(&t, value);
    if (t.status == BUF_OK)
        t.status = buf_add(out, text.data, text.len);
    buf_release(&text);
    return t.status;
}
