/* The command line of an answer, and the schemas of answers. */
#include "cmd/mcp-front/result.h"
#include "cmd/mcp-front/scrub.h"
#include "cmd/mcp-front/session.h"
#include "common/text/utf8.h"

#include <ctype.h>
#include <string.h>

static bool is_plain(const char *word)
{
    if (!*word)
        return false;
    for (; *word; word++)
        if (!isalnum((unsigned char)*word) && !strchr("-_./:=@+,%", *word))
            return false;
    return true;
}

static void add_word(struct buf *out, const char *word)
{
    if (out->len)
        buf_add_char(out, ' ');
    if (is_plain(word)) {
        buf_add_str(out, word);
        return;
    }
    buf_add_char(out, '\'');
    for (; *word; word++)
        if (*word == '\'')
            buf_add_str(out, "'\\''");
        else
            buf_add_char(out, *word);
    buf_add_char(out, '\'');
}

/* Redacted as arguments first, as quotes would hide what belongs together. */
static void add_words(struct buf *out, struct redact *redact, const struct argv *words, size_t max)
{
    struct json_object *clean = scrub_args(redact, (const char *const *)words->items);

    for (size_t i = 0; i < json_object_array_length(clean) && out->len <= max; i++)
        add_word(out, json_object_get_string(json_object_array_get_idx(clean, i)));
    json_object_put(clean);
}

void result_command_line(const struct invocation *inv, size_t max, struct buf *out)
{
    const struct call *call = &inv->call;
    struct redact *redact = inv->engine->redact;
    struct buf line = BUF_INIT, safe = BUF_INIT;

    add_word(&line, "bazel");
    add_words(&line, redact, &call->startup_args, max);
    add_word(&line, call->command);
    add_words(&line, redact, &call->args, max);
    if (call->target)
        add_word(&line, call->target);
    if (call->program_args.count)
        buf_printf(&line, " -- … (%zu)", call->program_args.count);
    if (redact_text(redact, line.data, line.len, &safe) == BUF_OK) {
        buf_add(out, safe.data, utf8_cut(safe.data, safe.len, max));
        if (safe.len > max)
            buf_add_str(out, "…");
    }
    buf_release(&safe);
    buf_release(&line);
}

struct field {
    const char *name, *type;
};

static struct json_object *schema_of(const struct field *fields, const char *const *required)
{
    struct json_object *schema = json_object_new_object(), *properties = json_object_new_object(),
                       *names = json_object_new_array(), *property;

    for (; fields->name; fields++) {
        property = json_object_new_object();
        put_string(property, "type", fields->type);
        json_object_object_add(properties, fields->name, property);
    }
    for (; *required; required++)
        json_object_array_add(names, json_object_new_string(*required));
    put_string(schema, "type", "object");
    json_object_object_add(schema, "properties", properties);
    json_object_object_add(schema, "required", names);
    return schema;
}

struct json_object *result_run_schema(void)
{
    static const struct field fields[] = {
        {"joined", "boolean"},       {"started_at", "string"},
        {"invocation_id", "string"}, {"state", "string"},
        {"outcome", "string"},       {"command", "string"},
        {"exit_code", "integer"},    {"duration_ms", "integer"},
        {"headline", "string"},      {"targets", "object"},
        {"tests", "object"},         {"diagnostics", "array"},
        {"test_results", "array"},   {"query_result_count", "integer"},
        {"query_sample", "array"},   {"coverage", "object"},
        {"info", "object"},          {"run", "object"},
        {"output", "string"},        {"capture", "object"},
        {"command_line", "string"},  {"truncated", "object"},
        {"inspect_hint", "string"},  {NULL, NULL},
    };
    static const char *const required[] = {"invocation_id", "state", "command", NULL};

    return schema_of(fields, required);
}

struct json_object *result_cancel_schema(void)
{
    static const struct field fields[] = {{"invocation_id", "string"},
                                          {"prior_state", "string"},
                                          {"current_state", "string"},
                                          {"cancellation_requested", "boolean"},
                                          {NULL, NULL}};
    static const char *const required[] = {"invocation_id", "prior_state", "current_state",
                                           "cancellation_requested", NULL};

    return schema_of(fields, required);
}
