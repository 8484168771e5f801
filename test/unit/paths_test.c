// with: cmd/bep-reduce/paths.c
/* What the paths that tools print are in the source tree. */
#include "test/unit/unit.h"

#include <string.h>

#include "cmd/bep-reduce/paths.h"

static const struct paths known = {.workspace = "/home/dev/ws"};
static const struct paths unknown = {.workspace = NULL};

#define SANDBOX "/home/dev/.cache/bazel/_bazel_dev/4f/sandbox/linux-sandbox/7/execroot/shop/"

static const struct {
    const char *raw;
    const char *target;
    const char *path; /* NULL: none in the user's tree */
} cases[] = {
    {"/home/dev/ws/a/b.c", NULL, "a/b.c"},
    {"a/b.c", "//x:y", "a/b.c"},
    {"./a/./b.c", NULL, "a/b.c"},
    {"b.c", "//x/z:y", "x/z/b.c"},
    {"b.c", "//:y", "b.c"},
    {"b.c", NULL, "b.c"},
    {"b.c", "@dep//p:y", "external/dep/p/b.c"},
    {"b.c", "@@//p:y", "p/b.c"},
    {SANDBOX "a/b.c", NULL, "a/b.c"},
    {SANDBOX "bazel-out/k8-fastbuild/bin/a/gen.c", NULL, "bazel-out/k8-fastbuild/bin/a/gen.c"},
    {SANDBOX "bazel-out/k8-fastbuild/bin/a/t.runfiles/shop/a/t.py", NULL, "a/t.py"},
    {SANDBOX "bazel-out/k8-fastbuild/bin/a/t.runfiles/dep/x.py", NULL, "external/dep/x.py"},
    {SANDBOX "external/dep/x.c", NULL, "external/dep/x.c"},
    {"/home/dev/.cache/bazel/_bazel_dev/4f/external/dep/x.bzl", NULL, "external/dep/x.bzl"},
    {"/proc/self/cwd/a/b.c", NULL, "a/b.c"},
    {"file:///home/dev/ws/a/b.kt", NULL, "a/b.kt"},
    {"../dep/x.py", NULL, "external/dep/x.py"},
    {"/usr/include/stdio.h", NULL, NULL},
    {"/home/dev/ws", NULL, NULL},
    {"<stdin>", NULL, NULL},
    {"node:internal/main", NULL, NULL},
    {"a/../../b.c", NULL, NULL},
    {"C:\\x.c", NULL, NULL},
    {"", NULL, NULL},
};

static void test_resolve(void **state)
{
    (void)state;
    struct buf out = BUF_INIT;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *raw = cases[i].raw;
        bool found = paths_resolve(&known, raw, strlen(raw), cases[i].target, &out);
        if (found != (cases[i].path != NULL) || strcmp(out.data, found ? cases[i].path : "") != 0)
            fail_msg("%s became '%s'", raw, out.data);
    }
    buf_release(&out);
}

static void test_unknown_workspace(void **state)
{
    (void)state;
    struct buf out = BUF_INIT;
    const char *raw = "/somewhere/ws/x/z/BUILD";
    assert_true(paths_resolve(&unknown, raw, strlen(raw), "//x/z:y", &out));
    assert_string_equal(out.data, "x/z/BUILD");
    assert_false(paths_resolve(&unknown, raw, strlen(raw), "//q:y", &out));
    buf_release(&out);
}

static void test_plausible(void **state)
{
    (void)state;
    static const char *const files[] = {"a.c", "x/BUILD", "BUILD", "my dir/my file.cc",
                                        "a/b", "x.tar.gz"};
    static const char *const others[] = {
        "", "12", "error", "a b.c", "http://x/y.c", "2024-03-01T10", "-o", "x: a.c", "1.5"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (!paths_plausible(slice_of(files[i])))
            fail_msg("'%s' is a file", files[i]);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (paths_plausible(slice_of(others[i])))
            fail_msg("'%s' is no file", others[i]);
}

static void test_relativize(void **state)
{
    (void)state;
    struct buf out = BUF_INIT;
    paths_relativize(&known, slice_of("see /home/dev/ws/a.c, '" SANDBOX "b.c' and /home/dev/wsx/c"),
                     &out);
    assert_string_equal(out.data, "see a.c, 'b.c' and /home/dev/wsx/c");
    buf_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_resolve),
        cmocka_unit_test(test_unknown_workspace),
        cmocka_unit_test(test_plausible),
        cmocka_unit_test(test_relativize),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
