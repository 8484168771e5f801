#include "cmd/bep-reduce/testevidence.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/bep-reduce/recognise.h"
#include "cmd/bep-reduce/testxml.h"

#define BAZELS_WORDS  "exited with error code "
#define XML_MAX_BYTES (4UL * 1024 * 1024)
#define ATTEMPTS_MAX  64 /* logs of one test that are read: more tell nothing new */

struct reading {
    const struct state *state;
    const struct blocks *blocks;
    const struct paths *paths;
    struct diag_list *list;
};

/* A test whose last word was a failure; one that passed in the end has no error. */
static bool has_failed(enum test_status status)
{
    return status == TEST_FAILED || status == TEST_TIMEOUT || status == TEST_INCOMPLETE ||
           status == TEST_REMOTE_FAILURE || status == TEST_TOOL_HALTED;
}

/* Whether a later attempt of the same run and shard is in the list. */
static bool is_superseded(const struct attempt *attempt)
{
    int left = ATTEMPTS_MAX;

    for (const struct attempt *a = attempt->next; a && left > 0; a = a->next, left--)
        if (a->run == attempt->run && a->shard == attempt->shard && a->attempt > attempt->attempt)
            return true;
    return false;
}

static uint32_t limit_of(const struct reading *r, const struct test *test,
                         const struct attempt *attempt)
{
    const struct target *target = state_target_of(r->state, test->label);

    if (attempt->timeout_s > 0)
        return (uint32_t)attempt->timeout_s;
    return target ? target->timeout_s : 0;
}

static struct evidence evidence_of(const struct reading *r, const struct test *test,
                                   const struct attempt *attempt)
{
    struct evidence evidence = {
        .text = attempt->log.text ? attempt->log.text : "",
        .len = attempt->log.text ? attempt->log.len : 0,
        .kind = EVIDENCE_TEST,
        .target = test->label,
        .exit_code = attempt->exit_code ? attempt->exit_code : -1,
        .timed_out = attempt->status == TEST_TIMEOUT,
        .limit_s = limit_of(r, test, attempt),
        .paths = r->paths,
    };

    return evidence;
}

/* Where the log is not at hand, --test_output may have brought it to the console. */
static void use_console(const struct reading *r, struct evidence *evidence)
{
    for (size_t i = 0; i < r->blocks->count && evidence->len == 0; i++) {
        const struct block *block = &r->blocks->items[i];

        if (block->console.kind == CONSOLE_TEST && block->label &&
            strcmp(block->label, evidence->target) == 0) {
            evidence->text = block->console.body.text;
            evidence->len = block->console.body.len;
        }
    }
}

/* The first cause that a case's text states, a stack trace mostly, into `list`; NULL: none. */
static const struct diag *read_case(const struct reading *r, const struct test *test,
                                    const struct test_case *c, struct diag_list *list)
{
    struct evidence evidence = {.text = c->text ? c->text : "",
                                .kind = EVIDENCE_TEST,
                                .target = test->label,
                                .exit_code = -1,
                                .paths = r->paths};

    evidence.len = strlen(evidence.text);
    return recognise(&evidence, list) > 0 ? list->items[0] : NULL;
}

/* False: the case says nothing. */
static bool add_case(const struct reading *r, const struct test *test, const struct test_case *c)
{
    struct diag diag = {
        .severity = DIAG_ERROR,
        .category = DIAG_TEST,
        .message = c->message,
        .detail = c->message ? c->text : NULL,
        .target = test->label,
        .unspecific = testxml_is_bazels_own(c),
    };
    struct buf path = BUF_INIT;
    struct diag_list list;
    const struct diag *stated;

    diag_list_init(&list, 0);
    stated = read_case(r, test, c, &list);
    if (!diag.message)
        diag.message = stated ? stated->message : c->text;
    if (c->place.path &&
        paths_resolve(r->paths, c->place.path, strlen(c->place.path), test->label, &path)) {
        diag.place = c->place;
        diag.place.path = path.data;
    } else if (stated) {
        diag.place = stated->place;
    }
    if (diag.message)
        diag_list_add(r->list, &diag);
    diag_list_release(&list);
    buf_release(&path);
    return diag.message != NULL;
}

