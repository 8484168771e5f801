#include "cmd/mcp-front/config.h"
#include "cmd/mcp-front/config_table.h"
#include "common/io/file.h"
#include "common/json/read.h"
#include "common/text/redact.h"

#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <limits.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CONFIG_MAX_BYTES (1UL << 20)
#define CONFIG_MAX_DEPTH 16

struct load {
    struct config *config;
    struct buf *errors;
    const char *name; /* of the file, for messages; NULL: the command line */
    char *cwd;
};

static void complain(struct load *l, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void complain(struct load *l, const char *format, ...)
{
    va_list args;

    if (l->errors->len)
        buf_add_char(l->errors, '\n');
    if (l->name)
        buf_printf(l->errors, "%s: ", l->name);
    va_start(args, format);
    buf_vprintf(l->errors, format, args);
    va_end(args);
}

static void *member(struct config *config, const struct config_key *key)
{
    return (char *)config + key->offset;
}

static bool list_add(struct config_list *list, const char *item)
{
    char **items = realloc(list->items, (list->count + 2) * sizeof(*items));

    if (!items)
        return false;
    list->items = items;
    items[list->count] = strdup(item);
    items[list->count + 1] = NULL;
    return items[list->count] && ++list->count;
}

static void list_release(struct config_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->items[i]);
    free(list->items);
    *list = (struct config_list){0};
}

bool config_list_has(const struct config_list *list, const char *item)
{
    for (size_t i = 0; i < list->count; i++)
        if (!strcmp(list->items[i], item))
            return true;
    return false;
}

static void origin(struct config *config, const struct config_key *key, const char *from)
{
    config->origins[key - config_keys] = from;
}

static void origin_of(struct config *config, size_t offset, const char *from)
{
    for (size_t i = 0; i < config_key_count; i++)
        if (config_keys[i].offset == offset)
            config->origins[i] = from;
}

static bool set_defaults(struct config *config)
{
    bool done = true;

    config->origins = calloc(config_key_count, sizeof(*config->origins));
    if (!config->origins)
        return false;
    for (size_t i = 0; i < config_key_count; i++) {
        const struct config_key *key = &config_keys[i];
        config->origins[i] = "default";
        if (key->type == CONFIG_NUMBER)
            *(uint64_t *)member(config, key) = key->number;
        if (key->type == CONFIG_CHOICE)
            *(int *)member(config, key) = (int)key->number;
        for (const char *const *name = key->names; name && *name; name++)
            done = list_add(member(config, key), *name) && done;
    }
    return done;
}

static const char *type_name(struct json_object *value)
{
    return value ? json_type_to_name(json_object_get_type(value)) : "null";
}

static bool expect(struct load *l, const struct config_key *key, struct json_object *value,
                   json_type type, const char *what)
{
    if (json_object_is_type(value, type))
        return true;
    complain(l, "%s: must be %s, not %s", key->name, what, type_name(value));
    return false;
}

static void take_number(struct load *l, const struct config_key *key, struct json_object *value)
{
    int64_t number;

    if (!expect(l, key, value, json_type_int, "an integer"))
        return;
    number = json_object_get_int64(value);
    if (number < 0 || (uint64_t)number < key->min || (uint64_t)number > key->max)
        complain(l, "%s: must be between %" PRIu64 " and %" PRIu64, key->name, key->min, key->max);
    else
        *(uint64_t *)member(l->config, key) = (uint64_t)number;
}

static void take_choice(struct load *l, const struct config_key *key, struct json_object *value)
{
    struct buf all = BUF_INIT;

    if (!expect(l, key, value, json_type_string, "a string"))
        return;
    for (int i = 0; key->choices[i]; i++) {
        if (!strcmp(json_object_get_string(value), key->choices[i])) {
            *(int *)member(l->config, key) = i;
            buf_release(&all);
            return;
        }
        buf_printf(&all, "%s%s", i ? ", " : "", key->choices[i]);
    }
    complain(l, "%s: must be one of %s", key->name, all.data);
    buf_release(&all);
}

/* A string that can be a C string and says something. */
static const char *plain_string(struct json_object *value)
{
    const char *text = json_object_get_string(value);

    if (!json_object_is_type(value, json_type_string) || !*text ||
        strlen(text) != (size_t)json_object_get_string_len(value))
        return NULL;
    return text;
}

static void set_path(struct load *l, const char *name, char **slot, const char *path)
{
    char *canonical = file_canonical(l->cwd, path);

    if (!canonical) {
        complain(l, "%s: %s: %s", name, path, strerror(errno));
        return;
    }
    free(*slot);
    *slot = canonical;
}

