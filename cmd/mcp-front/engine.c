#include "cmd/mcp-front/engine.h"
#include "cmd/mcp-front/env.h"
#include "cmd/mcp-front/invoke.h"
#include "cmd/mcp-front/known.h"
#include "cmd/mcp-front/reaper.h"
#include "common/base/err.h"
#include "common/io/file.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void on_child(uv_signal_t *handle, int signum)
{
    struct engine *e = handle->data;

    (void)signum;
    probes_reap(e->probes);
    invoke_reap_all(e);
    reaper_poll();
}

static void on_tick(uv_timer_t *timer)
{
    struct engine *e = timer->data;

    probes_tick(e->probes);
    invoke_tick_all(e);
    if (e->ticked)
        e->ticked(e->ticked_data);
}

/* The folder of the running executable, not of argv[0], which may be a link elsewhere. */
static char *find_tools(void)
{
    char *path = file_canonical("/", "/proc/self/exe");
    char *slash = path ? strrchr(path, '/') : NULL;

    if (slash)
        *slash = '\0';
    return path;
}

static bool add_patterns(struct redact *redact, const struct config *config)
{
    struct buf why = BUF_INIT;
    bool good = redact;

    for (size_t i = 0; good && i < config->redaction_patterns.count; i++)
        good = redact_add(redact, config->redaction_patterns.items[i], &why);
    buf_release(&why);
    return good;
}

struct engine *engine_new(uv_loop_t *loop, const struct config *config)
{
    struct engine *e = calloc(1, sizeof(*e));

    if (!e)
        return NULL;
    e->loop = loop;
    e->config = config;
    e->env = env_select(config, environ);
    e->tools = find_tools();
    e->redact = redact_new();
    e->words = (struct buf)BUF_INIT;
    e->store = store_new(loop, config);
    e->outlocks = outlocks_new(loop);
    e->probes = probes_new(loop, config, e->env);
    if (!e->env || !e->tools || !e->store || !e->outlocks || !e->probes ||
        !add_patterns(e->redact, config))
        err_die_memory();
    known_env(e->redact, (const char *const *)e->env, &e->words);
    sched_init(&e->sched, config->global_concurrency);
    uv_signal_init(loop, &e->child);
    uv_timer_init(loop, &e->tick);
    e->child.data = e->tick.data = e;
    uv_signal_start(&e->child, on_child, SIGCHLD);
    uv_unref((uv_handle_t *)&e->child);
    return e;
}

static void on_let_go(void *data)
{
    struct engine *e = data;

    if (--e->open_handles)
        return;
    probes_free(e->probes);
    redact_free(e->redact);
    buf_release(&e->words);
    free(e->env);
    free(e->tools);
    e->stopped(e->stopped_data);
    free(e);
}

static void on_handle_closed(uv_handle_t *handle)
{
    on_let_go(handle->data);
}

static void let_go(struct engine *e)
{
    e->open_handles = 4;
    store_close(e->store, on_let_go, e);
    outlocks_close(e->outlocks, on_let_go, e);
    uv_close((uv_handle_t *)&e->child, on_handle_closed);
    uv_close((uv_handle_t *)&e->tick, on_handle_closed);
}

void engine_stop(struct engine *e, void (*stopped)(void *data), void *data)
{
    e->stopping = true;
    e->stopped = stopped;
    e->stopped_data = data;
    e->ticked = NULL;
    if (!e->running)
        let_go(e);
    else
        invoke_cancel_all(e, "the server ends");
}

void engine_began(struct engine *e)
{
    if (!e->running++)
        uv_timer_start(&e->tick, on_tick, ENGINE_TICK_MS, ENGINE_TICK_MS);
}

static void on_retained(void *data, enum store_status status, const char *words)
{
    (void)data;
    if (status == STORE_FAILED && words)
        err_note("%s", words);
}

void engine_ended(struct engine *e)
{
    if (--e->running)
        return;
    uv_timer_stop(&e->tick);
    if (e->stopping) {
        let_go(e);
    } else if (!e->retained) {
        e->retained = true;
        store_retain(e->store, on_retained, NULL);
    }
}