/* Failed cases of test.xml, Bazel's own or others. Gives how many there were that say something. */
static size_t from_cases(const struct reading *r, const struct test *test,
                         const struct test_cases *cases, bool bazels_own)
{
    size_t failed = 0;

    for (const struct test_case *c = cases->first; c; c = c->next) {
        if (c->status == CASE_SKIPPED || testxml_is_bazels_own(c) != bazels_own)
            continue;
        failed += add_case(r, test, c);
    }
    return failed;
}

/* Whether a failed case that Bazel did not make up says something. */
static bool have_words(const struct test_cases *cases)
{
    for (const struct test_case *c = cases->first; c; c = c->next)
        if (c->status != CASE_SKIPPED && !testxml_is_bazels_own(c) && (c->message || c->text))
            return true;
    return false;
}

/* Whether the test itself printed anything: Bazel's wrapper begins each log with a head that ends in dashes. */
static bool is_silent(const struct evidence *evidence)
{
    static const char dashes[] = "\n------------------------------";
    struct slice log = {evidence->text, evidence->len};
    const char *at = slice_find(log, SLICE(dashes));

    if (at)
        log = slice_from(log, (size_t)(at - log.text) + 1);
    log = slice_from(log, at ? strcspn(log.text, "\n") : 0);
    for (size_t i = 0; i < log.len; i++)
        if (!strchr(" \t\r\n", log.text[i]))
            return false;
    return true;
}

/* The exit code of a test that wrote no test.xml stands in Bazel's own, where no event tells it. */
static int exit_code_of(const struct test_cases *cases)
{
    for (const struct test_case *c = cases->first; c; c = c->next)
        if (testxml_is_bazels_own(c) &&
            strncmp(c->message, BAZELS_WORDS, strlen(BAZELS_WORDS)) == 0)
            return (int)strtol(c->message + strlen(BAZELS_WORDS), NULL, 10);
    return -1;
}

/* The log knows best; then the cases of test.xml; then what in the log may be an error, its last lines, and how it ended. */
static void from_attempt(const struct reading *r, const struct test *test,
                         const struct attempt *attempt)
{
    struct evidence evidence = evidence_of(r, test, attempt);
    struct arena arena = ARENA_INIT(XML_MAX_BYTES);
    struct test_cases cases = {0};

    if (attempt->xml.text)
        testxml_read(attempt->xml.text, attempt->xml.len, &arena, &cases);
    if (evidence.len == 0)
        use_console(r, &evidence);
    if (evidence.exit_code < 0)
        evidence.exit_code = exit_code_of(&cases);
    evidence.strong_only = have_words(&cases) && !evidence.timed_out;
    if (recognise(&evidence, r->list) == 0 &&
        (evidence.timed_out || (from_cases(r, test, &cases, false) == 0 &&
                                (!is_silent(&evidence) || evidence.exit_code > 0 ||
                                 from_cases(r, test, &cases, true) == 0))))
        recognise_fallback(&evidence, NULL, r->list);
    arena_release(&arena);
}

static void from_test(const struct reading *r, const struct test *test)
{
    static const struct attempt unknown = {.status = TEST_FAILED};
    int left = ATTEMPTS_MAX;

    if (!test->list)
        from_attempt(r, test, &unknown);
    for (const struct attempt *a = test->list; a && left > 0; a = a->next, left--)
        if (!is_superseded(a) && a->status != TEST_FAILED_TO_BUILD)
            from_attempt(r, test, a);
}

void evidence_of_tests(const struct state *state, const struct blocks *blocks,
                       const struct paths *paths, struct diag_list *list)
{
    struct reading r = {state, blocks, paths, list};

    for (const struct test *t = state->tests; t; t = t->next)
        if (has_failed(test_status_of(t)))
            from_test(&r, t);
}
