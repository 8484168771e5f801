#include "cmd/mcp-front/agent_args.h"
#include "common/text/utf8.h"

#include <string.h>

/* Startup options of Bazel that may have their value in the next word. */
static const char *const with_value[] = {
    "--output_base",
    "--output_user_root",
    "--bazelrc",
    "--blazerc",
    "--host_jvm_args",
    "--install_base",
    "--server_javabase",
    "--max_idle_secs",
    "--host_jvm_profile",
    "--io_nice_level",
    "--local_startup_timeout_secs",
    NULL,
};

static bool takes_value(const char *option)
{
    for (const char *const *name = with_value; *name; name++)
        if (!strcmp(option, *name))
            return true;
    return false;
}

static bool is_text(const char *word)
{
    for (size_t len = strlen(word), n; len; word += n, len -= n) {
        n = utf8_sequence(word, len);
        if (!n)
            return false;
    }
    return true;
}

static void add(struct json_object *list, const char *word)
{
    json_object_array_add(list, json_object_new_string(word));
}

/* `bazel --version` and `bazel --help` are commands in disguise. */
static const char *disguised(const char *word)
{
    if (!strcmp(word, "--version"))
        return "version";
    return !strcmp(word, "--help") || !strcmp(word, "-h") || !strcmp(word, "-help") ? "help" : NULL;
}

/* What follows `run`: flags, the target, and the program's arguments behind it or behind "--". */
static void split_run(char **args, struct call_wish *wish, struct json_object *lists[3])
{
    for (; *args && strcmp(*args, "--") != 0; args++) {
        if (wish->target)
            add(lists[2], *args);
        else if (**args == '-')
            add(lists[1], *args);
        else
            wish->target = *args;
    }
    for (args += *args != NULL; *args; args++) {
        if (wish->target)
            add(lists[2], *args);
        else
            wish->target = *args;
    }
}

bool agent_parse(char **args, struct call_wish *wish, struct json_object *lists[3], struct buf *why)
{
    for (int i = 0; i < 3; i++)
        lists[i] = json_object_new_array();
    for (char **word = args; *word; word++)
        if (!is_text(*word)) {
            buf_add_str(why, "an argument is not UTF-8; --no-agent-mode takes any bytes");
            return false;
        }
    for (; *args && **args == '-' && !disguised(*args); args++) {
        add(lists[0], *args);
        if (takes_value(*args) && args[1])
            add(lists[0], *++args);
    }
    wish->command = !*args ? "help" : disguised(*args) ? disguised(*args) : *args;
    args += *args != NULL;
    if (!strcmp(wish->command, "run"))
        split_run(args, wish, lists);
    else
        for (; *args; args++)
            add(lists[1], *args);
    wish->startup_args = lists[0];
    wish->args = lists[1];
    wish->program_args = json_object_array_length(lists[2]) ? lists[2] : NULL;
    return true;
}
