#include "common/json/print.h"
#include "common/text/utf8.h"

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define REPLACEMENT "\xef\xbf\xbd"

/* Some clients take these for the end of a line. They stand inside strings only, so \u is always right. */
static const struct {
    const char *bytes;
    size_t len;
    const char *escape;
} line_ends[] = {
    {"\xe2\x80\xa8", 3, "\\u2028"},
    {"\xe2\x80\xa9", 3, "\\u2029"},
    {"\xc2\x85", 2, "\\u0085"},
    {"\x7f", 1, "\\u007f"},
};

static const char *find_escape(const char *text, size_t len)
{
    for (size_t i = 0; i < sizeof(line_ends) / sizeof(line_ends[0]); i++)
        if (len == line_ends[i].len && !memcmp(text, line_ends[i].bytes, len))
            return line_ends[i].escape;
    return NULL;
}

static size_t plain_run(const char *text, size_t len)
{
    size_t n = 0;

    while (n < len && (uint8_t)text[n] < 0x7f)
        n++;
    return n;
}

/* Adds the character at the front, which is no plain one; *used: its length. */
static enum buf_status add_special(struct buf *out, const char *text, size_t len, size_t *used)
{
    const char *escape;

    *used = utf8_sequence(text, len);
    if (!*used) {
        *used = 1;
        return buf_add_str(out, REPLACEMENT);
    }
    escape = find_escape(text, *used);
    return escape ? buf_add_str(out, escape) : buf_add(out, text, *used);
}

enum buf_status json_print(struct buf *out, struct json_object *value)
{
    size_t before = out->len, len, n;
    const char *text = json_object_to_json_string_length(
        value, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE, &len);
    enum buf_status status = text ? BUF_OK : BUF_NO_MEMORY;

    for (size_t at = 0; status == BUF_OK && at < len; at += n) {
        n = plain_run(text + at, len - at);
        if (n)
            status = buf_add(out, text + at, n);
        else
            status = add_special(out, text + at, len - at, &n);
    }
    if (status != BUF_OK)
        buf_truncate(out, before);
    return status;
}
