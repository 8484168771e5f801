#include "cmd/bep-reduce/consequence.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* A name is used that nothing declares. */
static const struct slice unknown_name[] = {
    SLICE("has no member named"),     SLICE("no member named"),
    SLICE("was not declared"),        SLICE("has not been declared"),
    SLICE("undeclared identifier"),   SLICE("undeclared (first use"),
    SLICE("does not name a type"),    SLICE("unknown type name"),
    SLICE("unknown class name"),      SLICE("is not defined"),
    SLICE("cannot find symbol"),      SLICE("undefined: "),
    SLICE("not found in this scope"), SLICE("Cannot find name"),
    SLICE("is not declared"),
};

/* A declaration is thrown away because of it. */
static const struct slice lost_declaration[] = {
    SLICE("does not name a type"),  SLICE("unknown type name"), SLICE("unknown class name"),
    SLICE("has not been declared"), SLICE("no type named"),     SLICE("does not exist"),
    SLICE("was not declared"),
};

static const struct slice failed_import[] = {
    SLICE("was not found or had errors"),
    SLICE("does not exist"),
    SLICE("file not found"),
    SLICE("No such file"),
    SLICE("could not import"),
};

static const struct slice syntax_error[] = {
    SLICE("expected "),       SLICE("Expected "),   SLICE("syntax error"), SLICE("illegal start"),
    SLICE("not a statement"), SLICE("unexpected "), SLICE("Unexpected "),  SLICE("stray "),
    SLICE("unterminated "),   SLICE("end of file"), SLICE("unclosed "),    SLICE(" expected"),
};

static const struct slice at_the_end[] = {
    SLICE("end of file"),
    SLICE("end of input"),
    SLICE("EOF"),
    SLICE("end-of-file"),
};

static bool says(struct slice message, const struct slice *phrases, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (slice_find(message, phrases[i]))
            return true;
    return false;
}

static uint64_t hash(uint64_t h, struct slice s)
{
    for (size_t i = 0; i < s.len; i++)
        h = (h ^ (unsigned char)s.text[i]) * 0x100000001b3ULL;
    return h;
}

static uint64_t hash_of(struct slice s)
{
    return hash(0xcbf29ce484222325ULL, s);
}

static bool contains(const uint64_t *set, size_t count, uint64_t h)
{
    for (size_t i = 0; i < count; i++)
        if (set[i] == h)
            return true;
    return false;
}

static void remember(uint64_t *set, size_t *count, uint64_t h)
{
    if (*count < CONSEQUENCE_MAX)
        set[(*count)++] = h;
}

static bool is_word(unsigned char c)
{
    return (c | 0x20) >= 'a' ? (c | 0x20) <= 'z' : (c >= '0' && c <= '9') || c == '_';
}

/* The next identifier at or behind *at, empty at the end. */
static struct slice next_word(struct slice text, size_t *at)
{
    while (*at < text.len && !is_word((unsigned char)text.text[*at]))
        ++*at;
    size_t start = *at;
    while (*at < text.len && is_word((unsigned char)text.text[*at]))
        ++*at;
    return (struct slice){text.text + start, *at - start};
}

/* How many bytes of a quotation mark begin the text: ASCII ones, or U+2018 and U+2019. */
static size_t quote_length(struct slice s)
{
    if (s.len && memchr("'\"`", s.text[0], 3))
        return 1;
    bool curly = slice_starts(s, SLICE("\u2018")) || slice_starts(s, SLICE("\u2019"));
    return curly ? 3 : 0;
}

/* A name in quotes of the message from *at on; empty: none is left. */
static struct slice next_quoted(struct slice message, size_t *at)
{
    while (*at < message.len) {
        size_t quote = quote_length(slice_from(message, *at));
        *at += quote ? quote : 1;
        if (!quote)
            continue;
        size_t end = *at;
        struct slice word = next_word(message, &end);
        if (word.len && word.text == message.text + *at && quote_length(slice_from(message, end))) {
            *at = end + 1;
            return word;
        }
    }
    return (struct slice){message.text, 0};
}

static struct slice last_word(struct slice message)
{
    struct slice last = {message.text, 0};
    for (size_t at = 0; at < message.len;) {
        struct slice word = next_word(message, &at);
        if (word.len)
            last = word;
    }
    return last;
}

static bool quotes_name(struct slice message, struct slice name)
{
    size_t at = 0;
    for (struct slice quoted; (quoted = next_quoted(message, &at)).len;)
        if (slice_equals(quoted, name))
            return true;
    return false;
}

/* Whether the message is about a name that stays undeclared: one in quotes, else its last word. */
static bool names_lost(const struct consequences *c, struct slice message)
{
    size_t at = 0;
    struct slice name = next_quoted(message, &at);
    if (!name.len)
        return contains(c->names, c->name_count, hash_of(last_word(message)));
    for (; name.len; name = next_quoted(message, &at))
        if (contains(c->names, c->name_count, hash_of(name)))
            return true;
    return false;
}

/*
 * The words of the source line that stands below the message, but for those that the message itself is about: they are
 * unknown, not lost.
 */
static size_t remember_declared(struct consequences *c, const struct stated *s)
{
    const char *newline = memchr(s->below.text, '\n', s->below.len);
    struct slice line = {s->below.text, newline ? (size_t)(newline - s->below.text) : s->below.len};
    size_t found = 0;
    for (size_t at = 0; at < line.len;) {
        struct slice word = next_word(line, &at);
        if (!word.len || (word.text[0] >= '0' && word.text[0] <= '9') ||
            quotes_name(s->message, word))
            continue;
        remember(c->names, &c->name_count, hash_of(word));
        found++;
    }
    return found;
}

static bool lost_its_way(const struct consequences *c, const struct stated *s, uint64_t path)
{
    bool end = says(s->message, at_the_end, COUNT(at_the_end));
    for (size_t i = 0; i < c->syntax_count; i++) {
        if (c->syntax[i].path != path)
            continue;
        uint32_t from = c->syntax[i].line;
        if (end || (s->line >= from && s->line - from <= 1))
            return true;
    }
    return false;
}

static bool unknown_again(struct consequences *c, const struct stated *s, uint64_t path)
{
    uint64_t message = hash(path, s->message);
    if (contains(c->unknown, c->unknown_count, message) ||
        contains(c->imports, c->import_count, path) || names_lost(c, s->message))
        return true;
    remember(c->unknown, &c->unknown_count, message);
    return false;
}

bool consequence_of_earlier(struct consequences *c, const struct stated *s)
{
    uint64_t path = hash_of(s->path);
    bool unknown = says(s->message, unknown_name, COUNT(unknown_name));
    bool syntax = !unknown && says(s->message, syntax_error, COUNT(syntax_error));
    if (unknown && unknown_again(c, s, path))
        return true;
    if (syntax && lost_its_way(c, s, path))
        return true;
    size_t declared = 0;
    if (says(s->message, lost_declaration, COUNT(lost_declaration)))
        declared = remember_declared(c, s);
    if (!declared && says(s->message, failed_import, COUNT(failed_import)))
        remember(c->imports, &c->import_count, path);
    if (syntax && c->syntax_count < CONSEQUENCE_MAX) {
        c->syntax[c->syntax_count].path = path;
        c->syntax[c->syntax_count++].line = s->line;
    }
    return false;
}

bool consequence_said_before(struct consequences *c, struct slice message)
{
    uint64_t h = hash_of(message);
    if (contains(c->unknown, c->unknown_count, h))
        return true;
    remember(c->unknown, &c->unknown_count, h);
    return false;
}
