#include "cmd/mcp-front/policy_parts.h"
#include "common/io/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Without a value. */
static const char *const switches[] = {
    "autodetect_server_javabase",
    "batch",
    "batch_cpu_scheduling",
    "block_for_lock",
    "check_tests_up_to_date",
    "client_debug",
    "expand_configs_in_place",
    "fatal_event_bus_exceptions",
    "home_rc",
    "host_jvm_debug",
    "idle_server_tasks",
    "ignore_all_rc_files",
    "incompatible_enable_execution_transition",
    "master_bazelrc",
    "preemptible",
    "quiet",
    "run_in_user_cgroup",
    "shutdown_on_low_sys_mem",
    "system_rc",
    "unlimit_coredumps",
    "watchfs",
    "windows_enable_symlinks",
    "workspace_rc",
    "write_command_log",
    NULL,
};

/* With one, which may be the next argument. */
static const char *const settings[] = {
    "bazelrc",
    "connect_timeout_secs",
    "digest_function",
    "failure_detail_out",
    "host_jvm_args",
    "host_jvm_profile",
    "install_base",
    "invocation_policy",
    "io_nice_level",
    "local_startup_timeout_secs",
    "macos_qos_class",
    "max_idle_secs",
    "output_base",
    "output_user_root",
    "server_javabase",
    "server_jvm_out",
    "unix_digest_hash_attribute_name",
    NULL,
};

static bool has_name(const char *const *names, const char *name)
{
    for (; *names; names++)
        if (!strcmp(*names, name))
            return true;
    return false;
}

static bool is_switch(const char *name)
{
    return has_name(switches, name) || (!strncmp(name, "no", 2) && has_name(switches, name + 2));
}

bool policy_startup(const struct config *config, const struct policy_args *args, struct buf *why)
{
    for (size_t i = 0; i < args->count; i++) {
        const struct policy_arg *arg = &args->items[i];
        if (!policy_flag_check(config, arg, why))
            return false;
        if (strncmp(arg->text, "--", 2) || !arg->text[2])
            return policy_refuse(why, "startup_args[%zu]: must begin with --", i);
        if (strchr(arg->text, '=') || is_switch(arg->text + 2))
            continue;
        if (!has_name(settings, arg->text + 2))
            return policy_refuse(why,
                                 "startup_args[%zu]: an option that is not known here must be "
                                 "written --name=value",
                                 i);
        if (++i == args->count)
            return policy_refuse(why, "startup_args[%zu]: the value is missing", i - 1);
    }
    return true;
}

/* The value of --output_base, of which there must be at most one. */
static bool find_output_base(const struct policy_args *args, const char **value, struct buf *why)
{
    static const char flag[] = "--output_base";
    size_t len = strlen(flag);

    *value = NULL;
    for (size_t i = 0; i < args->count; i++) {
        const char *text = args->items[i].text;
        if (strncmp(text, flag, len) || (text[len] && text[len] != '='))
            continue;
        if (*value)
            return policy_refuse(why, "--output_base may be given only once");
        *value = text[len] ? text + len + 1 : i + 1 < args->count ? args->items[++i].text : "";
        if (!**value)
            return policy_refuse(why, "--output_base needs a path");
    }
    return true;
}

char *policy_output_base(const struct config *config, const struct policy_args *startup_args,
                         const char *workspace, struct buf *why)
{
    const char *value;
    char *path;

    if (!find_output_base(startup_args, &value, why) || !value)
        return NULL;
    path = file_canonical(workspace, value);
    if (!path) {
        policy_refuse(why, "--output_base: %s", strerror(errno));
        return NULL;
    }
    if (config->allow_outside_flags || policy_inside_roots(config, path) ||
        (config->output_user_root && file_is_inside(path, config->output_user_root)))
        return path;
    policy_refuse(why, "--output_base: outside every allowed root");
    free(path);
    return NULL;
}
