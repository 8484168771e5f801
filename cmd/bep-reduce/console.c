#include "cmd/bep-reduce/console.h"

#include "cmd/bep-reduce/console_header.h"

static void advance(struct console *c)
{
    c->line_start = c->lines.rest.text;
    c->more = lines_next(&c->lines, &c->line);
    c->line = slice_from(c->line, console_timestamp(c->line));
}

void console_init(struct console *c, const char *text, size_t len)
{
    *c = (struct console){.text = {text, len}};
    lines_init(&c->lines, c->text);
    advance(c);
}

static struct slice since(const struct console *c, const char *start)
{
    const char *end = c->more ? c->line_start : c->text.text + c->text.len;
    return (struct slice){start, (size_t)(end - start)};
}

/* The command line that --verbose_failures and --sandbox_debug print, and the hints around it. */
static void skip_command(struct console *c)
{
    bool continued = slice_ends(c->line, SLICE("(cd ")) || slice_starts(c->line, SLICE("  (cd "));
    while (c->more && continued) {
        struct slice line = slice_trim(c->line);
        continued = slice_ends(line, SLICE("\\")) || slice_ends(line, SLICE("&&"));
        advance(c);
    }
    while (c->more && (!slice_trim(c->line).len || console_is_hint(c->line)))
        advance(c);
}

/* Everything up to the next line that only Bazel prints. */
static struct slice take_output(struct console *c)
{
    const char *start = c->more ? c->line_start : c->text.text + c->text.len;
    while (c->more && !console_interrupts(c->line))
        advance(c);
    return since(c, start);
}

/* rules_python quotes what a tool printed: "===== stderr start =====" and "===== stderr end =====". */
static bool is_quotation_mark(struct slice line, struct slice which)
{
    return slice_starts(line, SLICE("===== ")) && slice_ends(line, which);
}

/* The message behind the header's word, and its further lines. */
static struct slice take_message(struct console *c, size_t prefix)
{
    const char *start = c->line_start + prefix;
    bool quoted = false;
    advance(c);
    while (c->more && (quoted || !console_is_header(c->line))) {
        quoted |= is_quotation_mark(c->line, SLICE(" start ====="));
        quoted &= !is_quotation_mark(c->line, SLICE(" end ====="));
        advance(c);
    }
    return since(c, start);
}

/* A header line may begin with escape sequences, so its word is looked for in the raw text. */
static size_t raw_prefix(const struct console *c, struct slice word)
{
    struct slice raw = {c->line_start, (size_t)(c->lines.rest.text - c->line_start)};
    const char *at = slice_find(raw, word);
    size_t n = at ? (size_t)(at - raw.text) + word.len : 0;
    while (n < raw.len && raw.text[n] == ' ')
        n++;
    return n;
}

static struct slice keep_header(struct console *c)
{
    memcpy(c->header, c->line.text, c->line.len);
    return (struct slice){c->header, c->line.len};
}

/* False where the block is only about outputs that were not created: its cause is told apart. */
static bool take_error(struct console *c, struct console_block *b, struct slice word)
{
    struct slice header = keep_header(c);
    const char *start = c->line_start;
    size_t prefix = raw_prefix(c, word);
    struct slice reason;
    b->kind = CONSOLE_ERROR;
    if (console_parse_action(slice_trim(slice_from(header, word.len)), b, &reason)) {
        b->kind = CONSOLE_ACTION;
        if (reason.len) { /* Bazel's own words instead of a process's output */
            b->body = take_message(c, 0);
            const char *at = slice_find(b->body, reason);
            if (at)
                b->body = slice_from(b->body, (size_t)(at - b->body.text));
            if (console_is_missing_outputs(reason) && c->not_created.len)
                b->body = c->not_created;
            c->not_created.len = 0;
            return !console_is_consequence(reason);
        }
        advance(c);
        skip_command(c);
        b->body = take_output(c);
        return true;
    }
    b->body = take_message(c, prefix);
    if (slice_find(header, SLICE(" was not created"))) {
        c->not_created = (struct slice){start, (size_t)(b->body.text + b->body.len - start)};
        return false;
    }
    return true;
}

static bool take_test(struct console *c, struct console_block *b)
{
    b->kind = CONSOLE_TEST;
    b->label = console_label(keep_header(c));
    advance(c);
    const char *start = c->more ? c->line_start : c->text.text + c->text.len;
    while (c->more && !console_is_ruler(c->line))
        advance(c);
    b->body = since(c, start);
    if (c->more)
        advance(c);
    return true;
}

static bool take_successful(struct console *c, struct console_block *b)
{
    b->kind = CONSOLE_OUTPUT;
    b->what = slice_from(keep_header(c), strlen("INFO: From "));
    if (slice_ends(b->what, SLICE(":")))
        b->what.len--;
    b->label = console_label(b->what);
    b->exit_code = 0;
    advance(c);
    b->body = take_output(c);
    return true;
}

/* What Bazel still says between starting the program and the program's own first line. */
static bool follows_start(struct slice line)
{
    return slice_starts(line, SLICE("INFO: Build completed")) ||
           slice_starts(line, SLICE("INFO: Build Event Protocol files produced"));
}

static bool take_program(struct console *c, struct console_block *b)
{
    b->kind = CONSOLE_PROGRAM;
    do
        advance(c);
    while (c->more && follows_start(c->line));
    const char *start = c->more ? c->line_start : c->text.text + c->text.len;
    while (c->more)
        advance(c);
    b->body = since(c, start);
    return true;
}

/* One block or line; false where there was nothing worth a block. */
static bool take(struct console *c, struct console_block *b)
{
    static const struct slice info_from = SLICE("INFO: From ");
    *b = (struct console_block){.exit_code = -1};
    if (slice_starts(c->line, SLICE("ERROR:")))
        return take_error(c, b, SLICE("ERROR:"));
    if (slice_starts(c->line, SLICE("FATAL:")))
        return take_error(c, b, SLICE("FATAL:"));
    if (slice_starts(c->line, SLICE("WARNING:"))) {
        b->kind = CONSOLE_WARNING;
        b->body = take_message(c, raw_prefix(c, SLICE("WARNING:")));
        return true;
    }
    if (slice_starts(c->line, info_from))
        return take_successful(c, b);
    if (slice_starts(c->line, SLICE("INFO: Running command line:")))
        return take_program(c, b);
    if (slice_starts(c->line, SLICE("==================== Test output for ")))
        return take_test(c, b);
    bool plain = slice_starts(c->line, SLICE("Server terminated abruptly"));
    if ((console_is_header(c->line) && !plain) || !slice_trim(c->line).len) {
        advance(c);
        return false;
    }
    b->kind = CONSOLE_OTHER;
    b->body = take_message(c, 0);
    return true;
}

bool console_next(struct console *c, struct console_block *b)
{
    while (c->more)
        if (take(c, b))
            return true;
    return false;
}
