#include "cmd/bep-reduce/recognise.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/bep-reduce/cause.h"
#include "cmd/bep-reduce/consequence.h"
#include "cmd/bep-reduce/lines.h"
#include "cmd/bep-reduce/recognise_bazel.h"
#include "cmd/bep-reduce/rulebook.h"

/* Frames of a traceback that are shown: a few lines. */
#define CALLERS_BYTES_MAX 400

/* Of one test; more of them a person does not read. */
#define HELD_MAX 8

/* What is known while the lines of one piece of evidence pass by. */
struct scan {
    const struct evidence *evidence;
    struct diag_list *list;
    size_t errors;

    struct cause open; /* open.family NULL: none */
    struct cause weak; /* the first weak one */
    struct consequences earlier;

    struct spot before; /* BEFORE: frames of the cause that comes */
    struct spot within; /* WITHIN */
    struct buf file;    /* FILE_OF, as printed */
    struct buf name;    /* NAME */
    struct buf chained; /* what the cause that comes was raised from */
    struct buf callers; /* the frames in the workspace outside `before`, innermost first */
    bool in_trace;
    bool in_group; /* Python shows an exception group: every line has a prefix */
    bool holding;  /* HELD causes wait for what is said of their test */
    struct cause held[HELD_MAX];
    size_t held_count;
    const struct family *named; /* whose NAME was the last line with text, or NULL */
};

static void scan_init(struct scan *s, const struct evidence *e, struct diag_list *list)
{
    *s = (struct scan){.evidence = e, .list = list};
    cause_init(&s->open);
    cause_init(&s->weak);
    for (size_t i = 0; i < HELD_MAX; i++)
        cause_init(&s->held[i]);
    buf_init(&s->before.path, 0);
    buf_init(&s->within.path, 0);
    buf_init(&s->file, 0);
    buf_init(&s->name, DIAG_MESSAGE_MAX);
    buf_init(&s->chained, DIAG_MESSAGE_MAX);
    buf_init(&s->callers, CALLERS_BYTES_MAX);
}

static void scan_release(struct scan *s)
{
    cause_release(&s->open);
    cause_release(&s->weak);
    for (size_t i = 0; i < HELD_MAX; i++)
        cause_release(&s->held[i]);
    buf_release(&s->before.path);
    buf_release(&s->within.path);
    buf_release(&s->file);
    buf_release(&s->name);
    buf_release(&s->chained);
    buf_release(&s->callers);
}

static struct slice content(const struct buf *b)
{
    return (struct slice){b->data, b->len};
}

static void set(struct buf *b, struct slice text)
{
    buf_clear(b);
    buf_add(b, text.text, b->max && text.len > b->max ? b->max : text.len);
}

static void forget_pending(struct scan *s)
{
    spot_clear(&s->before);
    spot_clear(&s->within);
    buf_clear(&s->chained);
    buf_clear(&s->callers);
    s->in_trace = false;
}

static bool is_weak(const struct scan *s, const struct cause *c)
{
    unsigned flags = c->rule->flags;
    if (flags & WEAK)
        return true;
    if ((flags & WEAK_IN_LOG) && s->evidence->kind == EVIDENCE_TEST)
        return true;
    return (flags & NEEDS_PLACE) && !c->has_frames && c->own.quality == SPOT_NONE;
}

static enum diag_category category_of(const struct scan *s, const struct cause *c)
{
    if (s->evidence->kind == EVIDENCE_TEST)
        return DIAG_TEST;
    if (c->rule->category != DIAG_UNKNOWN)
        return c->rule->category;
    return c->family->category != DIAG_UNKNOWN ? c->family->category : DIAG_ACTION;
}

/* The caret says the column, or, where the tool's own place is that of the excerpt, the whole place. */
static void apply_caret(struct cause *c, struct spot *place)
{
    if (!(c->rule->flags & CARET) || !c->caret_column || !place->line)
        return;
    if (!c->caret_line && !place->column)
        place->column = c->caret_column;
    if (c->caret_line) {
        place->line = c->caret_line;
        place->column = c->caret_column;
    }
}

static void emit(struct scan *s, struct cause *c)
{
    const struct evidence *e = s->evidence;
    struct buf message = BUF_INIT;
    paths_relativize(e->paths, content(&c->message), &message);
    struct diag d = {
        .severity = c->severity,
        .category = category_of(s, c),
        .message = message.data,
        .detail = c->detail.len ? c->detail.data : NULL,
        .target = e->target,
        .action = e->action,
    };
    apply_caret(c, &c->own);
    if (c->own.quality != SPOT_NONE) {
        d.place = (struct place){c->own.path.data, c->own.line, c->own.column};
    } else if (e->rule.path) {
        d.place = e->rule;
        d.place_is_rule = true;
    }
    if (diag_list_add(s->list, &d) && c->severity == DIAG_ERROR)
        s->errors++;
    buf_release(&message);
}

static bool is_consequence(struct scan *s, const struct cause *c)
{
    if (c->rule->flags & ONCE)
        return consequence_said_before(&s->earlier, content(&c->message));
    struct stated stated = {content(&c->message), content(&c->own.path), c->own.line,
                            content(&c->detail)};
    return c->severity == DIAG_ERROR && s->evidence->kind != EVIDENCE_TEST &&
           consequence_of_earlier(&s->earlier, &stated);
}

/* `c` becomes empty, `keep` what it was. */
static void move(struct cause *keep, struct cause *c)
{
    struct cause kept = *keep;
    *keep = *c;
    *c = kept;
    cause_clear(c);
}

