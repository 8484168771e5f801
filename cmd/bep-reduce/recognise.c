#include "cmd/bep-reduce/recognise.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/bep-reduce/jvm.h"
#include "cmd/bep-reduce/lines.h"
#include "cmd/bep-reduce/recognise_bazel.h"
#include "cmd/bep-reduce/rulebook.h"
#include "cmd/bep-reduce/scan.h"

static void set(struct buf *b, struct slice text)
{
    buf_clear(b);
    buf_add(b, text.text, b->max && text.len > b->max ? b->max : text.len);
}

static enum diag_severity severity_of(const struct rule *rule, const struct captures *captures)
{
    if (captures->severity == PATTERN_NO_SEVERITY)
        return rule->severity;
    return captures->severity == PATTERN_WARNING ? DIAG_WARNING : DIAG_ERROR;
}

static void set_place(struct scan *s, struct cause *c, const struct captures *captures)
{
    bool own = captures->path.len > 0;
    struct slice path = own ? captures->path : scan_text(&s->file);
    uint32_t line = own || captures->line ? captures->line : s->file_line;
    if (path.len && (line || (c->rule->flags & NO_LINE)))
        spot_offer(&c->own, s->evidence, path, line, captures->column, false);
    if (path.len && captures->line && c->own.quality == SPOT_NONE &&
        (s->before.quality != SPOT_NONE || s->within.quality != SPOT_NONE)) {
        struct buf where = BUF_INIT;
        buf_printf(&where, "%.*s:%u", (int)path.len, path.text, captures->line);
        cause_add_detail(c, scan_text(&where));
        buf_release(&where);
    }
    spot_prefer(&c->own, &s->before);
    spot_prefer(&c->own, &s->within);
}

static void add_lines(struct cause *c, struct slice text)
{
    while (text.len) {
        const char *newline = memchr(text.text, '\n', text.len);
        struct slice line = {text.text, newline ? (size_t)(newline - text.text) : text.len};
        cause_add_detail(c, line);
        text = slice_from(text, line.len + (newline != NULL));
    }
}

/* An exception that came from another process is raised a second time: where it began is its place. */
static void add_origin(const struct scan *s, struct cause *c)
{
    struct buf words = BUF_INIT;
    if (!s->chained.len)
        return;
    bool again = slice_equals(scan_text(&s->chained), scan_text(&c->message));
    if (again && s->origin.quality >= c->own.quality) {
        spot_clear(&c->own);
        spot_prefer(&c->own, &s->origin);
    }
    buf_printf(&words, "raised from %.*s", s->chained.len < 200 ? (int)s->chained.len : 200,
               s->chained.data);
    if (!again)
        cause_add_detail(c, scan_text(&words));
    buf_release(&words);
}

static void open_cause(struct scan *s, const struct rulebook_entry *entry, struct slice line,
                       const struct captures *captures)
{
    scan_finish(s);
    struct cause *c = &s->open;
    c->family = entry->family;
    c->rule = entry->rule;
    c->severity = severity_of(c->rule, captures);
    struct slice message = c->rule->flags & WHOLE ? line : captures->message;
    if (c->rule->flags & NAMED)
        cause_join(c, scan_text(&s->name), "");
    if (message.len)
        cause_join(c, message, " ");
    if (s->name.len && !(c->rule->flags & NAMED))
        cause_add_detail(c, scan_text(&s->name));
    set_place(s, c, captures);
    if (c->own.quality == SPOT_NONE)
        cause_mention_place(c, captures->path, captures->line);
    add_origin(s, c);
    add_lines(c, scan_text(&s->callers));
    scan_forget_pending(s);
}

/* The reason for the open cause is stated: its words join, its frames are the ones that count. */
static void add_reason(struct cause *c, struct slice message)
{
    if (message.len && !slice_find(scan_text(&c->message), message))
        cause_join(c, message, "; caused by ");
    spot_clear(&c->frame);
    if (c->rule->flags & NEEDS_PLACE)
        spot_clear(&c->own);
}

