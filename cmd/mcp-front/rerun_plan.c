#include "cmd/mcp-front/rerun_plan.h"
#include "cmd/mcp-front/policy.h"
#include "cmd/mcp-front/rerun_filter.h"
#include "cmd/mcp-front/rpc.h"
#include "common/io/file.h"
#include "common/json/read.h"
#include "common/text/redact.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_TARGETS_BYTES                                                                          \
    (16UL * 1024 * 1024) /* of targets.jsonl; without it whole tests are run */

/* A query only says what exists: it is not worth a long wait. */
#define QUERY_LIMIT_MS 10000

static bool has_label(const struct argv *labels, const char *label)
{
    for (size_t i = 0; i < labels->count; i++)
        if (!strcmp(labels->items[i], label))
            return true;
    return false;
}

static void add_label(struct rerun_plan *plan, const char *label)
{
    if (has_label(&plan->labels, label))
        return;
    if (plan->labels.count < RERUN_MAX_LABELS)
        argv_add(&plan->labels, label);
    else
        plan->left_out++;
}

static bool test_failed(struct json_object *test)
{
    const char *status = rpc_string(test, "status");

    return status && rpc_string(test, "label") && strcmp(status, "passed") != 0 &&
           strcmp(status, "skipped") != 0 && strcmp(status, "flaky") != 0;
}

/* The kind of a label in targets.jsonl ("cc_test rule"); malloc'ed, NULL: unknown. */
static char *kind_of(const struct buf *targets, const char *label)
{
    static const struct json_rules rules = {.max_depth = 8};
    struct json_object *target = NULL;
    const char *kind, *at;
    char *key = NULL, *copy = NULL;

    if (asprintf(&key, "{\"label\":\"%s\",", label) < 0)
        return NULL;
    at = strstr(targets->data, key);
    free(key);
    if (at && json_read(at, strcspn(at, "\n"), &rules, &target, NULL) == JSON_OK) {
        kind = rpc_string(target, "kind");
        copy = kind ? strdup(kind) : NULL;
    }
    json_object_put(target);
    return copy;
}

static void read_targets(const struct store_record *record, struct buf *targets)
{
    char *path = NULL;

    if (record->folder &&
        asprintf(&path, "%s/" STORE_DETAILS "/targets.jsonl", record->folder) >= 0 &&
        file_read(path, MAX_TARGETS_BYTES, targets))
        buf_clear(targets);
    free(path);
}

static void read_summary(struct rerun_plan *plan, struct json_object *summary,
                         const struct store_record *record)
{
    struct json_object *targets = rpc_member(summary, "failed_targets", json_type_array);
    struct json_object *tests = rpc_member(summary, "test_results", json_type_array);
    struct rerun_filter filter = RERUN_FILTER_INIT;
    struct buf kinds = BUF_INIT;
    size_t with_cases = 0;

    read_targets(record, &kinds);
    for (size_t i = 0; targets && i < json_object_array_length(targets); i++)
        add_label(plan, json_object_get_string(json_object_array_get_idx(targets, i)));
    for (size_t i = 0; tests && i < json_object_array_length(tests); i++) {
        struct json_object *test = json_object_array_get_idx(tests, i);
        char *kind;

        if (!test_failed(test))
            continue;
        kind = kind_of(&kinds, rpc_string(test, "label"));
        rerun_filter_add(&filter, test, kind);
        free(kind);
        add_label(plan, rpc_string(test, "label"));
        with_cases++;
    }
    /* A target that failed in another way is no test that could take the filter. */
    if (rerun_filter_value(&filter) && with_cases == plan->labels.count + plan->left_out)
        plan->filter = strdup(rerun_filter_value(&filter));
    rerun_filter_release(&filter);
    buf_release(&kinds);
}

/* The flags of a command line, without its targets. */
static void copy_flags(struct argv *to, const struct config_list *from)
{
    for (size_t i = 0; i < from->count && strcmp(from->items[i], "--") != 0; i++)
        if (from->items[i][0] == '-')
            argv_add(to, from->items[i]);
}

