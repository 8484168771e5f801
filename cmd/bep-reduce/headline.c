#include "cmd/bep-reduce/headline.h"

#include <inttypes.h>
#include <string.h>

#include "common/text/utf8.h"

static const char *plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

static uint64_t count_errors(const struct summary *s)
{
    uint64_t n = 0;

    for (size_t i = 0; i < s->causes.count; i++)
        n += s->causes.items[i]->severity == DIAG_ERROR;
    return n;
}

/* The message's text on one line. */
static void add_flat(struct buf *out, const char *text)
{
    for (; *text; text++) {
        char c = *text == '\n' || *text == '\t' ? ' ' : *text;

        if (c != ' ' || out->len == 0 || out->data[out->len - 1] != ' ')
            buf_add_char(out, c);
    }
}

static void add_place(struct buf *out, const struct diag *d)
{
    if (!d->place.path)
        return;
    buf_add_str(out, d->place.path);
    if (d->place.line)
        buf_printf(out, ":%u", d->place.line);
    if (d->place.line && d->place.column)
        buf_printf(out, ":%u", d->place.column);
    buf_add_str(out, ": ");
}

/* What stands behind the message: whose cause it is, and how many more there are. */
static void make_tail(struct buf *out, const struct summary *s, const struct diag *d)
{
    uint64_t more = count_errors(s);

    if (d->target)
        buf_printf(out, " [%s%s]", d->target, d->also_count + d->also_more ? ", …" : "");
    if (more > 1)
        buf_printf(out, " (and %" PRIu64 " more error%s)", more - 1, plural(more - 1));
}

/* The message is cut, never its place, its target or the count. */
static void of_cause(struct summary *s, const struct diag *d)
{
    struct buf *out = &s->headline;
    struct buf tail = BUF_INIT;
    size_t room;

    make_tail(&tail, s, d);
    if (tail.len > HEADLINE_MAX_BYTES / 2)
        buf_clear(&tail);
    add_place(out, d);
    if (out->len > HEADLINE_MAX_BYTES / 3)
        buf_clear(out);
    add_flat(out, d->message);
    room = HEADLINE_MAX_BYTES - tail.len;
    if (out->len > room) {
        buf_truncate(out, utf8_cut(out->data, out->len, room - strlen("…")));
        buf_add_str(out, "…");
    }
    buf_add(out, tail.data, tail.len);
    buf_release(&tail);
}

static void of_tests(struct summary *s)
{
    const struct test_counts *t = &s->tests;
    struct buf *out = &s->headline;

    buf_printf(out, "%" PRIu64 " test%s passed", t->passed + t->flaky,
               plural(t->passed + t->flaky));
    if (t->cached && t->flaky)
        buf_printf(out, " (%" PRIu64 " cached, %" PRIu64 " flaky)", t->cached, t->flaky);
    else if (t->cached)
        buf_printf(out, " (%" PRIu64 " cached)", t->cached);
    else if (t->flaky)
        buf_printf(out, " (%" PRIu64 " flaky)", t->flaky);
    if (t->skipped)
        buf_printf(out, ", %" PRIu64 " skipped", t->skipped);
}

static void add_percent(struct summary *s)
{
    const struct coverage *c = &s->coverage;

    if (c->lines_found)
        buf_printf(&s->headline, ", %.1f %% of %" PRIu64 " lines covered",
                   100.0 * (double)c->lines_hit / (double)c->lines_found, c->lines_found);
}

static void of_targets(struct summary *s)
{
    const struct target_counts *t = &s->targets;
    struct buf *out = &s->headline;

    if (t->succeeded == 0 && t->requested > 0) {
        buf_printf(out, "analysed %" PRIu64 " target%s, built nothing", t->requested,
                   plural(t->requested));
        return;
    }
    buf_printf(out, "built %" PRIu64 " target%s", t->succeeded, plural(t->succeeded));
    if (t->skipped)
        buf_printf(out, ", %" PRIu64 " skipped", t->skipped);
}

static void of_success(struct summary *s)
{
    struct buf *out = &s->headline;

    if (s->query.known)
        buf_printf(out, "%" PRIu64 " row%s", s->query.rows, plural(s->query.rows));
    else if (s->info.count == 1)
        buf_printf(out, "%.*s: %.*s", (int)s->info.entries[0].key.len, s->info.entries[0].key.text,
                   (int)s->info.entries[0].value.len, s->info.entries[0].value.text);
    else if (s->info.count > 1)
        buf_printf(out, "%zu values", s->info.count);
    else if (s->tests.total > 0)
        of_tests(s);
    else if (s->targets.requested > 0)
        of_targets(s);
    else if (s->state->counts.events > 0 && !s->state->build.command)
        buf_add_str(out, "done");
    else
        buf_printf(out, "%s succeeded", s->command ? s->command : "command");
    if (s->tests.total > 0)
        add_percent(s);
}

static void of_failure(struct summary *s)
{
    struct buf *out = &s->headline;
    const char *name = s->ending.exit_name;

    if (s->ending.state == END_INCOMPLETE && s->state->counts.events == 0)
        buf_add_str(out, "no events, and no exit code is known");
    else if (s->ending.state == END_INCOMPLETE)
        buf_printf(out, "the stream ends before its last message (%" PRIu64 " events)",
                   s->state->counts.events);
    else if (name)
        buf_printf(out, "%s failed with exit code %d (%s)", s->command ? s->command : "command",
                   s->ending.exit_code, name);
    else
        buf_printf(out, "%s failed with exit code %d", s->command ? s->command : "command",
                   s->ending.exit_code);
}

void headline_make(struct summary *s)
{
    const struct diag *first = s->causes.count ? s->causes.items[0] : NULL;

    if (s->ending.state == END_SUCCEEDED)
        of_success(s);
    else if (first && first->severity == DIAG_ERROR)
        of_cause(s, first);
    else
        of_failure(s);
    buf_truncate(&s->headline, utf8_cut(s->headline.data, s->headline.len, HEADLINE_MAX_BYTES));
}