static void chain(struct scan *s)
{
    struct cause *c = &s->open;
    set(&s->chained, scan_text(&c->message));
    spot_clear(&s->origin);
    spot_prefer(&s->origin, &c->own);
    cause_clear(c);
}

static void add_frame(struct scan *s, const struct rule *rule, const struct captures *captures)
{
    struct cause *c = &s->open;
    c->has_frames = true;
    if (captures->message.len)
        cause_join(c, captures->message, " ");
    if (rule->flags & OVERRIDES)
        spot_offer(&c->own, s->evidence, captures->path, captures->line, captures->column, true);
    else if (captures->name.len && captures->line)
        jvm_offer_frame(c, s->evidence, captures);
    else if (captures->line || (rule->flags & NO_LINE))
        spot_offer(&c->frame, s->evidence, captures->path, captures->line, captures->column, false);
}

static void apply_to_open(struct scan *s, const struct rulebook_entry *entry, struct slice line,
                          const struct captures *captures)
{
    struct cause *c = &s->open;
    switch (entry->rule->role) {
    case PLACE:
        add_frame(s, entry->rule, captures);
        break;
    case JOIN:
        cause_join(c, captures->message, entry->rule->flags & LIST ? "; " : ": ");
        break;
    case DETAIL:
        cause_add_detail(c, line);
        break;
    case CHAIN:
        chain(s);
        break;
    default:
        add_reason(c, captures->message);
    }
}

/* A frame of the cause that comes: the last one in the workspace counts, those before it called it. */
static void take_frame(struct scan *s, const struct captures *captures)
{
    struct buf callers = BUF_INIT;
    char place[CALLERS_BYTES_MAX];
    snprintf(place, sizeof place, "%s:%u", s->before.path.data, s->before.line);
    bool in_workspace = s->before.quality == SPOT_SOURCE;
    spot_offer(&s->before, s->evidence, captures->path, captures->line, captures->column, true);
    buf_printf(&callers, "called from %s%s%s", place, s->callers.len ? "\n" : "", s->callers.data);
    size_t path = s->before.path.len;
    bool same = strncmp(place, s->before.path.data, path) == 0 && place[path] == ':' &&
                strtoul(place + path + 1, NULL, 10) == s->before.line;
    if (in_workspace && !same && callers.len <= CALLERS_BYTES_MAX)
        set(&s->callers, scan_text(&callers));
    buf_release(&callers);
}

static void begin_test(struct scan *s, const struct rule *rule)
{
    scan_finish(s);
    if (rule->flags & HOLDS)
        s->holding = true;
    else
        scan_release_held(s, true);
    scan_forget_pending(s);
}

static void apply(struct scan *s, const struct rulebook_entry *entry, struct slice line,
                  const struct captures *captures)
{
    switch (entry->rule->role) {
    case CAUSE:
        if (captures->severity == PATTERN_NOTE)
            cause_add_detail(&s->open, line);
        else
            open_cause(s, entry, line, captures);
        break;
    case BEFORE:
        take_frame(s, captures);
        s->in_trace |= (entry->rule->flags & OPENS_TRACE) != 0;
        break;
    case WITHIN:
        spot_offer(&s->within, s->evidence, captures->path, captures->line, captures->column,
                   false);
        break;
    case FILE_OF:
        scan_finish(s);
        set(&s->file, captures->path);
        s->file_line = captures->line;
        break;
    case NAME:
        begin_test(s, entry->rule);
        set(&s->name, entry->rule->flags & WHOLE ? line : captures->name);
        s->named = entry->family;
        break;
    case TRACE:
        scan_finish(s);
        spot_clear(&s->before);
        buf_clear(&s->callers);
        s->in_trace = true;
        break;
    case PASSED:
        scan_release_held(s, false);
        break;
    case END:
        scan_finish(s);
        scan_forget_pending(s);
        buf_clear(&s->name);
        break;
    case NOISE:
        s->open.dormant |= s->open.family == entry->family;
        break;
    default:
        apply_to_open(s, entry, line, captures);
    }
}

