#include "cmd/bep-reduce/starlark.h"

#include "cmd/bep-reduce/pattern.h"

#define FRAMES_BYTES_MAX 2000

static struct slice next_line(struct slice *text)
{
    const char *newline = memchr(text->text, '\n', text->len);
    struct slice line = {text->text, newline ? (size_t)(newline - text->text) : text->len};
    *text = slice_from(*text, line.len + (newline != NULL));
    return line;
}

static bool is_frame(struct slice line, struct captures *frame)
{
    static struct pattern forms[2];
    if (!forms[0].count &&
        !(pattern_compile(&forms[0], "{ }File \"{path}\", line {line}, column {column}{any}") &&
          pattern_compile(&forms[1], "{ }File \"{path}\", line {line}{any}")))
        return false;
    return pattern_match(&forms[0], line, frame) || pattern_match(&forms[1], line, frame);
}

static bool is_build_file(const struct buf *path, struct slice *package)
{
    static const struct slice names[] = {SLICE("BUILD"), SLICE("BUILD.bazel")};
    struct slice s = {path->data, path->len};
    const char *slash = s.len ? memrchr(s.text, '/', s.len) : NULL;
    size_t name_at = slash ? (size_t)(slash - s.text) + 1 : 0;
    *package = (struct slice){s.text, slash ? name_at - 1 : 0};
    for (size_t i = 0; i < 2; i++)
        if (slice_equals(slice_from(s, name_at), names[i]))
            return true;
    return false;
}

static void keep_outer(struct traceback *t)
{
    struct buf frames = BUF_INIT;
    if (!t->place.len)
        return;
    buf_printf(&frames, "called from %s:%u:%u\n%s", t->place.data, t->line, t->column,
               t->frames.data);
    buf_release(&t->frames);
    t->frames = frames;
}

static void add_frame(struct traceback *t, const struct captures *frame, const struct paths *paths,
                      bool outermost)
{
    struct buf path = BUF_INIT;
    struct slice package;
    bool inside = paths_resolve(paths, frame->path.text, frame->path.len, NULL, &path) &&
                  !slice_starts((struct slice){path.data, path.len}, SLICE("external/"));
    if (inside && outermost && is_build_file(&path, &package)) {
        t->loading = true;
        buf_add(&t->package, package.text, package.len);
    }
    if (!inside) {
        buf_release(&path);
        return;
    }
    keep_outer(t);
    buf_release(&t->place);
    t->place = path;
    t->line = frame->line;
    t->column = frame->column;
}

/* "Error in fail: message", "Error: message", or only the message. */
static struct slice without_error(struct slice line)
{
    if (!slice_starts(line, SLICE("Error: ")) && !slice_starts(line, SLICE("Error in ")))
        return line;
    const char *colon = slice_find(line, SLICE(": "));
    return colon ? slice_from(line, (size_t)(colon - line.text) + 2) : line;
}

bool traceback_read(struct traceback *t, struct slice text, const struct paths *paths)
{
    *t = (struct traceback){.line = 0};
    buf_init(&t->place, 0);
    buf_init(&t->package, 0);
    buf_init(&t->frames, FRAMES_BYTES_MAX);
    const char *start = slice_find(text, SLICE("Traceback (most recent call last):"));
    if (!start)
        return false;
    text = slice_from(text, (size_t)(start - text.text));
    next_line(&text);
    bool outermost = true;
    while (text.len) {
        struct captures frame;
        struct slice line = next_line(&text);
        if (is_frame(line, &frame)) {
            add_frame(t, &frame, paths, outermost);
            outermost = false;
        } else if (line.len && line.text[0] != ' ' && line.text[0] != '\t') {
            t->message = without_error(line);
            t->below = text;
            return true;
        }
    }
    return false;
}

void traceback_release(struct traceback *t)
{
    buf_release(&t->place);
    buf_release(&t->package);
    buf_release(&t->frames);
}
