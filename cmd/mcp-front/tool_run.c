/* bazel.run */
#include "cmd/mcp-front/call.h"
#include "cmd/mcp-front/rpc.h"
#include "cmd/mcp-front/server.h"
#include "cmd/mcp-front/task.h"
#include "cmd/mcp-front/tools.h"
#include "cmd/mcp-front/waiter.h"

#include <stdlib.h>

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

/* A run that waits for its record of an earlier one. */
struct rerun {
    struct request *request; /* NULL: it was cancelled */
    struct server *server;
    struct call call;
    struct json_object *args, *params;
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

static void on_record(void *data, enum store_status status, const struct store_record *record,
                      const char *words)
{
    struct rerun *rerun = data;
    struct request *r = rerun->request;
    struct buf why = BUF_INIT;
    enum task_dialect dialect;
    int64_t ttl;

    if (r) {
        r->cancelled = NULL;
        if (status == STORE_NOT_FOUND)
            tool_error(r, "rerun_failed: no such invocation");
        else if (status != STORE_OK)
            tool_error(r, words ? words : "the store cannot be read");
        else if (!call_for_failed(&rerun->call, record, &why))
            tool_error(r, why.data);
        else if (task_wanted(r, rerun->params, &dialect, &ttl))
            go(r, &rerun->call, rerun->args, dialect, ttl);
    }
    buf_release(&why);
    call_release(&rerun->call);
    json_object_put(rerun->args);
    json_object_put(rerun->params);
    free(rerun);
}

static void on_rerun_cancelled(struct request *r, void *data)
{
    struct rerun *rerun = data;

    (void)r;
    rerun->request = NULL;
}

static void look_up(struct request *r, struct call *call, struct json_object *args,
                    struct json_object *params, const char *id)
{
    struct rerun *rerun = calloc(1, sizeof(*rerun));

    if (!rerun) {
        call_release(call);
        tool_error(r, "out of memory");
        return;
    }
    *rerun = (struct rerun){.request = r,
                            .server = r->server,
                            .call = *call,
                            .args = json_object_get(args),
                            .params = json_object_get(params)};
    r->cancelled = on_rerun_cancelled;
    r->data = rerun;
    store_find(server_engine(r->server)->store, id, on_record, rerun);
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
    enum task_dialect dialect;
    char id[UUID_SIZE];
    struct buf why = BUF_INIT;
    struct call call;
    int64_t ttl;

    if (!task_wanted(r, params, &dialect, &ttl))
        return;
    if (!server_engine(r->server))
        tool_error(r, "out of memory");
    else if (rerun && !uuid_parse(rerun, id))
        tool_error(r, "rerun_failed must be the id of an invocation");
    else if (!call_make(&call, r->server->config, &wish, &why))
        tool_error(r, why.data);
    else if (rerun)
        look_up(r, &call, args, params, id);
    else
        go(r, &call, args, dialect, ttl);
    buf_release(&why);
}
