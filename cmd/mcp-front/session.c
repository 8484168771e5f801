#include "cmd/mcp-front/session.h"
#include "cmd/mcp-front/rpc.h"
#include "cmd/mcp-front/server.h"
#include "cmd/mcp-front/task.h"
#include "cmd/mcp-front/tools.h"
#include "common/json/read.h"

#include <stdint.h>
#include <string.h>

/* Who asks before any handshake gets what every client understands. */
#define REV_UNNEGOTIATED  REV_2025_06_18
#define REV_NEWEST_LEGACY REV_2025_11_25

#define LIST_TTL_MS 3600000 /* the tools change with the configuration only, which is read once */

static const char instructions[] =
    "bazel.run runs Bazel and answers with the root causes, most important first; read them before "
    "anything else. bazel.inspect pages through what the answer left out. If your calls time out "
    "after "
    "about a minute, pass wait_seconds: 45 and repeat the same call until it has ended.";

/* Clients, by clientInfo.name, that take or rewrite dots in tool names; to all others we say bazel_run. */
static const char *const takes_dots[] = {
    "claude-code", "codex-mcp-client", "mcp", "mcp-inspector", "inspector-cli", NULL,
};

void put_string(struct json_object *object, const char *key, const char *text)
{
    json_object_object_add(object, key, json_object_new_string(text));
}

void put_int(struct json_object *object, const char *key, int64_t value)
{
    json_object_object_add(object, key, json_object_new_int64(value));
}

void put_bool(struct json_object *object, const char *key, bool value)
{
    json_object_object_add(object, key, json_object_new_boolean(value));
}

static bool client_takes_dots(const struct config *config, const char *client)
{
    if (config->tool_names != TOOL_NAMES_AUTO)
        return config->tool_names == TOOL_NAMES_DOTTED;
    for (size_t i = 0; client && takes_dots[i]; i++)
        if (!strcmp(client, takes_dots[i]))
            return true;
    return false;
}

static struct json_object *tasks_capability(void)
{
    struct json_object *tasks = json_object_new_object(), *requests = json_object_new_object(),
                       *tools = json_object_new_object();

    json_object_object_add(tools, "call", json_object_new_object());
    json_object_object_add(requests, "tools", tools);
    json_object_object_add(tasks, "list", json_object_new_object());
    json_object_object_add(tasks, "cancel", json_object_new_object());
    json_object_object_add(tasks, "requests", requests);
    return tasks;
}

static struct json_object *capabilities(const struct server *server, enum revision revision)
{
    struct json_object *all = json_object_new_object(), *extensions;

    json_object_object_add(all, "tools", json_object_new_object());
    if (server->config->mcp_execution_policy == EXECUTION_SYNC_ONLY)
        return all;
    if (revision == REV_2025_11_25)
        json_object_object_add(all, "tasks", tasks_capability());
    if (revision == REV_2026_07_28) {
        extensions = json_object_new_object();
        json_object_object_add(extensions, META_PREFIX "tasks", json_object_new_object());
        json_object_object_add(all, "extensions", extensions);
    }
    return all;
}

static void do_initialize(struct request *r, struct json_object *params)
{
    struct server *server = r->server;
    struct session *session = &server->session;
    const char *wanted = rpc_string(params, "protocolVersion");
    struct json_object *result, *client = rpc_member(params, "clientInfo", json_type_object);

    if (!wanted) {
        request_fail(r, RPC_INVALID_PARAMS, "protocolVersion must be a string", NULL);
        return;
    }
    session->revision = revision_parse(wanted);
    if (session->revision > REV_NEWEST_LEGACY)
        session->revision = REV_NEWEST_LEGACY;
    session->initialized = true;
    session->dotted_names = client_takes_dots(server->config, rpc_string(client, "name"));
    result = json_object_new_object();
    put_string(result, "protocolVersion", revision_names[session->revision]);
    json_object_object_add(result, "capabilities", capabilities(server, session->revision));
    json_object_object_add(result, "serverInfo", server_info(session->revision >= REV_2025_06_18));
    put_string(result, "instructions", instructions);
    request_reply(r, result);
}

static void do_ping(struct request *r, struct json_object *params)
{
    (void)params;
    request_reply(r, json_object_new_object());
}

static void add_cache_hints(struct json_object *result)
{
    put_int(result, "ttlMs", LIST_TTL_MS);
    put_string(result, "cacheScope", "public");
}

