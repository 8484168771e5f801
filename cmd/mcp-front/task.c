#include "cmd/mcp-front/task.h"
#include "cmd/mcp-front/encode.h"
#include "cmd/mcp-front/result.h"
#include "cmd/mcp-front/rpc.h"
#include "cmd/mcp-front/server.h"
#include "cmd/mcp-front/task_parts.h"
#include "common/base/clock.h"
#include "common/json/print.h"

#include <stdlib.h>
#include <string.h>

/*
 * One whose invocation runs here, or whose end the store does not have yet: what is kept here is newer than
 * what the store says.
 */
struct live_task {
    struct listener listener;
    struct server *server;
    struct store_task kept;
    char *message, *result; /* of `kept`, once it has ended */
    bool cancelled;         /* by tasks/cancel: ends as `cancelled` whatever Bazel still does */
    struct live_task *next, **link;
};

static bool wants_legacy(const struct request *r, struct json_object *params)
{
    return r->revision == REV_2025_11_25 && rpc_member(params, "task", json_type_object);
}

static void refuse_without_capability(struct request *r)
{
    struct json_object *data = json_object_new_object(), *required = json_object_new_object(),
                       *extensions = json_object_new_object();

    json_object_object_add(extensions, META_PREFIX "tasks", json_object_new_object());
    json_object_object_add(required, "extensions", extensions);
    json_object_object_add(data, "requiredCapabilities", required);
    request_fail(r, RPC_MISSING_CAPABILITY, "Missing required client capability", data);
}

bool task_wanted(struct request *r, struct json_object *params, enum task_dialect *dialect,
                 int64_t *ttl_ms)
{
    const struct config *config = r->server->config;
    int64_t most = (int64_t)config->task_ttl_seconds * 1000;

    *ttl_ms = most;
    *dialect = TASK_NONE;
    if (config->mcp_execution_policy == EXECUTION_SYNC_ONLY)
        return true;
    if (wants_legacy(r, params)) {
        int64_t wanted = rpc_int(rpc_member(params, "task", json_type_object), "ttl", most);

        *ttl_ms = wanted < 1 ? 1 : wanted < most ? wanted : most;
        *dialect = TASK_LEGACY;
    } else if (request_is_modern(r) && r->takes_tasks) {
        *dialect = TASK_EXTENSION;
    } else if (config->mcp_execution_policy == EXECUTION_TASKS_REQUIRED) {
        if (request_is_modern(r))
            refuse_without_capability(r);
        else
            request_fail(r, RPC_METHOD_NOT_FOUND, "bazel.run is to be called as a task", NULL);
        return false;
    }
    return true;
}

void task_mark_result(struct json_object *result, const char *id)
{
    struct json_object *meta = json_object_new_object(), *related = json_object_new_object();

    put_string(related, "taskId", id);
    json_object_object_add(meta, META_PREFIX "related-task", related);
    json_object_object_add(result, "_meta", meta);
}

/* ---- the life of a task */

static void on_saved(void *data, enum store_status status, const char *words)
{
    (void)data;
    (void)status;
    (void)words;
}

static void free_live(struct live_task *t)
{
    *t->link = t->next;
    if (t->next)
        t->next->link = t->link;
    free(t->message);
    free(t->result);
    free(t);
}

static void on_end_saved(void *data, enum store_status status, const char *words)
{
    (void)status;
    (void)words;
    free_live(data);
}

static char *print_result(const struct invocation *inv, const struct config *config)
{
    struct result_options options = {.encoding = (enum config_encoding)config->result_encoding,
                                     .kept = true};
    struct json_object *result = encode_result(result_final(inv, &options), options.encoding);
    struct buf text = BUF_INIT;

    json_print(&text, result);
    json_object_put(result);
    return buf_detach(&text, NULL);
}

static void on_ended(struct invocation *inv, void *data)
{
    struct live_task *t = data;
    const char *headline = inv->headline ? inv->headline : rpc_string(inv->summary, "headline");
    bool cancelled = t->cancelled || (inv->state == STATE_CANCELLED &&
                                      !strcmp(t->kept.dialect, TASK_DIALECT_EXTENSION));

    t->kept.status = cancelled ? "cancelled" : "completed";
    t->kept.updated_ms = clock_wall_ms();
    t->kept.expires_ms = t->kept.updated_ms + t->kept.ttl_ms;
    t->message = headline ? strdup(headline) : NULL;
    t->result = print_result(inv, t->server->config);
    t->kept.message = t->message;
    t->kept.result = t->result;
    store_task_save(inv->engine->store, &t->kept, on_end_saved, t);
}

static struct live_task *find_live(struct server *server, const char *id)
{
    struct live_task *t = server->tasks;

