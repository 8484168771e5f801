#include "cmd/mcp-front/config_table.h"
#include "common/json/print.h"

#include <inttypes.h>
#include <json-c/json.h>

static struct json_object *list_value(const struct config_list *list)
{
    struct json_object *array = json_object_new_array();

    for (size_t i = 0; i < list->count; i++)
        json_object_array_add(array, json_object_new_string(list->items[i]));
    return array;
}

/* NULL (JSON's null) for a path that is not set. */
static struct json_object *key_value(const struct config *config, const struct config_key *key)
{
    const void *at = (const char *)config + key->offset;

    switch (key->type) {
    case CONFIG_NUMBER:
        return json_object_new_uint64(*(const uint64_t *)at);
    case CONFIG_BOOL:
        return json_object_new_boolean(*(const bool *)at);
    case CONFIG_PATH:
        return *(char *const *)at ? json_object_new_string(*(char *const *)at) : NULL;
    case CONFIG_PATHS:
    case CONFIG_NAMES:
        return list_value(at);
    case CONFIG_CHOICE:
        return json_object_new_string(key->choices[*(const int *)at]);
    }
    return NULL;
}

void config_print(const struct config *config, FILE *out)
{
    struct buf text = BUF_INIT;

    fprintf(out, "// %s\n{\n", config->file ? config->file : "no configuration file");
    for (size_t i = 0; i < config_key_count; i++) {
        struct json_object *value = key_value(config, &config_keys[i]);
        buf_clear(&text);
        json_print(&text, value);
        json_object_put(value);
        /* A path without a value has no form in the file: it is left out there. */
        fprintf(out, "%s\"%s\": %s%s // %s\n", value ? "    " : "    // ", config_keys[i].name,
                text.data, value && i + 1 < config_key_count ? "," : "", config->origins[i]);
    }
    fprintf(out, "}\n");
    buf_release(&text);
}
