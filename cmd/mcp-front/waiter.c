#include "cmd/mcp-front/waiter.h"
#include "cmd/mcp-front/encode.h"
#include "cmd/mcp-front/result.h"
#include "cmd/mcp-front/server.h"
#include "cmd/mcp-front/task.h"
#include "common/base/clock.h"

#include <stdlib.h>
#include <string.h>

#define PROGRESS_MIN_MS 1000 /* between two notifications that tell of numbers only */

struct waiter {
    struct waiter *next, **link; /* of the server */
    struct listener listener;
    struct request *request;
    struct invocation *inv;
    struct waiter_options options;
    uint64_t deadline; /* of clock_ms; 0: none */
    uint64_t told;     /* when the last progress was sent; 0: never */
    char phase[32];    /* of the last progress */
    enum step step;
};

static void free_waiter(struct waiter *w)
{
    *w->link = w->next;
    if (w->next)
        w->next->link = w->link;
    free(w);
}

static void answer(struct waiter *w, struct json_object *answer)
{
    struct server *server = w->request->server;
    enum config_encoding encoding = (enum config_encoding)server->config->result_encoding;
    struct request *request = w->request;
    struct json_object *result;

    store_count(w->inv->engine->store, w->inv->id, encode_size(answer, encoding), 0);
    result = encode_result(answer, encoding);
    if (w->options.for_task)
        task_mark_result(result, w->inv->id);
    free_waiter(w);
    request_reply(request, result);
}

static struct result_options options_of(const struct waiter *w)
{
    return (struct result_options){
        .encoding = (enum config_encoding)w->request->server->config->result_encoding,
        .joined = w->options.joined,
        .kept = true};
}

static void on_ended(struct invocation *inv, void *data)
{
    struct waiter *w = data;
    struct result_options options = options_of(w);

    answer(w, result_final(inv, &options));
}

static void send_progress(struct waiter *w)
{
    const struct chain_progress *p = &w->inv->chain.progress;
    bool numbers = w->inv->step == STEP_RUN && p->actions_done >= 0;
    struct buf text = BUF_INIT;

    invoke_describe(w->inv, &text);
    request_progress(w->request, numbers ? (double)p->actions_done : 0,
                     numbers ? (double)p->actions_total : 0, text.data);
    buf_release(&text);
    w->told = clock_ms();
    w->step = w->inv->step;
    memcpy(w->phase, p->phase, sizeof(w->phase));
}

/*
 * The first steps follow each other at once, unless they wait for something: the tick tells it then. The
 * last ones do, too, and the answer itself is the best news.
 */
static void on_news(struct invocation *inv, void *data)
{
    struct waiter *w = data;
    bool changed = inv->step != w->step || strcmp(w->phase, inv->chain.progress.phase);

    if (!w->request->progress_token || inv->step >= STEP_REDUCE)
        return;
    if (!w->told || (inv->step == STEP_RUN && (changed || clock_ms() - w->told >= PROGRESS_MIN_MS)))
        send_progress(w);
}

static void on_cancelled(struct request *request, void *data)
{
    struct waiter *w = data;
    struct invocation *inv = w->inv;
    bool for_task = w->options.for_task;

    (void)request;
    invoke_unlisten(inv, &w->listener);
    free_waiter(w);
    if (!for_task && !inv->detached && !inv->listeners)
        invoke_cancel(inv, "the client cancelled its request");
}

void waiter_add(struct request *request, struct invocation *inv,
                const struct waiter_options *options)
{
    struct server *server = request->server;
    struct waiter *w = calloc(1, sizeof(*w));

    if (!w) {
        request_fail(request, -32603, "out of memory", NULL);
        return;
    }
    *w = (struct waiter){.next = server->waiters,
                         .link = &server->waiters,
                         .listener = {.news = on_news, .ended = on_ended, .data = w},
                         .request = request,
                         .inv = inv,
                         .options = *options};
    if (options->patience_ms)
        w->deadline = clock_ms() + options->patience_ms;
    if (w->next)
        w->next->link = &w->next;
    server->waiters = w;
    request->cancelled = on_cancelled;
    request->data = w;
    invoke_listen(inv, &w->listener);
    on_news(inv, w);
}

void waiters_tick(void *data)
{
    struct server *server = data;
    uint64_t now = clock_ms(), interval = server->config->progress_interval_seconds * 1000;
    struct waiter *next;

    for (struct waiter *w = server->waiters; w; w = next) {
        struct result_options options = options_of(w);

        next = w->next;
        if (w->deadline && now >= w->deadline && w->inv->step < STEP_FINISH) {
            invoke_unlisten(w->inv, &w->listener);
            answer(w, result_running(w->inv, &options));
        } else if (w->request->progress_token && w->inv->step < STEP_REDUCE &&
                   (now - w->told >= interval || w->step != w->inv->step)) {
            send_progress(w);
        }
    }
}
