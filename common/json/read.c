#include "common/json/read.h"
#include "common/base/buf.h"
#include "common/text/utf8.h"

#include <json-c/json.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/*
 * One pass over the tokens before json-c sees the text refuses what json-c lets through, and counts the
 * members. json-c keeps the last of two equal keys, so duplicates show as fewer members than colons.
 */
struct scan {
    const char *text;
    size_t len, at;
    const struct json_rules *rules;
    int depth;
    size_t members;
    bool nul_in_string; /* the last string has \u0000 in it, which json-c cuts a key at */
    struct buf *plain;  /* the text with comments blanked */
};

static bool scan_string(struct scan *s)
{
    s->nul_in_string = false;
    for (s->at++; s->at < s->len && s->text[s->at] != '"'; s->at++) {
        if ((uint8_t)s->text[s->at] < 0x20)
            return false;
        if (s->text[s->at] != '\\')
            continue;
        if (s->len - s->at > 5 && !memcmp(s->text + s->at, "\\u0000", 6))
            s->nul_in_string = true;
        s->at++;
    }
    return s->at++ < s->len;
}

static size_t digits(struct scan *s)
{
    size_t start = s->at;

    while (s->at < s->len && s->text[s->at] >= '0' && s->text[s->at] <= '9')
        s->at++;
    return s->at - start;
}

static bool take(struct scan *s, const char *any)
{
    if (s->at >= s->len || !s->text[s->at] || !strchr(any, s->text[s->at]))
        return false;
    s->at++;
    return true;
}

static bool scan_number(struct scan *s)
{
    take(s, "-");
    if (!take(s, "0") && !digits(s))
        return false;
    if (take(s, ".") && !digits(s))
        return false;
    if (take(s, "eE")) {
        take(s, "+-");
        if (!digits(s))
            return false;
    }
    return !digits(s); /* of "01" */
}

/* Blanks the comment, so that offsets stay what they are. */
static bool scan_comment(struct scan *s)
{
    const char *end = NULL, *start = s->text + s->at;
    size_t left = s->len - s->at, n;

    if (left < 2 || !(s->rules->flags & JSON_COMMENTS))
        return false;
    if (start[1] == '/') {
        end = memchr(start, '\n', left);
        n = end ? (size_t)(end - start) : left;
    } else {
        end = start[1] == '*' ? memmem(start + 2, left - 2, "*/", 2) : NULL;
        if (!end)
            return false;
        n = (size_t)(end - start) + 2;
    }
    for (size_t i = 0; i < n; i++)
        if (s->plain->data[s->at + i] != '\n')
            s->plain->data[s->at + i] = ' ';
    s->at += n;
    return true;
}

static bool is_not_a_number(const struct scan *s)
{
    const char *word = s->text + s->at;
    size_t left = s->len - s->at, sign = *word == '-';

    return (left >= 3 && !memcmp(word, "NaN", 3)) ||
           (left >= 8 + sign && !memcmp(word + sign, "Infinity", 8));
}

/* Outside of strings and numbers. */
static enum json_status scan_mark(struct scan *s)
{
    char c = s->text[s->at];

    if (!c || !strchr(" \t\r\n[]{},:truefalsn", c))
        return JSON_SYNTAX;
    if (c == ':') {
        s->members++;
        if (s->nul_in_string)
            return JSON_SYNTAX;
    }
    if ((c == '[' || c == '{') && ++s->depth > s->rules->max_depth)
        return JSON_TOO_DEEP;
    if (c == ']' || c == '}')
        s->depth--;
    s->at++;
    return JSON_OK;
}

static enum json_status scan_token(struct scan *s)
{
    char c = s->text[s->at];
    bool good;

    if (is_not_a_number(s))
        return JSON_NOT_A_NUMBER;
    if (c == '"')
        good = scan_string(s);
    else if (c == '-' || (c >= '0' && c <= '9'))
        good = scan_number(s);
    else if (c == '/')
        good = scan_comment(s);
    else
        return scan_mark(s);
    return good ? JSON_OK : JSON_SYNTAX;
}

static bool scan_utf8(struct scan *s)
{
    size_t n = 1;

    for (s->at = 0; s->at < s->len && n; s->at += n)
        n = (uint8_t)s->text[s->at] < 0x80 ? 1 : utf8_sequence(s->text + s->at, s->len - s->at);
    return n;
}

static enum json_status scan(struct scan *s)
{
    enum json_status status = JSON_OK;

    if (!scan_utf8(s))
        return JSON_BAD_UTF8;
    s->at = 0;
    while (s->at < s->len && status == JSON_OK)
        status = scan_token(s);
    return status;
}

static size_t count_members(struct json_object *value)
{
    size_t n = 0;

    if (json_object_is_type(value, json_type_object)) {
        json_object_object_foreach(value, key, member)
        {
            (void)key;
            n += 1 + count_members(member);
        }
    } else if (json_object_is_type(value, json_type_array)) {
        for (size_t i = 0; i < json_object_array_length(value); i++)
            n += count_members(json_object_array_get_idx(value, i));
    }
    return n;
}

static enum json_status parse(struct scan *s, const char *text, struct json_object **value)
{
    /* json-c counts scalars as a level, too. */
    struct json_tokener *tokener = json_tokener_new_ex(s->rules->max_depth + 2);
    enum json_status status = JSON_SYNTAX;

    if (!tokener)
        return JSON_NO_MEMORY;
    json_tokener_set_flags(tokener, JSON_TOKENER_STRICT);
    /* The NUL behind the text ends a number at the top. */
    *value = json_tokener_parse_ex(tokener, text, (int)s->len + 1);
    if (json_tokener_get_error(tokener) == json_tokener_success)
        status = JSON_OK;
    else
        s->at = json_tokener_get_parse_end(tokener);
    json_tokener_free(tokener);
    if (status == JSON_OK && count_members(*value) != s->members) {
        status = JSON_DUPLICATE_KEY;
        s->at = SIZE_MAX;
    }
    return status;
}

static size_t line_of(const char *text, size_t at, size_t len)
{
    size_t line = 1;

    if (at > len)
        return 0;
    for (size_t i = 0; i < at; i++)
        line += text[i] == '\n';
    return line;
}

enum json_status json_read(const char *text, size_t len, const struct json_rules *rules,
                           struct json_object **value, struct json_error *error)
{
    struct buf plain = BUF_INIT;
    struct scan s = {.text = text, .len = len, .rules = rules, .plain = &plain};
    enum json_status status = JSON_NO_MEMORY;

    *value = NULL;
    if (len < INT_MAX && buf_add(&plain, text, len) == BUF_OK) {
        status = scan(&s);
        if (status == JSON_OK)
            status = parse(&s, plain.data, value);
    }
    if (status != JSON_OK) {
        json_object_put(*value);
        *value = NULL;
    }
    if (error)
        *error = (struct json_error){status, status == JSON_OK ? 0 : line_of(text, s.at, len)};
    buf_release(&plain);
    return status;
}

const char *json_status_text(enum json_status status)
{
    static const char *const texts[] = {
        [JSON_OK] = "ok",
        [JSON_SYNTAX] = "not valid JSON",
        [JSON_BAD_UTF8] = "not valid UTF-8",
        [JSON_TOO_DEEP] = "nested too deep",
        [JSON_DUPLICATE_KEY] = "duplicate key",
        [JSON_NOT_A_NUMBER] = "NaN and Infinity are not JSON",
        [JSON_NO_MEMORY] = "out of memory",
    };

    return texts[status];
}
