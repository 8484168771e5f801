#include "cmd/bep-reduce/console_header.h"

#include "cmd/bep-reduce/paths.h"
#include "cmd/bep-reduce/pattern.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static bool starts_with_any(struct slice line, const struct slice *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (slice_starts(line, words[i]))
            return true;
    return false;
}

size_t console_timestamp(struct slice line)
{
    static const char shape[] = "(00:00:00";
    size_t i = 0;
    for (; i < sizeof shape - 1; i++) {
        bool digit = i < line.len && line.text[i] >= '0' && line.text[i] <= '9';
        if (i >= line.len || (shape[i] == '0' ? !digit : line.text[i] != shape[i]))
            return 0;
    }
    while (i < line.len && (line.text[i] == '.' || (line.text[i] >= '0' && line.text[i] <= '9')))
        i++;
    return slice_starts(slice_from(line, i), SLICE(") ")) ? i + 2 : 0;
}

/* "[1,234 / 5,678] …" */
static bool is_progress(struct slice line)
{
    size_t i = 1;
    if (!slice_starts(line, SLICE("[")))
        return false;
    while (i < line.len && (line.text[i] == ',' || (line.text[i] >= '0' && line.text[i] <= '9')))
        i++;
    return i > 1 && slice_starts(slice_from(line, i), SLICE(" / "));
}

/* Lines that no tool prints. */
static bool is_bazels(struct slice line)
{
    static const struct slice words[] = {
        SLICE("INFO: From "),
        SLICE("INFO: Elapsed time: "),
        SLICE("INFO: Build "),
        SLICE("INFO: Invocation ID: "),
        SLICE("INFO: Analyzed "),
        SLICE("INFO: Found "),
        SLICE("INFO: Repository "),
        SLICE("INFO: Running command line:"),
        SLICE("INFO: Critical Path"),
        SLICE("FAILED: Build did NOT complete successfully"),
        SLICE("ERROR: Build did NOT complete successfully"),
        SLICE("ERROR: build interrupted"),
        SLICE("ERROR: Test failed: aborting"),
        SLICE("ERROR: command succeeded, but "),
        SLICE("ERROR: Build failed. Not running target"),
        SLICE("Use --verbose_failures to see "),
        SLICE("Bazel caught "),
        SLICE("FAIL: //"),
        SLICE("FAIL: @"),
        SLICE("FAILED: //"),
        SLICE("TIMEOUT: //"),
        SLICE("FLAKY: //"),
        SLICE("PASSED: //"),
        SLICE("PASS: //"),
        SLICE("==================== Test output for "),
        SLICE("Executed "),
        SLICE("Server terminated abruptly"),
    };
    return is_progress(line) || starts_with_any(line, words, COUNT(words));
}

/* "Target //a:b failed to build", "Aspect … of //a:b failed to build", "Target //a:b up-to-date:" */
static bool is_outcome(struct slice line)
{
    if (!slice_starts(line, SLICE("Target ")) && !slice_starts(line, SLICE("Aspect ")))
        return false;
    return slice_ends(line, SLICE(" failed to build")) || slice_find(line, SLICE(" up-to-date")) ||
           slice_ends(line, SLICE(" was skipped"));
}

/* "PATH:LINE:COLUMN: ", where PATH is a file of Bazel's. */
static bool has_build_place(struct slice text)
{
    static const struct slice names[] = {
        SLICE("BUILD:"),     SLICE("BUILD.bazel:"),  SLICE(".bzl:"),
        SLICE("WORKSPACE:"), SLICE("MODULE.bazel:"), SLICE("WORKSPACE.bazel:"),
    };
    const char *space = slice_find(text, SLICE(": "));
    struct slice place = {text.text, space ? (size_t)(space - text.text) : 0};
    for (size_t i = 0; i < COUNT(names); i++)
        if (slice_find(place, names[i]))
            return true;
    return slice_starts(text, SLICE("<builtin>: "));
}

bool console_interrupts(struct slice line)
{
    static const struct slice words[] = {SLICE("ERROR: "), SLICE("WARNING: "), SLICE("DEBUG: ")};
    if (is_bazels(line) || is_outcome(line))
        return true;
    for (size_t i = 0; i < COUNT(words); i++)
        if (slice_starts(line, words[i]))
            return has_build_place(slice_from(line, words[i].len));
    return false;
}

bool console_is_header(struct slice line)
{
    static const struct slice words[] = {
        SLICE("ERROR: "),
        SLICE("FATAL: "),
        SLICE("WARNING: "),
        SLICE("INFO: "),
        SLICE("DEBUG: "),
        SLICE("Loading:"),
        SLICE("FAILED: "),
        SLICE("Analyzing: "),
        SLICE("Computing main repo mapping"),
        SLICE("Starting local Bazel server"),
        SLICE("Extracting Bazel installation"),
        SLICE("There were tests whose specified"),
        SLICE("    currently loading:"),
    };
    return is_bazels(line) || is_outcome(line) || starts_with_any(line, words, COUNT(words));
}

bool console_is_hint(struct slice line)
{
    static const struct slice words[] = {
        SLICE("Use --sandbox_debug to see "), SLICE("Use --verbose_failures to see "),
        SLICE("Execution platform: "),        SLICE("# Configuration: "),
        SLICE("# Execution platform: "),
    };
    return starts_with_any(line, words, COUNT(words));
}