    while (t && strcmp(t->kept.id, id) != 0)
        t = t->next;
    return t;
}

/* A handle waits for the store; its request may be cancelled meanwhile, the task is not. */
struct creation {
    struct request *request;
    struct server *server;
    struct store_task task;
};

static void on_creation_cancelled(struct request *r, void *data)
{
    struct creation *c = data;

    (void)r;
    c->request = NULL;
}

static void on_created(void *data, enum store_status status, const char *words)
{
    struct creation *c = data;
    struct request *r = c->request;
    bool legacy = !strcmp(c->task.dialect, TASK_DIALECT_LEGACY);

    (void)words;
    if (r) {
        r->cancelled = NULL;
        if (status == STORE_FAILED)
            tool_error(r, "the task cannot be kept");
        else
            request_reply(r, legacy ? task_created_legacy(r->server, &c->task)
                                    : task_created_extension(r->server, &c->task));
    }
    free(c);
}

void task_create(struct request *r, struct invocation *inv, enum task_dialect dialect,
                 int64_t ttl_ms)
{
    struct server *server = r->server;
    struct live_task *t = calloc(1, sizeof(*t));
    struct creation *c = calloc(1, sizeof(*c));

    if (!t || !c) {
        free(t);
        free(c);
        tool_error(r, "out of memory");
        return;
    }
    memcpy(t->kept.id, inv->id, sizeof(t->kept.id));
    t->kept.dialect = dialect == TASK_LEGACY ? TASK_DIALECT_LEGACY : TASK_DIALECT_EXTENSION;
    t->kept.status = "working";
    t->kept.created_ms = t->kept.updated_ms = clock_wall_ms();
    t->kept.ttl_ms = ttl_ms;
    t->server = server;
    t->listener = (struct listener){.ended = on_ended, .data = t};
    t->next = server->tasks;
    t->link = &server->tasks;
    if (t->next)
        t->next->link = &t->next;
    server->tasks = t;
    invoke_listen(inv, &t->listener);
    *c = (struct creation){r, server, t->kept};
    r->cancelled = on_creation_cancelled;
    r->data = c;
    store_task_save(inv->engine->store, &t->kept, on_created, c);
}

/* ---- questions about tasks */

struct question {
    struct request *request;
    void (*answer)(struct request *, const struct store_task *);
};

static void on_question_cancelled(struct request *r, void *data)
{
    struct question *q = data;

    (void)r;
    q->request = NULL;
}

/* A task of the other dialect is none. */
static void answer_from(struct request *r, const struct store_task *task,
                        void (*answer)(struct request *, const struct store_task *))
{
    const char *dialect = request_is_modern(r) ? TASK_DIALECT_EXTENSION : TASK_DIALECT_LEGACY;

    if (task && !strcmp(task->dialect, dialect))
        answer(r, task);
    else
        request_fail(r, RPC_INVALID_PARAMS, "unknown or expired task", NULL);
}

/* Frees the question. NULL: its request was cancelled, or has been told why there is no answer. */
static struct request *end_question(struct question *q, enum store_status status, const char *words)
{
    struct request *r = q->request;

    free(q);
    if (!r)
        return NULL;
    r->cancelled = NULL;
    if (status != STORE_FAILED)
        return r;
    request_fail(r, RPC_INTERNAL_ERROR, words ? words : "the store cannot be read", NULL);
    return NULL;
}

static void on_task_found(void *data, enum store_status status, const struct store_task *tasks,
                          size_t count, const char *words)
{
    struct question *q = data;
    void (*answer)(struct request *, const struct store_task *) = q->answer;
    struct request *r = end_question(q, status, words);

    if (r)
        answer_from(r, status == STORE_OK && count ? tasks : NULL, answer);
}

/* Whether the request may ask about tasks at all; otherwise it has been answered. */
static bool may_ask(struct request *r)
{
    if (request_is_modern(r) && !r->takes_tasks) {
        refuse_without_capability(r);
        return false;
    }
    return true;
}

/* Looks the task up that `params` name, and lets `answer` end the request. */
static void ask(struct request *r, struct json_object *params,
                void (*answer)(struct request *, const struct store_task *))
{
    const char *given = rpc_string(params, "taskId");
    struct live_task *live;
    struct engine *engine;
    struct question *q;
    char id[UUID_SIZE];

    if (!may_ask(r))
        return;
    if (!given) {
        request_fail(r, RPC_INVALID_PARAMS, "taskId must be a string", NULL);
        return;
    }
    if (!uuid_parse(given, id)) {
        request_fail(r, RPC_INVALID_PARAMS, "unknown or expired task", NULL);
        return;
    }
    live = find_live(r->server, id);
    if (live) {
        answer_from(r, &live->kept, answer);
        return;
    }
    engine = server_engine(r->server);
    q = engine ? calloc(1, sizeof(*q)) : NULL;
    if (!q) {
        request_fail(r, RPC_INTERNAL_ERROR, "out of memory", NULL);
        return;
    }
    *q = (struct question){r, answer};
    r->cancelled = on_question_cancelled;
    r->data = q;
    store_task_find(engine->store, id, on_task_found, q);
}