static void settle(struct scan *s, struct cause *c)
{
    bool quiet = s->evidence->exit_code == 0 && c->severity == DIAG_ERROR;
    bool aside = s->evidence->kind == EVIDENCE_TEST && c->severity != DIAG_ERROR;
    if (!c->message.len || quiet || aside) {
        cause_clear(c);
    } else if (is_weak(s, c)) {
        if (!s->weak.family && c->severity == DIAG_ERROR)
            move(&s->weak, c);
        cause_clear(c);
    } else {
        if (!is_consequence(s, c))
            emit(s, c);
        cause_clear(c);
    }
}

/* The open cause is complete. */
static void finish(struct scan *s)
{
    struct cause *c = &s->open;
    if (!c->family)
        return;
    spot_prefer(&c->own, &c->frame);
    if (!s->holding || !(c->rule->flags & HELD))
        settle(s, c);
    else if (s->held_count < HELD_MAX)
        move(&s->held[s->held_count++], c);
    else
        cause_clear(c);
}

/* What was held counts, or was only words. */
static void release_held(struct scan *s, bool counts)
{
    finish(s);
    for (size_t i = 0; i < s->held_count; i++) {
        if (counts)
            settle(s, &s->held[i]);
        else
            cause_clear(&s->held[i]);
    }
    s->held_count = 0;
}

static enum diag_severity severity_of(const struct rule *rule, const struct captures *captures)
{
    if (captures->severity == PATTERN_NO_SEVERITY)
        return rule->severity;
    return captures->severity == PATTERN_WARNING ? DIAG_WARNING : DIAG_ERROR;
}

static void set_place(struct scan *s, struct cause *c, const struct captures *captures)
{
    struct slice path = captures->path.len ? captures->path : content(&s->file);
    bool whole = captures->line || (c->rule->flags & NO_LINE);
    if (path.len && whole)
        spot_offer(&c->own, s->evidence, path, captures->line, captures->column, false);
    if (path.len && captures->line && c->own.quality == SPOT_NONE &&
        (s->before.quality != SPOT_NONE || s->within.quality != SPOT_NONE)) {
        struct buf where = BUF_INIT;
        buf_printf(&where, "%.*s:%u", (int)path.len, path.text, captures->line);
        cause_add_detail(c, content(&where));
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

static void open_cause(struct scan *s, const struct rulebook_entry *entry, struct slice line,
                       const struct captures *captures)
{
    finish(s);
    struct cause *c = &s->open;
    c->family = entry->family;
    c->rule = entry->rule;
    c->severity = severity_of(c->rule, captures);
    struct slice message = c->rule->flags & WHOLE ? line : captures->message;
    if (c->rule->flags & NAMED)
        cause_join(c, content(&s->name), "");
    if (message.len)
        cause_join(c, message, " ");
    if (s->name.len && !(c->rule->flags & NAMED))
        cause_add_detail(c, content(&s->name));
    set_place(s, c, captures);
    if (c->own.quality == SPOT_NONE)
        cause_mention_place(c, captures->path, captures->line);
    if (s->chained.len)
        cause_add_detail(c, content(&s->chained));
    add_lines(c, content(&s->callers));
    forget_pending(s);
}

/* The reason for the open cause is stated: its words join, its frames are the ones that count. */
static void add_reason(struct cause *c, struct slice message)
{
    if (message.len && !slice_find(content(&c->message), message))
        cause_join(c, message, "; caused by ");
    spot_clear(&c->frame);
    if (c->rule->flags & NEEDS_PLACE)
        spot_clear(&c->own);
}

static void chain(struct scan *s)
{
    struct cause *c = &s->open;
    buf_clear(&s->chained);
    buf_printf(&s->chained, "raised from %.*s", (int)(c->message.len < 200 ? c->message.len : 200),
               c->message.data);
    cause_clear(c);
}

static void apply_to_open(struct scan *s, const struct rulebook_entry *entry, struct slice line,
                          const struct captures *captures)
{
    struct cause *c = &s->open;
    switch (entry->rule->role) {
    case PLACE:
        c->has_frames = true;
        if (entry->rule->flags & OVERRIDES)
            spot_offer(&c->own, s->evidence, captures->path, captures->line, captures->column,
                       true);
        else if (captures->line || (entry->rule->flags & NO_LINE))
            spot_offer(&c->frame, s->evidence, captures->path, captures->line, captures->column,
                       false);
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
        set(&s->callers, content(&callers));
    buf_release(&callers);
}

static void begin_test(struct scan *s, const struct rule *rule)
{
    finish(s);
    if (rule->flags & HOLDS)
        s->holding = true;
    else
        release_held(s, true);
    forget_pending(s);
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
        finish(s);
        set(&s->file, captures->path);
        break;
    case NAME:
        begin_test(s, entry->rule);
        set(&s->name, entry->rule->flags & WHOLE ? line : captures->name);
        s->named = entry->family;
        break;
    case TRACE:
        finish(s);
        spot_clear(&s->before);
        buf_clear(&s->callers);
        s->in_trace = true;
        break;
    case PASSED:
        release_held(s, false);
        break;
    case END:
        finish(s);
        forget_pending(s);
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
    return rule->role == CAUSE && !(rule->flags & (WEAK | WEAK_IN_LOG | NEEDS_PLACE)) &&
           line.text[0] != ' ' && line.text[0] != '\t' && s->open.rule->follow != ALL;
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
    release_held(&s, true);
    if (!s.errors && s.weak.family)
        emit(&s, &s.weak);
    scan_release(&s);
    return s.errors;
}
