// with: cmd/bep-reduce/complaint.c
// with: cmd/bep-reduce/excerpt.c
// with: cmd/bep-reduce/files.c
#include "test/unit/unit.h"
#include "cmd/bep-reduce/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[64];

static void make_file(const char *name, const char *content)
{
    char path[256];
    FILE *f;

    snprintf(path, sizeof(path), "%s/%s", root, name);
    for (char *slash = path + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = 0;
        mkdir(path, 0700);
        *slash = '/';
    }
    f = fopen(path, "w");
    assert_non_null(f);
    fputs(content, f);
    fclose(f);
}

static int begin(void **state)
{
    (void)state;
    strcpy(root, "/tmp/files_test.XXXXXX");
    if (!mkdtemp(root))
        return -1;
    make_file("ws/a b/c%d.log", "percent");
    make_file("ws/\xe2\x98\x83", "snow");
    make_file("outside", "secret");
    make_file("logs/pkg/x_test/test.log", "mapped");
    make_file("logs/pkg/s_test/shard_2_of_3/test.log", "shard");
    make_file("logs/pkg/s_test/shard_2_of_3/test_attempts/attempt_1.log", "first try");
    make_file("acts/stderr-7", "error text");
    return 0;
}

static int end(void **state)
{
    char command[128];

    (void)state;
    snprintf(command, sizeof(command), "rm -rf %s", root);
    return system(command);
}

/* What the URI with the root in its middle means: the content of the file, or why there is none. */
static void reads(const struct files *files, const char *before, const char *after,
                  const char *expected)
{
    struct buf path = BUF_INIT, text = BUF_INIT;
    char uri[256];
    const char *missing;

    snprintf(uri, sizeof(uri), "%s%s%s", before, root, after);
    missing = files_path(files, (struct bytes){(const uint8_t *)uri, strlen(uri)}, &path);
    if (!missing)
        missing = files_read(path.data, 1000, &text);
    assert_string_equal(missing ? missing : text.data, expected);
    buf_release(&path);
    buf_release(&text);
}

static void decodes_once_and_confines(void **state)
{
    char workspace[128];
    struct files f = {.workspace = workspace};

    (void)state;
    snprintf(workspace, sizeof(workspace), "%s/ws", root);
    reads(&f, "file://", "/ws/a%20b/c%25d.log", "percent");
    reads(&f, "file://localhost", "/ws/%E2%98%83", "snow");
    reads(&f, "file:", "/ws/%E2%98%83", "snow");
    reads(&f, "file://", "/ws/a%20b/c%d.log", "no valid file name");
    reads(&f, "file://", "/ws/%00", "no valid file name");
    reads(&f, "file://", "/ws/%zz", "no valid file name");
    reads(&f, "file://", "/ws/..%2foutside", "no valid file name");
    reads(&f, "file://", "/ws/../outside", "no valid file name");
    reads(&f, "file://", "/outside", "outside of the build's folders");
    reads(&f, "file://", "/ws/gone", "gone");
    reads(&f, "bytestream://host/blobs/", "/1", "remote");
    f.workspace = "/";
    reads(&f, "file://", "/outside", "outside of the build's folders");
}

static void follows_links_only_inside(void **state)
{
    char workspace[128], target[128], link[192];
    struct files f = {.workspace = workspace};

    (void)state;
    snprintf(workspace, sizeof(workspace), "%s/ws", root);
    snprintf(target, sizeof(target), "%s/outside", root);
    snprintf(link, sizeof(link), "%s/ws/link", root);
    assert_int_equal(symlink(target, link), 0);
    reads(&f, "file://", "/ws/link", "outside of the build's folders");
}

static void maps_to_the_users_folders(void **state)
{
    char logs[128], actions[128];
    struct files f = {.testlogs = logs, .action_logs = actions};

    (void)state;
    snprintf(logs, sizeof(logs), "%s/logs", root);
    snprintf(actions, sizeof(actions), "%s/acts", root);
    reads(&f, "file:///no/where/", "/testlogs/pkg/x_test/test.log", "mapped");
    reads(&f, "file:///no/where", "/testlogs/pkg/gone/test.log", "gone");
    reads(&f, "file:///no/where", "/bazel-out/_tmp/actions/stderr-7", "error text");
    reads(&f, "file://<ROOT>___", "/testlogs/pkg/x_test/test.log", "mapped");
}

