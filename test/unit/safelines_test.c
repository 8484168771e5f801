// with: cmd/bep-reduce/safelines.c
// link: pcre2
/* Bazel's console in pieces: no secret by half. */
#include "test/unit/unit.h"
#include "cmd/bep-reduce/safelines.h"

#include <string.h>

struct fixture {
    struct redact *redact;
    struct safelines lines;
    struct buf out;
};

static int set_up(void **state)
{
    static struct fixture f;

    f = (struct fixture){.redact = redact_new(), .out = BUF_INIT};
    safelines_init(&f.lines);
    *state = &f;
    return f.redact ? 0 : -1;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    redact_free(f->redact);
    safelines_release(&f->lines);
    buf_release(&f->out);
    return 0;
}

static void say(struct fixture *f, const char *text)
{
    safelines_write(&f->lines, f->redact, (struct bytes){(const uint8_t *)text, strlen(text)},
                    &f->out);
}

static void whole_lines_are_told_as_they_end(void **state)
{
    struct fixture *f = *state;

    say(f, "one\ntwo\nthr");
    assert_string_equal(f->out.data, "one\ntwo\n");
    say(f, "ee\n");
    assert_string_equal(f->out.data, "one\ntwo\nthree\n");
}

static void a_secret_in_two_pieces(void **state)
{
    struct fixture *f = *state;

    say(f, "x ghp_abcdefgh");
    assert_string_equal(f->out.data, "");
    say(f, "ijklmnopqrstuvwxyz0123456789 y\n");
    assert_string_equal(f->out.data, "x " REDACT_MARK " y\n");
}

static void a_key_whose_first_line_is_cut(void **state)
{
    struct fixture *f = *state;

    say(f, "-----BEGIN RSA PRIV");
    say(f, "ATE KEY-----\nMIIabc\n");
    say(f, "def\n-----END RSA PRIVATE KEY-----\nx\n");
    assert_string_equal(f->out.data,
                        REDACT_MARK "\n" REDACT_MARK "\n" REDACT_MARK "\n" REDACT_MARK "\nx\n");
}

static void a_line_without_end(void **state)
{
    struct fixture *f = *state;
    static char much[300001];

    memset(much, 'x', sizeof(much) - 1);
    for (int i = 0; i < 10; i++)
        say(f, much);
    say(f, "\nnext\n");
    assert_memory_equal(f->out.data, REDACT_MARK, strlen(REDACT_MARK));
    assert_in_range(f->out.len, 1, 1024 * 1024 + 32);
    assert_string_equal(f->out.data + f->out.len - 6, "\nnext\n");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(whole_lines_are_told_as_they_end),
        TEST(a_secret_in_two_pieces),
        TEST(a_key_whose_first_line_is_cut),
        TEST(a_line_without_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
