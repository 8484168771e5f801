#include "cmd/bep-reduce/cause.h"

#define MESSAGE_LINES_MAX 16

void cause_init(struct cause *c)
{
    *c = (struct cause){.family = NULL};
    buf_init(&c->message, DIAG_MESSAGE_MAX * 2);
    buf_init(&c->detail, DIAG_DETAIL_MAX * 2);
    buf_init(&c->own.path, 0);
    buf_init(&c->frame.path, 0);
}

void cause_release(struct cause *c)
{
    buf_release(&c->message);
    buf_release(&c->detail);
    buf_release(&c->own.path);
    buf_release(&c->frame.path);
}

void cause_clear(struct cause *c)
{
    struct cause empty = {.message = c->message, .detail = c->detail};
    empty.own.path = c->own.path;
    empty.frame.path = c->frame.path;
    *c = empty;
    buf_clear(&c->message);
    buf_clear(&c->detail);
    spot_clear(&c->own);
    spot_clear(&c->frame);
}

static void append_line(struct buf *out, struct slice line, const char *separator)
{
    size_t room = out->max - out->len;
    if (out->len && strlen(separator) < room) {
        buf_add_str(out, separator);
        room -= strlen(separator);
    }
    buf_add(out, line.text, line.len < room ? line.len : room);
}

void cause_add_detail(struct cause *c, struct slice line)
{
    while (line.len && line.text[line.len - 1] == ' ')
        line.len--;
    if (!line.len || c->detail_lines >= DIAG_DETAIL_LINES_MAX)
        return;
    append_line(&c->detail, line, "\n");
    c->detail_lines++;
}

void cause_mention_place(struct cause *c, struct slice path, uint32_t line)
{
    struct buf words = BUF_INIT;
    if (!path.len || !line)
        return;
    for (size_t i = path.len; i > 0; i--)
        if (path.text[i - 1] == '/') {
            path = slice_from(path, i);
            break;
        }
    buf_printf(&words, "%.*s, line %u", (int)path.len, path.text, line);
    cause_add_detail(c, (struct slice){words.data, words.len});
    buf_release(&words);
}

void cause_join(struct cause *c, struct slice text, const char *separator)
{
    static const struct slice bullet = SLICE("• ");
    text = slice_trim(text);
    if (slice_starts(text, bullet))
        text = slice_from(text, bullet.len);
    bool goes_on = c->message.len && strchr(":;,", c->message.data[c->message.len - 1]);
    append_line(&c->message, text, goes_on ? " " : separator);
}

static bool is_blank(char ch)
{
    return ch == ' ' || ch == '\t';
}

/* "12 |", as compilers number source lines; 0: no such line. */
static uint32_t source_line_number(struct slice line)
{
    struct slice s = slice_trim(line);
    uint32_t number = 0;
    if (slice_starts(s, SLICE("> "))) /* where the error is */
        s = slice_trim(slice_from(s, 2));
    size_t i = 0;
    for (; i < s.len && i < 8 && s.text[i] >= '0' && s.text[i] <= '9'; i++)
        number = number * 10 + (uint32_t)(s.text[i] - '0');
    if (!i)
        return 0;
    s = slice_trim(slice_from(s, i));
    return slice_starts(s, SLICE("|")) || slice_starts(s, SLICE("│")) ? number : 0;
}

static struct slice without_gutter(struct slice line, bool *gutter)
{
    static const struct slice bars[] = {SLICE("|"), SLICE(":"), SLICE("│"), SLICE("·"), SLICE("╵")};
    size_t at = 0;
    while (at < line.len && line.text[at] == ' ')
        at++;
    struct slice rest = slice_from(line, at);
    for (size_t i = 0; i < sizeof bars / sizeof *bars; i++)
        if (slice_starts(rest, bars[i])) {
            *gutter = true;
            rest = slice_from(rest, bars[i].len);
            return rest.len && rest.text[0] == ' ' ? slice_from(rest, 1) : rest;
        }
    return line;
}

/* The column under which the first caret stands, if the line is one of carets; else 0. */
static uint32_t caret_column(struct slice line, bool *gutter)
{
    static const struct slice carets[] = {SLICE("^"), SLICE("▲"), SLICE("─"), SLICE("┬"),
                                          SLICE("~")};
    line = without_gutter(line, gutter);
    size_t at = 0;
    while (at < line.len && is_blank(line.text[at]))
        at++;
    struct slice rest = slice_from(line, at);
    for (size_t i = 0; i < sizeof carets / sizeof *carets; i++)
        if (slice_starts(rest, carets[i]))
            return (uint32_t)at + 1;
    return 0;
}

