#include "cmd/bep-reduce/screen.h"

#include <ctype.h>
#include <string.h>

#define LINE_MAX_BYTES (256UL * 1024)

enum escape {
    ESCAPE_NONE,
    ESCAPE_BEGUN,     /* ESC */
    ESCAPE_CSI,       /* ESC [ */
    ESCAPE_STRING,    /* ESC ] and its kind: until BEL or ESC \ */
    ESCAPE_STRING_ESC /* ESC inside such a string */
};

void screen_init(struct screen *s, size_t max)
{
    *s = (struct screen){.max = max};
    buf_init(&s->line, LINE_MAX_BYTES);
    buf_init(&s->head, max / 2);
    buf_init(&s->tail, max / 2);
    buf_init(&s->activity, 0);
}

void screen_release(struct screen *s)
{
    buf_release(&s->line);
    buf_release(&s->head);
    buf_release(&s->tail);
    buf_release(&s->activity);
}

void screen_clear(struct screen *s)
{
    size_t max = s->max;

    screen_release(s);
    screen_init(s, max);
}

/* Reads "1,234" and gives what follows it; NULL where no number stands. */
static const char *read_count(const char *at, const char *end, uint64_t *count)
{
    const char *from = at;

    *count = 0;
    for (; at < end && (isdigit((unsigned char)*at) || *at == ',' || *at == '.'); at++)
        if (isdigit((unsigned char)*at) && *count < UINT64_MAX / 20)
            *count = *count * 10 + (uint64_t)(*at - '0');
    return at > from ? at : NULL;
}

static const char *skip(const char *at, const char *end, const char *word)
{
    size_t len = strlen(word);

    return at && (size_t)(end - at) >= len && memcmp(at, word, len) == 0 ? at + len : NULL;
}

/* "(12:34:56) " of --show_timestamps. */
static const char *skip_timestamp(const char *at, const char *end)
{
    const char *close;

    if (end - at < 11 || *at != '(' || !isdigit((unsigned char)at[1]))
        return at;
    close = memchr(at, ')', 32 < end - at ? 32 : (size_t)(end - at));
    return close && close + 2 <= end && close[1] == ' ' ? close + 2 : at;
}

static bool is_action_count(struct screen *s, const char *at, const char *end)
{
    uint64_t done, total;

    at = skip(at, end, "[");
    at = at ? read_count(at, end, &done) : NULL;
    at = skip(at, end, " / ");
    at = at ? read_count(at, end, &total) : NULL;
    at = skip(at, end, "]");
    if (!at)
        return false;
    s->done = done;
    s->total = total;
    buf_clear(&s->activity);
    if (at < end)
        buf_add(&s->activity, at + 1, (size_t)(end - at - 1));
    return true;
}

static bool is_progress(struct screen *s, const char *line, size_t len)
{
    static const char *const words[] = {
        "Loading: ", "Analyzing: ", "Computing main repo mapping: ", "Fetching ", "    Fetching "};
    const char *end = line + len;

    line = skip_timestamp(line, end);
    if (line < end && *line == '[')
        return is_action_count(s, line, end);
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
        if (skip(line, end, words[i]))
            return true;
    return false;
}

/* The newest half stays; what goes is whole lines. */
static void make_room(struct screen *s, size_t need)
{
    size_t quarter = s->max / 4;
    const char *cut;

    if (s->tail.len + need <= s->tail.max || s->tail.len <= quarter)
        return;
    cut = memchr(s->tail.data + quarter, '\n', s->tail.len - quarter);
    quarter = cut ? (size_t)(cut - s->tail.data) + 1 : s->tail.len;
    s->dropped += quarter;
    buf_shift(&s->tail, quarter);
}

static void keep_line(struct screen *s, const char *line, size_t len)
{
    struct buf *into =
        s->tail.len == 0 && s->head.len + len + 1 <= s->head.max ? &s->head : &s->tail;

    if (into == &s->tail)
        make_room(s, len + 1);
    if (buf_add(into, line, len) != BUF_OK || buf_add_char(into, '\n') != BUF_OK)
        s->dropped += len;
}

