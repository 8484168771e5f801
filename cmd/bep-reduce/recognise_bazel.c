#include "cmd/bep-reduce/recognise_bazel.h"

#include <stdlib.h>

#include "cmd/bep-reduce/complaint.h"
#include "cmd/bep-reduce/lines.h"
#include "cmd/bep-reduce/pattern.h"
#include "cmd/bep-reduce/rules_bazel.h"
#include "cmd/bep-reduce/starlark.h"
#include "common/base/err.h"
#include "common/base/mem.h"

/* A message's prefixes are taken off one by one; more of them no message has. */
#define PREFIXES_MAX 6
/* Longer ones are stack traces, whose end says nothing. */
#define MESSAGE_BYTES_MAX (64UL * 1024)
/* Of what a message lists below it. */
#define LIST_LINES_MAX 3

struct reading {
    const struct evidence *evidence;
    struct slice sentence; /* what is left of the first line */
    struct slice below;    /* the other lines */
    struct slice printed;  /* the path that the message began with */
    struct diag diag;
    bool has_frame; /* the place is a frame of a traceback */
    struct buf message, detail, path, label;
    struct buf spoiled, asked; /* for diag.spoils and diag.within */
};

static struct slice content(const struct buf *b)
{
    return (struct slice){b->data, b->len};
}

static struct slice next_line(struct slice *text)
{
    const char *newline = text->len ? memchr(text->text, '\n', text->len) : NULL;
    struct slice line = {text->text, newline ? (size_t)(newline - text->text) : text->len};
    *text = slice_from(*text, line.len + (newline != NULL));
    return line;
}

static void reading_init(struct reading *r, const struct evidence *e)
{
    *r = (struct reading){.evidence = e, .diag = {.action = e->action}};
    struct buf *bufs[] = {&r->message, &r->detail, &r->path, &r->label, &r->spoiled, &r->asked};
    for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++)
        buf_init(bufs[i], MESSAGE_BYTES_MAX);
}

static void reading_release(struct reading *r)
{
    struct buf *bufs[] = {&r->message, &r->detail, &r->path, &r->label, &r->spoiled, &r->asked};
    for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++)
        buf_release(bufs[i]);
}

static void set(struct buf *b, struct slice text)
{
    buf_clear(b);
    buf_add(b, text.text, text.len < b->max ? text.len : b->max);
}

struct compiled {
    const struct sentence *sentence;
    struct pattern pattern;
};

static struct compiled *compile(const struct sentence *table, size_t count)
{
    struct compiled *compiled = mem_zeroed(count, sizeof *compiled);
    for (size_t i = 0; compiled && i < count; i++) {
        compiled[i].sentence = &table[i];
        if (!pattern_compile(&compiled[i].pattern, table[i].pattern))
            err_bug(table[i].pattern);
    }
    return compiled;
}

static const struct sentence *find(struct slice text, bool plain, struct captures *captures)
{
    static struct compiled *tables[2];
    size_t count = plain ? plain_sentences_count : sentences_count;
    if (!tables[plain])
        tables[plain] = compile(plain ? plain_sentences : sentences, count);
    for (size_t i = 0; tables[plain] && i < count; i++)
        if (pattern_match(&tables[plain][i].pattern, text, captures))
            return tables[plain][i].sentence;
    return NULL;
}

static void keep_prefix(struct reading *r, const struct captures *captures)
{
    if (captures->label.len)
        set(&r->label, captures->label);
    if (captures->path.len && !r->printed.len) {
        r->printed = captures->path;
        r->diag.place.line = captures->line;
        r->diag.place.column = captures->column;
    }
}

/* Takes the prefixes off. NULL: no row knows the rest. */
static const struct sentence *classify(struct reading *r)
{
    bool plain = r->evidence->kind == EVIDENCE_PLAIN;
    for (int i = 0; i < PREFIXES_MAX; i++) {
        struct captures captures;
        const struct sentence *s = find(r->sentence, plain, &captures);
        if (!s)
            return NULL;
        if (s->category != DIAG_UNKNOWN)
            r->diag.category = s->category;
        if (s->verdict == FOLLOWS)
            return s;
        keep_prefix(r, &captures);
        if (captures.message.len)
            r->sentence = captures.message;
        if (s->verdict != PREFIX)
            return s;
        if (!captures.message.len)
            r->sentence = slice_trim(next_line(&r->below));
    }
    return NULL;
}