static void finds_downloaded_outputs(void **state)
{
    char logs[128];
    struct files f = {.testlogs = logs};
    struct test_place test = {.label = "//pkg:s_test", .shard = 2, .run = 1, .attempt = 1};
    struct buf path = BUF_INIT;

    (void)state;
    snprintf(logs, sizeof(logs), "%s/logs", root);
    assert_null(files_test_output(&f, &test, "test.log", &path));
    assert_contains(path.data, "/shard_2_of_3/test_attempts/attempt_1.log");
    test.attempt = 2;
    assert_null(files_test_output(&f, &test, "test.log", &path));
    assert_contains(path.data, "/shard_2_of_3/test.log");
    test.shard = 3;
    assert_string_equal(files_test_output(&f, &test, "test.log", &path), "remote");
    test.label = "//..:x";
    assert_string_equal(files_test_output(&f, &test, "test.log", &path), "remote");
    buf_release(&path);
}

static void cuts_the_middle_of_what_is_too_long(void **state)
{
    struct buf text = BUF_INIT;
    char path[128];

    (void)state;
    make_file("long", "0123456789abcdefghij");
    snprintf(path, sizeof(path), "%s/long", root);
    assert_null(files_read(path, 20, &text));
    assert_string_equal(text.data, "0123456789abcdefghij");
    buf_clear(&text);
    assert_null(files_read(path, 8, &text)); /* no room for a gap */
    assert_string_equal(text.data, "01234567");
    assert_string_equal(files_read("/dev/null", 8, &text), "no regular file");
    buf_release(&text);
}

/* Lines of eight bytes, "0000000\n" and so on, but for one that `complaint` replaces. */
static void make_long_file(const char *name, unsigned lines, unsigned at, const char *complaint)
{
    struct buf content = BUF_INIT;

    for (unsigned i = 0; i < lines; i++)
        if (i == at)
            buf_printf(&content, "%s\n", complaint);
        else
            buf_printf(&content, "%07u\n", i);
    make_file(name, content.data);
    buf_release(&content);
}

static void read_long_file(const char *name, size_t max, struct buf *text)
{
    char path[128];

    snprintf(path, sizeof(path), "%s/%s", root, name);
    buf_clear(text);
    assert_null(files_read(path, max, text));
    assert_in_range(text->len, max - 64, max);
    assert_memory_equal(text->data, "0000000\n0000001\n", 16);
    assert_string_equal(text->data + text->len - 16, "0199998\n0199999\n");
}

static void keeps_what_complains_in_the_middle(void **state)
{
    static const char *const shapes[] = {"x.c:1: error: lost", "FAIL: lost", "panic: lost",
                                         "java.lang.Exception: lost"};
    struct buf text = BUF_INIT;

    (void)state;
    for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
        /* Anywhere: at the edges of blocks and chunks too. */
        make_long_file("middle", 200000, 70000 + (unsigned)i * 8191, shapes[i]);
        read_long_file("middle", 300000, &text);
        assert_contains(text.data, shapes[i]);
        assert_contains(text.data, " bytes left out ...\n");
    }
    make_long_file("middle", 200000, 100000, "DEBUG: 0 errors, current page");
    read_long_file("middle", 300000, &text);
    assert_null(strstr(text.data, "DEBUG"));
    /* The room of what does not complain is the tail's. */
    assert_non_null(strstr(text.data, "0180000\n"));
    make_long_file("middle", 200000, 100000, "FAIL: lost");
    read_long_file("middle", 100000, &text); /* too little room to look */
    assert_null(strstr(text.data, "lost"));
    buf_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decodes_once_and_confines),
        cmocka_unit_test(follows_links_only_inside),
        cmocka_unit_test(maps_to_the_users_folders),
        cmocka_unit_test(finds_downloaded_outputs),
        cmocka_unit_test(cuts_the_middle_of_what_is_too_long),
        cmocka_unit_test(keeps_what_complains_in_the_middle),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
