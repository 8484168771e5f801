#include "cmd/mcp-front/agent.h"
#include "cmd/mcp-front/agent_args.h"
#include "cmd/mcp-front/call.h"
#include "cmd/mcp-front/encode.h"
#include "cmd/mcp-front/policy.h"
#include "cmd/mcp-front/result.h"
#include "common/base/err.h"
#include "common/io/fd.h"
#include "common/io/file.h"
#include "common/json/print.h"
#include "common/json/toon.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct agent {
    uv_loop_t loop;
    struct engine *engine;
    struct invocation *inv;
    struct listener listener;
    uv_signal_t signals[3];
    enum config_encoding encoding;
    int status;
};

bool agent_wanted(int argc, char **argv)
{
    const char *mode = getenv("BAZEL_MCP_MODE"), *name = argc ? strrchr(argv[0], '/') : NULL;

    name = name ? name + 1 : argc ? argv[0] : "";
    return !strcmp(name, "bazel") || (mode && !strcmp(mode, "agent")) ||
           (argc > 1 && !strcmp(argv[1], AGENT_COMMAND));
}

/* ---- plain Bazel */

static char *find_workspace(void)
{
    static const char *const markers[] = {"MODULE.bazel", "WORKSPACE.bazel", "WORKSPACE"};
    char *dir = getcwd(NULL, 0), *path = NULL, *slash;
    struct stat st;

    while (dir && *dir) {
        for (size_t i = 0; i < sizeof(markers) / sizeof(markers[0]); i++) {
            bool found = asprintf(&path, "%s/%s", dir, markers[i]) >= 0 && !stat(path, &st) &&
                         S_ISREG(st.st_mode);

            free(path);
            if (found)
                return dir;
        }
        slash = strrchr(dir, '/');
        *slash = '\0';
    }
    free(dir);
    return NULL;
}

/* Everything as it came, but for the name by which we were called. */
static int run_plain(const struct config *config, char **args)
{
    struct buf why = BUF_INIT;
    char *workspace = find_workspace(),
         *bazel = bazel_find(config, workspace ? workspace : ".", &why);
    struct argv argv = ARGV_INIT;

    if (!bazel)
        err_die(EX_UNAVAILABLE, "%s", why.data);
    unsetenv("BAZEL_MCP_MODE");
    signal(SIGPIPE, SIG_DFL);
    argv_add(&argv, bazel);
    argv_add_all(&argv, args);
    if (argv.failed)
        err_die_memory();
    execv(bazel, argv.items);
    err_die_errno(EX_UNAVAILABLE, "%s", bazel);
}

/* ---- one command with an answer */

static int exit_status(const struct invocation *inv)
{
    if (inv->cause == CAUSE_TIMED_OUT || inv->cause == CAUSE_LOCK_TIMED_OUT)
        return EX_TEMPFAIL;
    if (inv->cause == CAUSE_CANCELLED)
        return 128 + SIGINT;
    if (inv->cause == CAUSE_NOT_STARTED)
        return EX_UNAVAILABLE;
    if (inv->end == GUARD_SIGNALED)
        return 128 + inv->end_value;
    return invoke_exit_code(inv) >= 0 ? invoke_exit_code(inv) : EX_SOFTWARE;
}

static void on_stopped(void *data)
{
    struct agent *agent = data;

    agent->engine = NULL;
    for (size_t i = 0; i < sizeof(agent->signals) / sizeof(agent->signals[0]); i++)
        uv_close((uv_handle_t *)&agent->signals[i], NULL);
}

static void print_answer(struct agent *agent, const struct invocation *inv)
{
    const struct result_options options = {.encoding = agent->encoding};
    struct json_object *answer = result_final(inv, &options);
    struct buf text = BUF_INIT;
    enum buf_status status =
        agent->encoding == ENCODING_TOON ? toon_encode(&text, answer) : json_print(&text, answer);

    if (status != BUF_OK || buf_add_char(&text, '\n') != BUF_OK)
        err_die_memory();
    agent->status = exit_status(inv);
    if (fd_write_full(1, text.data, text.len)) {
        err_say_errno("stdout");
        agent->status = EX_IOERR;
    }
    buf_release(&text);
    json_object_put(answer);
}