/* The traceback's own error is the sentence; its frames are the place. */
static const struct sentence *read_traceback(struct reading *r, struct slice text)
{
    struct traceback t;
    const struct sentence *s = NULL;
    if (traceback_read(&t, text, r->evidence->paths)) {
        enum diag_category category = r->diag.category;
        r->sentence = t.message;
        r->below = t.below;
        s = classify(r);
        if (category == DIAG_FETCH ||
            (category == DIAG_ANALYSIS && r->diag.category == DIAG_UNKNOWN))
            r->diag.category = category;
        else if (r->diag.category == DIAG_UNKNOWN)
            r->diag.category = DIAG_LOADING;
        if (t.place.len) {
            set(&r->path, content(&t.place));
            r->diag.place.line = t.line;
            r->diag.place.column = t.column;
            r->has_frame = true;
        }
        if (t.loading)
            buf_printf(&r->spoiled, "//%s", t.package.data);
        buf_add(&r->detail, t.frames.data, t.frames.len);
    }
    traceback_release(&t);
    return s;
}

/* Where a message ends for somebody who wants to know what is wrong. */
static struct slice essence(struct slice s)
{
    static const struct slice tails[] = {
        SLICE(" and referenced by '"),
        SLICE(" defined by /"),
        SLICE(" defined by <"),
        SLICE(". Check the visibility declaration"),
        SLICE(" in any of the following directories"),
        SLICE(" Printing stack trace"),
    };
    for (size_t i = 0; i < sizeof tails / sizeof *tails; i++) {
        const char *at = slice_find(s, tails[i]);
        if (at)
            s.len = (size_t)(at - s.text);
    }
    return slice_trim(s);
}

/* "(did you mean cart?)", if it stands behind what the message leaves out. */
static void add_hint(struct buf *message, struct slice sentence)
{
    const char *hint = slice_find(sentence, SLICE("(did you mean "));
    const char *end =
        hint ? memchr(hint, ')', (size_t)(sentence.text + sentence.len - hint)) : NULL;
    if (end && !slice_find(content(message), SLICE("(did you mean ")))
        buf_printf(message, " %.*s", (int)(end + 1 - hint), hint);
}

/* "java.io.IOException: " says nothing to a user of Bazel. */
static struct slice without_class(struct slice s)
{
    const char *colon = slice_find(s, SLICE("Exception: "));
    if (!colon)
        return s;
    struct slice class = {s.text, (size_t)(colon - s.text)};
    if (memchr(class.text, ' ', class.len) || !memchr(class.text, '.', class.len))
        return s;
    return slice_from(s, class.len + strlen("Exception: "));
}

/* "Error downloading [URL] to /output/base/…: reason": where to is nobody's business. */
static void add_download(struct buf *out, struct slice s)
{
    const char *to = slice_find(s, SLICE("] to /"));
    struct slice rest = to ? slice_from(s, (size_t)(to - s.text) + 1) : s;
    const char *reason = to ? slice_find(rest, SLICE(": ")) : NULL;
    if (!reason) {
        buf_add(out, s.text, s.len);
        return;
    }
    buf_add(out, s.text, (size_t)(to - s.text) + 1);
    rest = slice_from(rest, (size_t)(reason - rest.text));
    buf_add(out, rest.text, rest.len);
}

static bool continues(const struct reading *r)
{
    if (!r->below.len || !r->sentence.len)
        return false;
    char end = r->sentence.text[r->sentence.len - 1];
    char next = r->below.text[0];
    struct slice rest = r->below;
    return end != '.' && end != ':' && next >= 'a' && next <= 'z' &&
           !slice_find(next_line(&rest), SLICE("Exception"));
}

/* "… failure:", and below it what a tool that fetched something printed: its first complaint. */
static void add_complaint(struct slice below, struct buf *message)
{
    while (below.len) {
        struct slice line = slice_trim(next_line(&below));
        if (!complaint_is(line))
            continue;
        buf_printf(message, " %.*s", (int)line.len, line.text);
        return;
    }
}

/* "No matching toolchains found for types:", and below it what is meant. */
static void add_list(struct reading *r, struct buf *message)
{
    for (int lines = 0; r->below.len && lines < LIST_LINES_MAX; lines++) {
        struct slice rest = r->below;
        struct slice line = next_line(&rest);
        if (!slice_trim(line).len || (lines && line.text[0] != ' '))
            break;
        r->below = rest;
        line = slice_trim(line);
        buf_printf(message, " %.*s", (int)line.len, line.text);
    }
}

/* "//a:b -> //a:c -> //a:b" from the drawing below a cycle. */
static void add_cycle(struct buf *message, struct slice drawing)
{
    bool inside = false;
    while (drawing.len) {
        struct slice line = next_line(&drawing);
        const char *label = slice_find(line, SLICE("//"));
        while (label && label > line.text && label[-1] == '@')
            label--;
        inside |= slice_starts(line, SLICE(".->"));
        if (!label || !inside || line.text[0] == ' ')
            continue;
        struct slice member = slice_trim(slice_from(line, (size_t)(label - line.text)));
        buf_printf(message, "%s%.*s", slice_starts(line, SLICE(".->")) ? " " : " -> ",
                   (int)member.len, member.text);
        if (slice_starts(line, SLICE("`--")))
            break;
    }
}