static void do_discover(struct request *r, struct json_object *params)
{
    struct json_object *result = json_object_new_object(), *versions = json_object_new_array();

    (void)params;
    json_object_array_add(versions, json_object_new_string(revision_names[REV_2026_07_28]));
    json_object_object_add(result, "supportedVersions", versions);
    json_object_object_add(result, "capabilities", capabilities(r->server, REV_2026_07_28));
    put_string(result, "instructions", instructions);
    add_cache_hints(result);
    request_reply(r, result);
}

static void do_tools_list(struct request *r, struct json_object *params)
{
    struct json_object *result, *cursor = NULL;

    if (params && json_object_object_get_ex(params, "cursor", &cursor) && cursor) {
        request_fail(r, RPC_INVALID_PARAMS, "unknown cursor: the list of tools has one page", NULL);
        return;
    }
    result = json_object_new_object();
    json_object_object_add(result, "tools", tools_list(r));
    if (request_is_modern(r))
        add_cache_hints(result);
    request_reply(r, result);
}

struct method {
    const char *name;
    void (*handle)(struct request *, struct json_object *params);
    enum revision first, last;
};

static const struct method methods[] = {
    {"initialize", do_initialize, REV_2024_11_05, REV_2025_11_25},
    {"ping", do_ping, REV_2024_11_05, REV_2025_11_25},
    {"server/discover", do_discover, REV_2026_07_28, REV_2026_07_28},
    {"tools/list", do_tools_list, REV_2024_11_05, REV_2026_07_28},
    {"tools/call", tools_call, REV_2024_11_05, REV_2026_07_28},
    {"tasks/get", task_get, REV_2025_11_25, REV_2026_07_28},
    {"tasks/result", task_result, REV_2025_11_25, REV_2025_11_25},
    {"tasks/list", task_list, REV_2025_11_25, REV_2025_11_25},
    {"tasks/cancel", task_cancel, REV_2025_11_25, REV_2026_07_28},
    {"tasks/update", task_update, REV_2026_07_28, REV_2026_07_28},
};

static const struct method *find_method(const struct request *r, const char *name)
{
    for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
        if (!strcmp(name, methods[i].name) && r->revision >= methods[i].first &&
            r->revision <= methods[i].last)
            return &methods[i];
    return NULL;
}

/* params._meta of the stateless era; NULL: the request belongs to the session. */
static struct json_object *envelope(struct json_object *params)
{
    struct json_object *meta = rpc_member(params, "_meta", json_type_object);

    return meta && json_object_object_get_ex(meta, META_PREFIX "protocolVersion", NULL) ? meta
                                                                                        : NULL;
}

static void refuse_version(struct request *r, const char *version)
{
    struct json_object *data = json_object_new_object(), *supported = json_object_new_array();

    json_object_array_add(supported, json_object_new_string(revision_names[REV_2026_07_28]));
    json_object_object_add(data, "supported", supported);
    put_string(data, "requested", version);
    request_fail(r, RPC_UNSUPPORTED_VERSION, "Unsupported protocol version", data);
}

static bool is_log_level(struct json_object *meta)
{
    static const char *const levels[] = {"debug", "info",     "notice", "warning",
                                         "error", "critical", "alert",  "emergency"};
    struct json_object *level = NULL;

    if (!json_object_object_get_ex(meta, META_PREFIX "logLevel", &level) || !level)
        return true;
    for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
        if (json_object_is_type(level, json_type_string) &&
            !strcmp(json_object_get_string(level), levels[i]))
            return true;
    return false;
}

/* Whether the envelope is as it must be; otherwise the request has been refused. */
static bool read_envelope(struct request *r, struct json_object *meta)
{
    const char *version = rpc_string(meta, META_PREFIX "protocolVersion");
    struct json_object *client =
        rpc_member(meta, META_PREFIX "clientCapabilities", json_type_object);
    struct json_object *extensions = rpc_member(client, "extensions", json_type_object);

    r->revision = REV_2026_07_28;
    r->dotted_names = r->server->config->tool_names == TOOL_NAMES_DOTTED;
    r->takes_tasks = rpc_member(extensions, META_PREFIX "tasks", json_type_object);
    if (!version || !client)
        request_fail(r, RPC_INVALID_PARAMS,
                     !version ? "_meta: " META_PREFIX "protocolVersion must be a string"
                              : "_meta: " META_PREFIX "clientCapabilities must be an object",
                     NULL);
    else if (revision_parse(version) != REV_2026_07_28)
        refuse_version(r, version);
    else if (!is_log_level(meta))
        request_fail(r, RPC_INVALID_PARAMS, "_meta: " META_PREFIX "logLevel is no level", NULL);
    else
        return true;
    return false;
}

