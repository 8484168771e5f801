#include "common/base/opt.h"
#include "common/base/err.h"
#include "common/base/num.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef PROJECT_VERSION
#define PROJECT_VERSION "unknown"
#endif

#define HELP_COLUMN 28
#define FIRST_LONG  256 /* getopt values of rows without a letter: above any char */

static const struct opt standard[] = {
    {OPT_FLAG, 'v', "verbose", NULL, "say more on stderr; repeat for more", NULL, NULL, 0},
    {OPT_FLAG, 'q', "quiet", NULL, "say only errors", NULL, NULL, 0},
    {OPT_FLAG, 'h', "help", NULL, "print this help and exit", NULL, NULL, 0},
    {OPT_FLAG, 0, "version", NULL, "print the version and exit", NULL, NULL, 0},
    {OPT_END, 0, NULL, NULL, NULL, NULL, NULL, 0},
};

static size_t count_rows(const struct opt *rows)
{
    size_t n = 0;

    while (rows[n].kind != OPT_END)
        n++;
    return n;
}

static void print_row(const struct opt *row)
{
    char left[128];
    int len = snprintf(left, sizeof(left), "  %c%c%s--%s", row->letter ? '-' : ' ',
                       row->letter ? row->letter : ' ', row->letter ? ", " : "  ", row->name);

    if (row->kind == OPT_OPTIONAL)
        len += snprintf(left + len, sizeof(left) - (size_t)len, "[=%s]", row->arg);
    else if (row->arg)
        len += snprintf(left + len, sizeof(left) - (size_t)len, "=%s", row->arg);
    if (len >= HELP_COLUMN)
        printf("%s\n%*s%s\n", left, HELP_COLUMN, "", row->help);
    else
        printf("%-*s%s\n", HELP_COLUMN, left, row->help);
}

static void print_help(const struct opt_program *p)
{
    printf("usage: %s %s\n\n%s\n\noptions:\n", p->name, p->synopsis, p->about);
    for (const struct opt *row = p->options; row->kind != OPT_END; row++)
        print_row(row);
    for (const struct opt *row = standard; row->kind != OPT_END; row++)
        print_row(row);
    if (p->footer)
        printf("\n%s\n", p->footer);
}

static void finish_stdout(void)
{
    if (fflush(stdout) || ferror(stdout))
        err_die_errno(EX_IOERR, "stdout");
    exit(EX_OK);
}

void opt_misuse(const char *format, ...)
{
    char text[512];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    err_die(EX_USAGE, "%s (see %s --help)", text, err_program());
}

static void bad_value(const struct opt *row, const char *text, const char *wanted)
{
    opt_misuse("--%s: '%s' is not %s", row->name, text, wanted);
}

static void set_choice(const struct opt *row, const char *text)
{
    char wanted[256] = "one of:";
    size_t len = strlen(wanted);

    for (int i = 0; row->choices[i]; i++) {
        if (!strcmp(text, row->choices[i])) {
            *(int *)row->value = i;
            return;
        }
        len += (size_t)snprintf(wanted + len, sizeof(wanted) - len, " %s", row->choices[i]);
    }
    bad_value(row, text, wanted);
}

static void append(struct opt_list *list, const char *text)
{
    const char **grown = realloc(list->items, (list->count + 1) * sizeof(*grown));

    if (!grown)
        err_die_memory();
    list->items = grown;
    list->items[list->count++] = text;
}

static void set_number(const struct opt *row, const char *text,
                       bool (*parse)(const char *, uint64_t *), const char *wanted)
{
    if (!parse(text, row->value))
        bad_value(row, text, wanted);
    if (row->max && *(uint64_t *)row->value > row->max)
        opt_misuse("--%s: '%s' is more than %llu", row->name, text, (unsigned long long)row->max);
}

static void set_value(const struct opt *row, const char *text)
{
    switch (row->kind) {
    case OPT_FLAG:
        *(bool *)row->value = true;
        break;
    case OPT_STRING:
        *(const char **)row->value = text;
        break;
    case OPT_OPTIONAL:
        *(const char **)row->value = text ? text : "";
        break;
    case OPT_LIST:
        append(row->value, text);
        break;
    case OPT_U64:
        set_number(row, text, num_parse_u64, "a number");
        break;
    case OPT_SIZE:
        set_number(row, text, num_parse_size, "a size such as 65536, 64K or 1G");
        break;
    case OPT_DURATION:
        set_number(row, text, num_parse_duration, "a time such as 2, 500ms or 1.5s");
        break;
    case OPT_CHOICE:
        set_choice(row, text);
        break;
    case OPT_END:
        err_bug("value for the last row");
    }
}

