#include "cmd/bep-reduce/lines.h"

void lines_init(struct lines *lines, struct slice text)
{
    lines->rest = text;
    lines->red = false;
}

static bool is_control(unsigned char c)
{
    return c < 0x20 ? c != '\t' : c == 0x7f;
}

/* The length of an escape sequence (ECMA-48) at the front: CSI … final, OSC … BEL or ST, ESC x. */
static size_t escape_length(struct slice s)
{
    if (s.len < 2)
        return s.len;
    size_t i = 2;
    if (s.text[1] == '[') {
        while (i < s.len && (s.text[i] < 0x40 || s.text[i] > 0x7e))
            i++;
        return i < s.len ? i + 1 : i;
    }
    if (s.text[1] == ']') {
        while (i < s.len && s.text[i] != '\a' && s.text[i] != '\033')
            i++;
        return i < s.len && s.text[i] == '\a' ? i + 1 : i;
    }
    return i;
}

/* "ESC [ … 31 m", bright red (91) likewise. */
static bool is_red(struct slice escape)
{
    return slice_ends(escape, SLICE("31m")) || slice_ends(escape, SLICE("91m"));
}

static struct slice clean(struct lines *lines, struct slice raw)
{
    size_t out = 0;
    while (raw.len && out < LINE_BYTES_MAX) {
        unsigned char c = (unsigned char)raw.text[0];
        size_t used = 1;
        if (c == '\r' && raw.len > 1) {
            out = 0; /* what follows is drawn over it */
        } else if (c == '\033') {
            used = escape_length(raw);
            lines->red |= is_red((struct slice){raw.text, used});
        } else if (!is_control(c)) {
            lines->clean[out++] = raw.text[0];
        }
        raw = slice_from(raw, used);
    }
    return (struct slice){lines->clean, out};
}

static struct slice behind_carriage(struct slice raw)
{
    size_t i = raw.len;
    while (i && raw.text[i - 1] != '\r')
        i--;
    return slice_from(raw, i);
}

bool lines_next(struct lines *lines, struct slice *line)
{
    if (!lines->rest.len)
        return false;
    const char *newline = memchr(lines->rest.text, '\n', lines->rest.len);
    struct slice raw = {lines->rest.text,
                        newline ? (size_t)(newline - lines->rest.text) : lines->rest.len};
    lines->rest = slice_from(lines->rest, raw.len + (newline != NULL));
    lines->red = false;
    if (raw.len && raw.text[raw.len - 1] == '\r')
        raw.len--;
    /* A line that is drawn over and over is long; what stands there in the end is at its end. */
    if (raw.len > LINE_BYTES_MAX)
        raw = behind_carriage(raw);
    if (raw.len > LINE_BYTES_MAX)
        raw.len = LINE_BYTES_MAX;
    *line = raw;
    for (size_t i = 0; i < raw.len; i++)
        if (is_control((unsigned char)raw.text[i])) {
            *line = clean(lines, raw);
            break;
        }
    return true;
}
