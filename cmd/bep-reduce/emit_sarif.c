/* https://docs.oasis-open.org/sarif/sarif/v2.1.0/ */
#include "cmd/bep-reduce/emit.h"

#include <string.h>

static const char *level_of(enum diag_severity severity)
{
    static const char *const levels[] = {
        [DIAG_ERROR] = "error", [DIAG_WARNING] = "warning", [DIAG_NOTE] = "note"};

    return levels[severity];
}

static void message(struct json_writer *w, const char *text)
{
    json_begin_object(w, "message");
    json_put_string(w, "text", text);
    json_end_object(w);
}

/* A relative URI reference: bytes outside of RFC 3986's unreserved ones and '/' are escaped. */
static void uri(struct json_writer *w, const char *path)
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/+@";
    struct buf escaped = BUF_INIT;

    for (; *path; path++) {
        if (strchr(plain, *path))
            buf_add_char(&escaped, *path);
        else
            buf_printf(&escaped, "%%%02X", (unsigned char)*path);
    }
    json_put_bytes(w, "uri", escaped.data, escaped.len);
    buf_release(&escaped);
}

static void region(struct json_writer *w, const struct place *place)
{
    if (!place->line)
        return;
    json_begin_object(w, "region");
    json_put_int(w, "startLine", place->line);
    if (place->column)
        json_put_int(w, "startColumn", place->column);
    json_end_object(w);
}

static void location(struct json_writer *w, const struct diag *d)
{
    json_begin_object(w, NULL);
    if (d->place.path) {
        json_begin_object(w, "physicalLocation");
        json_begin_object(w, "artifactLocation");
        uri(w, d->place.path);
        json_put_string(w, "uriBaseId", "WORKSPACE");
        json_end_object(w);
        region(w, &d->place);
        json_end_object(w);
    }
    if (d->target) {
        json_begin_array(w, "logicalLocations");
        json_begin_object(w, NULL);
        json_put_string(w, "fullyQualifiedName", d->target);
        json_put_string(w, "kind", "module");
        json_end_object(w);
        json_end_array(w);
    }
    json_end_object(w);
}

static void result(struct json_writer *w, const struct diag *d)
{
    json_begin_object(w, NULL);
    json_put_string(w, "ruleId", diag_category_name(d->category));
    json_put_string(w, "level", level_of(d->severity));
    message(w, d->message);
    if (d->place.path || d->target) {
        json_begin_array(w, "locations");
        location(w, d);
        json_end_array(w);
    }
    if (d->repetition_count > 1)
        json_put_int(w, "occurrenceCount", d->repetition_count);
    json_end_object(w);
}

static bool has_category(const struct summary *s, enum diag_category category)
{
    for (size_t i = 0; i < s->causes.count; i++)
        if (s->causes.items[i]->category == category)
            return true;
    return false;
}

static void driver(struct json_writer *w, const struct summary *s)
{
    json_begin_object(w, "tool");
    json_begin_object(w, "driver");
    json_put_string(w, "name", "bazel");
    if (s->state->build.version)
        json_put_string(w, "version", s->state->build.version);
    json_begin_array(w, "rules");
    for (int c = 0; c < DIAG_CATEGORIES; c++) {
        if (!has_category(s, (enum diag_category)c))
            continue;
        json_begin_object(w, NULL);
        json_put_string(w, "id", diag_category_name((enum diag_category)c));
        json_end_object(w);
    }
    json_end_array(w);
    json_end_object(w);
    json_end_object(w);
}

static void invocation(struct json_writer *w, const struct summary *s)
{
    json_begin_array(w, "invocations");
    json_begin_object(w, NULL);
    json_put_bool(w, "executionSuccessful", s->ending.state == END_SUCCEEDED);
    if (s->ending.exit_code >= 0)
        json_put_int(w, "exitCode", s->ending.exit_code);
    if (s->ending.exit_name)
        json_put_string(w, "exitCodeDescription", s->ending.exit_name);
    json_end_object(w);
    json_end_array(w);
}

bool emit_sarif(const struct summary *s, struct buf *out)
{
    struct json_writer w;

    json_begin(&w, out);
    json_begin_object(&w, NULL);
    json_put_string(&w, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    json_put_string(&w, "version", "2.1.0");
    json_begin_array(&w, "runs");
    json_begin_object(&w, NULL);
    driver(&w, s);
    invocation(&w, s);
    json_begin_array(&w, "results");
    for (size_t i = 0; i < s->causes.count && i < s->max_diagnostics; i++)
        result(&w, s->causes.items[i]);
    json_end_array(&w);
    json_end_object(&w);
    json_end_array(&w);
    json_end_object(&w);
    return buf_add_char(out, '\n') == BUF_OK && !w.failed;
}
