/* For people at a terminal: what happened first, places that editors open, nothing wider than the screen. */
#include "cmd/bep-reduce/emit.h"

#include <inttypes.h>
#include <string.h>

#include "common/text/utf8.h"

#define TESTS_SHOWN  20
#define ALSO_SHOWN   3
#define DETAIL_SHOWN 12

enum style {
    STYLE_NONE,
    STYLE_BOLD,
    STYLE_ERROR,
    STYLE_WARNING,
    STYLE_GOOD,
    STYLE_DIM,
};

struct page {
    struct buf *out;
    bool colour;
    unsigned width;
    bool failed;
};

static void put(struct page *p, const char *text, size_t len)
{
    if (buf_add(p->out, text, len) != BUF_OK)
        p->failed = true;
}

static void put_style(struct page *p, enum style style)
{
    static const char *const codes[] = {
        [STYLE_NONE] = "\x1b[0m",     [STYLE_BOLD] = "\x1b[1m",    [STYLE_ERROR] = "\x1b[1;31m",
        [STYLE_WARNING] = "\x1b[35m", [STYLE_GOOD] = "\x1b[1;32m", [STYLE_DIM] = "\x1b[2m",
    };

    if (p->colour)
        put(p, codes[style], strlen(codes[style]));
}

static void put_styled(struct page *p, enum style style, const char *text)
{
    put_style(p, style);
    put(p, text, strlen(text));
    put_style(p, STYLE_NONE);
}

/* Columns that bytes take, one for each character. */
static size_t columns(const char *text, size_t len)
{
    size_t n = 0;

    for (size_t i = 0; i < len; i++)
        n += ((unsigned char)text[i] & 0xc0) != 0x80;
    return n;
}

/* The longest front of `text` that fits into `room` columns, broken at a space where there is one. */
static size_t fitting(const char *text, size_t len, size_t room)
{
    size_t taken = 0, used = 0, last_space = 0;

    while (taken < len && used < room) {
        size_t n = utf8_sequence(text + taken, len - taken);

        if (text[taken] == ' ' && taken > 0)
            last_space = taken;
        taken += n ? n : 1;
        used++;
    }
    if (taken == len)
        return len;
    return text[taken] == ' ' || last_space == 0 ? taken : last_space;
}

/* Wraps one line; lines after the first are indented deeper. */
static void put_wrapped(struct page *p, unsigned indent, const char *text, size_t len)
{
    size_t room = p->width > indent + 20 ? p->width - indent : 20;

    while (len > 0) {
        size_t n = fitting(text, len, room);

        buf_printf(p->out, "%*s%.*s\n", (int)indent, "", (int)n, text);
        text += n;
        len -= n;
        while (len > 0 && *text == ' ') {
            text++;
            len--;
        }
    }
}

/* Source lines and the like are cut, not wrapped: carets stay under what they point at. */
static void put_cut(struct page *p, unsigned indent, const char *text, size_t len)
{
    size_t room = p->width > indent + 20 ? p->width - indent : 20;
    size_t n = len;

    if (columns(text, len) > room) {
        n = 0;
        for (size_t used = 0; used + 1 < room && n < len; used++) {
            size_t step = utf8_sequence(text + n, len - n);

            n += step ? step : 1;
        }
    }
    buf_printf(p->out, "%*s%.*s%s\n", (int)indent, "", (int)n, text, n < len ? "…" : "");
}

static void each_line(struct page *p, const char *text, unsigned indent, int max,
                      void (*show)(struct page *, unsigned, const char *, size_t))
{
    for (; *text && max > 0; max--) {
        size_t len = strcspn(text, "\n");

        show(p, indent, text, len);
        text += len + (text[len] == '\n');
    }
}

static enum style style_of(const struct diag *d)
{
    if (d->severity == DIAG_ERROR)
        return STYLE_ERROR;
    return d->severity == DIAG_WARNING ? STYLE_WARNING : STYLE_NONE;
}

static void put_place(struct page *p, const struct diag *d)
{
    put_style(p, STYLE_BOLD);
    if (!d->place.path)
        put(p, d->target ? d->target : "bazel", strlen(d->target ? d->target : "bazel"));
    else
        buf_add_str(p->out, d->place.path);
    if (d->place.path && d->place.line)
        buf_printf(p->out, ":%u", d->place.line);
    if (d->place.path && d->place.line && d->place.column)
        buf_printf(p->out, ":%u", d->place.column);
    put_style(p, STYLE_NONE);
    buf_add_str(p->out, ": ");
    put_styled(p, style_of(d), diag_severity_name(d->severity));
    buf_add_char(p->out, '\n');
}

static void put_whose(struct page *p, const struct diag *d)
{
    uint32_t more = d->also_count + d->also_more;
    struct buf line = BUF_INIT;

    if (d->target)
        buf_printf(&line, "in %s", d->target);
    if (d->action)
        buf_printf(&line, " (%s)", d->action);
    for (uint32_t i = 0; i < d->also_count && i < ALSO_SHOWN; i++)
        buf_printf(&line, ", %s", d->also[i]);
    if (more > ALSO_SHOWN)
        buf_printf(&line, " and %u more", more - ALSO_SHOWN);
    put_style(p, STYLE_DIM);
    if (line.len)
        put_wrapped(p, 4, line.data, line.len);
    put_style(p, STYLE_NONE);
    buf_release(&line);
}

