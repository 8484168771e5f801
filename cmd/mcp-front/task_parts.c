#include "cmd/mcp-front/task_parts.h"
#include "cmd/mcp-front/uuid.h"
#include "common/json/read.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static void put_time(struct json_object *object, const char *key, int64_t ms)
{
    time_t seconds = (time_t)(ms / 1000);
    char text[48];
    struct tm tm;
    size_t len;

    gmtime_r(&seconds, &tm);
    len = strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
    snprintf(text + len, sizeof(text) - len, ".%03dZ", (int)(ms % 1000));
    put_string(object, key, text);
}

/* The time to live that is told counts from the creation, and grows when the task ends. */
static int64_t told_ttl(const struct store_task *t)
{
    return t->expires_ms > t->created_ms ? t->expires_ms - t->created_ms : t->ttl_ms;
}

static void put_common(struct json_object *object, const struct store_task *t)
{
    put_string(object, "taskId", t->id);
    put_string(object, "status", t->status);
    if (t->message && *t->message)
        put_string(object, "statusMessage", t->message);
    put_time(object, "createdAt", t->created_ms);
    put_time(object, "lastUpdatedAt", t->updated_ms);
}

struct json_object *task_state_legacy(const struct server *server, const struct store_task *t)
{
    struct json_object *object = json_object_new_object();

    put_common(object, t);
    put_int(object, "ttl", told_ttl(t));
    put_int(object, "pollInterval", (int64_t)server->config->task_poll_interval_ms);
    return object;
}

struct json_object *task_created_legacy(const struct server *server, const struct store_task *t)
{
    struct json_object *result = json_object_new_object(), *meta = json_object_new_object();
    char text[128];

    snprintf(text, sizeof(text), "Bazel invocation %s is running.", t->id);
    put_string(meta, META_PREFIX "model-immediate-response", text);
    json_object_object_add(result, "task", task_state_legacy(server, t));
    json_object_object_add(result, "_meta", meta);
    return result;
}

static struct json_object *extension(const struct server *server, const struct store_task *t,
                                     const char *result_type)
{
    struct json_object *object = json_object_new_object();

    put_string(object, "resultType", result_type);
    put_common(object, t);
    put_int(object, "ttlMs", told_ttl(t));
    put_int(object, "pollIntervalMs", (int64_t)server->config->task_poll_interval_ms);
    return object;
}

struct json_object *task_created_extension(const struct server *server, const struct store_task *t)
{
    return extension(server, t, "task");
}

struct json_object *task_parse_result(const struct store_task *t)
{
    static const struct json_rules rules = {.max_depth = 32};
    struct json_object *result = NULL;

    if (t->result)
        json_read(t->result, strlen(t->result), &rules, &result, NULL);
    return result;
}

struct json_object *task_state_extension(const struct server *server, const struct store_task *t)
{
    struct json_object *object = extension(server, t, "complete"), *result;

    result = strcmp(t->status, "completed") ? NULL : task_parse_result(t);
    if (result)
        json_object_object_add(object, "result", result);
    return object;
}

struct json_object *task_page(const struct server *server, const struct store_task *tasks,
                              size_t count)
{
    struct json_object *page = json_object_new_object(), *array = json_object_new_array();
    char cursor[96];

    for (size_t i = 0; i < count && i < TASK_PAGE; i++)
        json_object_array_add(array, task_state_legacy(server, &tasks[i]));
    json_object_object_add(page, "tasks", array);
    if (count > TASK_PAGE) {
        snprintf(cursor, sizeof(cursor), "%lld.%s", (long long)tasks[TASK_PAGE - 1].created_ms,
                 tasks[TASK_PAGE - 1].id);
        put_string(page, "nextCursor", cursor);
    }
    return page;
}

bool task_read_cursor(struct json_object *cursor, int64_t *before_ms, char id[STORE_ID_SIZE])
{
    const char *text = json_object_get_string(cursor);
    long long ms;
    int at = 0;

    if (!json_object_is_type(cursor, json_type_string) || sscanf(text, "%lld.%n", &ms, &at) != 1 ||
        !at || !uuid_parse(text + at, id))
        return false;
    *before_ms = ms;
    return true;
}
