#include "cmd/mcp-front/rpc.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct json_object *rpc_member(struct json_object *object, const char *key, enum json_type type)
{
    struct json_object *value = NULL;

    if (!json_object_is_type(object, json_type_object) ||
        !json_object_object_get_ex(object, key, &value))
        return NULL;
    return value && json_object_is_type(value, type) ? value : NULL;
}

const char *rpc_string(struct json_object *object, const char *key)
{
    struct json_object *value = rpc_member(object, key, json_type_string);

    const char *text = value ? json_object_get_string(value) : NULL;

    return text && strlen(text) == (size_t)json_object_get_string_len(value) ? text : NULL;
}

int64_t rpc_int(struct json_object *object, const char *key, int64_t otherwise)
{
    struct json_object *value = rpc_member(object, key, json_type_int);

    return value ? json_object_get_int64(value) : otherwise;
}

/* The reader saturates what does not fit into 64 bits. */
static bool is_id(struct json_object *id)
{
    if (json_object_is_type(id, json_type_string))
        return true;
    return json_object_is_type(id, json_type_int) && json_object_get_int64(id) != INT64_MIN &&
           json_object_get_uint64(id) != UINT64_MAX;
}

static void invalid(struct rpc_message *m, int code, const char *error)
{
    m->kind = RPC_INVALID;
    m->code = code;
    m->error = error;
}

static void read_params(struct json_object *value, struct rpc_message *m)
{
    struct json_object *params = NULL;

    json_object_object_get_ex(value, "params", &params);
    if (!params || json_object_is_type(params, json_type_object))
        m->params = params;
    else if (m->kind == RPC_REQUEST)
        invalid(m, RPC_INVALID_PARAMS, "params must be an object");
}

void rpc_read(struct json_object *value, struct rpc_message *m)
{
    struct json_object *id = NULL;
    const char *version = rpc_string(value, "jsonrpc");
    bool has_id;

    *m = (struct rpc_message){.method = rpc_string(value, "method")};
    if (!json_object_is_type(value, json_type_object)) {
        invalid(m, RPC_INVALID_REQUEST, "a message is an object");
        return;
    }
    has_id = json_object_object_get_ex(value, "id", &id);
    if (has_id && is_id(id))
        m->id = id;
    if (!version || strcmp(version, "2.0"))
        invalid(m, RPC_INVALID_REQUEST, "jsonrpc must be \"2.0\"");
    else if (has_id && !m->id && !json_object_object_get_ex(value, "error", NULL))
        invalid(m, RPC_INVALID_REQUEST, "id must be a string or an integer of 64 bits");
    else if (m->method) {
        m->kind = has_id ? RPC_REQUEST : RPC_NOTIFICATION;
        read_params(value, m);
    } else if (json_object_object_get_ex(value, "result", NULL) ||
               json_object_object_get_ex(value, "error", NULL))
        m->kind = RPC_RESPONSE;
    else
        invalid(m, RPC_INVALID_REQUEST, "method must be a string");
}

static struct json_object *message(void)
{
    struct json_object *object = json_object_new_object();

    json_object_object_add(object, "jsonrpc", json_object_new_string("2.0"));
    return object;
}

struct json_object *rpc_result(struct json_object *id, struct json_object *result)
{
    struct json_object *object = message();

    json_object_object_add(object, "id", json_object_get(id));
    json_object_object_add(object, "result", result);
    return object;
}

struct json_object *rpc_error(struct json_object *id, int code, const char *text,
                              struct json_object *data)
{
    struct json_object *object = message(), *error = json_object_new_object();

    json_object_object_add(object, "id", json_object_get(id));
    json_object_object_add(error, "code", json_object_new_int(code));
    json_object_object_add(error, "message", json_object_new_string(text));
    if (data)
        json_object_object_add(error, "data", data);
    json_object_object_add(object, "error", error);
    return object;
}

struct json_object *rpc_notification(const char *method, struct json_object *params)
{
    struct json_object *object = message();

    json_object_object_add(object, "method", json_object_new_string(method));
    json_object_object_add(object, "params", params);
    return object;
}
