/* mcp-front: Bazel for AI agents, over MCP on stdin and stdout, or as a command line. */
#include "cmd/mcp-front/agent.h"
#include "cmd/mcp-front/clients.h"
#include "cmd/mcp-front/config.h"
#include "cmd/mcp-front/guard.h"
#include "cmd/mcp-front/server.h"
#include "common/base/err.h"
#include "common/base/opt.h"
#include "common/io/fd.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *config_file, *cache_root, *print_client;
static struct opt_list allow_roots;
static bool check_config;

static const struct opt options[] = {
    {OPT_STRING, 'c', "config", "FILE", "configuration (see mcp-front.json(5))", &config_file, NULL,
     0},
    {OPT_LIST, 0, "allow-root", "DIR", "allow workspaces in DIR, beside those of the configuration",
     &allow_roots, NULL, 0},
    {OPT_STRING, 0, "cache-root", "DIR", "keep invocations in DIR", &cache_root, NULL, 0},
    {OPT_FLAG, 0, "check-config", NULL, "print what is in force and where it comes from",
     &check_config, NULL, 0},
    {OPT_STRING, 0, "print-config", "CLIENT",
     "print what to put into a client's configuration: claude-code, claude-desktop, cursor, "
     "vscode, codex",
     &print_client, NULL, 0},
    {OPT_END, 0, NULL, NULL, NULL, NULL, NULL, 0},
};

static const struct opt_program program = {
    .name = "mcp-front",
    .synopsis = "[options]\n       mcp-front passthrough [--] [--no-agent-mode] BAZEL-ARGUMENT ...",
    .about =
        "Serves MCP on stdin and stdout: runs Bazel, and answers with the few lines that matter.\n"
        "With passthrough, under the name bazel, or with BAZEL_MCP_MODE=agent: runs one Bazel\n"
        "command, prints such an answer, and exits with Bazel's status.",
    .options = options,
    .footer = "examples:\n"
              "  mcp-front --print-config claude-code\n"
              "  mcp-front passthrough test //...",
};

/* Nothing but messages may reach the client: what anyone prints goes to stderr from here on. */
static int take_stdout(void)
{
    int out = fd_dup(1);

    if (out < 0 || fd_replace(1, 2))
        err_die_errno(EX_OSERR, "stdout");
    return out;
}

static void load(struct config *config)
{
    const struct config_options given = {.file = config_file,
                                         .allow_roots = allow_roots.items,
                                         .allow_root_count = allow_roots.count,
                                         .cache_root = cache_root};
    struct buf errors = BUF_INIT;

    if (config_load(config, &given, &errors))
        return;
    for (char *line = errors.data, *end; *line; line = end) {
        end = line + strcspn(line, "\n");
        if (*end)
            *end++ = '\0';
        err_say("%s", line);
    }
    exit(EX_CONFIG);
}

static int print_and_close(const struct config *config)
{
    if (check_config)
        config_print(config, stdout);
    else if (!clients_print(print_client, stdout))
        opt_misuse("unknown client '%s': " CLIENTS_NAMES, print_client);
    if (fflush(stdout) || ferror(stdout))
        err_die_errno(EX_IOERR, "stdout");
    return EX_OK;
}

int main(int argc, char **argv)
{
    static struct opt_operands operands; /* what it points to lives as long as the process */
    struct config config;
    int status;

    fd_start();
    if (argc > 1 && !strcmp(argv[1], GUARD_OPTION))
        return guard_main(argc, argv);
    if (agent_wanted(argc, argv))
        return agent_main(argc, argv);
    opt_parse(&program, argc, argv, &operands);
    if (operands.count)
        opt_misuse("unexpected argument '%s'", operands.items[0]);
    load(&config);
    status = check_config || print_client ? print_and_close(&config)
                                          : server_run(&config, take_stdout());
    config_release(&config);
    return status;
}
