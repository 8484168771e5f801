// with: cmd/bep-reduce/console.c
// with: cmd/bep-reduce/console_header.c
// with: cmd/bep-reduce/lines.c
// with: cmd/bep-reduce/paths.c
// with: cmd/bep-reduce/pattern.c
/* Bazel's console in blocks, with the header forms of several versions. */
#include "test/unit/unit.h"

#include <string.h>

#include "cmd/bep-reduce/console.h"

static struct console console;
static struct console_block block;

static void start(const char *text)
{
    console_init(&console, text, strlen(text));
}

static void assert_slice(struct slice s, const char *text)
{
    if (!slice_equals(s, slice_of(text)))
        fail_msg("'%.*s' is not '%s'", (int)s.len, s.text, text);
}

static void test_actions(void **state)
{
    (void)state;
    start("INFO: Found 1 target...\n"
          "ERROR: /ws/a/BUILD:3:11: Compiling a/x.cc failed: (Exit 1): gcc failed: error executing "
          "CppCompile command (from cc_library rule target //a:x) /usr/bin/gcc\n\n"
          "Use --sandbox_debug to see verbose messages from the sandbox\n"
          "a/x.cc:1:1: error: y\n"
          "ERROR: the tool's own\n"
          "Target //a:x failed to build\n"
          "ERROR: /ws/b/BUILD:1:8: Executing genrule //b:g failed: (Killed): bash failed\nbye\n"
          "[3 / 4] Executing\n"
          "ERROR: /ws/c/BUILD:2:1: Linking of rule '//c:l' failed (Exit 2) gcc failed: x\nz\n");
    assert_true(console_next(&console, &block));
    assert_int_equal(block.kind, CONSOLE_ACTION);
    assert_slice(block.place_path, "/ws/a/BUILD");
    assert_int_equal(block.line, 3);
    assert_slice(block.what, "Compiling a/x.cc");
    assert_slice(block.label, "//a:x");
    assert_slice(block.mnemonic, "CppCompile");
    assert_int_equal(block.exit_code, 1);
    assert_slice(block.body, "a/x.cc:1:1: error: y\nERROR: the tool's own\n");
    assert_true(console_next(&console, &block));
    assert_slice(block.label, "//b:g");
    assert_int_equal(block.exit_code, 137);
    assert_slice(block.body, "bye\n");
    assert_true(console_next(&console, &block));
    assert_slice(block.label, "//c:l");
    assert_int_equal(block.exit_code, 2);
    assert_slice(block.body, "z\n");
    assert_false(console_next(&console, &block));
}

static void test_command_line_is_left_out(void **state)
{
    (void)state;
    start("ERROR: /ws/a/BUILD:1:1: Compiling a/x.cc failed: (Exit 1): linux-sandbox failed: error "
          "executing command \n  (cd /x && \\\n  exec env - \\\n    A=b \\\n  /bin/gcc -c x)\n"
          "a/x.cc:1:1: error: y\n");
    assert_true(console_next(&console, &block));
    assert_slice(block.body, "a/x.cc:1:1: error: y\n");
}

static void test_reasons(void **state)
{
    (void)state;
    start("ERROR: /ws/a/BUILD:1:8: Executing genrule //a:p failed: missing input file '//a:q'\n"
          "ERROR: /ws/a/BUILD:1:8 Executing genrule //a:p failed: 1 input file(s) do not exist\n"
          "ERROR: /ws/b/BUILD:1:8: output 'b/o' was not created\n"
          "ERROR: /ws/b/BUILD:1:8: Executing genrule //b:p failed: not all outputs were created or "
          "valid\n");
    assert_true(console_next(&console, &block));
    assert_int_equal(block.kind, CONSOLE_ACTION);
    assert_int_equal(block.exit_code, -1);
    assert_slice(block.body, "missing input file '//a:q'\n");
    assert_true(console_next(&console, &block));
    assert_slice(block.label, "//b:p");
    assert_slice(block.body, "ERROR: /ws/b/BUILD:1:8: output 'b/o' was not created\n");
    assert_false(console_next(&console, &block));
}

/* Remote execution gives a status and a reason of its own; --show_timestamps stands before Bazel's lines only. */
static void test_reason_behind_status(void **state)
{
    (void)state;
    start("(04:25:02.125) ERROR: /ws/a/BUILD:1:10: Compiling a/x.cc failed: (Exit 34): "
          "UNAVAILABLE: io exception\n"
          "(04:25:02) ERROR: /ws/b/BUILD:1:8: Executing genrule //b:g failed: (Exit 1): bash "
          "failed: error executing x\n"
          "(1:25:02) not a time of Bazel's\n"
          "(04:25:03) Target //b:g failed to build\n");
    assert_true(console_next(&console, &block));
    assert_int_equal(block.kind, CONSOLE_ACTION);
    assert_int_equal(block.exit_code, 34);
    assert_slice(block.body, "UNAVAILABLE: io exception\n");
    assert_true(console_next(&console, &block));
    assert_slice(block.label, "//b:g");
    assert_slice(block.body, "(1:25:02) not a time of Bazel's\n");
    assert_false(console_next(&console, &block));
}

static void test_other_kinds(void **state)
{
    (void)state;
    start("Loading: \nWARNING: old thing\n more\nERROR: no such package 'x'\n - x\n"
          "INFO: From Compiling a.cc:\na.cc:1:1: warning: w\n"
          "==================== Test output for //t:t:\nred\n"
          "================================================================================\n"
          "Server terminated abruptly (error code: 14)\n"
          "INFO: Running command line: bazel-bin/x\nINFO: Build completed successfully, 1 total "
          "action\n"
          "ERROR: mine\nINFO: Build completed, says the program\n");
    static const struct {
        enum console_kind kind;
        const char *body;
    } wanted[] = {
        {CONSOLE_WARNING, "old thing\n more\n"},
        {CONSOLE_ERROR, "no such package 'x'\n - x\n"},
        {CONSOLE_OUTPUT, "a.cc:1:1: warning: w\n"},
        {CONSOLE_TEST, "red\n"},
        {CONSOLE_OTHER, "Server terminated abruptly (error code: 14)\n"},
        {CONSOLE_PROGRAM, "ERROR: mine\nINFO: Build completed, says the program\n"},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        assert_true(console_next(&console, &block));
        assert_int_equal(block.kind, wanted[i].kind);
        assert_slice(block.body, wanted[i].body);
    }
    assert_false(console_next(&console, &block));
}

static void test_colour(void **state)
{
    (void)state;
    start("\033[1A\033[K\033[32mLoading:\033[0m 0 packages\r\n"
          "\033[31m\033[1mERROR: \033[0mCannot run target //a:b: Not executable\n");
    assert_true(console_next(&console, &block));
    assert_int_equal(block.kind, CONSOLE_ERROR);
    assert_non_null(slice_find(block.body, SLICE("Cannot run target //a:b")));
    assert_null(slice_find(block.body, SLICE("ERROR")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_actions),     cmocka_unit_test(test_command_line_is_left_out),
        cmocka_unit_test(test_reasons),     cmocka_unit_test(test_reason_behind_status),
        cmocka_unit_test(test_other_kinds), cmocka_unit_test(test_colour),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
