#include "test/unit/unit.h"
#include "common/base/err.h"
#include "common/base/limits.h"
#include "test/unit/capture.h"

#include <errno.h>
#include <string.h>

static void say_all(void *arg)
{
    (void)arg;
    err_set_program("prog");
    errno = ENOENT;
    err_say("a %d", 1);
    err_say_errno("b");
    if (errno != ENOENT)
        err_say("errno was lost");
    err_note("note");
    err_verbose("never by default");
    err_set_verbosity(-1);
    err_note("never with -q");
    err_set_verbosity(1);
    err_verbose("verbose");
    err_say("bell\a esc\033[1m newline\n del\x7f \xc3\xbc");
    err_die_errno(EX_IOERR, "file");
}

static void words(void **state)
{
    struct captured c = capture(say_all, NULL);

    (void)state;
    assert_string_equal(c.err,
                        "prog: a 1\nprog: b: No such file or directory\nprog: note\nprog: verbose\n"
                        "prog: bell? esc?[1m newline? del? \xc3\xbc\n"
                        "prog: file: No such file or directory\n");
    assert_string_equal(c.out, "");
    assert_int_equal(c.status, 74);
}

static void say_long(void *arg)
{
    size_t len = *(size_t *)arg;
    char *text = calloc(1, len + 1);

    memset(text, 'x', len);
    errno = EIO;
    err_say_errno("%s", text);
    free(text);
}

/* One line whatever its length, cut at the limit. */
static void long_lines_are_cut(void **state)
{
    (void)state;
    for (size_t len = WORD_LINE_MAX - 40; len < WORD_LINE_MAX + 40; len++) {
        struct captured c = capture(say_long, &len);
        assert_true(strlen(c.err) < WORD_LINE_MAX);
        assert_ptr_equal(strchr(c.err, '\n'), c.err + strlen(c.err) - 1);
    }
}

static void say_bug(void *arg)
{
    (void)arg;
    err_bug("impossible");
}

static void say_memory(void *arg)
{
    (void)arg;
    err_die_memory();
}

static void deaths(void **state)
{
    struct captured bug = capture(say_bug, NULL);
    struct captured memory = capture(say_memory, NULL);

    (void)state;
    assert_int_equal(bug.status, 70);
    assert_contains(bug.err, "err_test.c");
    assert_contains(bug.err, "impossible");
    assert_int_equal(memory.status, 71);
    assert_contains(memory.err, "out of memory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words),
        cmocka_unit_test(long_lines_are_cut),
        cmocka_unit_test(deaths),
    };
    return cmocka_run_group_tests_name("err", tests, NULL, NULL);
}
