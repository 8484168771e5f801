#include "cmd/mcp-front/server.h"
#include "cmd/mcp-front/engine.h"
#include "cmd/mcp-front/rpc.h"
#include "cmd/mcp-front/waiter.h"
#include "common/base/err.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

struct json_object *server_info(bool with_title)
{
    struct json_object *info = json_object_new_object();

    put_string(info, "name", "mcp-front");
    if (with_title)
        put_string(info, "title", "Bazel");
    put_string(info, "version", PROJECT_VERSION);
    return info;
}

void server_say(struct server *server, struct batch *batch, struct json_object *message)
{
    if (batch) {
        json_object_array_add(batch->answers, message);
        return;
    }
    output_message(&server->output, message);
    json_object_put(message);
    server_check_flow(server);
}

void server_check_flow(struct server *server)
{
    input_pause(&server->input, output_waiting(&server->output) > OUTPUT_HIGH_WATER);
}

struct engine *server_engine(struct server *server)
{
    if (!server->engine)
        server->engine = engine_new(&server->loop, server->config);
    if (server->engine) {
        server->engine->ticked = waiters_tick;
        server->engine->ticked_data = server;
    }
    return server->engine;
}

/* Nothing may stay open that keeps the loop alive. */
static void let_go(void *data)
{
    struct server *server = data;

    server->engine = NULL;
    output_flush(&server->output, SERVER_FLUSH_MS);
    output_close(&server->output);
    for (size_t i = 0; i < sizeof(server->signals) / sizeof(server->signals[0]); i++)
        uv_close((uv_handle_t *)&server->signals[i], NULL);
    if (server->parent.pid)
        uv_close((uv_handle_t *)&server->parent_poll, NULL);
}

void server_stop(struct server *server)
{
    if (server->stopping)
        return;
    server->stopping = true;
    input_close(&server->input);
    if (server->engine)
        engine_stop(server->engine, let_go, server);
    else
        let_go(server);
}

static void on_line(void *data, const char *text, size_t len)
{
    session_line(data, text, len);
}

static void on_too_long(void *data)
{
    session_line_too_long(data);
}

static void on_end(void *data)
{
    server_stop(data);
}

static void on_output_changed(void *data)
{
    struct server *server = data;

    if (server->output.broken)
        server_stop(server);
    else
        server_check_flow(server);
}

static void on_signal(uv_signal_t *handle, int signum)
{
    (void)signum;
    server_stop(handle->data);
}

static void watch_signals(struct server *server)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};

    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        uv_signal_init(&server->loop, &server->signals[i]);
        server->signals[i].data = server;
        uv_signal_start(&server->signals[i], on_signal, numbers[i]);
    }
}

static void on_parent_gone(uv_poll_t *poll, int status, int events)
{
    (void)status;
    (void)events;
    server_stop(poll->data);
}

/*
 * A child of the client that has inherited its end of our stdin keeps the input open when the client is long
 * gone. Where the parent is init, or in another name space (0), there is nobody to follow.
 */
static void watch_parent(struct server *server)
{
    pid_t parent = getppid();

    if (parent <= 1)
        return;
    client_open(&server->parent, parent);
    if (client_fd(&server->parent) < 0 ||
        uv_poll_init(&server->loop, &server->parent_poll, client_fd(&server->parent))) {
        client_release(&server->parent);
        server->parent = (struct client)CLIENT_INIT;
        return;
    }
    server->parent_poll.data = server;
    uv_poll_start(&server->parent_poll, UV_READABLE, on_parent_gone);
}

int server_run(const struct config *config, int out)
{
    struct server server = {.config = config, .parent = CLIENT_INIT};
    const struct input_handler handler = {on_line, on_too_long, on_end, &server};

    if (uv_loop_init(&server.loop)) {
        err_say("cannot start the loop");
        return EX_OSERR;
    }
    session_init(&server.session);
    watch_signals(&server);
    watch_parent(&server);
    if (output_open(&server.output, &server.loop, out, on_output_changed, &server)) {
        err_say_errno("stdout");
        return EX_IOERR;
    }
    if (input_open(&server.input, &server.loop, 0, &handler)) {
        err_say_errno("stdin");
        return EX_NOINPUT;
    }
    uv_run(&server.loop, UV_RUN_DEFAULT);
    while (server.requests.first)
        request_drop(server.requests.first);
    uv_loop_close(&server.loop);
    client_release(&server.parent);
    return EX_OK;
}
