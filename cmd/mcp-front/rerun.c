#include "cmd/mcp-front/rerun.h"
#include "cmd/mcp-front/rerun_plan.h"
#include "cmd/mcp-front/server.h"
#include "cmd/mcp-front/tools.h"
#include "common/io/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_QUERY_BYTES (1UL * 1024 * 1024)

/* Bazel's exit status of a query of which a part failed. */
#define BAZEL_PARTIAL 3

/* A run that waits for its record of an earlier one, then for a query. */
struct rerun {
    struct request *request; /* NULL: it was cancelled */
    struct server *server;
    struct call call;
    struct json_object *args, *params;
    struct rerun_plan plan;
    struct argv gone;
    struct listener listener;
    struct invocation *query; /* NULL: none runs */
};

static void free_rerun(struct rerun *rerun)
{
    call_release(&rerun->call);
    json_object_put(rerun->args);
    json_object_put(rerun->params);
    rerun_plan_release(&rerun->plan);
    argv_release(&rerun->gone);
    free(rerun);
}

/* Ends with the request's answer, or hands it to the run. */
static void finish(struct rerun *rerun)
{
    struct request *r = rerun->request;

    if (r) {
        r->cancelled = NULL;
        if (rerun->server->stopping)
            tool_error(r, "the server ends");
        else if (!rerun->plan.labels.count)
            tool_error(r, "nothing to repeat: what failed no longer exists");
        else if (!rerun_plan_apply(&rerun->plan, &rerun->gone, &rerun->call))
            tool_error(r, "out of memory");
        else
            run_start(r, &rerun->call, rerun->args, rerun->params);
    }
    free_rerun(rerun);
}

/* A query that failed in another way says nothing; then all of them are tried. */
static void on_queried(struct invocation *inv, void *data)
{
    struct rerun *rerun = data;
    struct buf labels = BUF_INIT;
    char *path = NULL;

    rerun->query = NULL;
    if (rerun->request && invoke_exit_code(inv) == BAZEL_PARTIAL &&
        asprintf(&path, "%s/" STORE_STDOUT, inv->folder) >= 0 &&
        !file_read(path, MAX_QUERY_BYTES, &labels))
        rerun_plan_keep(&rerun->plan, labels.data, &rerun->gone);
    free(path);
    buf_release(&labels);
    finish(rerun);
}

static void ask_what_exists(struct rerun *rerun)
{
    struct engine *engine = rerun->server->engine;
    struct buf why = BUF_INIT;
    struct call query;

    if (rerun_plan_query(&rerun->plan, rerun->server->config, &rerun->call, &query))
        rerun->query = invoke_start(engine, &query, &why);
    call_release(&query);
    buf_release(&why);
    if (!rerun->query) {
        finish(rerun);
        return;
    }
    rerun->listener = (struct listener){.ended = on_queried, .data = rerun};
    invoke_listen(rerun->query, &rerun->listener);
}

static void on_record(void *data, enum store_status status, const struct store_record *record,
                      const char *words)
{
    struct rerun *rerun = data;
    struct request *r = rerun->request;
    const char *why = NULL;

    if (status == STORE_NOT_FOUND)
        why = "rerun_failed: no such invocation";
    else if (status != STORE_OK)
        why = words ? words : "the store cannot be read";
    else if (strcmp(rerun->call.workspace, record->workspace) != 0)
        why = "rerun_failed names an invocation of another workspace";
    else if (!rerun_plan_read(&rerun->plan, record))
        why = "nothing to repeat: no target or test failed in that invocation";
    else if (!rerun->call.args.count && rerun_plan_is_redacted(&rerun->plan))
        why = "a flag of that invocation had a secret, which is not kept: give args again";
    if (r && !why) {
        ask_what_exists(rerun);
        return;
    }
    if (r) {
        r->cancelled = NULL;
        tool_error(r, why);
    }
    free_rerun(rerun);
}

static void on_cancelled(struct request *r, void *data)
{
    struct rerun *rerun = data;

    (void)r;
    rerun->request = NULL;
    if (rerun->query)
        invoke_cancel(rerun->query, "the client cancelled its request");
}

void rerun_start(struct request *r, struct call *call, struct json_object *args,
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
    *call = (struct call){0};
    r->cancelled = on_cancelled;
    r->data = rerun;
    store_find(server_engine(r->server)->store, id, on_record, rerun);
}