static void standard_option(const struct opt_program *p, const char *name)
{
    if (!strcmp(name, "verbose")) {
        err_set_verbosity(err_verbosity() + 1);
    } else if (!strcmp(name, "quiet")) {
        err_set_verbosity(-1);
    } else if (!strcmp(name, "help")) {
        print_help(p);
        finish_stdout();
    } else {
        printf("%s %s\n", p->name, PROJECT_VERSION);
        finish_stdout();
    }
}

static int has_arg(enum opt_kind kind)
{
    if (kind == OPT_FLAG)
        return no_argument;
    return kind == OPT_OPTIONAL ? optional_argument : required_argument;
}

/* What getopt_long(3) wants, made from the two tables. `rows` maps its index back. */
struct getopt_tables {
    char letters[160];
    struct option *longs;
    const struct opt **rows;
    size_t count;
};

static void add_rows(struct getopt_tables *t, const struct opt *rows)
{
    size_t len = strlen(t->letters);

    for (; rows->kind != OPT_END; rows++, t->count++) {
        t->rows[t->count] = rows;
        t->longs[t->count] =
            (struct option){rows->name, has_arg(rows->kind), NULL, FIRST_LONG + (int)t->count};
        if (!rows->letter)
            continue;
        t->letters[len++] = rows->letter;
        if (has_arg(rows->kind) == required_argument)
            t->letters[len++] = ':';
    }
}

static bool is_standard(const struct opt *row)
{
    return row >= standard && row < standard + sizeof(standard) / sizeof(*standard);
}

static const struct opt *find_row(const struct getopt_tables *t, int got)
{
    if (got >= FIRST_LONG)
        return t->rows[got - FIRST_LONG];
    for (size_t i = 0; i < t->count; i++)
        if (t->rows[i]->letter == got)
            return t->rows[i];
    return NULL;
}

static void bad_option(const struct getopt_tables *t, int got, const char *word)
{
    char letter[] = {'-', (char)optopt, 0};

    if (optopt && optopt < FIRST_LONG)
        word = letter; /* the word may be a cluster, or the one before it */
    if (got == ':')
        opt_misuse("option '%s' needs a value", word);
    if (optopt && find_row(t, optopt))
        opt_misuse("option '%s' takes no value", word);
    opt_misuse("unknown option '%s'", word);
}

static void init_tables(struct getopt_tables *t, const struct opt_program *p)
{
    size_t total = count_rows(p->options) + count_rows(standard);

    /* '-': operands come back as options with code 1, in their order; ':': we print the errors. */
    *t = (struct getopt_tables){.letters = "-:"};
    t->longs = calloc(total + 1, sizeof(*t->longs));
    t->rows = calloc(total, sizeof(*t->rows));
    if (!t->longs || !t->rows)
        err_die_memory();
    add_rows(t, p->options);
    add_rows(t, standard);
}

/* `value`: the last word that was an option's value; it may be "--", too. */
static void take_rest(struct opt_operands *operands, int argc, char **argv, const char *value)
{
    operands->before_dashes = operands->count;
    operands->dashes = optind > 1 && argv[optind - 1] != value && !strcmp(argv[optind - 1], "--");
    while (optind < argc)
        operands->items[operands->count++] = argv[optind++];
}

void opt_parse(const struct opt_program *p, int argc, char **argv, struct opt_operands *operands)
{
    static char **items; /* static: a main that has forgotten the operands has not leaked them */
    struct getopt_tables t;
    const char *value = NULL;
    int got;

    err_set_program(p->name);
    init_tables(&t, p);
    items = calloc((size_t)argc + 1, sizeof(*items));
    if (!items)
        err_die_memory();
    *operands = (struct opt_operands){.items = items};
    optind = 0;
    opterr = 0;
    while ((got = getopt_long(argc, argv, t.letters, t.longs, NULL)) != -1) {
        value = optarg;
        if (got == 1)
            operands->items[operands->count++] = optarg;
        else if (got == '?' || got == ':')
            bad_option(&t, got, argv[optind - 1]);
        else if (is_standard(find_row(&t, got)))
            standard_option(p, find_row(&t, got)->name);
        else
            set_value(find_row(&t, got), optarg);
    }
    take_rest(operands, argc, argv, value);
    free(t.longs);
    free(t.rows);
}
