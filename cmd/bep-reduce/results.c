#include "cmd/bep-reduce/results.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/bep-reduce/recognise.h"

static bool command_is(const struct summary *s, const char *name)
{
    return s->command && strcmp(s->command, name) == 0;
}

/* The next line of `text`, without its end; false at the end of the text. */
static bool next_line(const char **at, const char *end, struct line *line)
{
    const char *stop;

    if (*at >= end)
        return false;
    stop = memchr(*at, '\n', (size_t)(end - *at));
    if (!stop)
        stop = end;
    *line = (struct line){*at, (size_t)(stop - *at)};
    if (line->len > 0 && line->text[line->len - 1] == '\r')
        line->len--;
    *at = stop + 1;
    return true;
}

static void read_rows(struct summary *s, const struct buf *text)
{
    const char *at = text->data, *end = text->data + text->len;
    struct line line;

    s->query.known = true;
    s->query.rows = s->console->rows;
    while (s->query.sample_count < QUERY_SAMPLE_MAX && next_line(&at, end, &line))
        if (line.len > 0)
            s->query.sample[s->query.sample_count++] = line;
}

/* "key: value", as info prints it, and version likewise ("Build label: 8.4.2"). */
static void read_info(struct summary *s, const struct buf *text)
{
    const char *at = text->data, *end = text->data + text->len;
    struct line line;

    while (next_line(&at, end, &line)) {
        const char *colon = memmem(line.text, line.len, ": ", 2);
        size_t key = colon ? (size_t)(colon - line.text) : 0;

        if (key == 0)
            continue;
        if (s->info.count == INFO_KEYS_MAX) {
            s->info.more++;
            continue;
        }
        s->info.entries[s->info.count++] =
            (struct info_entry){{line.text, key}, {colon + 2, line.len - key - 2}};
    }
}

void results_of_command(struct summary *s)
{
    if (command_is_query(s->command))
        read_rows(s, &s->console->out);
    else if (command_is(s, "info") || command_is(s, "version"))
        read_info(s, &s->console->out);
}

/* The one target that `run` was given. */
static const char *run_target(const struct summary *s)
{
    const struct target *t = s->state->targets;

    return t && !t->next ? t->label : NULL;
}

/* What the program printed, behind the line with which Bazel starts it. */
static struct line program_output(const struct buf *text, bool *started)
{
    static const char begin[] = "INFO: Running command line: ";
    const char *at = memmem(text->data, text->len, begin, sizeof(begin) - 1);
    const char *end = text->data + text->len;
    struct line line = {text->data, text->len}, rest;

    *started = at != NULL;
    if (!at)
        return line;
    rest = (struct line){at, (size_t)(end - at)};
    while (next_line(&at, end, &line) && line.len > 6 && memcmp(line.text, "INFO: ", 6) == 0)
        rest = (struct line){at, at < end ? (size_t)(end - at) : 0};
    return rest;
}

void results_of_program(struct summary *s, const struct paths *paths)
{
    struct evidence evidence = {.kind = EVIDENCE_TEST, .paths = paths};
    struct line output;
    bool started;

    if (s->ending.outcome != OUTCOME_PROGRAM_FAILED)
        return;
    output = program_output(&s->console->err, &started);
    if (!started || output.len == 0)
        output = (struct line){s->console->out.data, s->console->out.len};
    evidence.text = output.text;
    evidence.len = output.len;
    evidence.target = run_target(s);
    evidence.exit_code = s->program_exit;
    if (recognise(&evidence, &s->causes) == 0)
        recognise_fallback(&evidence, "running the program", &s->causes);
}

static bool add_combined(struct coverage *c, const struct build *build)
{
    struct buf path = BUF_INIT;
    bool good = false;

    if (build->exec_root && buf_printf(&path, "%s/bazel-out/_coverage/_coverage_report.dat",
                                       build->exec_root) == BUF_OK)
        good = coverage_add_file(c, path.data) == NULL;
    buf_release(&path);
    return good && c->files;
}

void results_of_coverage(struct summary *s, const struct files *files)
{
    struct buf path = BUF_INIT;

    if (!command_is(s, "coverage"))
        return;
    if (!add_combined(&s->coverage, &s->state->build))
        for (const struct lcov *l = s->state->lcovs; l; l = l->next) {
            struct bytes uri = {(const uint8_t *)l->uri, l->uri ? strlen(l->uri) : 0};

            if (uri.len && !files_path(files, uri, &path))
                coverage_add_file(&s->coverage, path.data);
        }
    coverage_finish(&s->coverage);
    buf_release(&path);
}
