#include "cmd/mcp-front/clients.h"
#include "common/io/file.h"

#include <stdlib.h>
#include <string.h>

/* `before` and `after` enclose the quoted path of our executable. Comments say where it goes. */
static const struct client_config {
    const char *name;
    const char *before, *after;
} clients[] = {
    {"claude-code",
     "// .mcp.json in the project, or: claude mcp add bazel -- mcp-front\n"
     "{\n  \"mcpServers\": {\n    \"bazel\": {\n      \"type\": \"stdio\",\n      \"command\": ",
     ",\n      \"args\": []\n    }\n  }\n}\n"},
    {"claude-desktop",
     "// claude_desktop_config.json (Settings, Developer, Edit Config)\n"
     "{\n  \"mcpServers\": {\n    \"bazel\": {\n      \"command\": ",
     ",\n      \"args\": []\n    }\n  }\n}\n"},
    {"cursor",
     "// .cursor/mcp.json in the project, or ~/.cursor/mcp.json\n"
     "{\n  \"mcpServers\": {\n    \"bazel\": {\n      \"command\": ",
     ",\n      \"args\": []\n    }\n  }\n}\n"},
    {"vscode",
     "// .vscode/mcp.json in the project\n"
     "{\n  \"servers\": {\n    \"bazel\": {\n      \"type\": \"stdio\",\n      \"command\": ",
     ",\n      \"args\": []\n    }\n  }\n}\n"},
    {"codex",
     "# ~/.codex/config.toml, or: codex mcp add bazel -- mcp-front\n"
     "[mcp_servers.bazel]\ncommand = ",
     "\nargs = []\ntool_timeout_sec = 3600\n"},
};

/* JSON and TOML quote alike what a path can hold. */
static void print_quoted(const char *text, FILE *out)
{
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', out);
        if ((unsigned char)*text < 0x20)
            fprintf(out, "\\u%04x", (unsigned)*text);
        else
            fputc(*text, out);
    }
    fputc('"', out);
}

bool clients_print(const char *client, FILE *out)
{
    char *path = file_canonical("/", "/proc/self/exe");

    for (size_t i = 0; i < sizeof(clients) / sizeof(clients[0]); i++) {
        if (strcmp(client, clients[i].name) != 0)
            continue;
        fputs(clients[i].before, out);
        print_quoted(path ? path : "mcp-front", out);
        fputs(clients[i].after, out);
        free(path);
        return true;
    }
    free(path);
    return false;
}
