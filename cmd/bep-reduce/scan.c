#include "cmd/bep-reduce/scan.h"

#include <stdlib.h>

#include "common/base/mem.h"

void scan_init(struct scan *s, const struct evidence *e, struct diag_list *list)
{
    *s = (struct scan){.evidence = e, .list = list};
    cause_init(&s->open);
    cause_init(&s->weak);
    buf_init(&s->before.path, 0);
    buf_init(&s->within.path, 0);
    buf_init(&s->origin.path, 0);
    buf_init(&s->file, 0);
    buf_init(&s->name, DIAG_MESSAGE_MAX);
    buf_init(&s->chained, DIAG_MESSAGE_MAX);
    buf_init(&s->callers, CALLERS_BYTES_MAX);
}

static void shelf_release(struct shelf *shelf)
{
    for (size_t i = 0; shelf->items && i < SHELF_MAX; i++)
        cause_release(&shelf->items[i]);
    free(shelf->items);
}

void scan_release(struct scan *s)
{
    cause_release(&s->open);
    cause_release(&s->weak);
    shelf_release(&s->held);
    shelf_release(&s->doubtful);
    buf_release(&s->before.path);
    buf_release(&s->within.path);
    buf_release(&s->origin.path);
    buf_release(&s->file);
    buf_release(&s->name);
    buf_release(&s->chained);
    buf_release(&s->callers);
}

void scan_forget_pending(struct scan *s)
{
    spot_clear(&s->before);
    spot_clear(&s->within);
    spot_clear(&s->origin);
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
    paths_relativize(e->paths, scan_text(&c->message), &message);
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
        return consequence_said_before(&s->earlier, scan_text(&c->message));
    struct stated stated = {scan_text(&c->message), scan_text(&c->own.path), c->own.line,
                            scan_text(&c->detail)};
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

/* False: there is no room for the cause. */
static bool shelve(struct shelf *shelf, struct cause *c)
{
    if (!shelf->items) {
        shelf->items = mem_alloc(SHELF_MAX * sizeof *shelf->items);
        for (size_t i = 0; shelf->items && i < SHELF_MAX; i++)
            cause_init(&shelf->items[i]);
    }
    if (!shelf->items || shelf->count == SHELF_MAX)
        return false;
    move(&shelf->items[shelf->count++], c);
    return true;
}

/* A warning of a tool that failed may be the reason. */
static bool is_doubtful(const struct scan *s, const struct cause *c)
{
    return c->severity == DIAG_WARNING && s->evidence->exit_code != 0;
}

/* Of weak causes the first one counts, but for those that any other replaces. */
static bool is_weaker(const struct cause *first, const struct cause *c)
{
    return !first->family || ((first->rule->flags & LAST) && !(c->rule->flags & LAST));
}

static void settle(struct scan *s, struct cause *c)
{
    bool quiet = s->evidence->exit_code == 0 && c->severity == DIAG_ERROR;
    bool aside = s->evidence->kind == EVIDENCE_TEST && c->severity != DIAG_ERROR;
    if (!c->message.len || quiet || aside) {
        cause_clear(c);
    } else if (is_weak(s, c)) {
        if (is_weaker(&s->weak, c) && c->severity == DIAG_ERROR)
            move(&s->weak, c);
        cause_clear(c);
    } else if (!is_doubtful(s, c) || !shelve(&s->doubtful, c)) {
        if (!is_consequence(s, c))
            emit(s, c);
        cause_clear(c);
    }
}

void scan_finish(struct scan *s)
{
    struct cause *c = &s->open;
    if (!c->family)
        return;
    spot_prefer(&c->own, &c->frame);
    if (!s->holding || !(c->rule->flags & HELD))
        settle(s, c);
    else if (!shelve(&s->held, c))
        cause_clear(c);
}

void scan_release_held(struct scan *s, bool counts)
{
    scan_finish(s);
    for (size_t i = 0; i < s->held.count; i++) {
        if (counts)
            settle(s, &s->held.items[i]);
        else
            cause_clear(&s->held.items[i]);
    }
    s->held.count = 0;
}

/* "warnings found and -Werror specified": where that is all that is wrong, the warnings are. */
static bool blames_warnings(const struct scan *s)
{
    return !s->errors && s->doubtful.count && s->weak.family && (s->weak.rule->flags & OF_WARNINGS);
}

void scan_end(struct scan *s)
{
    scan_release_held(s, true);
    bool blamed = blames_warnings(s);
    for (size_t i = 0; i < s->doubtful.count; i++) {
        struct cause *c = &s->doubtful.items[i];
        if (blamed) {
            c->severity = DIAG_ERROR;
            cause_add_detail(c, scan_text(&s->weak.message));
        }
        emit(s, c);
    }
    if (!s->errors && s->weak.family && !s->evidence->strong_only)
        emit(s, &s->weak);
}
