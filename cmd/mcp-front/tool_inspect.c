/* bazel.inspect: the views of the store (view.h), encoded. */
#include "cmd/mcp-front/encode.h"
#include "cmd/mcp-front/engine.h"
#include "cmd/mcp-front/live.h"
#include "cmd/mcp-front/rpc.h"
#include "cmd/mcp-front/server.h"
#include "cmd/mcp-front/tools.h"
#include "cmd/mcp-front/uuid.h"
#include "cmd/mcp-front/view.h"

#include <stdlib.h>
#include <string.h>

static const char *const states[] = {"queued",    "starting",  "running",     "succeeded", "failed",
                                     "cancelled", "timed_out", "interrupted", NULL};

const struct param inspect_params[] = {
    {"view", PARAM_STRING, true, NULL, 0, 0, view_names},
    {"invocation_id", PARAM_STRING, false, "for all views but invocations and history", 0, 0, NULL},
    {"workspace", PARAM_STRING, false, "invocations, history", 0, 0, NULL},
    {"state", PARAM_STRING, false, "invocations", 0, 0, states},
    {"command", PARAM_STRING, false, "invocations", 0, 0, NULL},
    {"filter", PARAM_STRING, false, "a substring or a label pattern, e.g. //pkg/...", 0, 0, NULL},
    {"status", PARAM_STRING, false,
     "tests, history: status; diagnostics: severity; compare: kind of change", 0, 0, NULL},
    {"against", PARAM_STRING, false,
     "compare: the other invocation; default: the previous alike one", 0, 0, NULL},
    {"label", PARAM_STRING, false, "history: which target or test; events: a label pattern", 0, 0,
     NULL},
    {"types", PARAM_STRING, false, "events: names with commas", 0, 0, NULL},
    {"cursor", PARAM_STRING, false, "next_cursor of the page before", 0, 0, NULL},
    {"limit", PARAM_INTEGER, false, "items, 20 by default", 1, VIEW_LIMIT_MAX, NULL},
    {"max_bytes", PARAM_INTEGER, false, NULL, VIEW_BYTES_MIN, VIEW_BYTES_MAX, NULL},
    {NULL, PARAM_END, false, NULL, 0, 0, NULL},
};

/* An answer that is being made. */
struct asked {
    struct request *request; /* NULL: cancelled meanwhile */
    struct store *store;
    enum config_encoding encoding;
    struct json_object *args; /* what `view` points into */
    struct view_request view;
    char id[UUID_SIZE]; /* empty: of no invocation */
    char *live;         /* a folder with the events so far; NULL: the invocation's own is right */
};

static size_t measure_text(struct json_object *answer)
{
    return encode_size(answer, ENCODING_TEXT);
}

static size_t measure_toon(struct json_object *answer)
{
    return encode_size(answer, ENCODING_TOON);
}

static size_t measure_both(struct json_object *answer)
{
    return encode_size(answer, ENCODING_BOTH);
}

static void on_answer(void *data, struct json_object *answer, const char *error)
{
    struct asked *a = data;
    struct request *r = a->request;

    if (r)
        r->cancelled = NULL;
    if (!r) {
        json_object_put(answer);
    } else if (!answer) {
        tool_error(r, error);
    } else {
        if (*a->id)
            store_count(a->store, a->id, encode_size(answer, a->encoding), 1);
        request_reply(r, encode_result(answer, a->encoding));
    }
    live_free(a->live);
    json_object_put(a->args);
    free(a);
}

static void on_cancelled(struct request *r, void *data)
{
    struct asked *a = data;

    (void)r;
    a->request = NULL;
}

static void on_live(void *data, char *folder)
{
    struct asked *a = data;

    a->live = folder;
    a->view.live_folder = folder;
    view_ask(a->store, &a->view, on_answer, a);
}

/* Takes a copy of `view`, whose strings are in `args` or in `id`. */
static void ask(struct request *r, const struct view_request *view, const char *id,
                struct json_object *args)
{
    static size_t (*const measures[])(struct json_object *) = {
        [ENCODING_TEXT] = measure_text,
        [ENCODING_TOON] = measure_toon,
        [ENCODING_STRUCTURED] = measure_text,
        [ENCODING_BOTH] = measure_both,
    };
    struct engine *engine = server_engine(r->server);
    struct asked *a = calloc(1, sizeof(*a));
    struct invocation *inv;

    if (!a) {
        tool_error(r, "out of memory");
        return;
    }
    a->request = r;
    a->store = engine->store;
    a->encoding = (enum config_encoding)r->server->config->result_encoding;
    a->args = json_object_get(args);
    a->view = *view;
    a->view.measure = measures[a->encoding];
    if (id) {
        memcpy(a->id, id, sizeof(a->id));
        a->view.invocation_id = a->id;
    }
    r->cancelled = on_cancelled;
    r->data = a;
    inv = id ? invoke_find(engine, id) : NULL;
    if (inv && live_possible(inv))
        live_reduce(inv, on_live, a);
    else
        on_live(a, NULL);
}

void inspect_handle(struct request *r, struct json_object *args, struct json_object *params)
{
    const char *name = rpc_string(args, "view"), *given = rpc_string(args, "invocation_id");
    struct view_request view = {
        .workspace = rpc_string(args, "workspace"),
        .state = rpc_string(args, "state"),
        .command = rpc_string(args, "command"),
        .filter = rpc_string(args, "filter"),
        .status = rpc_string(args, "status"),
        .against = rpc_string(args, "against"),
        .label = rpc_string(args, "label"),
        .types = rpc_string(args, "types"),
        .cursor = rpc_string(args, "cursor"),
        .limit = (unsigned)rpc_int(args, "limit", 0),
        .max_bytes = (unsigned)rpc_int(args, "max_bytes", 0),
    };
    char id[UUID_SIZE];

    (void)params;
    if (!server_engine(r->server))
        tool_error(r, "out of memory");
    else if (!view_parse(name, &view.view))
        tool_error(r, "unknown view; the schema lists them");
    else if (given && !uuid_parse(given, id))
        tool_error(r, "invocation_id must be a UUID");
    else {
        ask(r, &view, given ? id : NULL, args);
    }
}
