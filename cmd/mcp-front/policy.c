#include "cmd/mcp-front/policy_parts.h"

#include <stdlib.h>
#include <string.h>

bool policy_refuse(struct buf *why, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    buf_vprintf(why, format, args);
    va_end(args);
    return false;
}

bool policy_command(const struct config *config, const char *command, struct buf *why)
{
    if (config_list_has(&config->denied_commands, command))
        return policy_refuse(why, "Bazel command is denied by policy: %s", command);
    if (!config_list_has(&config->allowed_commands, command))
        return policy_refuse(why, "Bazel command is not among the allowed ones: %s", command);
    return true;
}

static bool check_shape(const struct policy_args *args, const char *what, struct buf *why)
{
    size_t total = 0;

    if (args->count > POLICY_MAX_ARGS)
        return policy_refuse(why, "%s: more than %d items", what, POLICY_MAX_ARGS);
    for (size_t i = 0; i < args->count; i++) {
        const struct policy_arg *arg = &args->items[i];
        if (arg->len > POLICY_MAX_ARG_BYTES)
            return policy_refuse(why, "%s[%zu]: longer than %lu bytes", what, i,
                                 POLICY_MAX_ARG_BYTES);
        if (memchr(arg->text, '\0', arg->len))
            return policy_refuse(why, "%s[%zu]: holds a NUL byte", what, i);
        total += arg->len;
    }
    if (total > POLICY_MAX_BYTES)
        return policy_refuse(why, "%s: more than %lu bytes together", what, POLICY_MAX_BYTES);
    return true;
}

static bool is_dashes(const struct policy_arg *arg)
{
    return !strcmp(arg->text, "--");
}

/* The name of "--name" or "--name=value" and its length; 0 where it is no long flag. */
static size_t flag_name(const struct policy_arg *arg, const char **name)
{
    if (strncmp(arg->text, "--", 2))
        return 0;
    *name = arg->text + 2;
    return strcspn(*name, "=");
}

static bool is_name(const char *name, size_t len, const char *wanted)
{
    return strlen(wanted) == len && !strncmp(name, wanted, len);
}

/* "no" and "no_" are tried for flags that are no booleans, too: Bazel refuses those itself. */
static bool names_flag(const char *name, size_t len, const char *wanted)
{
    if (is_name(name, len, wanted))
        return true;
    if (len > 3 && !strncmp(name, "no_", 3))
        return is_name(name + 3, len - 3, wanted);
    return len > 2 && !strncmp(name, "no", 2) && is_name(name + 2, len - 2, wanted);
}

static bool rule_applies(const struct config *config, enum policy_rule rule)
{
    switch (rule) {
    case POLICY_OWNED:
        return true;
    case POLICY_OWNED_BES:
        return config->bep_transport == TRANSPORT_BES;
    case POLICY_OWNED_ISOLATED:
        return config->output_user_root;
    case POLICY_OUTSIDE:
        return !config->allow_outside_flags;
    }
    return true;
}

bool policy_flag_check(const struct config *config, const struct policy_arg *arg, struct buf *why)
{
    const char *name = NULL;
    size_t len = flag_name(arg, &name);

    for (const struct policy_flag *flag = policy_flags; len && flag->name; flag++) {
        if (!names_flag(name, len, flag->name) || !rule_applies(config, flag->rule))
            continue;
        if (flag->rule == POLICY_OUTSIDE)
            return policy_refuse(
                why,
                "--%s reads or writes files, or runs programs, of the caller's choice; "
                "\"allow_outside_flags\": true in the configuration allows it",
                flag->name);
        return policy_refuse(why, "--%s is set by mcp-front itself", flag->name);
    }
    return true;
}

size_t policy_flags_end(const struct policy_args *args)
{
    size_t i = 0;

    while (i < args->count && !is_dashes(&args->items[i]))
        i++;
    return i;
}

/* A flag without its value takes the "--" behind it for that: what follows are still flags then. */
static bool may_be_a_value(const struct policy_args *args, size_t i)
{
    return i && args->items[i - 1].text[0] == '-' && !strchr(args->items[i - 1].text, '=');
}

static bool check_args(const struct config *config, const struct policy_args *args, struct buf *why)
{
    size_t end = 0;

    while (end < args->count && (!is_dashes(&args->items[end]) || may_be_a_value(args, end)))
        end++;
    for (size_t i = 0; i < end; i++)
        if (!policy_flag_check(config, &args->items[i], why))
            return false;
    return true;
}

/* Query results are read as lines of text. */
static bool check_query_output(const struct policy_args *args, struct buf *why)
{
    static const char *const binary[] = {"proto", "streamed_proto", NULL};
    size_t end = policy_flags_end(args);

    for (size_t i = 0; i < end; i++) {
        const char *name = NULL, *value;
        size_t len = flag_name(&args->items[i], &name);
        if (!is_name(name ? name : "", len, "output"))
            continue;
        value = name[len] == '=' ? name + len + 1 : i + 1 < end ? args->items[i + 1].text : "";
        for (const char *const *format = binary; *format; format++)
            if (!strcmp(value, *format))
                return policy_refuse(why, "--output=%s is not text; jsonproto and textproto are",
                                     value);
    }
    return true;
}

static bool is_query(const char *command)
{
    return !strcmp(command, "query") || !strcmp(command, "cquery") || !strcmp(command, "aquery");
}

static bool check_run(const struct policy_request *r, struct buf *why)
{
    if (strcmp(r->command, "run")) {
        if (r->target || r->has_program_args)
            return policy_refuse(why, "target and program_args are for the command run only");
        return true;
    }
    if (!r->target || !r->target[strspn(r->target, " \t\r\n")])
        return policy_refuse(why, "run needs a target");
    if (*r->target == '-')
        return policy_refuse(why, "target must not begin with '-'");
    for (size_t i = 0; i < r->args.count; i++)
        if (r->args.items[i].text[0] != '-' || is_dashes(&r->args.items[i]))
            return policy_refuse(
                why,
                "args[%zu]: with run only flags, --flag=value in one; the target stands "
                "in target, the program's arguments in program_args",
                i);
    return check_shape(&r->program_args, "program_args", why);
}

bool policy_check(const struct config *config, const struct policy_request *r, struct buf *why)
{
    return policy_command(config, r->command, why) &&
           check_shape(&r->startup_args, "startup_args", why) &&
           check_shape(&r->args, "args", why) && policy_startup(config, &r->startup_args, why) &&
           check_args(config, &r->args, why) && check_run(r, why) &&
           (!is_query(r->command) || check_query_output(&r->args, why));
}
