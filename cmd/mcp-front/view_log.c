/* The views of text: the console logs, test logs, and the rows of a query. */
#include "cmd/mcp-front/member.h"
#include "cmd/mcp-front/page.h"
#include "cmd/mcp-front/view_rows.h"
#include "common/text/utf8.h"

#include <stdio.h>

#include <string.h>

#define LOOK_BACK (16UL * 1024) /* a private key in PEM is shorter */

/* Text files that are told one after the other; `minor` of a cursor is the file's number. */
struct text {
    struct viewer *v;
    uint64_t number;   /* of the file, from 0 */
    const char *label; /* in front of the first line of a page; NULL: none */
    bool all;          /* the label passed the filter: so do all lines */
    bool test;         /* a test's log */
    bool rows;         /* a query's: every line counts, blank ones too, and none is progress */
    struct buf clean, out, last;
    int repeated;
    bool more;
};

static void text_init(struct text *t, struct viewer *v)
{
    *t = (struct text){.v = v, .more = true};
    buf_init(&t->clean, 0);
    buf_init(&t->out, 0);
    buf_init(&t->last, 0);
}

static void text_release(struct text *t)
{
    buf_release(&t->clean);
    buf_release(&t->out);
    buf_release(&t->last);
}

/* What Bazel prints while it works, and what is known better from the events. */
static bool is_progress(const char *line)
{
    static const char *const fronts[] = {"Loading: ",
                                         "Analyzing: ",
                                         "Building: ",
                                         "Checking cached ",
                                         "Computing main repo mapping",
                                         "    Fetching ",
                                         NULL};

    if (*line == '[') {
        size_t n = strspn(line + 1, "0123456789,");
        return n && !strncmp(line + 1 + n, " / ", 3);
    }
    for (const char *const *front = fronts; *front; front++)
        if (!strncmp(line, *front, strlen(*front)))
            return true;
    return false;
}

/* What Bazel's test runner writes on top of each log. */
static bool is_test_head(const struct page_line *line, const char *text)
{
    return line->start < 4096 &&
           (!strncmp(text, "exec ${PAGER:-", 14) || !strncmp(text, "Executing tests from ", 21) ||
            (strspn(text, "-") > 70 && !text[strspn(text, "-")]));
}

static bool is_blank(const struct buf *line)
{
    return strspn(line->data, " \t") == line->len;
}

/* The state in which a line at `offset` is redacted: a key may have begun before it. */
static struct redact_lines state_at(const char *path, uint64_t offset)
{
    struct redact_lines state = REDACT_LINES_INIT;
    struct page page;
    struct page_line line;

    if (!offset)
        return state;
    if (!page_open(&page, path, offset > LOOK_BACK ? offset - LOOK_BACK : 0))
        while (page_next(&page, &line) > 0 && line.start < offset)
            redact_skip_line(&state, line.text, line.len);
    page_close(&page);
    return state;
}

static void say_repeated(struct text *t)
{
    size_t count = json_object_array_length(t->v->items);
    struct json_object *last = count ? json_object_array_get_idx(t->v->items, count - 1) : NULL;
    struct buf text = BUF_INIT;

    if (!last)
        return;
    buf_printf(&text, "%s … [repeated %d times]", t->last.data, t->repeated + 1);
    json_object_set_string_len(last, text.data, (int)text.len);
    buf_release(&text);
}

/* One more of the line before: no item of its own. */
static bool is_repeated(struct text *t, const struct page_line *line)
{
    size_t count = json_object_array_length(t->v->items);

    if (t->rows || !count || t->out.len != t->last.len ||
        memcmp(t->out.data, t->last.data, t->out.len) != 0)
        return false;
    t->repeated++;
    t->v->behind[count - 1].at = line->next;
    say_repeated(t);
    return true;
}

static void add_line(struct text *t, const struct page_line *line)
{
    struct cursor behind = {.at = line->next, .minor = t->number};
    struct json_object *item;

    if (is_repeated(t, line))
        return;
    t->repeated = 0;
    buf_clear(&t->last);
    if (t->label)
        buf_printf(&t->last, "[%s] ", t->label);
    buf_add(&t->last, t->out.data, t->out.len);
    item = json_object_new_string_len(t->last.data, (int)t->last.len);
    t->more = viewer_add(t->v, item, behind);
    /* The next equal line is compared without the label. */
    buf_clear(&t->last);
    buf_add(&t->last, t->out.data, t->out.len);
    t->label = NULL;
}

/*
 * "/root/x/sandbox/linux-sandbox/1/execroot/ws/a.c" becomes "a.c": where the sandbox was is of no use to
 * anybody, and often half of the line.
 */
static void shorten_paths(struct buf *line)
{
    static const char mark[] = "/execroot/";
    char *at = line->data, *found;

    while ((found = strstr(at, mark))) {
        char *start = found, *end = strchr(found + strlen(mark), '/');
        while (start > at && !strchr(" \t\"'`=:,;()<>[]", start[-1]))
            start--;
        if (!end || *start != '/') {
            at = found + strlen(mark);
            continue;
        }
        memmove(start, end + 1, strlen(end + 1) + 1);
        at = start;
    }
    buf_truncate(line, strlen(line->data));
}

/* What nobody asks for: blank lines, progress, the head of a test's log. */
static bool is_left_out(const struct text *t, const struct page_line *line)
{
    if (t->rows)
        return false;
    return is_blank(&t->clean) || is_progress(t->clean.data) ||
           (t->test && is_test_head(line, t->clean.data));
}