bool console_is_ruler(struct slice line)
{
    for (size_t i = 0; i < line.len; i++)
        if (line.text[i] != '=')
            return false;
    return line.len == 80;
}

struct slice console_label(struct slice text)
{
    for (size_t i = 0; i + 2 < text.len; i++) {
        bool starts = i == 0 || strchr(" '\"(", text.text[i - 1]);
        struct slice rest = slice_from(text, i);
        bool label = slice_starts(rest, SLICE("//")) ||
                     (rest.text[0] == '@' && slice_find(rest, SLICE("//")));
        if (!starts || !label)
            continue;
        size_t end = 0;
        while (end < rest.len && !strchr(" '\"),;", rest.text[end]))
            end++;
        while (end && rest.text[end - 1] == ':')
            end--;
        return (struct slice){rest.text, end};
    }
    return (struct slice){text.text, 0};
}

static int exit_status(struct slice *text)
{
    static const struct {
        struct slice name;
        int number;
    } signals[] = {
        {SLICE("(Killed)"), 9},      {SLICE("(Segmentation fault)"), 11}, {SLICE("(Aborted)"), 6},
        {SLICE("(Terminated)"), 15}, {SLICE("(Interrupt)"), 2},           {SLICE("(Bus error)"), 7},
        {SLICE("(Hangup)"), 1},      {SLICE("(Illegal instruction)"), 4},
    };
    for (size_t i = 0; i < COUNT(signals); i++)
        if (slice_starts(*text, signals[i].name)) {
            *text = slice_from(*text, signals[i].name.len);
            return 128 + signals[i].number;
        }
    if (!slice_starts(*text, SLICE("(Exit ")))
        return -1;
    size_t i = strlen("(Exit ");
    int code = 0;
    for (; i < text->len && text->text[i] >= '0' && text->text[i] <= '9' && code < 1000; i++)
        code = code * 10 + (text->text[i] - '0');
    *text = slice_from(*text, i);
    return code;
}

/* "… error executing CppCompile command (from cc_library rule target //a:b) …" */
static void parse_command(struct slice text, struct console_block *b)
{
    const char *executing = slice_find(text, SLICE("error executing "));
    if (!executing)
        return;
    text = slice_from(text, (size_t)(executing - text.text) + strlen("error executing "));
    const char *from = slice_find(text, SLICE(" (from "));
    const char *command = slice_find(text, SLICE(" command"));
    if (command && (!from || command < from))
        b->mnemonic = (struct slice){text.text, (size_t)(command - text.text)};
    const char *target = slice_find(text, SLICE("target "));
    if (from && target && command < from)
        b->label = console_label(slice_from(text, (size_t)(target - text.text)));
}

static struct slice parse_place(struct slice text, struct console_block *b)
{
    static struct pattern forms[3];
    struct captures at;
    if (!forms[0].count && !(pattern_compile(&forms[0], "{path}:{line}:{column}: {message}") &&
                             pattern_compile(&forms[1], "{path}:{line}:{column} {message}") &&
                             pattern_compile(&forms[2], "{path}:{line}: {message}")))
        return text;
    for (size_t i = 0; i < COUNT(forms); i++)
        if (pattern_match(&forms[i], text, &at)) {
            b->place_path = at.path;
            b->line = at.line;
            b->column = at.column;
            return at.message;
        }
    if (slice_starts(text, SLICE("<builtin>: ")))
        return slice_from(text, strlen("<builtin>: "));
    return (struct slice){text.text, 0};
}

/* Behind an exit status stands which tool it was of ("gcc failed: error executing …"), or, as for remote execution, a reason. */
static struct slice own_reason(struct slice rest)
{
    while (rest.len && strchr("): ", rest.text[0]))
        rest = slice_from(rest, 1);
    const char *blank = rest.len ? memchr(rest.text, ' ', rest.len) : NULL;
    if (blank && slice_starts(slice_from(rest, (size_t)(blank - rest.text)), SLICE(" failed")))
        rest.len = 0;
    return slice_trim(rest);
}

bool console_parse_action(struct slice text, struct console_block *b, struct slice *reason)
{
    text = parse_place(text, b);
    const char *failed = text.len ? slice_find(text, SLICE(" failed")) : NULL;
    *reason = (struct slice){text.text, 0};
    if (!failed)
        return false;
    struct slice rest = slice_from(text, (size_t)(failed - text.text) + strlen(" failed"));
    struct slice what = {text.text, (size_t)(failed - text.text)};
    if (slice_starts(what, SLICE("Analysis of target ")))
        return false;
    if (slice_starts(rest, SLICE(": ")))
        rest = slice_from(rest, 2);
    else if (slice_starts(rest, SLICE(" (")))
        rest = slice_from(rest, 1);
    else
        return false;
    b->what = what;
    b->label = console_label(what);
    b->exit_code = exit_status(&rest);
    *reason = b->exit_code < 0 ? slice_trim(rest) : own_reason(rest);
    parse_command(rest, b);
    return true;
}

bool console_is_missing_outputs(struct slice reason)
{
    return slice_starts(reason, SLICE("not all outputs were created or valid"));
}

bool console_is_consequence(struct slice reason)
{
    return slice_find(reason, SLICE(" input file(s) do not exist")) ||
           slice_find(reason, SLICE(" input file(s) are in error")) ||
           slice_starts(reason, SLICE("Test failed: aborting"));
}