static void take_path(struct load *l, const struct config_key *key, struct json_object *value)
{
    const char *text = plain_string(value);

    if (text)
        set_path(l, key->name, member(l->config, key), text);
    else
        complain(l, "%s: must be a path, not %s", key->name,
                 json_object_is_type(value, json_type_string) ? "empty" : type_name(value));
}

static void add_root(struct load *l, const char *where, const char *path)
{
    char *canonical = realpath(path, NULL);
    struct stat st;

    if (!canonical)
        complain(l, "%s: %s: %s", where, path, strerror(errno));
    else if (stat(canonical, &st) || !S_ISDIR(st.st_mode))
        complain(l, "%s: %s: not a folder", where, path);
    else if (!list_add(&l->config->allowed_roots, canonical))
        complain(l, "%s: out of memory", where);
    free(canonical);
}

static void take_item(struct load *l, const struct config_key *key, size_t i, const char *text)
{
    struct config_list *list = member(l->config, key);
    char where[128];

    snprintf(where, sizeof(where), "%s[%zu]", key->name, i);
    if (!text)
        complain(l, "%s: must be a string that is not empty", where);
    else if (key->type == CONFIG_PATHS)
        add_root(l, where, text);
    else if (!config_list_has(list, text) && !list_add(list, text))
        complain(l, "%s: out of memory", where);
}

static void take_list(struct load *l, const struct config_key *key, struct json_object *value)
{
    if (!expect(l, key, value, json_type_array, "an array of strings"))
        return;
    list_release(member(l->config, key));
    for (size_t i = 0; i < json_object_array_length(value); i++)
        take_item(l, key, i, plain_string(json_object_array_get_idx(value, i)));
}

static void take(struct load *l, const struct config_key *key, struct json_object *value)
{
    origin(l->config, key, l->config->file);
    switch (key->type) {
    case CONFIG_NUMBER:
        take_number(l, key, value);
        break;
    case CONFIG_BOOL:
        if (expect(l, key, value, json_type_boolean, "true or false"))
            *(bool *)member(l->config, key) = json_object_get_boolean(value);
        break;
    case CONFIG_PATH:
        take_path(l, key, value);
        break;
    case CONFIG_PATHS:
    case CONFIG_NAMES:
        take_list(l, key, value);
        break;
    case CONFIG_CHOICE:
        take_choice(l, key, value);
        break;
    }
}

static const struct config_key *find_key(const char *name)
{
    for (size_t i = 0; i < config_key_count; i++)
        if (!strcmp(config_keys[i].name, name))
            return &config_keys[i];
    return NULL;
}

static void take_all(struct load *l, struct json_object *root)
{
    json_object_object_foreach(root, name, value)
    {
        const struct config_key *key = find_key(name);
        const char *why = config_refused(name);
        if (key)
            take(l, key, value);
        else
            complain(l, "%s: %s", name, why ? why : "unknown key");
    }
}

static void syntax_error(struct load *l, const char *text, size_t len, const struct json_error *e)
{
    char key[128] = "";
    size_t line =
        e->status == JSON_DUPLICATE_KEY ? config_duplicate(text, len, key, sizeof(key)) : e->line;

    if (!line) {
        complain(l, "%s", json_status_text(e->status));
        return;
    }
    l->name = NULL;
    complain(l, "%s:%zu: %s%s%s", l->config->file, line, key, *key ? ": " : "",
             json_status_text(e->status));
}

static void parse(struct load *l, const char *text, size_t len)
{
    static const struct json_rules rules = {.max_depth = CONFIG_MAX_DEPTH, .flags = JSON_COMMENTS};
    struct json_object *root;
    struct json_error error;

    if (json_read(text, len, &rules, &root, &error) != JSON_OK)
        syntax_error(l, text, len, &error);
    else if (!json_object_is_type(root, json_type_object))
        complain(l, "must be an object, not %s", type_name(root));
    else
        take_all(l, root);
    json_object_put(root);
}

static const char *variable(const char *name)
{
    const char *value = getenv(name);

    return value && *value ? value : NULL;
}

static const char *home(void)
{
    const struct passwd *user;
    const char *path = variable("HOME");

    if (path)
        return path;
    user = getpwuid(geteuid());
    return user ? user->pw_dir : NULL;
}

/* $VAR/mcp-front/rest, else ~/fallback/mcp-front/rest. A relative $VAR is ignored, as its specification says. */
static char *xdg_path(const char *name, const char *fallback, const char *rest)
{
    const char *base = variable(name);
    char *path = NULL;
    int n = -1;

    if (base && *base == '/')
        n = asprintf(&path, "%s/mcp-front%s", base, rest);
    else if ((base = home()))
        n = asprintf(&path, "%s/%s/mcp-front%s", base, fallback, rest);
    return n < 0 ? NULL : path;
}