static void on_ended(struct invocation *inv, void *data)
{
    struct agent *agent = data;

    print_answer(agent, inv);
    agent->inv = NULL;
}

/* The invocation is freed after on_ended; the engine may stop then. */
static void on_tick(uv_check_t *check)
{
    struct agent *agent = check->data;

    if (agent->inv)
        return;
    uv_close((uv_handle_t *)check, NULL);
    engine_stop(agent->engine, on_stopped, agent);
}

static void on_signal(uv_signal_t *handle, int signum)
{
    struct agent *agent = handle->data;

    (void)signum;
    if (agent->inv)
        invoke_cancel(agent->inv, "a signal");
}

static void watch_signals(struct agent *agent)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};

    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        uv_signal_init(&agent->loop, &agent->signals[i]);
        agent->signals[i].data = agent;
        uv_signal_start(&agent->signals[i], on_signal, numbers[i]);
    }
}

static int run_call(const struct config *config, struct call *call)
{
    struct agent agent = {.encoding = (enum config_encoding)config->result_encoding,
                          .status = EX_SOFTWARE};
    struct buf why = BUF_INIT;
    uv_check_t check;

    if (uv_loop_init(&agent.loop))
        err_die(EX_OSERR, "cannot start the loop");
    agent.engine = engine_new(&agent.loop, config);
    agent.inv = agent.engine ? invoke_start(agent.engine, call, &why) : NULL;
    if (!agent.inv)
        err_die(EX_OSERR, "%s", why.len ? why.data : "out of memory");
    agent.listener = (struct listener){.ended = on_ended, .data = &agent};
    invoke_listen(agent.inv, &agent.listener);
    watch_signals(&agent);
    uv_check_init(&agent.loop, &check);
    check.data = &agent;
    uv_check_start(&check, on_tick);
    uv_run(&agent.loop, UV_RUN_DEFAULT);
    uv_loop_close(&agent.loop);
    return agent.status;
}

/* A private store for this one invocation. */
static char *make_private_store(void)
{
    const char *tmp = getenv("TMPDIR");
    char *path = NULL;

    if (asprintf(&path, "%s/mcp-front-agent-XXXXXX", tmp && *tmp ? tmp : "/tmp") < 0 ||
        !mkdtemp(path))
        err_die_errno(EX_CANTCREAT, "%s", path ? path : "TMPDIR");
    return path;
}

static int run_filtered(struct config *config, char **args)
{
    char *workspace = find_workspace(), *private_store;
    struct json_object *lists[3] = {NULL};
    struct call_wish wish = {.workspace = workspace};
    struct buf why = BUF_INIT;
    struct call call;
    int status;

    if (!workspace)
        err_die(EX_USAGE, "not in a Bazel workspace; " AGENT_RAW " runs plain Bazel anywhere");
    if (!agent_parse(args, &wish, lists, &why) || !call_make(&call, config, &wish, &why))
        err_die(EX_USAGE, "%s", why.data);
    private_store = make_private_store();
    free(config->cache_root);
    config->cache_root = private_store;
    status = run_call(config, &call);
    file_remove_tree(private_store);
    for (size_t i = 0; i < 3; i++)
        json_object_put(lists[i]);
    free(workspace);
    return status;
}

int agent_main(int argc, char **argv)
{
    const struct config_options none = {0};
    struct buf errors = BUF_INIT;
    struct config config;
    char **args = argv + 1;
    int status;

    err_set_program("mcp-front");
    if (argc > 1 && !strcmp(argv[1], AGENT_COMMAND)) {
        args++;
        if (*args && !strcmp(*args, "--"))
            args++;
    }
    if (!config_load(&config, &none, &errors))
        err_die(EX_CONFIG, "%s", errors.data);
    if (*args && !strcmp(*args, AGENT_RAW))
        return run_plain(&config, args + 1);
    status = run_filtered(&config, args);
    config_release(&config);
    return status;
}
