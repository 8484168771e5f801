// with: cmd/bep-reduce/coverage.c
// with: cmd/bep-reduce/table.c
#include "test/unit/unit.h"
#include "cmd/bep-reduce/coverage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void add_text(struct coverage *c, const char *text)
{
    coverage_add(c, text, strlen(text));
}

static void unites_reports(void **state)
{
    struct coverage c;

    (void)state;
    coverage_init(&c);
    add_text(&c, "SF:b.cc\nFN:1,main\nFNDA:0,main\nBRDA:2,0,0,1\nBRDA:2,0,1,-\n"
                 "DA:1,1\nDA:2,0\nDA:3,0\nLH:1\nLF:3\nend_of_record\n");
    add_text(&c, "TN:\nSF:b.cc\nFNDA:2,main\nBRDA:2,0,0,0\nBRDA:2,0,1,3\n"
                 "DA:2,7\nDA:4,0,checksum\nend_of_record\nSF:a.cc\nDA:9,1\nend_of_record");
    coverage_finish(&c);
    assert_int_equal(c.reports, 2);
    assert_int_equal(c.file_count, 2);
    assert_string_equal(c.files->path, "a.cc"); /* sorted by path */
    assert_int_equal(c.lines_found, 5);
    assert_int_equal(c.lines_hit, 3);
    assert_int_equal(c.branches_found, 2);
    assert_int_equal(c.branches_hit, 2);
    assert_int_equal(c.functions_found, 1);
    assert_int_equal(c.functions_hit, 1);
    assert_int_equal(c.files->next->lines.items[1].key, 2);
    assert_true(c.files->next->lines.items[1].hit);
    coverage_release(&c);
}

static void skips_what_makes_no_sense(void **state)
{
    struct coverage c;

    (void)state;
    coverage_init(&c);
    add_text(&c, "DA:1,1\nSF:only.sf\nend_of_record\nDA:2,2\nSF:x\r\nDA:1,-3\r\nDA:0,1\nDA:a,b\n"
                 "DA:5\nDA:6,\nDA:7,1e30\nDA:99999999999,1\nnoise\n");
    coverage_finish(&c);
    assert_int_equal(c.file_count, 2);
    assert_string_equal(c.files->path, "only.sf");
    assert_int_equal(c.files->lines.count, 0);
    assert_string_equal(c.files->next->path, "x");
    assert_int_equal(c.lines_found, 2);
    assert_int_equal(c.lines_hit, 1);
    coverage_release(&c);
}

static void reads_files_in_pieces(void **state)
{
    char path[] = "/tmp/coverage_test.XXXXXX";
    int fd = mkstemp(path);
    FILE *f = fdopen(fd, "w");
    struct coverage c;

    (void)state;
    fputs("SF:long\n", f);
    for (int i = 1; i <= 50000; i++)
        fprintf(f, "DA:%d,%d\n", i, i % 2);
    fclose(f);
    coverage_init(&c);
    assert_null(coverage_add_file(&c, path));
    assert_string_equal(c.report, path);
    unlink(path);
    assert_string_equal(coverage_add_file(&c, path), "gone");
    assert_string_equal(coverage_add_file(&c, "/tmp"), "no regular file");
    coverage_finish(&c);
    assert_int_equal(c.lines_found, 50000);
    assert_int_equal(c.lines_hit, 25000);
    coverage_release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unites_reports),
        cmocka_unit_test(skips_what_makes_no_sense),
        cmocka_unit_test(reads_files_in_pieces),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
