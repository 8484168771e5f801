#include "common/json/write.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/text/utf8.h"

static void put(struct json_writer *w, const char *bytes, size_t len)
{
    if (buf_add(w->out, bytes, len) != BUF_OK)
        w->failed = true;
}

static void put_char(struct json_writer *w, char c)
{
    put(w, &c, 1);
}

static void put_escaped(struct json_writer *w, char c)
{
    char escape[3] = {'\\', c == '\n' ? 'n' : c == '\t' ? 't' : c, 0};

    put(w, escape, 2);
}

static bool needs_escape(char c)
{
    return c == '"' || c == '\\' || c == '\n' || c == '\t';
}

static void put_clean(struct json_writer *w, const char *text, size_t len)
{
    size_t from = 0;

    put_char(w, '"');
    for (size_t i = 0; i < len; i++) {
        if (!needs_escape(text[i]))
            continue;
        put(w, text + from, i - from);
        put_escaped(w, text[i]);
        from = i + 1;
    }
    put(w, text + from, len - from);
    put_char(w, '"');
}

static void put_string(struct json_writer *w, const char *text, size_t len)
{
    struct buf clean = BUF_INIT;

    if (utf8_is_clean(text, len)) {
        put_clean(w, text, len);
        return;
    }
    if (utf8_clean(&clean, text, len) != BUF_OK)
        w->failed = true;
    put_clean(w, clean.data, clean.len);
    buf_release(&clean);
}

static void before_value(struct json_writer *w, const char *key)
{
    if (w->comma)
        put_char(w, ',');
    w->comma = true;
    if (key) {
        put_string(w, key, strlen(key));
        put_char(w, ':');
    }
}

void json_begin(struct json_writer *w, struct buf *out)
{
    *w = (struct json_writer){.out = out};
}

static void open_level(struct json_writer *w, const char *key, char bracket)
{
    before_value(w, key);
    put_char(w, bracket);
    w->comma = false;
}

static void close_level(struct json_writer *w, char bracket)
{
    put_char(w, bracket);
    w->comma = true;
}

void json_begin_object(struct json_writer *w, const char *key)
{
    open_level(w, key, '{');
}

void json_end_object(struct json_writer *w)
{
    close_level(w, '}');
}

void json_begin_array(struct json_writer *w, const char *key)
{
    open_level(w, key, '[');
}

void json_end_array(struct json_writer *w)
{
    close_level(w, ']');
}

void json_put_bytes(struct json_writer *w, const char *key, const void *bytes, size_t len)
{
    before_value(w, key);
    put_string(w, len ? bytes : "", len);
}

void json_put_string(struct json_writer *w, const char *key, const char *text)
{
    json_put_bytes(w, key, text, strlen(text));
}

static void put_word(struct json_writer *w, const char *key, const char *word)
{
    before_value(w, key);
    put(w, word, strlen(word));
}

void json_put_int(struct json_writer *w, const char *key, int64_t value)
{
    char text[24];

    snprintf(text, sizeof(text), "%" PRId64, value);
    put_word(w, key, text);
}

void json_put_bool(struct json_writer *w, const char *key, bool value)
{
    put_word(w, key, value ? "true" : "false");
}

void json_put_decimal(struct json_writer *w, const char *key, double value)
{
    char text[64];
    size_t len = (size_t)snprintf(text, sizeof(text), "%.2f", value);

    while (len > 0 && text[len - 1] == '0')
        text[--len] = 0;
    if (len > 0 && text[len - 1] == '.')
        text[--len] = 0;
    put_word(w, key, text);
}

void json_put_null(struct json_writer *w, const char *key)
{
    put_word(w, key, "null");
}