static void put_diagnostic(struct page *p, const struct diag *d)
{
    buf_add_char(p->out, '\n');
    put_place(p, d);
    each_line(p, d->message, 4, DETAIL_SHOWN, put_wrapped);
    if (d->detail)
        each_line(p, d->detail, 6, DETAIL_SHOWN, put_cut);
    put_whose(p, d);
}

static void put_diagnostics(struct page *p, const struct summary *s)
{
    size_t shown = s->causes.count < s->max_diagnostics ? s->causes.count : s->max_diagnostics;

    for (size_t i = 0; i < shown; i++)
        put_diagnostic(p, s->causes.items[i]);
    if (s->causes.count > shown)
        buf_printf(p->out, "\n%zu more diagnostics\n", s->causes.count - shown);
}

static void put_duration(struct page *p, int64_t ms)
{
    if (ms >= 60000)
        buf_printf(p->out, "%" PRId64 "m%02" PRId64 "s", ms / 60000, ms / 1000 % 60);
    else
        buf_printf(p->out, "%" PRId64 ".%" PRId64 "s", ms / 1000, ms / 100 % 10);
}

static void put_test(struct page *p, const struct test_row *row)
{
    const struct test *t = row->test;

    buf_printf(p->out, "  %-15s %s", test_status_name(row->status), t->label);
    if (t->attempts > 1)
        buf_printf(p->out, ", %d attempts", t->attempts);
    if (t->shards > 1)
        buf_printf(p->out, ", %d shards", t->shards);
    if (t->runs > 1)
        buf_printf(p->out, ", %d runs", t->runs);
    if (t->duration_ms >= 0) {
        buf_add_str(p->out, ", ");
        put_duration(p, t->duration_ms);
    }
    buf_add_char(p->out, '\n');
}

static bool is_told(const struct summary *s, const char *label)
{
    for (size_t i = 0; i < s->causes.count && i < s->max_diagnostics; i++)
        if (s->causes.items[i]->target && strcmp(s->causes.items[i]->target, label) == 0)
            return true;
    return false;
}

/* A test whose cause stands above, and of which there is no more to say, is not told twice. */
static bool is_worth_a_line(const struct summary *s, const struct test_row *row)
{
    const struct test *t = row->test;

    return row->status != TEST_FAILED || t->attempts > 1 || t->shards > 1 || t->runs > 1 ||
           !is_told(s, t->label);
}

static void put_tests(struct page *p, const struct summary *s)
{
    size_t shown = 0, more = 0;

    for (size_t i = 0; i < s->test_row_count && s->test_rows[i].status != TEST_PASSED; i++) {
        if (shown == TESTS_SHOWN) {
            more++;
        } else if (is_worth_a_line(s, &s->test_rows[i])) {
            if (shown++ == 0)
                buf_add_str(p->out, "\nTests:\n");
            put_test(p, &s->test_rows[i]);
        }
    }
    if (more > 0)
        buf_printf(p->out, "  and %zu more\n", more);
}

static void put_rows(struct page *p, const struct summary *s)
{
    for (size_t i = 0; i < s->query.sample_count; i++)
        buf_printf(p->out, "  %.*s\n", (int)s->query.sample[i].len, s->query.sample[i].text);
    if (s->query.rows > s->query.sample_count)
        buf_printf(p->out, "  and %" PRIu64 " more\n", s->query.rows - s->query.sample_count);
    for (size_t i = 0; s->info.count > 1 && i < s->info.count; i++)
        buf_printf(p->out, "  %.*s: %.*s\n", (int)s->info.entries[i].key.len,
                   s->info.entries[i].key.text, (int)s->info.entries[i].value.len,
                   s->info.entries[i].value.text);
}

static void put_counts(struct page *p, const struct summary *s)
{
    const struct target_counts *t = &s->targets;
    const struct test_counts *c = &s->tests;
    const char *between = "";

    put(p, "\n", 1);
    put_style(p, STYLE_DIM);
    if (t->requested) {
        buf_printf(p->out, "targets: %" PRIu64 " built, %" PRIu64 " failed", t->succeeded,
                   t->failed);
        if (t->skipped)
            buf_printf(p->out, ", %" PRIu64 " skipped", t->skipped);
        between = "; ";
    }
    if (c->total) {
        buf_printf(p->out, "%stests: %" PRIu64 " passed, %" PRIu64 " not", between,
                   c->passed + c->flaky, c->total - c->passed - c->flaky);
        between = "; ";
    }
    if (s->duration_ms >= 0) {
        buf_add_str(p->out, between);
        put_duration(p, s->duration_ms);
        between = "; ";
    }
    if (s->ending.exit_name && s->ending.exit_code >= 0)
        buf_printf(p->out, "%sexit %d %s", between, s->ending.exit_code, s->ending.exit_name);
    put_style(p, STYLE_NONE);
    put(p, "\n", 1);
}

bool emit_text(const struct summary *s, bool colour, unsigned width, struct buf *out)
{
    struct page p = {.out = out, .colour = colour, .width = width};
    enum style style = s->ending.state == END_SUCCEEDED ? STYLE_GOOD : STYLE_ERROR;
    struct buf line = BUF_INIT;

    put_style(&p, style);
    buf_printf(&line, "%s: %s", outcome_name(s->ending.outcome), s->headline.data);
    put_wrapped(&p, 0, line.data, line.len);
    put_style(&p, STYLE_NONE);
    buf_release(&line);
    put_diagnostics(&p, s);
    put_tests(&p, s);
    put_rows(&p, s);
    put_counts(&p, s);
    return !p.failed;
}
