#include "cmd/bep-reduce/evidence.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/bep-reduce/blocks.h"
#include "cmd/bep-reduce/recognise.h"
#include "cmd/bep-reduce/testevidence.h"

/* What all steps need. */
struct gathering {
    const struct state *state;
    const struct console_log *console;
    const struct evidence_options *how;
    struct diag_list *list;
};

static struct evidence new_evidence(const struct gathering *g, enum evidence_kind kind)
{
    return (struct evidence){
        .text = "", .kind = kind, .exit_code = g->how->succeeded ? 0 : -1, .paths = g->how->paths};
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

/* Without output and exit code, as when remote execution fails, Bazel's own words are the best there is. */
static bool says_more(const struct gathering *g, const struct evidence *evidence,
                      const struct action *action)
{
    return evidence->len == 0 && evidence->exit_code <= 0 &&
           from_failure_text(g, action->failure, action->label, action->mnemonic) > 0;
}

/* A block without an exit code gives Bazel's own reason, as for outputs that were not made: it beats what was printed. */
static void use_block(struct evidence *evidence, const struct block *block)
{
    bool bazels_reason = block->console.exit_code < 0 && block->console.body.len > 0;

    evidence->rule = block->rule;
    if (evidence->len == 0 || bazels_reason) {
        evidence->text = block->console.body.text;
        evidence->len = block->console.body.len;
    }
    if (block->console.exit_code >= 0)
        evidence->exit_code = block->console.exit_code;
}

/*
 * An action's stdout goes to Bazel's stdout, without a header. Where its file is not at hand, and where it is the only
 * action that failed, that text is its output.
 */
static bool says_on_stdout(const struct gathering *g, const struct evidence *evidence)
{
    struct evidence other = *evidence;

    if (evidence->len > 0 || g->state->counts.actions_failed > 1 || g->console->out.len == 0)
        return false;
    other.text = g->console->out.data;
    other.len = g->console->out.len;
    return recognise(&other, g->list) > 0;
}

static void from_action(const struct gathering *g, const struct action *action,
                        const struct block *block)
{
    struct evidence evidence = new_evidence(g, EVIDENCE_ACTION);
    struct buf joined = BUF_INIT;

    if (is_test_run(g, action))
        return;
    evidence.target = action->label;
    evidence.action = action->mnemonic;
    evidence.exit_code = action->exit_code ? action->exit_code : -1;
    action_text(action, &evidence, &joined);
    if (block)
        use_block(&evidence, block);
    if (recognise(&evidence, g->list) == 0 && !says_more(g, &evidence, action) &&
        !says_on_stdout(g, &evidence))
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
    static const enum evidence_kind kinds[] = {
        [CONSOLE_OUTPUT] = EVIDENCE_ACTION,
        [CONSOLE_ERROR] = EVIDENCE_CONSOLE,
        [CONSOLE_WARNING] = EVIDENCE_WARNING,
        [CONSOLE_OTHER] = EVIDENCE_PLAIN,
    };
    struct evidence evidence = new_evidence(g, kinds[block->console.kind]);

    evidence.text = block->console.body.text;
    evidence.len = block->console.body.len;
    evidence.target = block->label;
    evidence.action = block->mnemonic;
    evidence.rule = block->rule;
    if (block->console.kind == CONSOLE_OUTPUT)
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
    case CONSOLE_PROGRAM:
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

static bool has_error(const struct diag_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i]->severity == DIAG_ERROR)
            return true;
    return false;
}

/* The one target that `run` was given. */
static const char *run_target(const struct state *s)
{
    return s->targets && !s->targets->next ? s->targets->label : NULL;
}

/* What a program printed that `run` started and that failed: on stderr, else on stdout. */
static void from_program(const struct gathering *g, const struct blocks *blocks)
{
    struct evidence evidence = {.text = "",
                                .kind = EVIDENCE_TEST,
                                .target = run_target(g->state),
                                .exit_code = g->how->program_exit,
                                .paths = g->how->paths};

    for (size_t i = 0; i < blocks->count; i++) {
        if (blocks->items[i].console.kind != CONSOLE_PROGRAM)
            continue;
        evidence.text = blocks->items[i].console.body.text;
        evidence.len = blocks->items[i].console.body.len;
        if (recognise(&evidence, g->list) > 0)
            return;
    }
    if (evidence.len == 0) {
        evidence.text = g->console->out.data;
        evidence.len = g->console->out.len;
    }
    if (recognise(&evidence, g->list) == 0)
        recognise_fallback(&evidence, "running the program", g->list);
}

/* Without events, as where Bazel could not be started: whatever the caller's own words were last, such as Bazelisk's. */
static void from_last_words(const struct gathering *g, const struct blocks *blocks)
{
    struct evidence evidence = new_evidence(g, EVIDENCE_CONSOLE);

    for (size_t i = 0; i < blocks->count; i++)
        if (blocks->items[i].console.kind == CONSOLE_OTHER) {
            evidence.text = blocks->items[i].console.body.text;
            evidence.len = blocks->items[i].console.body.len;
        }
    while (evidence.len > 0 && strchr(" \r\n", evidence.text[evidence.len - 1]))
        evidence.len--;
    for (size_t i = evidence.len; i > 0; i--)
        if (evidence.text[i - 1] == '\n') {
            evidence.text += i;
            evidence.len -= i;
            break;
        }
    recognise(&evidence, g->list);
}

void evidence_gather(const struct state *state, const struct console_log *console,
                     const struct evidence_options *how, struct diag_list *list)
{
    struct gathering g = {state, console, how, list};
    struct blocks blocks;

    blocks_cut(&blocks, console, how->paths);
    blocks_match(&blocks, state);
    for (size_t i = 0; i < blocks.count; i++)
        from_block(&g, &blocks.items[i]);
    for (const struct action *a = state->actions; a; a = a->next)
        if (!a->told)
            from_action(&g, a, NULL);
    if (!how->succeeded) {
        from_aborted(&g);
        from_aborted_targets(&g);
    }
    evidence_of_tests(state, &blocks, how->paths, list);
    if (how->program_failed)
        from_program(&g, &blocks);
    if (!how->succeeded && !has_error(list))
        from_failure_text(&g, state->build.failure, NULL, NULL);
    if (!how->succeeded && !has_error(list) && state->counts.events == 0)
        from_last_words(&g, &blocks);
    blocks_release(&blocks);
}
