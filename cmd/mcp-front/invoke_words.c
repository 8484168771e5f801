/* What an invocation knows to be secret (known.h), taken out of what is told of it. */
#include "cmd/mcp-front/invoke.h"
#include "cmd/mcp-front/known.h"
#include "cmd/mcp-front/scrub.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void invoke_learn(struct invocation *inv)
{
    const struct engine *engine = inv->engine;
    const struct buf *of_env = &engine->words;
    const struct argv *lists[] = {&inv->call.startup_args, &inv->call.args,
                                  &inv->call.program_args};

    buf_add(&inv->words, of_env->data, of_env->len);
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
        known_args(engine->redact, (const char *const *)lists[i]->items, &inv->words);
}

void invoke_hide_words(const struct invocation *inv, bool hide)
{
    redact_words(inv->engine->redact, hide ? &inv->words : NULL);
}

char *invoke_clean_text(const struct invocation *inv, const char *text)
{
    struct json_object *clean;
    char *copy;

    if (!text)
        return NULL;
    invoke_hide_words(inv, true);
    clean = scrub_string(inv->engine->redact, text, strlen(text));
    invoke_hide_words(inv, false);
    copy = strdup(json_object_get_string(clean));
    json_object_put(clean);
    return copy;
}

void invoke_clean_args(const struct invocation *inv, const struct argv *args, struct argv *out)
{
    struct json_object *clean;

    invoke_hide_words(inv, true);
    clean = scrub_args(inv->engine->redact, (const char *const *)args->items);
    invoke_hide_words(inv, false);
    for (size_t i = 0; i < json_object_array_length(clean); i++)
        argv_add(out, json_object_get_string(json_object_array_get_idx(clean, i)));
    json_object_put(clean);
}

int invoke_write_patterns(struct invocation *inv)
{
    if (asprintf(&inv->patterns, "%s/" STORE_PATTERNS, inv->folder) < 0)
        inv->patterns = NULL;
    return inv->patterns ? known_write(inv->engine->config, &inv->words, inv->patterns) : -1;
}
