#include "cmd/bep-reduce/pattern.h"

#include "cmd/bep-reduce/paths.h"

/* More tries than any honest line needs; what a hostile one costs at most. */
#define STEPS_MAX 256

enum element_kind {
    LITERAL,
    PATH,
    LINE,
    COLUMN,
    SEVERITY,
    MESSAGE,
    NAME,
    LABEL,
    EXCEPTION,
    CODE,
    LINT,
    WORD,
    NUMBER,
    HEX,
    ANY,
    BLANKS,
};

static const struct {
    struct slice name;
    enum element_kind kind;
} fields[] = {
    {SLICE("path"), PATH},       {SLICE("line"), LINE},
    {SLICE("column"), COLUMN},   {SLICE("severity"), SEVERITY},
    {SLICE("message"), MESSAGE}, {SLICE("name"), NAME},
    {SLICE("label"), LABEL},     {SLICE("exception"), EXCEPTION},
    {SLICE("code"), CODE},       {SLICE("lint"), LINT},
    {SLICE("word"), WORD},       {SLICE("number"), NUMBER},
    {SLICE("hex"), HEX},         {SLICE("any"), ANY},
    {SLICE(" "), BLANKS},
};

/* Longer ones before those that they begin with. */
static const struct {
    struct slice word;
    enum pattern_severity severity;
} severities[] = {
    {SLICE("internal compiler error"), PATTERN_ERROR},
    {SLICE("fatal error"), PATTERN_ERROR},
    {SLICE("catastrophic error"), PATTERN_ERROR},
    {SLICE("sorry, unimplemented"), PATTERN_ERROR},
    {SLICE("error"), PATTERN_ERROR},
    {SLICE("Error"), PATTERN_ERROR},
    {SLICE("ERROR"), PATTERN_ERROR},
    {SLICE("warning"), PATTERN_WARNING},
    {SLICE("Warning"), PATTERN_WARNING},
    {SLICE("WARNING"), PATTERN_WARNING},
    {SLICE("note"), PATTERN_NOTE},
    {SLICE("remark"), PATTERN_NOTE},
    {SLICE("info"), PATTERN_NOTE},
    {SLICE("style"), PATTERN_NOTE},
    {SLICE("help"), PATTERN_NOTE},
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static bool add_field(struct pattern *p, struct slice name)
{
    if (slice_starts(name, SLICE("path."))) {
        struct slice extension = slice_from(name, strlen("path"));
        p->elements[p->count++] = (struct pattern_element){PATH, extension};
        if (extension.len > p->anchor.len)
            p->anchor = extension;
        return true;
    }
    if (slice_starts(name, SLICE("message:"))) {
        struct slice beginning = slice_from(name, strlen("message:"));
        p->elements[p->count++] = (struct pattern_element){MESSAGE, beginning};
        if (beginning.len > p->anchor.len)
            p->anchor = beginning;
        return true;
    }
    for (size_t i = 0; i < COUNT(fields); i++)
        if (slice_equals(fields[i].name, name)) {
            p->elements[p->count++] = (struct pattern_element){.kind = (uint8_t)fields[i].kind};
            return true;
        }
    return false;
}

static bool is_letter(unsigned char c)
{
    return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

static bool is_digit(unsigned char c)
{
    return c >= '0' && c <= '9';
}

static bool allows(enum element_kind kind, unsigned char c)
{
    switch (kind) {
    case PATH:
        return c >= 0x20 && !strchr("\"|*?", c);
    case LABEL:
        return c > 0x20 && c != '\'' && c != '"' && c != '`';
    case EXCEPTION:
        return is_letter(c) || is_digit(c) || strchr("_.$:", c);
    case CODE:
        return is_letter(c) || is_digit(c) || strchr("_-.@/", c);
    case LINT:
        return is_digit(c) || (c >= 'A' && c <= 'Z');
    case WORD:
        return c != ' ' && c != '\t';
    case HEX:
        return is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
    default:
        return true;
    }
}

/* allows() by character, a bit a kind: this is asked of every byte of every log. */
static uint32_t allowed_kinds[256];

static void fill_allowed_kinds(void)
{
    for (unsigned c = 0; c < 256 && !allowed_kinds[255]; c++)
        for (unsigned kind = 0; kind <= BLANKS; kind++)
            allowed_kinds[c] |= (uint32_t)allows((enum element_kind)kind, (unsigned char)c) << kind;
}

/* Whether all of the text may stand in a field of the kind. */
static bool allows_all(enum element_kind kind, struct slice text)
{
    if (kind == ANY || kind == MESSAGE || kind == NAME)
        return true;
    for (size_t i = 0; i < text.len; i++)
        if (!(allowed_kinds[(unsigned char)text.text[i]] >> kind & 1))
            return false;
    return true;
}

bool pattern_compile(struct pattern *p, const char *source)
{
    fill_allowed_kinds();
    *p = (struct pattern){.count = 0};
    while (*source) {
        if (p->count == PATTERN_ELEMENTS_MAX)
            return false;
        size_t len = *source == '{' ? strcspn(source, "}") : strcspn(source, "{");
        if (*source == '{') {
            if (!source[len] || !add_field(p, (struct slice){source + 1, len - 1}))
                return false;
            source += len + 1;
            continue;
        }
        struct slice literal = {source, len};
        p->elements[p->count++] = (struct pattern_element){LITERAL, literal};
        if (literal.len > p->anchor.len)
            p->anchor = literal;
        source += len;
    }
    return true;
}

struct match {
    const struct pattern *pattern;
    struct slice line;
    struct captures *captures;
    int steps;
};

static bool match_from(struct match *m, size_t element, size_t at);

static bool keep(struct match *m, const struct pattern_element *e, struct slice text)
{
    enum element_kind kind = e->kind;
    switch (kind) {
    case PATH:
        if (!paths_plausible(text) || !slice_ends(text, e->literal))
            return false;
        m->captures->path = text;
        return true;
    case MESSAGE:
        m->captures->message = slice_trim(text);
        return m->captures->message.len > 0 && slice_starts(text, e->literal);
    case NAME:
        m->captures->name = slice_trim(text);
        return m->captures->name.len > 0;
    case LABEL:
        m->captures->label = text;
        return slice_starts(text, SLICE("//")) || slice_starts(text, SLICE("@"));
    case CODE:
    case WORD:
    case HEX:
        return text.len > 0;
    case LINT:
        return text.len > 1 && !is_digit((unsigned char)text.text[0]) &&
               is_digit((unsigned char)text.text[text.len - 1]);
    default:
        return true;
    }
}

/* A text field: as short as what follows allows. */
static bool match_text(struct match *m, size_t element, size_t at)
{
    enum element_kind kind = m->pattern->elements[element].kind;
    const struct pattern_element *next =
        element + 1 < m->pattern->count ? &m->pattern->elements[element + 1] : NULL;
    size_t checked = at;
    for (size_t end = at; end <= m->line.len; end++) {
        if (!next) {
            end = m->line.len;
        } else if (next->kind == LITERAL) {
            const char *found = slice_find(slice_from(m->line, end), next->literal);
            if (!found)
                return false;
            end = (size_t)(found - m->line.text);
        }
        struct slice unchecked = slice_from(m->line, checked);
        unchecked.len = end - checked;
        if (!allows_all(kind, unchecked))
            return false;
        checked = end;
        if (--m->steps < 0)
            return false;
        if (keep(m, &m->pattern->elements[element],
                 (struct slice){slice_from(m->line, at).text, end - at}) &&
            match_from(m, element + 1, end))
            return true;
    }
    return false;
}

static bool match_number(struct match *m, size_t element, size_t at)
{
    enum element_kind kind = m->pattern->elements[element].kind;
    size_t end = at;
    uint32_t value = 0;
    for (; end < m->line.len && is_digit((unsigned char)m->line.text[end]); end++) {
        if (kind != NUMBER && end - at == 8)
            return false;
        value = value * 10 + (uint32_t)(m->line.text[end] - '0');
    }
    if (end == at || (kind == LINE && value == 0))
        return false;
    if (kind == LINE)
        m->captures->line = value;
    if (kind == COLUMN)
        m->captures->column = value;
    return match_from(m, element + 1, end);
}

static bool match_severity(struct match *m, size_t element, size_t at)
{
    struct slice rest = slice_from(m->line, at);
    for (size_t i = 0; i < COUNT(severities); i++) {
        if (!slice_starts(rest, severities[i].word))
            continue;
        m->captures->severity = severities[i].severity;
        if (match_from(m, element + 1, at + severities[i].word.len))
            return true;
    }
    return false;
}

static bool match_blanks(struct match *m, size_t element, size_t at)
{
    while (at < m->line.len && (m->line.text[at] == ' ' || m->line.text[at] == '\t'))
        at++;
    return match_from(m, element + 1, at);
}

static bool match_from(struct match *m, size_t element, size_t at)
{
    if (element == m->pattern->count)
        return at == m->line.len;
    const struct pattern_element *e = &m->pattern->elements[element];
    switch ((enum element_kind)e->kind) {
    case LITERAL:
        return slice_starts(slice_from(m->line, at), e->literal) &&
               match_from(m, element + 1, at + e->literal.len);
    case LINE:
    case COLUMN:
    case NUMBER:
        return match_number(m, element, at);
    case SEVERITY:
        return match_severity(m, element, at);
    case BLANKS:
        return match_blanks(m, element, at);
    default:
        return match_text(m, element, at);
    }
}

bool pattern_match(const struct pattern *p, struct slice line, struct captures *captures)
{
    *captures = (struct captures){.line = 0};
    struct match m = {p, line, captures, STEPS_MAX};
    return match_from(&m, 0, 0);
}
