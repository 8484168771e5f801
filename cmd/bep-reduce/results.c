#include "cmd/bep-reduce/results.h"

#include <stdlib.h>
#include <string.h>

static bool command_is(const struct summary *s, const char *name)
{
    return s->command && strcmp(s->command, name) == 0;
}

/* The next line of `text`, without its end; false at the end of the text. */
static bool next_line(const char **at, const char *end, struct slice *line)
{
    const char *stop;

    if (*at >= end)
        return false;
    stop = memchr(*at, '\n', (size_t)(end - *at));
    if (!stop)
        stop = end;
    *line = (struct slice){*at, (size_t)(stop - *at)};
    if (line->len > 0 && line->text[line->len - 1] == '\r')
        line->len--;
    *at = stop + 1;
    return true;
}

static void read_rows(struct summary *s, const struct buf *text)
{
    const char *at = text->data, *end = text->data + text->len;
    struct slice line;

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
    struct slice line;

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
