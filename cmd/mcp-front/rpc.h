/* JSON-RPC 2.0 (https://www.jsonrpc.org/specification), as MCP narrows it: ids are strings or integers. */
#ifndef MCP_FRONT_RPC_H
#define MCP_FRONT_RPC_H

#include <json-c/json.h>
#include <stdint.h>

#define RPC_MAX_DEPTH 64 /* no schema of ours nests a tenth of it */

#define RPC_PARSE_ERROR      (-32700)
#define RPC_INVALID_REQUEST  (-32600)
#define RPC_METHOD_NOT_FOUND (-32601)
#define RPC_INVALID_PARAMS   (-32602)
#define RPC_INTERNAL_ERROR   (-32603)
/* MCP 2026-07-28. */
#define RPC_MISSING_CAPABILITY  (-32021)
#define RPC_UNSUPPORTED_VERSION (-32022)

enum rpc_kind {
    RPC_REQUEST,
    RPC_NOTIFICATION,
    RPC_RESPONSE, /* we send no requests: a stray one */
    RPC_INVALID,  /* answer it with `error` */
};

/* Everything points into the message. */
struct rpc_message {
    enum rpc_kind kind;
    struct json_object *id; /* NULL: none, or not usable */
    const char *method;
    struct json_object *params; /* an object, or NULL where there are none */
    int code;                   /* RPC_INVALID: what is wrong */
    const char *error;
};

void rpc_read(struct json_object *value, struct rpc_message *);

/* The answers. They take `result` and `data` (NULL: none); `id` is not taken, NULL becomes null. */
struct json_object *rpc_result(struct json_object *id, struct json_object *result);
struct json_object *rpc_error(struct json_object *id, int code, const char *message,
                              struct json_object *data);
struct json_object *rpc_notification(const char *method, struct json_object *params);

/* A member of an object; NULL where it is absent, null or of another type. */
struct json_object *rpc_member(struct json_object *object, const char *key, enum json_type);
/* The same for a text; one with a NUL in it is none. */
const char *rpc_string(struct json_object *object, const char *key);
/* The same for an integer; `otherwise` where it is none. */
int64_t rpc_int(struct json_object *object, const char *key, int64_t otherwise);

#endif
