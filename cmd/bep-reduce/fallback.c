/* What is told of a failure that no rule knows: how it ended, and the last words of whoever failed. */
#include <signal.h>
#include <string.h>

#include "cmd/bep-reduce/complaint.h"
#include "cmd/bep-reduce/lines.h"
#include "cmd/bep-reduce/recognise.h"
#include "cmd/bep-reduce/rulebook.h"

#define LAST_LINES 10
/* Of a longer output only the end is looked at. */
#define TAIL_BYTES (256UL * 1024)

static bool is_noise(const struct rulebook *book, struct slice line)
{
    struct rule_set candidates;
    struct captures captures;
    anchors_find(book->anchors, line, &candidates);
    for (unsigned i = rule_set_next(&candidates, 0); i < book->count;
         i = rule_set_next(&candidates, i + 1))
        if ((book->entries[i].rule->role == NOISE || book->entries[i].rule->role == END) &&
            pattern_match(&book->entries[i].pattern, line, &captures))
            return true;
    return false;
}

static bool has_words(struct slice line)
{
    for (size_t i = 0; i < line.len; i++) {
        unsigned char c = (unsigned char)line.text[i];
        if ((c | 0x20) >= 'a' || (c >= '0' && c <= '9'))
            return true;
    }
    return false;
}

/* The last meaningful lines, the very last one apart. */
struct last_words {
    struct buf lines[LAST_LINES];
    size_t count; /* all that came */
};

static void collect(struct last_words *words, const struct evidence *e)
{
    const struct rulebook *book = rulebook_get();
    struct slice text = {e->text, e->len};
    struct lines lines;
    struct slice line;
    if (text.len > TAIL_BYTES)
        text = slice_from(text, text.len - TAIL_BYTES);
    lines_init(&lines, text);
    while (lines_next(&lines, &line)) {
        if (!has_words(line) || (book && is_noise(book, line)))
            continue;
        struct buf *slot = &words->lines[words->count++ % LAST_LINES];
        buf_clear(slot);
        buf_add(slot, line.text, line.len < DIAG_MESSAGE_MAX ? line.len : DIAG_MESSAGE_MAX);
    }
}

/* Which of the last lines says it best: the last one that complains, else the last one; by age, 0 is the last. */
static size_t best_of(const struct last_words *words, bool *complains)
{
    size_t kept = words->count < LAST_LINES ? words->count : LAST_LINES;
    for (size_t age = 0; age < kept; age++) {
        const struct buf *line = &words->lines[(words->count - 1 - age) % LAST_LINES];
        if (complaint_is((struct slice){line->data, line->len}))
            return age;
    }
    *complains = false;
    return 0;
}

static const char *signal_name(int number)
{
    static const char *const names[] = {
        [1] = "Hangup",
        [2] = "Interrupt",
        [3] = "Quit",
        [4] = "Illegal instruction",
        [6] = "Aborted",
        [7] = "Bus error",
        [8] = "Floating point exception",
        [9] = "Killed",
        [11] = "Segmentation fault",
        [13] = "Broken pipe",
        [14] = "Alarm clock",
        [15] = "Terminated",
    };
    bool known = number > 0 && number < (int)(sizeof names / sizeof *names);
    return known ? names[number] : NULL;
}

static void describe_end(const struct evidence *e, const char *what, struct buf *out)
{
    const char *signal = e->exit_code > 128 ? signal_name(e->exit_code - 128) : NULL;
    bool test = e->kind == EVIDENCE_TEST;
    if (e->timed_out) {
        buf_add_str(out, "timed out");
        if (e->limit_s)
            buf_printf(out, " after %u s", e->limit_s);
    } else if (test && e->exit_code > 0) {
        buf_printf(out, "exited with error code %d", e->exit_code);
        if (signal)
            buf_printf(out, ": killed by signal %d (%s)", e->exit_code - 128, signal);
    } else if (test) {
        buf_add_str(out, "test failed");
    } else {
        buf_printf(out, "%s failed", what ? what : e->action ? e->action : "action");
        if (signal)
            buf_printf(out, ": (%s)", signal);
        else if (e->exit_code > 0)
            buf_printf(out, ": (Exit %d)", e->exit_code);
    }
}

/* All but the line number `best`. */
static void describe_output(const struct last_words *words, size_t best, struct buf *out)
{
    size_t kept = words->count < LAST_LINES ? words->count : LAST_LINES;
    for (size_t i = words->count - kept; i < words->count; i++) {
        if (i == best)
            continue;
        const struct buf *line = &words->lines[i % LAST_LINES];
        if (out->len)
            buf_add_char(out, '\n');
        buf_add(out, line->data, line->len);
    }
}

/* Killed by a signal: its last words are not the reason, unless it complains and ends itself. */
static bool was_killed(const struct evidence *e, bool complains)
{
    int number = e->exit_code - 128;
    if (e->timed_out)
        return true;
    return number > 0 && signal_name(number) && !(number == SIGABRT && complains);
}

void recognise_fallback(const struct evidence *e, const char *what, struct diag_list *list)
{
    struct last_words words = {.count = 0};
    struct buf end = BUF_INIT;
    struct buf detail = BUF_INIT;
    for (size_t i = 0; i < LAST_LINES; i++)
        buf_init(&words.lines[i], 0);
    collect(&words, e);
    describe_end(e, what, &end);
    bool complains = true;
    size_t age = best_of(&words, &complains);
    bool killed = was_killed(e, complains);
    bool has_last_words = words.count && !killed;
    size_t best = has_last_words ? words.count - 1 - age : words.count;
    if (has_last_words &&
        (e->kind != EVIDENCE_TEST || e->exit_code > 0)) /* more than "test failed" */
        buf_add(&detail, end.data, end.len);
    describe_output(&words, best, &detail);
    const struct buf *last = &words.lines[best % LAST_LINES];
    struct diag d = {
        .category =
            e->timed_out ? DIAG_TIMEOUT : (e->kind == EVIDENCE_TEST ? DIAG_TEST : DIAG_ACTION),
        .message = has_last_words ? last->data : end.data,
        .detail = detail.len ? detail.data : NULL,
        .place = e->rule,
        .place_is_rule = e->rule.path != NULL,
        .target = e->target,
        .action = e->action,
        .unspecific = !has_last_words,
    };
    diag_list_add(list, &d);
    buf_release(&end);
    buf_release(&detail);
    for (size_t i = 0; i < LAST_LINES; i++)
        buf_release(&words.lines[i]);
}