static void take_progress_token(struct request *r, struct json_object *params)
{
    struct json_object *meta = rpc_member(params, "_meta", json_type_object), *token = NULL;

    if (!meta || !json_object_object_get_ex(meta, "progressToken", &token))
        return;
    if (json_object_is_type(token, json_type_string) || json_object_is_type(token, json_type_int))
        r->progress_token = json_object_get(token);
}

static void handle_request(struct server *server, const struct rpc_message *m, struct batch *batch)
{
    struct json_object *meta = envelope(m->params);
    const struct method *method;
    struct request *r;

    if (request_find(server, m->id)) {
        server_say(
            server, batch,
            rpc_error(m->id, RPC_INVALID_REQUEST, "a request with this id is in work", NULL));
        return;
    }
    r = request_new(server, m->id);
    if (!r) {
        server_say(server, batch,
                   rpc_error(m->id, RPC_INTERNAL_ERROR, "too many requests at once", NULL));
        return;
    }
    if (batch) {
        r->batch = batch;
        batch->open++;
    }
    r->revision = server->session.revision;
    r->dotted_names = server->session.dotted_names;
    if (meta && !read_envelope(r, meta))
        return;
    method = find_method(r, m->method);
    if (!method) {
        request_fail(r, RPC_METHOD_NOT_FOUND, "Method not found", NULL);
        return;
    }
    take_progress_token(r, m->params);
    method->handle(r, m->params);
}

static void handle_notification(struct server *server, const struct rpc_message *m)
{
    struct json_object *id = NULL;
    struct request *r;

    if (strcmp(m->method, "notifications/cancelled") != 0 || !m->params ||
        !json_object_object_get_ex(m->params, "requestId", &id))
        return;
    r = request_find(server, id);
    if (r)
        request_cancel(r);
}

static void handle_message(struct server *server, struct json_object *value, struct batch *batch)
{
    struct rpc_message m;

    rpc_read(value, &m);
    switch (m.kind) {
    case RPC_REQUEST:
        handle_request(server, &m, batch);
        break;
    case RPC_NOTIFICATION:
        handle_notification(server, &m);
        break;
    case RPC_RESPONSE:
        break;
    case RPC_INVALID:
        server_say(server, batch, rpc_error(m.id, m.code, m.error, NULL));
        break;
    }
}

static void handle_batch(struct server *server, struct json_object *array)
{
    size_t count = json_object_array_length(array);
    struct batch *batch = count ? batch_new() : NULL;

    if (!batch) {
        server_say(server, NULL,
                   rpc_error(NULL, RPC_INVALID_REQUEST, "an empty batch says nothing", NULL));
        return;
    }
    for (size_t i = 0; i < count; i++)
        handle_message(server, json_object_array_get_idx(array, i), batch);
    batch_close_place(batch, server, NULL);
}

void session_init(struct session *session)
{
    *session = (struct session){.revision = REV_UNNEGOTIATED};
}

static int code_of(enum json_status status)
{
    switch (status) {
    case JSON_DUPLICATE_KEY:
    case JSON_NOT_A_NUMBER:
    case JSON_TOO_DEEP:
        return RPC_INVALID_REQUEST;
    case JSON_NO_MEMORY:
        return RPC_INTERNAL_ERROR;
    default:
        return RPC_PARSE_ERROR;
    }
}

static bool is_blank(const char *text, size_t len)
{
    size_t i = 0;

    while (i < len && strchr(" \t\r", text[i]) && text[i])
        i++;
    return i == len;
}

void session_line(struct server *server, const char *text, size_t len)
{
    static const struct json_rules rules = {.max_depth = RPC_MAX_DEPTH};
    struct json_object *value;
    enum json_status status;

    if (is_blank(text, len))
        return;
    status = json_read(text, len, &rules, &value, NULL);
    if (status != JSON_OK) {
        server_say(server, NULL, rpc_error(NULL, code_of(status), json_status_text(status), NULL));
        return;
    }
    if (!json_object_is_type(value, json_type_array))
        handle_message(server, value, NULL);
    else if (server->session.initialized && server->session.revision == REV_2025_03_26)
        handle_batch(server, value);
    else
        server_say(server, NULL,
                   rpc_error(NULL, RPC_INVALID_REQUEST,
                             "batches exist in protocol version 2025-03-26 only", NULL));
    json_object_put(value);
}

void session_line_too_long(struct server *server)
{
    server_say(server, NULL,
               rpc_error(NULL, RPC_PARSE_ERROR, "the message is longer than 4 MiB", NULL));
}