static void write_message(struct reading *r, const struct sentence *sentence)
{
    struct buf plain = BUF_INIT;
    struct slice s = without_class(essence(r->sentence));
    add_download(&plain, s);
    while (continues(r)) {
        r->sentence = next_line(&r->below);
        struct slice more = essence(r->sentence);
        buf_printf(&plain, " %.*s", (int)more.len, more.text);
    }
    bool open = slice_ends(content(&plain), SLICE(":"));
    if (slice_starts(content(&plain), SLICE("cycle ")) && open)
        add_cycle(&plain, r->below);
    else if (open && sentence && sentence->verdict == LISTS)
        add_list(r, &plain);
    else if (open && r->diag.category == DIAG_FETCH)
        add_complaint(r->below, &plain);
    add_hint(&plain, r->sentence);
    if (plain.len > 1 && plain.data[plain.len - 1] == ':' && plain.data[plain.len - 2] != ' ')
        buf_truncate(&plain, plain.len - 1);
    paths_relativize(r->evidence->paths, content(&plain), &r->message);
    buf_release(&plain);
}

static void write_detail(struct reading *r, const struct sentence *s)
{
    struct slice below = r->below;
    if (s && s->verdict == LACKS)
        return; /* the message says it all */
    while (below.len && (below.text[below.len - 1] == '\n' || below.text[below.len - 1] == ' '))
        below.len--;
    if (!below.len)
        return;
    if (r->detail.len && r->detail.data[r->detail.len - 1] != '\n')
        buf_add_char(&r->detail, '\n');
    paths_relativize(r->evidence->paths, below, &r->detail);
}

/* The label in quotes behind `word`; empty: none. */
static struct slice label_behind(struct slice text, struct slice word)
{
    const char *at = slice_find(text, word);
    if (!at)
        return (struct slice){text.text, 0};
    struct slice rest = slice_from(text, (size_t)(at - text.text) + word.len);
    size_t len = 0;
    while (len < rest.len && !strchr("',\n ", rest.text[len]))
        len++;
    return (struct slice){rest.text, len};
}

/* Whom it concerns, if the message did not begin with that. */
static void find_target(struct reading *r, const struct sentence *s, struct slice text)
{
    bool failure = r->evidence->kind == EVIDENCE_FAILURE; /* its target is what could not be had */
    struct slice by = label_behind(text, SLICE(" and referenced by '"));
    struct slice lacking = label_behind(r->sentence, SLICE("no such target '"));
    if (by.len)
        set(&r->label, by);
    if (!r->label.len && s && s->verdict == LACKS && !failure)
        set(&r->label, lacking);
    if (!r->label.len && slice_find(r->sentence, SLICE("conflicting actions")))
        set(&r->label, label_behind(r->below, SLICE("Label: ")));
    if (r->label.len)
        r->diag.target = r->label.data;
    else if ((!s || s->verdict != LACKS) && !(failure && r->diag.category == DIAG_FETCH))
        r->diag.target = r->evidence->target;
    if (lacking.len && !by.len) {
        buf_add_str(&r->asked, "//");
        struct buf package = BUF_INIT;
        struct buf label = BUF_INIT;
        buf_add(&label, lacking.text, lacking.len);
        paths_package(label.data, &package);
        buf_add(&r->asked, package.data, package.len);
        buf_release(&package);
        buf_release(&label);
        r->diag.within = r->asked.data;
    }
}

/* A BUILD file stands for its package, any other file for itself. */
static void name_file(struct reading *r, struct buf *out)
{
    struct slice path = content(&r->path);
    const char *slash = path.len ? memrchr(path.text, '/', path.len) : NULL;
    struct slice name = slash ? slice_from(path, (size_t)(slash - path.text) + 1) : path;
    buf_clear(out);
    if (slice_equals(name, SLICE("BUILD")) || slice_equals(name, SLICE("BUILD.bazel")))
        buf_printf(out, "//%.*s", slash ? (int)(slash - path.text) : 0, path.text);
    else
        buf_add(out, path.text, path.len);
}