static void look_for_caret(struct cause *c, struct slice line)
{
    uint32_t number = source_line_number(line);
    if (number) {
        c->numbered_line = number;
        return;
    }
    bool gutter = false;
    uint32_t column = c->caret_column ? 0 : caret_column(line, &gutter);
    if (!column)
        return;
    c->caret_column = column;
    c->caret_line = gutter ? c->numbered_line : 0;
}

static bool belongs(const struct cause *c, struct slice line)
{
    switch (c->rule->follow) {
    case INDENTED:
        return is_blank(line.text[0]) || source_line_number(line);
    case SOURCE:
        return c->lines_below <= 2 || is_blank(line.text[0]);
    case PARAGRAPH:
    case MESSAGE:
    case ALL:
        return true;
    default:
        return false;
    }
}

/* "Expected values to be strictly equal:": the sentence goes on below. */
static bool is_unfinished(const struct cause *c)
{
    return !c->message.len || c->message.data[c->message.len - 1] == ':';
}

bool cause_follow(struct cause *c, struct slice line)
{
    bool is_message = c->rule->follow == MESSAGE || c->rule->follow == ALL;
    if (c->dormant)
        return false;
    if (!slice_trim(line).len) {
        c->dormant = c->rule->follow != ALL && !is_unfinished(c);
        return true;
    }
    if (!belongs(c, line)) {
        c->dormant = true;
        return false;
    }
    if ((is_message || is_unfinished(c)) && c->lines_below <= MESSAGE_LINES_MAX)
        cause_join(c, line, " ");
    else if (!is_message)
        cause_add_detail(c, line);
    if (c->rule->flags & CARET)
        look_for_caret(c, line);
    return true;
}

void spot_clear(struct spot *spot)
{
    buf_clear(&spot->path);
    spot->line = spot->column = 0;
    spot->quality = SPOT_NONE;
}

/* A shell test runs under its target's name, which is no file of the source tree. */
static bool is_executable_of(const char *target, struct slice path)
{
    struct buf name = BUF_INIT;
    const char *colon = target ? strchr(target, ':') : NULL;
    paths_package(target, &name);
    if (colon && name.len)
        buf_add_char(&name, '/');
    if (colon)
        buf_add_str(&name, colon + 1);
    bool same = colon && slice_equals(path, (struct slice){name.data, name.len});
    buf_release(&name);
    return same && !memchr(colon, '.', strlen(colon));
}

static enum spot_quality judge(const struct evidence *e, struct slice path, uint32_t line,
                               struct buf *resolved)
{
    if (!paths_resolve(e->paths, path.text, path.len, e->target, resolved))
        return SPOT_NONE;
    struct slice s = {resolved->data, resolved->len};
    if (is_executable_of(e->target, s))
        return SPOT_NONE;
    if (slice_starts(s, SLICE("external/")) || slice_starts(s, SLICE("bazel-out/")) ||
        slice_find(s, SLICE("node_modules/")) || slice_find(s, SLICE("site-packages/")) ||
        slice_ends(s, SLICE("_stage2_bootstrap.py"))) /* rules_python's, generated */
        return SPOT_FOREIGN;
    return line ? SPOT_SOURCE : SPOT_FILE;
}

void spot_offer(struct spot *spot, const struct evidence *e, struct slice path, uint32_t line,
                uint32_t column, bool later)
{
    struct spot offered = {.path = BUF_INIT, .line = line, .column = column};
    offered.quality = judge(e, path, line, &offered.path);
    bool better = offered.quality > spot->quality || (later && offered.quality == spot->quality);
    if (offered.quality != SPOT_NONE && better) {
        buf_release(&spot->path);
        *spot = offered;
    } else {
        buf_release(&offered.path);
    }
}

void spot_prefer(struct spot *spot, const struct spot *other)
{
    bool same = other->quality == spot->quality && other->line == spot->line &&
                strcmp(other->path.data, spot->path.data) == 0;
    if (same && !spot->column)
        spot->column = other->column;
    if (other->quality <= spot->quality)
        return;
    buf_clear(&spot->path);
    buf_add(&spot->path, other->path.data, other->path.len);
    spot->line = other->line;
    spot->column = other->column;
    spot->quality = other->quality;
}