static void finish_line(struct screen *s)
{
    size_t len = s->line.len;

    if (is_progress(s, s->line.data, len)) {
        s->redrawn++;
    } else {
        keep_line(s, s->line.data, len);
        s->lines += len > 0;
        s->redrawn = 0;
    }
    buf_clear(&s->line);
    s->returned = false;
}

static void drop_last_line(struct buf *text)
{
    size_t len = text->len ? text->len - 1 : 0;
    const char *before = len ? memrchr(text->data, '\n', len) : NULL;

    buf_truncate(text, before ? (size_t)(before - text->data) + 1 : 0);
}

/* The cursor goes up to draw lines again. */
static void cursor_up(struct screen *s, unsigned lines)
{
    for (; lines > 0; lines--) {
        if (s->redrawn > 0)
            s->redrawn--;
        else
            drop_last_line(s->tail.len ? &s->tail : &s->head);
    }
}

static void csi_byte(struct screen *s, char c)
{
    if (isdigit((unsigned char)c)) {
        if (s->parameter < 10000)
            s->parameter = s->parameter * 10 + (unsigned)(c - '0');
        return;
    }
    if (c >= 0x20 && c < 0x40)
        return;
    s->escape = ESCAPE_NONE;
    if (c == 'A')
        cursor_up(s, s->parameter ? s->parameter : 1);
    else if (c == 'K' && s->returned)
        buf_clear(&s->line);
}

static void escape_byte(struct screen *s, char c)
{
    switch (s->escape) {
    case ESCAPE_BEGUN:
        s->parameter = 0;
        if (c == '[')
            s->escape = ESCAPE_CSI;
        else
            s->escape = strchr("]P_^X", c) && c ? ESCAPE_STRING : ESCAPE_NONE;
        break;
    case ESCAPE_CSI:
        csi_byte(s, c);
        break;
    case ESCAPE_STRING:
        if (c == 0x1b)
            s->escape = ESCAPE_STRING_ESC;
        else if (c == 0x07 || c == '\n')
            s->escape = ESCAPE_NONE;
        break;
    default:
        s->escape = ESCAPE_NONE;
    }
}

static void put_text(struct screen *s, const char *text, size_t len)
{
    if (len == 0)
        return;
    if (s->returned) {
        buf_clear(&s->line);
        s->returned = false;
    }
    if (len > s->line.max - s->line.len)
        len = s->line.max - s->line.len;
    buf_add(&s->line, text, len);
}

static size_t text_run(const char *at, size_t len)
{
    size_t n = 0;

    while (n < len && at[n] != '\n' && at[n] != '\r' && at[n] != 0x1b)
        n++;
    return n;
}

void screen_write(struct screen *s, const void *bytes, size_t len)
{
    const char *at = bytes, *end = at + len;

    while (at < end) {
        size_t n;

        if (s->escape != ESCAPE_NONE) {
            escape_byte(s, *at++);
            continue;
        }
        n = text_run(at, (size_t)(end - at));
        put_text(s, at, n);
        at += n;
        if (at == end)
            break;
        if (*at == '\n')
            finish_line(s);
        else if (*at == '\r')
            s->returned = true;
        else
            s->escape = ESCAPE_BEGUN;
        at++;
    }
}

enum buf_status screen_text(struct screen *s, struct buf *out)
{
    enum buf_status status;

    if (s->line.len > 0)
        finish_line(s);
    status = buf_add(out, s->head.data, s->head.len);
    return status == BUF_OK ? buf_add(out, s->tail.data, s->tail.len) : status;
}

void screen_forget_line(struct screen *s)
{
    buf_clear(&s->line);
}

void screen_forget_text(struct screen *s)
{
    buf_release(&s->line);
    buf_release(&s->head);
    buf_release(&s->tail);
}
