// link: pcre2
#include "common/text/redact.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct redact *redact;

static int set_up(void **state)
{
    (void)state;
    redact = redact_new();
    return redact ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    redact_free(redact);
    return 0;
}

static void becomes(const char *text, const char *expected)
{
    struct buf out = BUF_INIT, again = BUF_INIT;

    assert_int_equal(redact_text(redact, text, strlen(text), &out), BUF_OK);
    assert_string_equal(out.data, expected);
    /* What is redacted once stays as it is. */
    assert_int_equal(redact_text(redact, out.data, out.len, &again), BUF_OK);
    assert_string_equal(again.data, expected);
    buf_release(&out);
    buf_release(&again);
}

static void stays(const char *text)
{
    becomes(text, text);
}

static void secrets_by_their_names(void **state)
{
    (void)state;
    becomes("--password=hunter2 x", "--password=[REDACTED] x");
    becomes("AWS_SECRET_ACCESS_KEY=wJalrX/bPx", "AWS_SECRET_ACCESS_KEY=[REDACTED]");
    becomes("--remote_header=x-buildbuddy-api-key=abc",
            "--remote_header=x-buildbuddy-api-key=[REDACTED]");
    becomes("http://h/x?access_token=abc&y=1", "http://h/x?access_token=[REDACTED]&y=1");
    becomes("password = \"hunter 2\";", "password = \"[REDACTED]\";");
    becomes("{\"token\": \"abc\", 'api_key':'z'}",
            "{\"token\": \"[REDACTED]\", 'api_key':'[REDACTED]'}");
    becomes("password: hunter2", "password: [REDACTED]");
    becomes("--token abcdef --x", "--token [REDACTED] --x");
    becomes("machine h login u password p4ss", "machine h login u password [REDACTED]");
}

static void secrets_in_headers_and_urls(void **state)
{
    (void)state;
    becomes("Authorization: Bearer abc.def", "Authorization: Bearer [REDACTED]");
    becomes("authorization=Basic dXNlcjpw", "authorization=Basic [REDACTED]");
    becomes("with bearer a1b2c3d4e5", "with bearer [REDACTED]");
    becomes("Set-Cookie: a=b; c=d", "Set-Cookie: [REDACTED]");
    becomes("https://me:p@ss@h/x", "https://me:[REDACTED]@h/x");
    becomes("https://x-access-token-123@h/x", "https://[REDACTED]@h/x");
}

static void secrets_by_their_looks(void **state)
{
    (void)state;
    becomes("a AKIAIOSFODNN7EXAMPLE b", "a [REDACTED] b");
    becomes("ghp_abcdefghijklmnopqrstuvwxyz0123456789", "[REDACTED]");
    becomes("glpat-abcdefghij0123456789", "[REDACTED]");
    becomes("xoxb-123456789012-abc", "[REDACTED]");
    becomes("eyJhbGciOiJI.eyJzdWIiOiIx.dozjgNry", "[REDACTED]");
    becomes("sk-ant-api03-abcdefghijk", "[REDACTED]");
    becomes("-----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY-----\nx",
            "[REDACTED]\nx");
    becomes("-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNz", "[REDACTED]");
}

static void what_is_no_secret_stays(void **state)
{
    (void)state;
    stays("error: unexpected token: '}' before x");
    stays("auto token = lexer.next();");
    stays("interface X { password: string; }");
    stays("//pkg:token_test PASSED in 3s");
    stays("ssh://git@github.com/x");
    stays("Basic functionality");
    stays("-Wl,--build-id=md5 -DTOKEN_MAX=5");
    stays("author=me pass 3 of 4");
    stays("");
}

static void patterns_of_the_users_own(void **state)
{
    struct buf why = BUF_INIT;

    (void)state;
    assert_true(redact_add(redact, "ACME-[0-9]+", &why));
    assert_true(redact_add(redact, "pin (?<secret>\\d+)", &why));
    assert_true(redact_add(redact, "(?<secret>\\w+) (is|was) secret", &why));
    becomes("hunter2 is secret", "[REDACTED] is secret");
    assert_true(redact_add(redact, "x*", &why)); /* may match nothing: then it takes nothing */
    becomes("ACME-123 pin 4711 b", "[REDACTED] pin [REDACTED] b");
    assert_false(redact_add(redact, "(", &why));
    assert_string_equal(why.data, "missing closing parenthesis at character 2");
    buf_release(&why);
}

static void a_file_of_patterns(void **state)
{
    static const char good[] = "# comment\n\nfoo\\d\r\nbar";
    static const char bad[] = "ok\n\n[a";
    struct buf why = BUF_INIT;

    (void)state;
    assert_true(redact_add_file(redact, good, strlen(good), &why));
    becomes("foo1 bar", "[REDACTED] [REDACTED]");
    assert_false(redact_add_file(redact, bad, strlen(bad), &why));
    assert_non_null(strstr(why.data, "line 3: missing terminating ]"));
    buf_release(&why);
}

/* Backtracks without end; what could not be looked through is not shown. */
static void the_match_limit_takes_the_line(void **state)
{
    struct buf out = BUF_INIT, why = BUF_INIT;
    char text[4000];

    (void)state;
    assert_true(redact_add(redact, "(a+)+$", &why));
    memset(text, 'a', sizeof(text));
    memcpy(text + 3000, "!\nnext", 6);
    assert_int_equal(redact_text(redact, text, 3006, &out), BUF_OK);
    assert_string_equal(out.data, "[REDACTED]\nnext");
    buf_release(&out);
    buf_release(&why);
}

