// with: cmd/bep-reduce/screen.c
#include "test/unit/unit.h"
#include "cmd/bep-reduce/screen.h"

#include <stdio.h>
#include <string.h>

/* What is left of `text` when it is written in pieces of `piece` bytes. */
static void shows(const char *text, size_t piece, const char *expected)
{
    struct buf out = BUF_INIT;
    struct screen s;

    screen_init(&s, 1 << 20);
    for (size_t at = 0, len = strlen(text); at < len; at += piece)
        screen_write(&s, text + at, len - at < piece ? len - at : piece);
    assert_int_equal(screen_text(&s, &out), BUF_OK);
    assert_string_equal(out.data, expected);
    buf_release(&out);
    screen_release(&s);
}

static void shows_the_same_however_it_is_cut(void **state)
{
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {"one\ntwo", "one\ntwo\n"},
        {"", ""},
        {"\n\n", "\n\n"},
        {"a\r\nb\r\n", "a\nb\n"},
        {"10%\r20%\rdone\n", "done\n"},
        {"\x1b[31mERROR:\x1b[0m x\n", "ERROR: x\n"},
        {"\x1b]0;title\x07text\n", "text\n"},
        {"[1 / 2] Compiling a.cc\nERROR: x\n", "ERROR: x\n"},
        {"(12:30:01) [1,234 / 5,678] Linking\nx\n", "x\n"},
        {"Loading: 3 packages loaded\nAnalyzing: target //:a\nx\n", "x\n"},
        {"[100%] not Bazel's\n[ 1 / 2 ] neither\n", "[100%] not Bazel's\n[ 1 / 2 ] neither\n"},
        /* Curses: the progress line is drawn again where it was, and the error stays once. */
        {"ERROR: x\n[1 / 2] a\n\r\x1b[1A\x1b[K[2 / 2] b\n\r\x1b[1A\x1b[KINFO: end\n",
         "ERROR: x\nINFO: end\n"},
        {"kept\nreplaced\n\x1b[1A\x1b[Knew\n", "kept\nnew\n"},
        {"\x1b[99Ax\n", "x\n"},
        {"\x1b", ""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        for (size_t piece = 1; piece <= strlen(cases[i].text) + 1; piece++)
            shows(cases[i].text, piece, cases[i].expected);
}

static void reads_the_count_of_actions(void **state)
{
    static const char text[] = "[1,203 / 4,001] 3 actions running; Compiling x.cc\nother\n";
    struct screen s;

    (void)state;
    screen_init(&s, 1 << 20);
    screen_write(&s, text, strlen(text));
    assert_int_equal(s.done, 1203);
    assert_int_equal(s.total, 4001);
    assert_string_equal(s.activity.data, "3 actions running; Compiling x.cc");
    assert_int_equal(s.lines, 1);
    screen_release(&s);
}

static void keeps_the_first_and_the_newest_half(void **state)
{
    struct buf out = BUF_INIT;
    struct screen s;
    char line[32];

    (void)state;
    screen_init(&s, 4096);
    for (int i = 0; i < 100000; i++)
        screen_write(&s, line, (size_t)snprintf(line, sizeof(line), "line %d\n", i));
    assert_int_equal(screen_text(&s, &out), BUF_OK);
    assert_true(out.len <= 4096 && out.len > 2048);
    assert_memory_equal(out.data, "line 0\nline 1\n", 14);
    assert_non_null(strstr(out.data, "line 99999\n"));
    assert_true(s.dropped > 0);
    assert_int_equal(s.lines, 100000);
    buf_release(&out);
    screen_release(&s);
}

static void bounds_a_line_without_end(void **state)
{
    static char chunk[65536];
    struct buf out = BUF_INIT;
    struct screen s;

    (void)state;
    memset(chunk, 'x', sizeof(chunk));
    screen_init(&s, 4 << 20);
    for (int i = 0; i < 256; i++)
        screen_write(&s, chunk, sizeof(chunk));
    assert_int_equal(screen_text(&s, &out), BUF_OK);
    assert_true(out.len <= 256 * 1024 + 1);
    buf_release(&out);
    screen_release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shows_the_same_however_it_is_cut),
        cmocka_unit_test(reads_the_count_of_actions),
        cmocka_unit_test(keeps_the_first_and_the_newest_half),
        cmocka_unit_test(bounds_a_line_without_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