bool rerun_plan_read(struct rerun_plan *plan, const struct store_record *record)
{
    static const struct json_rules rules = {.max_depth = 32};
    struct json_object *summary = NULL;

    *plan = (struct rerun_plan){.labels = ARGV_INIT};
    if (record->summary)
        json_read(record->summary, strlen(record->summary), &rules, &summary, NULL);
    read_summary(plan, summary, record);
    json_object_put(summary);
    copy_flags(&plan->flags, &record->args);
    return plan->labels.count;
}

bool rerun_plan_is_redacted(const struct rerun_plan *plan)
{
    for (size_t i = 0; i < plan->flags.count; i++)
        if (strstr(plan->flags.items[i], REDACT_MARK))
            return true;
    return false;
}

void rerun_plan_release(struct rerun_plan *plan)
{
    argv_release(&plan->labels);
    argv_release(&plan->flags);
    free(plan->filter);
    *plan = (struct rerun_plan){.labels = ARGV_INIT};
}

bool rerun_plan_query(const struct rerun_plan *plan, const struct config *config,
                      const struct call *call, struct call *query)
{
    struct buf set = BUF_INIT;
    struct buf why = BUF_INIT;
    bool allowed = policy_command(config, "query", &why);

    *query = (struct call){.timeout_ms = QUERY_LIMIT_MS};
    buf_release(&why);
    if (!allowed)
        return false;
    buf_add_str(&set, "set(");
    for (size_t i = 0; i < plan->labels.count; i++)
        buf_printf(&set, "\"%s\" ", plan->labels.items[i]);
    buf_add_char(&set, ')');
    query->workspace = strdup(call->workspace);
    query->command = strdup("query");
    query->executable = strdup(call->executable);
    query->output_base = call->output_base ? strdup(call->output_base) : NULL;
    argv_add_all(&query->startup_args, call->startup_args.items);
    argv_add(&query->args, "--keep_going");
    argv_add(&query->args, "--output=label");
    argv_add(&query->args, set.data);
    buf_release(&set);
    if (query->workspace && query->command && query->executable &&
        (query->output_base || !call->output_base) && !query->startup_args.failed &&
        !query->args.failed)
        return true;
    call_release(query);
    return false;
}

static bool is_line_of(const char *text, const char *line)
{
    size_t len = strlen(line);

    for (const char *at = strstr(text, line); at; at = strstr(at + 1, line))
        if ((at == text || at[-1] == '\n') && (!at[len] || at[len] == '\n'))
            return true;
    return false;
}

void rerun_plan_keep(struct rerun_plan *plan, const char *existing, struct argv *gone)
{
    struct argv kept = ARGV_INIT;

    for (size_t i = 0; i < plan->labels.count; i++) {
        const char *label = plan->labels.items[i];
        bool ours = !strncmp(label, "//", 2);

        argv_add(ours && !is_line_of(existing, label) ? gone : &kept, label);
    }
    argv_release(&plan->labels);
    plan->labels = kept;
}

static void add_note(struct call *call, const struct buf *words)
{
    char *note = NULL;

    if (!words->len || asprintf(&note, "%s%s%s", call->note ? call->note : "",
                                call->note ? "; " : "", words->data) < 0)
        return;
    free(call->note);
    call->note = note;
}

bool rerun_plan_apply(const struct rerun_plan *plan, const struct argv *gone, struct call *call)
{
    struct buf words = BUF_INIT;

    if (gone->count)
        buf_add_str(&words, "no longer there:");
    for (size_t i = 0; i < gone->count; i++)
        buf_printf(&words, " %s", gone->items[i]);
    if (plan->left_out)
        buf_printf(&words, "%s%zu more failed and are not run", words.len ? "; " : "",
                   plan->left_out);
    add_note(call, &words);
    buf_release(&words);
    if (!call->args.count)
        argv_add_all(&call->args, plan->flags.items);
    if (plan->filter)
        argv_addf(&call->args, "--test_filter=%s", plan->filter);
    argv_add(&call->args, "--keep_going");
    argv_add(&call->args, "--");
    argv_add_all(&call->args, plan->labels.items);
    return !call->args.failed && !plan->labels.failed;
}
