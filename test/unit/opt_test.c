#include "test/unit/unit.h"
#include "common/base/err.h"
#include "common/base/opt.h"
#include "test/unit/capture.h"

#include <string.h>

static bool flag;
static const char *string, *optional;
static struct opt_list list;
static uint64_t number, size, duration;
static int choice;
static const char *const choices[] = {"red", "green", NULL};

static const struct opt rows[] = {
    {OPT_FLAG, 'f', "flag", NULL, "a flag", &flag, NULL, 0},
    {OPT_STRING, 's', "string", "TEXT", "a string", &string, NULL, 0},
    {OPT_LIST, 0, "list", "ITEM", "a list", &list, NULL, 0},
    {OPT_U64, 'n', "number", "N", "a number", &number, NULL, 100},
    {OPT_SIZE, 0, "size", "SIZE", "a size", &size, NULL, 0},
    {OPT_DURATION, 0, "duration-with-a-long-name", "TIME", "a time", &duration, NULL, 0},
    {OPT_CHOICE, 0, "choice", "COLOUR", "a choice", &choice, choices, 0},
    {OPT_OPTIONAL, 0, "optional", "VALUE", "may have a value", &optional, NULL, 0},
    {OPT_END, 0, NULL, NULL, NULL, NULL, NULL, 0},
};

static const struct opt_program program = {"prog", "[options] FILE", "About it.", rows,
                                           "examples:\n  prog x"};

/* Parses the words and prints what came of them. */
static void parse(void *arg)
{
    char **argv = arg;
    struct opt_operands o;
    int argc = 0;

    while (argv[argc])
        argc++;
    opt_parse(&program, argc, argv, &o);
    printf("f=%d s=%s n=%d size=%d d=%d c=%d opt=%s v=%d list=", flag, string ? string : "-",
           (int)number, (int)size, (int)duration, choice, optional ? optional : "-",
           err_verbosity());
    for (size_t i = 0; i < list.count; i++)
        printf("%s,", list.items[i]);
    printf(" %d/%d/%d:", o.before_dashes, o.count, o.dashes);
    for (int i = 0; i < o.count; i++)
        printf("%s,", o.items[i]);
}

#define PARSE(...) capture(parse, (const char *[]){"prog", __VA_ARGS__, NULL})

static void every_kind(void **state)
{
    struct captured c = PARSE("-f", "-sabc", "--list=a", "-n", "100", "--size=2K", "x",
                              "--duration-with-a-long-name", "1.5s", "--choice=green", "--list",
                              "b", "--optional=o", "-vv", "y");

    (void)state;
    assert_string_equal(c.err, "");
    assert_string_equal(c.out,
                        "f=1 s=abc n=100 size=2048 d=1500 c=1 opt=o v=2 list=a,b, 2/2/0:x,y,");
    assert_string_equal(PARSE("--optional", "-q").out,
                        "f=0 s=- n=0 size=0 d=0 c=0 opt= v=-1 list= 0/0/0:");
}

static void dashes_end_the_options(void **state)
{
    (void)state;
    assert_contains(PARSE("x", "--", "-f", "--", "y").out, "f=0");
    assert_contains(PARSE("x", "--", "-f", "--", "y").out, " 1/4/1:x,-f,--,y,");
    assert_contains(PARSE("--").out, " 0/0/1:");
    assert_contains(PARSE("x", "-").out, " 2/2/0:x,-,");
    assert_contains(PARSE("-s", "--", "x").out, "s=-- ");
    assert_contains(PARSE("-s", "--", "x").out, " 1/1/0:x,");
    assert_contains(PARSE("-s", "--").out, " 0/0/0:");
}

static void misuse_is_one_line_and_64(void **state)
{
    static const struct {
        const char *word, *second, *line;
    } cases[] = {
        {"--nonsense", NULL, "prog: unknown option '--nonsense' (see prog --help)\n"},
        {"-x", NULL, "prog: unknown option '-x' (see prog --help)\n"},
        {"-fx", NULL, "prog: unknown option '-x' (see prog --help)\n"},
        {"-xf", NULL, "prog: unknown option '-x' (see prog --help)\n"},
        {"-s", NULL, "prog: option '-s' needs a value (see prog --help)\n"},
        {"--string", NULL, "prog: option '--string' needs a value (see prog --help)\n"},
        {"--flag=1", NULL, "prog: option '--flag=1' takes no value (see prog --help)\n"},
        {"--help=1", NULL, "prog: option '--help=1' takes no value (see prog --help)\n"},
        {"-n", "x", "prog: --number: 'x' is not a number (see prog --help)\n"},
        {"-n", "101", "prog: --number: '101' is more than 100 (see prog --help)\n"},
        {"--size", "1X",
         "prog: --size: '1X' is not a size such as 65536, 64K or 1G (see prog --help)\n"},
        {"--choice", "blue", "prog: --choice: 'blue' is not one of: red green (see prog --help)\n"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct captured c = PARSE(cases[i].word, cases[i].second);
        assert_string_equal(c.err, cases[i].line);
        assert_string_equal(c.out, "");
        assert_int_equal(c.status, 64);
    }
}

static void help_and_version(void **state)
{
    struct captured c = PARSE("--help", "--nonsense");

    (void)state;
    assert_int_equal(c.status, 0);
    assert_string_equal(c.err, "");
    assert_contains(c.out, "usage: prog [options] FILE\n\nAbout it.\n");
    assert_contains(c.out, "  -s, --string=TEXT         a string\n");
    assert_contains(c.out, "      --optional[=VALUE]    may have a value\n");
    assert_contains(c.out,
                    "--duration-with-a-long-name=TIME\n                            a time\n");
    assert_contains(c.out, "  -h, --help                print this help and exit\n");
    assert_contains(c.out, "\nexamples:\n  prog x\n");
    assert_string_equal(PARSE("--version").out, "prog " PROJECT_VERSION "\n");
}

static void help_to_full(void *arg)
{
    (void)arg;
    if (freopen("/dev/full", "w", stdout))
        parse((const char *[]){"prog", "--help", NULL});
}

static void lost_help_is_an_error(void **state)
{
    struct captured c = capture(help_to_full, NULL);

    (void)state;
    assert_int_equal(c.status, 74);
    assert_contains(c.err, "No space left");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind),
        cmocka_unit_test(dashes_end_the_options),
        cmocka_unit_test(misuse_is_one_line_and_64),
        cmocka_unit_test(help_and_version),
        cmocka_unit_test(lost_help_is_an_error),
    };
    return cmocka_run_group_tests_name("opt", tests, NULL, NULL);
}
