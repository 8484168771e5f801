#include "cmd/bep-reduce/evidence.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/bep-reduce/blocks.h"
#include "cmd/bep-reduce/recognise.h"
#include "cmd/bep-reduce/testevidence.h"

/* What all steps need. */
struct gathering {
    const struct state *state;
    const struct paths *paths;
    struct diag_list *list;
    bool succeeded;
};

static struct evidence new_evidence(const struct gathering *g, enum evidence_kind kind)
{
    return (struct evidence){
        .text = "", .kind = kind, .exit_code = g->succeeded ? 0 : -1, .paths = g->paths};
}

static size_t from_failure_text(const struct gathering *g, const char *text, const char *target,
                                const char *action)
{
    struct evidence evidence = new_evidence(g, EVIDENCE_FAILURE);

    if (!text)
        return 0;
    evidence.text = text;
    evidence.len = strlen(text);
    evidence.target = target;
    evidence.action = action;
    return recognise(&evidence, g->list);
}

/* stderr and stdout, one behind the other; `joined` holds them where there are both. */
static void action_text(const struct action *action, struct evidence *evidence, struct buf *joined)
{
    const struct output *first = &action->errors, *second = &action->words;

    if (!first->len || !second->len) {
        const struct output *only = first->len ? first : second;

        evidence->text = only->text ? only->text : "";
        evidence->len = only->len;
        return;
    }
    buf_add(joined, first->text, first->len);
    buf_add_char(joined, '\n');
    buf_add(joined, second->text, second->len);
    evidence->text = joined->data;
    evidence->len = joined->len;
}

/* The action that runs a test: what it says is said by the test's own events. */
static bool is_test_run(const struct gathering *g, const struct action *action)
{
    return g->state->tests && action->mnemonic && strcmp(action->mnemonic, "TestRunner") == 0;
}

static void from_action(const struct gathering *g, const struct action *action,
                        const struct block *block)
{
    struct evidence evidence = new_evidence(g, EVIDENCE_ACTION);
    struct buf joined = BUF_INIT;
    size_t found;

    if (is_test_run(g, action))
        return;
    evidence.target = action->label;
    evidence.action = action->mnemonic;
    evidence.exit_code = action->exit_code ? action->exit_code : -1;
    action_text(action, &evidence, &joined);
    if (block) {
        evidence.rule = block->rule;
        if (evidence.len == 0) {
            evidence.text = block->console.body.text;
            evidence.len = block->console.body.len;
        }
        if (block->console.exit_code >= 0)
            evidence.exit_code = block->console.exit_code;
    }
    found = recognise(&evidence, g->list);
    if (found == 0 && evidence.len == 0)
        found = from_failure_text(g, action->failure, action->label, action->mnemonic);
    if (found == 0)
        recognise_fallback(&evidence, block ? block->what : NULL, g->list);
    buf_release(&joined);
}

/* A failed action that only the console tells of. */
static void from_action_block(const struct gathering *g, const struct block *block)
{
    struct evidence evidence = new_evidence(g, EVIDENCE_ACTION);

    evidence.text = block->console.body.text;
    evidence.len = block->console.body.len;
    evidence.target = block->label;
    evidence.action = block->mnemonic;
    evidence.exit_code = block->console.exit_code;
    evidence.rule = block->rule;
    if (recognise(&evidence, g->list) == 0)
        recognise_fallback(&evidence, block->what, g->list);
}

static void from_plain_block(const struct gathering *g, const struct block *block)
{
    bool output = block->console.kind == CONSOLE_OUTPUT;
    struct evidence evidence = new_evidence(g, output ? EVIDENCE_ACTION : EVIDENCE_CONSOLE);

    evidence.text = block->console.body.text;
    evidence.len = block->console.body.len;
    evidence.target = block->label;
    evidence.action = block->mnemonic;
    evidence.rule = block->rule;
    if (output)
        evidence.exit_code = 0;
    recognise(&evidence, g->list);
}

static void from_block(const struct gathering *g, const struct block *block)
{
    switch (block->console.kind) {
    case CONSOLE_ACTION:
        if (block->action)
            from_action(g, block->action, block);
        else
            from_action_block(g, block);
        break;
    case CONSOLE_TEST:
        break;
    default:
        from_plain_block(g, block);
    }
}

/* Reasons that say what went wrong; the others are consequences or wishes. */
static bool is_a_cause(uint32_t reason)
{
    switch (reason) {
    case ABORT_SKIPPED:
    case ABORT_NO_ANALYZE:
    case ABORT_NO_BUILD:
    case ABORT_INCOMPLETE:
    case ABORT_USER_INTERRUPTED:
        return false;
    default:
        return true;
    }
}

static void from_aborted(const struct gathering *g)
{
    for (const struct aborted *a = g->state->aborted; a; a = a->next)
        if (is_a_cause(a->reason))
            from_failure_text(
                g, a->description,
                a->kind == ID_PATTERN || a->kind == ID_PATTERN_SKIPPED ? NULL : a->label, NULL);
}

static void from_aborted_targets(const struct gathering *g)
{
    for (const struct target *t = g->state->targets; t; t = t->next)
        if (t->outcome == TARGET_ABORTED && is_a_cause(t->reason))
            from_failure_text(g, t->failure, t->label, NULL);
}

void evidence_gather(const struct state *state, const struct console_log *console,
                     const struct paths *paths, bool succeeded, struct diag_list *list)
{
    struct gathering g = {state, paths, list, succeeded};
    struct blocks blocks;

    blocks_cut(&blocks, console, paths);
    blocks_match(&blocks, state);
    for (size_t i = 0; i < blocks.count; i++)
        from_block(&g, &blocks.items[i]);
    for (const struct action *a = state->actions; a; a = a->next)
        if (!a->told)
            from_action(&g, a, NULL);
    if (!succeeded) {
        from_aborted(&g);
        from_aborted_targets(&g);
    }
    evidence_of_tests(state, &blocks, paths, list);
    if (!succeeded && list->count == 0)
        from_failure_text(&g, state->build.failure, NULL, NULL);
    blocks_release(&blocks);
}