static void find_spoiled(struct reading *r, const struct sentence *s)
{
    bool loading = r->diag.category == DIAG_LOADING && r->path.len;
    if (loading && !r->has_frame && (!s || s->verdict != LACKS))
        name_file(r, &r->spoiled);
    if (loading && !r->has_frame && (!s || s->verdict == SPOILS))
        r->diag.within = r->spoiled.data;
    /* Of what an analysis says of one thing in one rule, the first counts. */
    struct slice thing = label_behind(r->sentence, SLICE("'"));
    if (r->diag.category == DIAG_ANALYSIS && !r->has_frame && r->label.len && thing.len) {
        buf_printf(&r->spoiled, "%s '%.*s'", r->label.data, (int)thing.len, thing.text);
        r->diag.within = r->spoiled.data;
    }
    if (r->spoiled.len)
        r->diag.spoils = r->spoiled.data;
}

/* What fetches a repository is a rule of another one; its place is nobody's mistake. */
static bool is_fetcher(const struct reading *r, const char *path)
{
    return r->diag.category == DIAG_FETCH && slice_starts(slice_of(path), SLICE("external/"));
}

static void resolve_place(struct reading *r)
{
    if (r->path.len || !r->printed.len)
        return;
    if (!paths_resolve(r->evidence->paths, r->printed.text, r->printed.len, r->diag.target,
                       &r->path) ||
        is_fetcher(r, r->path.data)) {
        buf_clear(&r->path);
        r->diag.place = (struct place){.path = NULL};
    }
}

static void set_place(struct reading *r, const struct sentence *s)
{
    const struct evidence *e = r->evidence;
    if (r->path.len) {
        r->diag.place.path = r->path.data;
        /* Many rules may lack the same package: the place is only that of the first one. */
        r->diag.place_is_rule =
            !r->has_frame && ((s && s->verdict == LACKS) || r->diag.category == DIAG_FETCH);
    } else if (e->rule.path && !is_fetcher(r, e->rule.path)) {
        r->diag.place = e->rule;
        r->diag.place_is_rule = true;
    }
}

static void finish_category(struct reading *r, const struct sentence *s)
{
    if (r->diag.category == DIAG_UNKNOWN)
        r->diag.category = r->evidence->kind == EVIDENCE_FAILURE ? DIAG_UNKNOWN : DIAG_BAZEL;
    r->diag.stopped_build = s && s->verdict == STOPS;
    r->diag.resort = s && s->verdict == RESORT;
    bool warning = r->evidence->kind == EVIDENCE_WARNING || r->evidence->exit_code == 0;
    r->diag.severity = warning ? DIAG_WARNING : DIAG_ERROR;
}

static size_t add(struct reading *r, struct diag_list *list)
{
    struct diag *d = diag_list_add(list, &r->diag);
    struct slice other = label_behind(r->below, SLICE("Label: "));
    other = label_behind(
        slice_from(r->below, other.len ? (size_t)(other.text - r->below.text) : r->below.len),
        SLICE(", "));
    if (d && other.len && slice_find(r->sentence, SLICE("conflicting actions"))) {
        set(&r->label, other);
        diag_add_also(list, d, r->label.data);
    }
    return d && d->severity == DIAG_ERROR;
}

static size_t read_message(struct reading *r, struct slice text, struct diag_list *list)
{
    r->below = text;
    while (r->below.len && !r->sentence.len)
        r->sentence = slice_trim(next_line(&r->below));
    const struct sentence *s = classify(r);
    if (s && s->verdict == FOLLOWS)
        return 0;
    if (slice_find(text, SLICE("Traceback (most recent call last):")))
        s = read_traceback(r, text);
    if ((s && s->verdict == FOLLOWS) || (!s && r->evidence->kind == EVIDENCE_PLAIN))
        return 0;
    find_target(r, s, text);
    resolve_place(r);
    write_message(r, s);
    write_detail(r, s);
    set_place(r, s);
    find_spoiled(r, s);
    finish_category(r, s);
    r->diag.message = r->message.data;
    r->diag.detail = r->detail.len ? r->detail.data : NULL;
    return add(r, list);
}

size_t recognise_bazel(const struct evidence *e, struct diag_list *list)
{
    struct reading r;
    struct buf clean = BUF_INIT_MAX(MESSAGE_BYTES_MAX);
    struct lines *lines = mem_alloc(sizeof *lines);
    struct slice line;
    size_t found = 0;
    if (!lines)
        return 0;
    reading_init(&r, e);
    lines_init(lines, (struct slice){e->text, e->len});
    while (lines_next(lines, &line) && clean.len + line.len + 1 < MESSAGE_BYTES_MAX) {
        buf_add(&clean, line.text, line.len);
        buf_add_char(&clean, '\n');
    }
    found = read_message(&r, content(&clean), list);
    buf_release(&clean);
    reading_release(&r);
    free(lines);
    return found;
}
