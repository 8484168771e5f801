/* bazel.cancel */
#include "cmd/mcp-front/encode.h"
#include "cmd/mcp-front/rpc.h"
#include "cmd/mcp-front/server.h"
#include "cmd/mcp-front/session.h"
#include "cmd/mcp-front/engine.h"
#include "cmd/mcp-front/invoke.h"
#include "cmd/mcp-front/tools.h"

#include <stdlib.h>
#include <string.h>

const struct param cancel_params[] = {
    {"invocation_id", PARAM_STRING, true, NULL, 0, 0, NULL},
    {"reason", PARAM_STRING, false, "kept in the record", 0, 0, NULL},
    {NULL, PARAM_END, false, NULL, 0, 0, NULL},
};

/* One that another server may run: the store is asked, then told. */
struct wish {
    struct request *request; /* NULL: cancelled meanwhile */
    struct store *store;
    char id[UUID_SIZE];
    char *reason;
    enum store_state before;
};

static void reply(struct request *r, const char *id, enum store_state before, enum store_state now,
                  bool requested)
{
    struct json_object *answer = json_object_new_object();

    put_string(answer, "invocation_id", id);
    put_string(answer, "prior_state", store_state_name(before));
    put_string(answer, "current_state", store_state_name(now));
    put_bool(answer, "cancellation_requested", requested);
    request_reply(r,
                  encode_result(answer, (enum config_encoding)r->server->config->result_encoding));
}

static void free_wish(struct wish *w)
{
    if (w->request)
        w->request->cancelled = NULL;
    free(w->reason);
    free(w);
}

static void on_asked(void *data, enum store_status status, const char *words)
{
    struct wish *w = data;
    struct request *r = w->request;
    char id[UUID_SIZE];
    enum store_state before = w->before;

    memcpy(id, w->id, sizeof(id));
    free_wish(w);
    if (!r)
        return;
    if (status == STORE_FAILED || status == STORE_NOT_FOUND)
        tool_error(r, words ? words : "the invocation's folder is gone");
    else
        reply(r, id, before, before, status == STORE_OK);
}

static void on_found(void *data, enum store_status status, const struct store_record *record,
                     const char *words)
{
    struct wish *w = data;
    struct request *r = w->request;

    if (r && status == STORE_OK && !store_state_final(record->state)) {
        w->before = record->state;
        store_ask_cancel(w->store, w->id, w->reason, on_asked, w);
        return;
    }
    if (r)
        r->cancelled = NULL;
    if (r && status == STORE_OK)
        reply(r, record->id, record->state, record->state, false);
    else if (r)
        tool_error(r, status == STORE_NOT_FOUND ? "no such invocation"
                      : words                   ? words
                                                : "the store cannot be read");
    w->request = NULL;
    free_wish(w);
}

static void on_cancelled(struct request *r, void *data)
{
    struct wish *w = data;

    (void)r;
    w->request = NULL;
}

static void ask_store(struct request *r, const char *id, const char *reason)
{
    struct wish *w = calloc(1, sizeof(*w));

    if (!w) {
        tool_error(r, "out of memory");
        return;
    }
    w->request = r;
    w->store = server_engine(r->server)->store;
    w->reason = reason ? strdup(reason) : NULL;
    memcpy(w->id, id, sizeof(w->id));
    r->cancelled = on_cancelled;
    r->data = w;
    store_find(w->store, id, on_found, w);
}

void cancel_handle(struct request *r, struct json_object *args, struct json_object *params)
{
    const char *reason = rpc_string(args, "reason");
    struct engine *engine = server_engine(r->server);
    enum store_state before;
    struct invocation *inv;
    char id[UUID_SIZE];

    (void)params;
    if (!engine) {
        tool_error(r, "out of memory");
        return;
    }
    if (!uuid_parse(rpc_string(args, "invocation_id"), id)) {
        tool_error(r, "invocation_id must be a UUID");
        return;
    }
    inv = invoke_find(engine, id);
    if (!inv) {
        ask_store(r, id, reason);
        return;
    }
    before = invoke_state(inv);
    invoke_cancel(inv, reason);
    reply(r, id, before,
          before == STATE_QUEUED && inv->cause == CAUSE_CANCELLED ? STATE_CANCELLED
                                                                  : invoke_state(inv),
          inv->cause == CAUSE_CANCELLED);
}
