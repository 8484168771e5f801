// with: cmd/mcp-front/page.c cmd/mcp-front/cursor.c cmd/mcp-front/filter.c
#include "cmd/mcp-front/cursor.h"
#include "cmd/mcp-front/filter.h"
#include "cmd/mcp-front/page.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char path[] = "/tmp/page_test.XXXXXX";

static void content(const char *bytes, size_t len)
{
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, len, f), len);
    fclose(f);
}

static void next_is(struct page *page, const char *text, uint64_t start, uint64_t next, bool whole)
{
    struct page_line line;

    assert_int_equal(page_next(page, &line), 1);
    assert_int_equal(line.len, strlen(text));
    assert_memory_equal(line.text, text, line.len);
    assert_int_equal(line.start, start);
    assert_int_equal(line.next, next);
    assert_int_equal(line.whole, whole);
    assert_false(line.cut);
}

static void lines_have_their_offsets(void **state)
{
    struct page page;
    struct page_line line;

    (void)state;
    content("one\r\n\ntwo\nlast", 14);
    assert_int_equal(page_open(&page, path, 0), 0);
    next_is(&page, "one", 0, 5, true);
    next_is(&page, "", 5, 6, true);
    next_is(&page, "two", 6, 10, true);
    next_is(&page, "last", 10, 14, false);
    assert_int_equal(page_next(&page, &line), 0);
    page_close(&page);
    assert_int_equal(page_open(&page, path, 6), 0);
    next_is(&page, "two", 6, 10, true);
    page_close(&page);
    assert_int_equal(page_open(&page, path, 99), 0);
    assert_int_equal(page_next(&page, &line), 0);
    page_close(&page);
}

/* At the limit as it is; one more is cut, and the next line is right. */
static void long_lines_are_cut(void **state)
{
    size_t sizes[] = {PAGE_LINE_MAX, PAGE_LINE_MAX + 1, 3 * PAGE_LINE_MAX + 7};
    struct page page;
    struct page_line line;

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        char *text = malloc(sizes[i] + 6);
        memset(text, 'x', sizes[i]);
        text[PAGE_LINE_MAX - 100] = ' ';
        memcpy(text + sizes[i], "\nnext\n", 6);
        content(text, sizes[i] + 6);
        free(text);
        assert_int_equal(page_open(&page, path, 0), 0);
        assert_int_equal(page_next(&page, &line), 1);
        assert_int_equal(line.cut, i > 0);
        assert_int_equal(line.len, i ? PAGE_LINE_MAX - 99 : PAGE_LINE_MAX);
        assert_int_equal(line.next, sizes[i] + 1);
        next_is(&page, "next", sizes[i] + 1, sizes[i] + 6, true);
        assert_true(page.buf.cap < 3 * PAGE_LINE_MAX);
        page_close(&page);
    }
}

static void only_regular_files_are_read(void **state)
{
    struct page page;

    (void)state;
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(page_open(&page, path, 0), -1);
    assert_int_equal(errno, EINVAL);
    page_close(&page);
    unlink(path);
    assert_int_equal(symlink("/etc/passwd", path), 0);
    assert_int_equal(page_open(&page, path, 0), -1);
    page_close(&page);
    unlink(path);
    assert_int_equal(page_open(&page, path, 0), -1);
    assert_int_equal(errno, ENOENT);
    page_close(&page);
}

static void a_cursor_comes_back_as_it_was(void **state)
{
    static const struct cursor cursors[] = {
        {0, 0, 0}, {1, 2, 3}, {INT64_MAX, INT64_MAX, UINT64_MAX}, {500000000, 1, UINT64_MAX}};
    char text[CURSOR_TEXT_MAX];
    struct cursor read;

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        cursor_write(&cursors[i], 0x0123456789abcdef, text);
        assert_int_equal(
            strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"),
            strlen(text));
        assert_true(cursor_read(text, 0x0123456789abcdef, &read));
        assert_memory_equal(&read, &cursors[i], sizeof(read));
        assert_false(cursor_read(text, 0x0123456789abcdee, &read));
        /* Neither shorter nor longer, nor with another letter. */
        text[strlen(text) - 2] = '\0';
        assert_false(cursor_read(text, 0x0123456789abcdef, &read));
    }
    assert_false(cursor_read("", 0, &read));
    assert_false(cursor_read("AQ==", 0, &read));
}

static void the_context_tells_parts_apart(void **state)
{
    const char *one[] = {"a", "bc", NULL}, *other[] = {"ab", "c", NULL}, *third[] = {"a", "bc", ""};

    (void)state;
    assert_int_equal(cursor_context(one, 3), cursor_context(one, 3));
    assert_int_not_equal(cursor_context(one, 3), cursor_context(other, 3));
    assert_int_not_equal(cursor_context(one, 3), cursor_context(third, 3));
}

static void label_patterns(void **state)
{
    static const struct {
        const char *pattern, *label;
        bool matches;
    } cases[] = {
        {"//foo/...", "//foo:x", true},
        {"//foo/...", "//foo/bar:x", true},
        {"//foo/...", "//foobar:x", false},
        {"//foo/...:all", "//foo/a/b:x", true},
        {"//...", "//foo:x", true},
        {"//...", "@r//foo:x", false},
        {"@r//...", "@r//foo:x", true},
        {"//foo:all", "//foo:x", true},
        {"//foo:all", "//foo/bar:x", false},
        {"//foo:*", "//foo:x", true},
        {"//foo:*_test", "//foo:a_test", true},
        {"//foo:*_test", "//foo:a_tests", false},
        {"*", "//foo:x", true},
        {"*a*b*", "xxaxxbx", true},
        {"*a*b", "aaab", true},
        {"*a*b", "aaabc", false},
        {"//foo:x", "//foo:x", true},
        {"//foo:x", "//foo:xy", false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(filter_label(cases[i].pattern, cases[i].label), cases[i].matches);
}

static void filters_take_substrings_of_any_case(void **state)
{
    struct filter filter;

    (void)state;
    filter_init(&filter, "FoO:b");
    assert_true(filter_name(&filter, "//x/foo:bar"));
    assert_true(filter_text(&filter, "a fOO:B", 7));
    assert_false(filter_text(&filter, "a fOO:", 6));
    assert_false(filter_name(&filter, NULL));
    filter_init(&filter, "//foo:*");
    assert_true(filter_name(&filter, "//foo:bar"));
    assert_false(filter_text(&filter, "//foo:bar", 9));
    filter_init(&filter, NULL);
    assert_true(filter_name(&filter, NULL));
    filter_init(&filter, "");
    assert_true(filter_text(&filter, "x", 1));
}

static int set_up(void **state)
{
    int fd = mkstemp(path);

    (void)state;
    return fd < 0 ? -1 : close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_have_their_offsets),
        cmocka_unit_test(long_lines_are_cut),
        cmocka_unit_test(only_regular_files_are_read),
        cmocka_unit_test(a_cursor_comes_back_as_it_was),
        cmocka_unit_test(the_context_tells_parts_apart),
        cmocka_unit_test(label_patterns),
        cmocka_unit_test(filters_take_substrings_of_any_case),
    };

    return cmocka_run_group_tests(tests, set_up, NULL);
}
