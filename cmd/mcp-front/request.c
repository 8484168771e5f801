#include "cmd/mcp-front/request.h"
#include "cmd/mcp-front/rpc.h"
#include "cmd/mcp-front/server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const revision_names[REV_COUNT] = {
    [REV_2024_11_05] = "2024-11-05", [REV_2025_03_26] = "2025-03-26",
    [REV_2025_06_18] = "2025-06-18", [REV_2025_11_25] = "2025-11-25",
    [REV_2026_07_28] = "2026-07-28",
};

enum revision revision_parse(const char *name)
{
    enum revision r = 0;

    while (r < REV_COUNT && strcmp(name, revision_names[r]) != 0)
        r++;
    return r;
}

struct request *request_new(struct server *server, struct json_object *id)
{
    struct requests *all = &server->requests;
    struct request *r = all->count < REQUESTS_MAX ? calloc(1, sizeof(*r)) : NULL;

    if (!r)
        return NULL;
    r->server = server;
    r->id = json_object_get(id);
    r->progress = -1;
    r->next = all->first;
    r->link = &all->first;
    if (r->next)
        r->next->link = &r->next;
    all->first = r;
    all->count++;
    return r;
}

/* json_object_equal would take 1 and 1.0 for different, and "1" and 1 too: right for ids. */
struct request *request_find(struct server *server, struct json_object *id)
{
    struct request *r = server->requests.first;

    while (r && !json_object_equal(r->id, id))
        r = r->next;
    return r;
}

bool request_is_modern(const struct request *r)
{
    return r->revision == REV_2026_07_28;
}

static void answer(struct request *r, struct json_object *message)
{
    struct server *server = r->server;
    struct batch *batch = r->batch;

    *r->link = r->next;
    if (r->next)
        r->next->link = r->link;
    server->requests.count--;
    json_object_put(r->progress_token);
    json_object_put(r->id);
    free(r);
    if (batch) {
        batch_close_place(batch, server, message);
    } else if (message) {
        output_message(&server->output, message);
        json_object_put(message);
    }
    server_check_flow(server);
}

/* The stateless era wants every result to say what kind it is and who gave it. */
static void add_modern_members(struct json_object *result)
{
    struct json_object *meta = rpc_member(result, "_meta", json_type_object);

    if (!json_object_object_get_ex(result, "resultType", NULL))
        json_object_object_add(result, "resultType", json_object_new_string("complete"));
    if (!meta) {
        meta = json_object_new_object();
        json_object_object_add(result, "_meta", meta);
    }
    json_object_object_add(meta, "io.modelcontextprotocol/serverInfo", server_info(false));
}

void request_reply(struct request *r, struct json_object *result)
{
    if (request_is_modern(r))
        add_modern_members(result);
    answer(r, rpc_result(r->id, result));
}

void request_fail(struct request *r, int code, const char *message, struct json_object *data)
{
    answer(r, rpc_error(r->id, code, message, data));
}

void request_cancel(struct request *r)
{
    if (r->cancelled)
        r->cancelled(r, r->data);
    request_drop(r);
}

void request_drop(struct request *r)
{
    answer(r, NULL);
}

/* json-c would print 0.013 with all its binary digits. */
static struct json_object *number(double value)
{
    char text[32];

    snprintf(text, sizeof(text), "%.10g", value);
    return json_object_new_double_s(value, text);
}

void request_progress(struct request *r, double done, double total, const char *message)
{
    struct json_object *params, *notification;

    if (!r->progress_token)
        return;
    r->progress = done > r->progress ? done : r->progress + 0.001;
    params = json_object_new_object();
    json_object_object_add(params, "progressToken", json_object_get(r->progress_token));
    json_object_object_add(params, "progress", number(r->progress));
    if (total >= r->progress && total > 0)
        json_object_object_add(params, "total", number(total));
    if (message && r->revision >= REV_2025_03_26)
        json_object_object_add(params, "message", json_object_new_string(message));
    notification = rpc_notification("notifications/progress", params);
    output_message(&r->server->output, notification);
    json_object_put(notification);
}

struct batch *batch_new(void)
{
    struct batch *b = calloc(1, sizeof(*b));

    if (b) {
        b->answers = json_object_new_array();
        b->open = 1;
    }
    return b;
}

void batch_close_place(struct batch *b, struct server *server, struct json_object *message)
{
    if (message)
        json_object_array_add(b->answers, message);
    if (--b->open)
        return;
    if (json_object_array_length(b->answers))
        output_message(&server->output, b->answers);
    json_object_put(b->answers);
    free(b);
}
