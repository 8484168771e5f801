#include "cmd/mcp-front/call.h"
#include "cmd/mcp-front/policy.h"
#include "cmd/mcp-front/rpc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Points into the array. False: out of memory. */
static bool list_of(struct json_object *array, struct policy_args *list, struct policy_arg **items)
{
    size_t count = array ? json_object_array_length(array) : 0;

    *items = calloc(count + 1, sizeof(**items));
    if (!*items)
        return false;
    for (size_t i = 0; i < count; i++) {
        struct json_object *item = json_object_array_get_idx(array, i);

        (*items)[i] = (struct policy_arg){json_object_get_string(item),
                                          (size_t)json_object_get_string_len(item)};
    }
    *list = (struct policy_args){*items, count};
    return true;
}

static void copy_list(struct argv *to, const struct policy_args *from)
{
    for (size_t i = 0; i < from->count; i++)
        argv_add(to, from->items[i].text);
}

static void set_timeout(struct call *call, const struct config *config,
                        const struct call_wish *wish)
{
    uint64_t wanted =
        wish->timeout_seconds ? wish->timeout_seconds : config->default_timeout_seconds;

    if (wanted > config->maximum_timeout_seconds) {
        wanted = config->maximum_timeout_seconds;
        if (asprintf(&call->note, "timeout_seconds was cut to %llu, the most that is allowed",
                     (unsigned long long)wanted) < 0)
            call->note = NULL;
    }
    call->timeout_ms = wanted * 1000;
}

static bool resolve(struct call *call, const struct config *config, const struct call_wish *wish,
                    const struct policy_request *request, struct buf *why)
{
    call->workspace = policy_workspace(config, wish->workspace, why);
    if (!call->workspace)
        return false;
    call->output_base = policy_output_base(config, &request->startup_args, call->workspace, why);
    if (!call->output_base && why->len)
        return false;
    call->executable = bazel_find(config, call->workspace, why);
    if (!call->executable)
        return false;
    call->command = strdup(wish->command);
    call->target = wish->target ? strdup(wish->target) : NULL;
    copy_list(&call->startup_args, &request->startup_args);
    copy_list(&call->args, &request->args);
    copy_list(&call->program_args, &request->program_args);
    set_timeout(call, config, wish);
    if (call->command && (call->target || !wish->target) && !call->startup_args.failed &&
        !call->args.failed && !call->program_args.failed)
        return true;
    buf_add_str(why, "out of memory");
    return false;
}

bool call_make(struct call *call, const struct config *config, const struct call_wish *wish,
               struct buf *why)
{
    struct policy_request request = {
        .command = wish->command, .target = wish->target, .has_program_args = wish->program_args};
    struct policy_arg *startup = NULL, *args = NULL, *program = NULL;
    bool good = false;

    *call = (struct call){0};
    if (!list_of(wish->startup_args, &request.startup_args, &startup) ||
        !list_of(wish->args, &request.args, &args) ||
        !list_of(wish->program_args, &request.program_args, &program))
        buf_add_str(why, "out of memory");
    else
        good = policy_check(config, &request, why) && resolve(call, config, wish, &request, why);
    if (!good)
        call_release(call);
    free(startup);
    free(args);
    free(program);
    return good;
}