static bool is_about_open(enum role role)
{
    return role == PLACE || role == JOIN || role == DETAIL || role == CHAIN || role == SERIES;
}

static bool applies(const struct scan *s, const struct rulebook_entry *entry, struct slice line)
{
    if (is_about_open(entry->rule->role) && s->open.family != entry->family)
        return false;
    if ((entry->rule->flags & AFTER_NAME) && s->named != entry->family)
        return false;
    if (!(entry->rule->flags & IN_TRACE))
        return true;
    return s->in_trace && line.len && line.text[0] != ' ' && line.text[0] != '\t';
}

static const struct rulebook_entry *find_rule(const struct scan *s, const struct rulebook *book,
                                              struct slice line, struct captures *captures)
{
    struct rule_set candidates;
    anchors_find(book->anchors, line, &candidates);
    for (unsigned i = rule_set_next(&candidates, 0); i < book->count;
         i = rule_set_next(&candidates, i + 1))
        if (applies(s, &book->entries[i], line) &&
            pattern_match(&book->entries[i].pattern, line, captures))
            return &book->entries[i];
    return NULL;
}

/* Whether a line says for itself what it is, although it stands where lines of the open cause stand. */
static bool interrupts(const struct scan *s, const struct rulebook_entry *entry, struct slice line)
{
    if (!entry)
        return false;
    const struct rule *rule = entry->rule;
    if (entry->family == s->open.family || rule->role == END)
        return true;
    bool weak = rule->flags & (WEAK | WEAK_IN_LOG | NEEDS_PLACE);
    bool begins =
        rule->role == TRACE || (rule->role == CAUSE && (!weak || (s->open.rule->flags & LAST)));
    return begins && line.text[0] != ' ' && line.text[0] != '\t' && s->open.rule->follow != ALL;
}

/* A program that draws a line in red says that it matters. */
static void open_red(struct scan *s, struct slice line)
{
    static const struct rule rule = {CAUSE, "{message}", NOTHING, WEAK | WHOLE};
    static const struct family family = {"red", &rule, 1, DIAG_UNKNOWN};
    static const struct rulebook_entry entry = {&family, &rule, {.count = 0}};
    struct captures captures = {.line = 0};
    if (slice_trim(line).len)
        open_cause(s, &entry, line, &captures);
}

/* "  | " and "  +-+---- 1 ----", with which Python draws exception groups. */
static struct slice without_group(struct scan *s, struct slice line)
{
    size_t i = 0;
    s->in_group |= slice_find(line, SLICE("+ Exception Group Traceback")) != NULL;
    if (!s->in_group)
        return line;
    while (i < line.len && line.text[i] == ' ')
        i++;
    s->in_group = i < line.len && (line.text[i] == '|' || line.text[i] == '+');
    if (!s->in_group || i + 2 > line.len)
        return line;
    return slice_from(line, i + 2);
}

static void take_line(struct scan *s, const struct rulebook *book, struct slice line, bool red)
{
    struct captures captures;
    line = without_group(s, line);
    const struct rulebook_entry *entry = find_rule(s, book, line, &captures);
    bool open = s->open.family != NULL;
    s->open.lines_below += open;
    if (open && !interrupts(s, entry, line) && cause_follow(&s->open, line))
        return;
    if (slice_trim(line).len && (!entry || entry->rule->role != NAME))
        s->named = NULL;
    if (entry)
        apply(s, entry, line, &captures);
    else if (red && !open)
        open_red(s, line);
}

size_t recognise(const struct evidence *e, struct diag_list *list)
{
    if (e->kind != EVIDENCE_ACTION && e->kind != EVIDENCE_TEST)
        return recognise_bazel(e, list);
    const struct rulebook *book = rulebook_get();
    if (!book)
        return 0;
    struct scan s;
    struct lines lines;
    struct slice line;
    scan_init(&s, e, list);
    lines_init(&lines, (struct slice){e->text, e->len});
    while (lines_next(&lines, &line))
        take_line(&s, book, line, lines.red);
    scan_end(&s);
    scan_release(&s);
    return s.errors;
}
