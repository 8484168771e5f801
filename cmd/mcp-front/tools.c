#include "cmd/mcp-front/tools.h"
#include "cmd/mcp-front/encode.h"
#include "cmd/mcp-front/engine.h"
#include "cmd/mcp-front/result.h"
#include "cmd/mcp-front/rpc.h"
#include "cmd/mcp-front/scrub.h"
#include "cmd/mcp-front/server.h"

#include <string.h>

static const struct tool tools[] = {
    {
        .dotted = "bazel.run",
        .underscored = "bazel_run",
        .title = "Run Bazel",
        .description =
            "Run a Bazel command and get the outcome, the root causes with file, line and "
            "target, failed tests with what they said, and counts. The same call while "
            "it runs joins that run.",
        .params = run_params,
        .tasks = TASK_OPTIONAL,
        .handle = run_handle,
        .output_schema = result_run_schema,
    },
    {
        .dotted = "bazel.inspect",
        .underscored = "bazel_inspect",
        .title = "Inspect a Bazel invocation",
        .description = "Page through what is kept of an invocation, also while it runs, or list "
                       "invocations. Repeat with next_cursor as cursor for the next page.",
        .params = inspect_params,
        .read_only = true,
        .idempotent = true,
        .handle = inspect_handle,
    },
    {
        .dotted = "bazel.cancel",
        .underscored = "bazel_cancel",
        .title = "Cancel a Bazel invocation",
        .description = "Stop a queued or running invocation politely; Bazel's server stays.",
        .params = cancel_params,
        .destructive = true,
        .idempotent = true,
        .handle = cancel_handle,
        .output_schema = result_cancel_schema,
    },
};

#define TOOL_COUNT (sizeof(tools) / sizeof(tools[0]))

static struct json_object *annotations(const struct tool *t)
{
    struct json_object *object = json_object_new_object();

    put_bool(object, "readOnlyHint", t->read_only);
    if (!t->read_only)
        put_bool(object, "destructiveHint", t->destructive);
    put_bool(object, "idempotentHint", t->idempotent);
    put_bool(object, "openWorldHint", false);
    return object;
}

static bool has_output_schema(const struct request *r, const struct tool *t)
{
    int encoding = r->server->config->result_encoding;

    return t->output_schema && r->revision >= REV_2025_06_18 &&
           (encoding == ENCODING_STRUCTURED || encoding == ENCODING_BOTH);
}

static void add_execution(struct json_object *object, const struct request *r, const struct tool *t)
{
    int policy = r->server->config->mcp_execution_policy;
    struct json_object *execution;

    if (r->revision != REV_2025_11_25 || t->tasks == TASK_FORBIDDEN ||
        policy == EXECUTION_SYNC_ONLY)
        return;
    execution = json_object_new_object();
    put_string(execution, "taskSupport",
               policy == EXECUTION_TASKS_REQUIRED ? "required" : "optional");
    json_object_object_add(object, "execution", execution);
}

static struct json_object *describe(const struct request *r, const struct tool *t)
{
    struct json_object *object = json_object_new_object();
    const struct config *config = r->server->config;

    put_string(object, "name", r->dotted_names ? t->dotted : t->underscored);
    if (r->revision >= REV_2025_06_18)
        put_string(object, "title", t->title);
    put_string(object, "description", t->description);
    json_object_object_add(
        object, "inputSchema",
        params_schema(t->params, t->params == run_params
                                     ? (const char *const *)config->allowed_commands.items
                                     : NULL));
    if (has_output_schema(r, t))
        json_object_object_add(object, "outputSchema", t->output_schema());
    if (r->revision >= REV_2025_03_26)
        json_object_object_add(object, "annotations", annotations(t));
    add_execution(object, r, t);
    return object;
}

struct json_object *tools_list(const struct request *r)
{
    struct json_object *array = json_object_new_array();

    for (size_t i = 0; i < TOOL_COUNT; i++)
        json_object_array_add(array, describe(r, &tools[i]));
    return array;
}

static const struct tool *find_tool(const char *name)
{
    for (size_t i = 0; i < TOOL_COUNT; i++)
        if (!strcmp(name, tools[i].dotted) || !strcmp(name, tools[i].underscored))
            return &tools[i];
    return NULL;
}

void tool_error(struct request *r, const char *text)
{
    struct engine *engine = server_engine(r->server);
    struct json_object *clean = engine ? scrub_string(engine->redact, text, strlen(text)) : NULL;

    request_reply(r, encode_error(clean ? json_object_get_string(clean) : "out of memory"));
    json_object_put(clean);
}

void tools_call(struct request *r, struct json_object *params)
{
    const char *name = rpc_string(params, "name");
    const struct tool *tool = name ? find_tool(name) : NULL;
    struct json_object *args = NULL;
    struct buf why = BUF_INIT;

    if (params)
        json_object_object_get_ex(params, "arguments", &args);
    if (!name)
        request_fail(r, RPC_INVALID_PARAMS, "name must be a string", NULL);
    else if (!tool)
        request_fail(r, RPC_INVALID_PARAMS, "unknown tool", NULL);
    else if (args && !json_object_is_type(args, json_type_object))
        request_fail(r, RPC_INVALID_PARAMS, "arguments must be an object", NULL);
    else if (!params_check(tool->params, args, &why))
        tool_error(r, why.data);
    else
        tool->handle(r, args, params);
    buf_release(&why);
}