/* The file to read, NULL for none. One that was not asked for need not exist. */
static char *find_file(const struct config_options *options, bool *asked)
{
    const char *named = options->file ? options->file : variable("MCP_FRONT_CONFIG");
    struct stat st;
    char *path;

    *asked = named;
    if (named)
        return strdup(named);
    path = xdg_path("XDG_CONFIG_HOME", ".config", "/config.json");
    if (path && stat(path, &st) && (errno == ENOENT || errno == ENOTDIR)) {
        free(path);
        path = NULL;
    }
    return path;
}

static void load_file(struct load *l, const struct config_options *options)
{
    struct buf text = BUF_INIT;
    bool asked;

    l->config->file = find_file(options, &asked);
    if (!l->config->file)
        return;
    l->name = l->config->file;
    if (file_read(l->config->file, CONFIG_MAX_BYTES, &text))
        complain(l, "%s",
                 errno == EINVAL  ? "not a regular file"
                 : errno == EFBIG ? "longer than 1 MiB"
                                  : strerror(errno));
    else
        parse(l, text.data, text.len);
    l->name = NULL;
    buf_release(&text);
}

static void load_options(struct load *l, const struct config_options *options)
{
    struct config *config = l->config;
    bool from_file = config->allowed_roots.count;

    for (size_t i = 0; i < options->allow_root_count; i++)
        add_root(l, "--allow-root", options->allow_roots[i]);
    if (options->allow_root_count)
        origin_of(config, offsetof(struct config, allowed_roots),
                  from_file ? "the file and --allow-root" : "--allow-root");
    if (options->cache_root) {
        if (*options->cache_root)
            set_path(l, "--cache-root", &config->cache_root, options->cache_root);
        else
            complain(l, "--cache-root: must be a path, not empty");
        origin_of(config, offsetof(struct config, cache_root), "--cache-root");
    }
}

static void default_cache_root(struct load *l)
{
    char *path;

    if (l->config->cache_root)
        return;
    path = xdg_path("XDG_STATE_HOME", ".local/state", "");
    if (path)
        set_path(l, "cache_root", &l->config->cache_root, path);
    else
        complain(l, "cache_root: not set, and there is no HOME");
    free(path);
}

static void check_patterns(struct load *l)
{
    const struct config_list *patterns = &l->config->redaction_patterns;
    struct redact *redact = redact_new();
    struct buf why = BUF_INIT;

    for (size_t i = 0; redact && i < patterns->count; i++) {
        buf_clear(&why);
        if (!*patterns->items[i] || strpbrk(patterns->items[i], "\r\n"))
            complain(l, "redaction_patterns[%zu]: must be one line, not empty", i);
        else if (!redact_add(redact, patterns->items[i], &why))
            complain(l, "redaction_patterns[%zu]: %s", i, why.data);
    }
    redact_free(redact);
    buf_release(&why);
}

static void check_together(struct load *l)
{
    const struct config *config = l->config;

    l->name = config->file;
    if (config->maximum_pending_invocations < config->global_concurrency)
        complain(l, "maximum_pending_invocations: must not be below global_concurrency");
    if (config->default_timeout_seconds > config->maximum_timeout_seconds)
        complain(l, "default_timeout_seconds: must not be above maximum_timeout_seconds");
    for (size_t i = 0; config->cache_root && i < config->allowed_roots.count; i++)
        if (file_is_inside(config->cache_root, config->allowed_roots.items[i]))
            complain(l, "cache_root: %s is inside the allowed root %s", config->cache_root,
                     config->allowed_roots.items[i]);
    check_patterns(l);
}

bool config_load(struct config *config, const struct config_options *options, struct buf *errors)
{
    struct load l = {.config = config, .errors = errors};

    *config = (struct config){0};
    l.cwd = getcwd(NULL, 0);
    if (!l.cwd)
        complain(&l, "working folder: %s", strerror(errno));
    else if (!set_defaults(config))
        complain(&l, "out of memory");
    if (!errors->len)
        load_file(&l, options);
    if (config->origins && l.cwd) {
        load_options(&l, options);
        default_cache_root(&l);
        check_together(&l);
    }
    free(l.cwd);
    return !errors->len;
}

void config_release(struct config *config)
{
    for (size_t i = 0; i < config_key_count; i++) {
        const struct config_key *key = &config_keys[i];
        if (key->type == CONFIG_PATH)
            free(*(char **)member(config, key));
        if (key->type == CONFIG_PATHS || key->type == CONFIG_NAMES)
            list_release(member(config, key));
    }
    free(config->file);
    free(config->origins);
    *config = (struct config){0};
}