/* What runs here is known better than the store knows it. */
static void give_task(struct request *r, const struct store_task *kept)
{
    struct live_task *live = find_live(r->server, kept->id);
    struct invocation *inv = live ? invoke_find(r->server->engine, kept->id) : NULL;
    struct store_task task = *kept;
    struct buf doing = BUF_INIT;

    if (inv) {
        invoke_describe(inv, &doing);
        task.message = doing.data;
        if (live->cancelled)
            task.status = "cancelled";
    }
    request_reply(r, request_is_modern(r) ? task_state_extension(r->server, &task)
                                          : task_state_legacy(r->server, &task));
    buf_release(&doing);
}

void task_get(struct request *r, struct json_object *params)
{
    ask(r, params, give_task);
}

static void give_result(struct request *r, const struct store_task *kept)
{
    struct invocation *inv = r->server->engine ? invoke_find(r->server->engine, kept->id) : NULL;
    const struct waiter_options options = {.for_task = true};
    struct json_object *result = task_parse_result(kept);

    if (inv && !result) {
        waiter_add(r, inv, &options);
    } else if (result) {
        task_mark_result(result, kept->id);
        request_reply(r, result);
    } else {
        request_fail(r, RPC_INVALID_PARAMS,
                     "the task's server is gone or elsewhere; no result is kept", NULL);
    }
}

void task_result(struct request *r, struct json_object *params)
{
    ask(r, params, give_result);
}

static void do_cancel(struct request *r, const struct store_task *kept)
{
    struct live_task *live = find_live(r->server, kept->id);
    struct invocation *inv = invoke_find(r->server->engine, kept->id);
    struct store_task task = *kept;

    if (!request_is_modern(r) &&
        (strcmp(kept->status, "working") != 0 || (live && live->cancelled))) {
        request_fail(r, RPC_INVALID_PARAMS, "the task has ended already", NULL);
        return;
    }
    if (live && inv) {
        live->cancelled = true;
        live->kept.status = task.status = "cancelled";
        live->kept.updated_ms = task.updated_ms = clock_wall_ms();
        store_task_save(r->server->engine->store, &live->kept, on_saved, NULL);
        invoke_cancel(inv, "the task was cancelled");
    } else if (!strcmp(kept->status, "working")) {
        task.status = "cancelled";
        store_ask_cancel(r->server->engine->store, kept->id, "the task was cancelled", on_saved,
                         NULL);
    }
    request_reply(r, request_is_modern(r) ? json_object_new_object()
                                          : task_state_legacy(r->server, &task));
}

void task_cancel(struct request *r, struct json_object *params)
{
    ask(r, params, do_cancel);
}

static void acknowledge(struct request *r, const struct store_task *kept)
{
    (void)kept;
    request_reply(r, json_object_new_object());
}

/* None of our tasks ever asks for input: known ids are acknowledged, as the extension wants. */
void task_update(struct request *r, struct json_object *params)
{
    ask(r, params, acknowledge);
}

static void on_listed(void *data, enum store_status status, const struct store_task *tasks,
                      size_t count, const char *words)
{
    struct request *r = end_question(data, status, words);

    if (r)
        request_reply(r, task_page(r->server, tasks, count));
}

void task_list(struct request *r, struct json_object *params)
{
    struct json_object *cursor = NULL;
    struct engine *engine = server_engine(r->server);
    struct question *q = engine ? calloc(1, sizeof(*q)) : NULL;
    char id[UUID_SIZE];
    int64_t before = 0;

    if (params)
        json_object_object_get_ex(params, "cursor", &cursor);
    if (!q) {
        request_fail(r, RPC_INTERNAL_ERROR, "out of memory", NULL);
    } else if (cursor && !task_read_cursor(cursor, &before, id)) {
        free(q);
        request_fail(r, RPC_INVALID_PARAMS, "unknown cursor", NULL);
    } else {
        q->request = r;
        r->cancelled = on_question_cancelled;
        r->data = q;
        store_task_list(engine->store, TASK_DIALECT_LEGACY, before, cursor ? id : NULL,
                        TASK_PAGE + 1, on_listed, q);
    }
}
