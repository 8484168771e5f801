/* bazel.run */
#include "cmd/mcp-front/call.h"
#include "cmd/mcp-front/rerun.h"
#include "cmd/mcp-front/rpc.h"
#include "cmd/mcp-front/server.h"
#include "cmd/mcp-front/task.h"
#include "cmd/mcp-front/tools.h"
#include "cmd/mcp-front/waiter.h"

#define MAX_SECONDS                                                                                \
    (30 * 24 * 3600) /* what the schema shows; the configuration has the real bound */

const struct param run_params[] = {
    {"workspace", PARAM_STRING, true, "absolute path of the workspace's root", 0, 0, NULL},
    {"command", PARAM_STRING, true, NULL, 0, 0, NULL},
    {"args", PARAM_STRINGS, false, "flags and targets, e.g. [\"//pkg/...\", \"--config=x\"]", 0, 0,
     NULL},
    {"startup_args", PARAM_STRINGS, false, "options before the command", 0, 0, NULL},
    {"target", PARAM_STRING, false, "of run", 0, 0, NULL},
    {"program_args", PARAM_STRINGS, false, "of run: for the program", 0, 0, NULL},
    {"timeout_seconds", PARAM_INTEGER, false, "Bazel is stopped after this time", 1, MAX_SECONDS,
     NULL},
    {"wait_seconds", PARAM_INTEGER, false,
     "answer after this time even if Bazel still runs; repeat the call to go on waiting. Default: "
     "wait until the end",
     0, MAX_SECONDS, NULL},
    {"rerun_failed", PARAM_STRING, false, "id of an earlier invocation: run only what failed in it",
     0, 0, NULL},
    {NULL, PARAM_END, false, NULL, 0, 0, NULL},
};

static struct json_object *list(struct json_object *args, const char *key)
{
    return rpc_member(args, key, json_type_array);
}

static void go(struct request *r, struct call *call, struct json_object *args,
               enum task_dialect dialect, int64_t ttl_ms)
{
    struct engine *engine = server_engine(r->server);
    int64_t wait = rpc_int(args, "wait_seconds", -1);
    struct invocation *inv = invoke_find_same(engine, call);
    struct waiter_options options = {.joined = inv};
    struct buf why = BUF_INIT;

    if (inv)
        call_release(call);
    else
        inv = invoke_start(engine, call, &why);
    if (!inv) {
        tool_error(r, why.data);
        call_release(call);
    } else if (dialect != TASK_NONE) {
        inv->detached = true;
        task_create(r, inv, dialect, ttl_ms);
    } else {
        inv->detached = inv->detached || wait >= 0;
        options.patience_ms = wait >= 0 ? (uint64_t)wait * 1000 + !wait : 0;
        waiter_add(r, inv, &options);
    }
    buf_release(&why);
}

void run_start(struct request *r, struct call *call, struct json_object *args,
               struct json_object *params)
{
    enum task_dialect dialect;
    int64_t ttl;

    if (task_wanted(r, params, &dialect, &ttl))
        go(r, call, args, dialect, ttl);
    else
        call_release(call);
}

void run_handle(struct request *r, struct json_object *args, struct json_object *params)
{
    const struct call_wish wish = {
        .workspace = rpc_string(args, "workspace"),
        .command = rpc_string(args, "command"),
        .target = rpc_string(args, "target"),
        .startup_args = list(args, "startup_args"),
        .args = list(args, "args"),
        .program_args = list(args, "program_args"),
        .timeout_seconds = (uint64_t)rpc_int(args, "timeout_seconds", 0),
    };
    const char *rerun = rpc_string(args, "rerun_failed");
    char id[UUID_SIZE];
    struct buf why = BUF_INIT;
    struct call call;

    if (!server_engine(r->server))
        tool_error(r, "out of memory");
    else if (rerun && !uuid_parse(rerun, id))
        tool_error(r, "rerun_failed must be the id of an invocation");
    else if (!call_make(&call, r->server->config, &wish, &why))
        tool_error(r, why.data);
    else if (rerun)
        rerun_start(r, &call, args, params, id);
    else
        run_start(r, &call, args, params);
    buf_release(&why);
}