static bool passes(const struct text *t, const struct buf *line)
{
    const struct filter *filter = &t->v->filter;

    return t->all || filter_text(filter, line->data, line->len) ||
           (t->rows && filter_name(filter, line->data));
}

static void take_line(struct text *t, struct redact_lines *state, const struct page_line *line)
{
    bool wanted;

    buf_clear(&t->clean);
    buf_clear(&t->out);
    utf8_clean(&t->clean, line->text, line->len);
    if (is_left_out(t, line))
        return;
    if (!t->rows)
        shorten_paths(&t->clean);
    /* Redaction costs more than a look, but a key that begins here must be seen in any case. */
    wanted = passes(t, &t->clean);
    if (!wanted && !state->inside_key && !strstr(t->clean.data, "PRIVATE KEY"))
        return;
    redact_line(t->v->db->redact, state, t->clean.data, t->clean.len, &t->out);
    /* A hit in what is taken out would tell it letter by letter. */
    if (wanted && passes(t, &t->out))
        add_line(t, line);
}

/* Otherwise a line without its end may be cut in the middle of a secret, which could not be recognised. */
static bool ended_by_itself(const struct viewer *v)
{
    return v->record.state == STATE_SUCCEEDED || v->record.state == STATE_FAILED;
}

/* One file. Lines before the cursor's place are skipped with their files. */
static void take_file(struct text *t, const char *path)
{
    struct viewer *v = t->v;
    uint64_t offset = 0;
    struct redact_lines state;
    struct page page;
    struct page_line line;

    if (v->continued && t->number < v->from.minor)
        return;
    if (v->continued && t->number == v->from.minor)
        offset = v->from.at;
    state = state_at(path, offset);
    if (!page_open(&page, path, offset))
        while (t->more && page_next(&page, &line) > 0 && (line.whole || ended_by_itself(v)))
            take_line(t, &state, &line);
    page_close(&page);
}

/* What matters most first: a failed build says it on stderr, tests and queries on stdout. */
void view_log(struct viewer *v)
{
    bool out_first = v->record.state == STATE_SUCCEEDED ||
                     (v->record.outcome && !strcmp(v->record.outcome, "tests_failed"));
    const char *const names[] = {out_first ? STORE_STDOUT : STORE_STDERR,
                                 out_first ? STORE_STDERR : STORE_STDOUT};
    struct text t;
    char path[4300];

    if (!rows_have_evidence(v))
        return;
    text_init(&t, v);
    for (int i = 0; i < 2 && t.more; i++) {
        snprintf(path, sizeof(path), "%s/%s", v->record.folder, names[i]);
        t.number = (uint64_t)i;
        take_file(&t, path);
    }
    v->ended = t.more;
    text_release(&t);
}

void view_query_results(struct viewer *v)
{
    struct text t;
    char path[4300];

    if (!rows_have_evidence(v))
        return;
    text_init(&t, v);
    t.rows = true;
    snprintf(path, sizeof(path), "%s/" STORE_STDOUT, v->record.folder);
    take_file(&t, path);
    v->ended = t.more;
    text_release(&t);
}

/* "test-logs/NAME.log", and nothing that leads elsewhere. */
static bool is_log_copy(const char *name)
{
    size_t n = strlen(name);

    return n > 4 && !strncmp(name, "test-logs/", 10) && !strcmp(name + n - 4, ".log") &&
           !strchr(name + 10, '/');
}

static void take_copies(struct text *t, struct json_object *test, struct json_object *copies)
{
    const char *label = member_word(test, "label");
    char path[4300];

    for (size_t i = 0; i < json_object_array_length(copies) && t->more; i++) {
        const char *name = json_object_get_string(json_object_array_get_idx(copies, i));
        if (!name || !is_log_copy(name))
            continue;
        snprintf(path, sizeof(path), "%s/" STORE_DETAILS "/%s", t->v->folder, name);
        t->label = label;
        t->all = filter_name(&t->v->filter, label);
        take_file(t, path);
        t->number++;
    }
}

/* A failed test without a log: why, as one line. */
static void say_missing(struct text *t, struct json_object *test)
{
    struct json_object *log = member_object(test, "log");
    const char *reason = member_text(log, "reason");
    struct viewer *v = t->v;
    struct buf text = BUF_INIT;

    if (strcmp(member_word(test, "status"), "passed") && reason &&
        filter_name(&v->filter, member_text(test, "label")) &&
        !(v->continued && t->number < v->from.minor)) {
        buf_printf(&text, "[%s] no log: %s", member_word(test, "label"), reason);
        t->more = viewer_add(v, json_object_new_string_len(text.data, (int)text.len),
                             (struct cursor){.minor = t->number + 1});
    }
    t->number++;
    buf_release(&text);
}

void view_test_log(struct viewer *v)
{
    char path[4300];
    struct page page;
    struct page_line line;
    struct text t;

    if (!rows_have_evidence(v) || !rows_path(v, STORE_DETAILS "/tests.jsonl", path, sizeof(path)))
        return;
    text_init(&t, v);
    t.test = true;
    if (!page_open(&page, path, 0)) {
        while (t.more && page_next(&page, &line) > 0) {
            struct json_object *test = rows_parse(v, &line);
            struct json_object *copies = member_array(test, "copies");
            if (copies)
                take_copies(&t, test, copies);
            else if (test)
                say_missing(&t, test);
            json_object_put(test);
        }
    }
    v->ended = t.more;
    page_close(&page);
    text_release(&t);
}