static void any_bytes_are_taken(void **state)
{
    static const char text[] = "\xff\xfe token=\xc3\x28 x\0password=abc";
    struct buf out = BUF_INIT;

    (void)state;
    assert_int_equal(redact_text(redact, text, sizeof(text) - 1, &out), BUF_OK);
    assert_memory_equal(out.data, "\xff\xfe token=", 9);
    assert_null(memmem(out.data, out.len, "abc", 3));
    buf_release(&out);
}

static void keys_over_several_lines(void **state)
{
    static const char *const lines[] = {"a",     "-----BEGIN EC PRIVATE KEY-----", "MIIabc",
                                        "def==", "-----END EC PRIVATE KEY-----",   "b"};
    struct redact_lines state_of_lines = REDACT_LINES_INIT;
    struct buf out = BUF_INIT;

    (void)state;
    for (size_t i = 0; i < 6; i++) {
        redact_line(redact, &state_of_lines, lines[i], strlen(lines[i]), &out);
        buf_add_char(&out, '|');
    }
    assert_string_equal(out.data, "a|[REDACTED]|[REDACTED]|[REDACTED]|[REDACTED]|b|");
    buf_release(&out);
}

static void values_whose_names_say_it(void **state)
{
    (void)state;
    assert_true(redact_named(redact, "API_TOKEN", "="));
    assert_true(redact_named(redact, "--password", " "));
    assert_false(redact_named(redact, "PATH", "="));
    assert_false(redact_named(redact, "--config", " "));
}

static void arguments_behind_their_flags(void **state)
{
    static const struct {
        const char *args[4];
        size_t at;
        bool secret;
    } cases[] = {
        {{"--password", "two words"}, 1, true},
        {{"--password", "-x"}, 1, true},
        {{"--password", "--verbose"}, 1, false},
        {{"--password=a", "b"}, 1, false},
        {{"--config", "b"}, 1, false},
        {{"--token"}, 0, false},
        {{"--test_arg=--token", "--test_arg=x"}, 1, true},
        {{"--test_arg=--token", "--test_arg=--other"}, 1, false},
        {{"--test_arg=--token", "--copt=x"}, 1, false},
        {{"--test_arg=--token=a", "--test_arg=x"}, 1, false},
        {{"--test_arg", "--token", "--test_arg", "x"}, 3, true},
        {{"--copt", "--token", "--test_arg", "x"}, 3, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        if (redact_argument(redact, cases[i].args, cases[i].at) != cases[i].secret)
            fail_msg("case %zu", i);
}

static void words_stand_anywhere(void **state)
{
    static const char file[] = "x[0-9]\n\\Qq.w+e(r)ty\n\\Qshort\n\\Qa\\E[0-9]\n";
    struct buf words = BUF_INIT, out = BUF_INIT;

    (void)state;
    redact_add_word(&words, "two words\nshort\nof lines", 24);
    redact_read_words(file, sizeof(file) - 1, &words);
    assert_int_equal(words.len, sizeof("two words\0of lines\0q.w+e(r)ty"));
    redact_words(redact, &words);
    assert_int_equal(redact_text(redact, "a two wordstwo words, q.w+e(r)ty short", 38, &out),
                     BUF_OK);
    assert_string_equal(out.data, "a [REDACTED][REDACTED], [REDACTED] short");
    redact_words(redact, NULL);
    buf_clear(&out);
    redact_text(redact, "two words", 9, &out);
    assert_string_equal(out.data, "two words");
    assert_true(redact_add(redact, "\\Qhunter22", NULL));
    buf_clear(&out);
    redact_text(redact, "(hunter22)", 10, &out);
    assert_string_equal(out.data, "([REDACTED])");
    buf_release(&out);
    buf_release(&words);
}

static void secrets_are_learnt(void **state)
{
    static const char text[] = "--define=password=hunter2hunter2 token=[REDACTED] key=k token=x";
    struct buf words = BUF_INIT;

    (void)state;
    redact_learn(redact, text, sizeof(text) - 1, &words);
    assert_int_equal(words.len, sizeof("hunter2hunter2"));
    assert_string_equal(words.data, "hunter2hunter2");
    buf_release(&words);
}

static void what_does_not_fit_leaves_the_buffer_alone(void **state)
{
    struct buf out = BUF_INIT_MAX(8);

    (void)state;
    assert_int_equal(redact_text(redact, "token=a", 7, &out), BUF_TOO_BIG);
    assert_int_equal(out.len, 0);
    assert_int_equal(redact_text(redact, "12345678", 8, &out), BUF_OK);
    buf_release(&out);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(secrets_by_their_names),         TEST(secrets_in_headers_and_urls),
        TEST(secrets_by_their_looks),         TEST(what_is_no_secret_stays),
        TEST(patterns_of_the_users_own),      TEST(a_file_of_patterns),
        TEST(the_match_limit_takes_the_line), TEST(any_bytes_are_taken),
        TEST(values_whose_names_say_it),      TEST(arguments_behind_their_flags),
        TEST(words_stand_anywhere),           TEST(secrets_are_learnt),
        TEST(keys_over_several_lines),        TEST(what_does_not_fit_leaves_the_buffer_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
