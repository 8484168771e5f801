#include "cmd/mcp-front/rerun_filter.h"
#include "cmd/mcp-front/rpc.h"

#include <ctype.h>
#include <string.h>

#define MAIN_MODULE "__main__."

/* Letters, digits, '_' and those of `more`, at least one: other names would have to be quoted. */
static bool is_plain(const char *text, size_t len, const char *more)
{
    for (size_t i = 0; i < len; i++)
        if (!isalnum((unsigned char)text[i]) && text[i] != '_' && !strchr(more, text[i]))
            return false;
    return len;
}

/* Each appends one case, or says that it cannot. */
typedef bool (*case_writer)(struct buf *, const char *class, const char *name);

static bool add_gtest(struct buf *out, const char *class, const char *name)
{
    if (!is_plain(class, strlen(class), "/") || !is_plain(name, strlen(name), "/"))
        return false;
    buf_printf(out, "%s.%s", class, name);
    return true;
}

static bool add_junit(struct buf *out, const char *class, const char *name)
{
    if (!is_plain(class, strlen(class), ".$") || !is_plain(name, strlen(name), ""))
        return false;
    for (; *class; class ++) {
        if (*class == '.' || *class == '$')
            buf_add_char(out, '\\');
        buf_add_char(out, *class);
    }
    buf_printf(out, "#%s$", name);
    return true;
}

/* The function of a subtest: the subtest's own name is rewritten for the report. */
static bool add_go(struct buf *out, const char *class, const char *name)
{
    size_t len = strcspn(name, "/");

    (void)class;
    if (!is_plain(name, len, ""))
        return false;
    buf_printf(out, "^%.*s$", (int)len, name);
    return true;
}

static bool add_absl(struct buf *out, const char *class, const char *name)
{
    class += strlen(MAIN_MODULE);
    if (!is_plain(class, strlen(class), ".") || !is_plain(name, strlen(name), ""))
        return false;
    buf_printf(out, "%s.%s", class, name);
    return true;
}

/* All parameters of a parametrised function. */
static bool add_pytest(struct buf *out, const char *class, const char *name)
{
    size_t len = strcspn(name, "[");

    (void)class;
    if (!is_plain(name, len, "") || strncmp(name, "test", 4) != 0)
        return false;
    buf_add(out, name, len);
    return true;
}

static const struct rerun_framework {
    const char *rule;
    const char *class; /* what the classes of its report begin with */
    const char *between;
    case_writer add;
} frameworks[] = {
    {"cc_test", "", ":", add_gtest},         {"java_test", "", "|", add_junit},
    {"kt_jvm_test", "", "|", add_junit},     {"go_test", "", "|", add_go},
    {"py_test", MAIN_MODULE, " ", add_absl}, {"py_test", "", " or ", add_pytest},
};

static const struct rerun_framework *find_framework(const char *kind, const char *class)
{
    for (size_t i = 0; i < sizeof(frameworks) / sizeof(frameworks[0]); i++) {
        const struct rerun_framework *f = &frameworks[i];
        size_t len = strlen(f->rule);

        if (!strncmp(kind, f->rule, len) && (!kind[len] || kind[len] == ' ') &&
            !strncmp(class, f->class, strlen(f->class)))
            return f;
    }
    return NULL;
}

static bool has_failed(struct json_object *test)
{
    const char *status = rpc_string(test, "status");

    return status && (!strcmp(status, "failed") || !strcmp(status, "error"));
}

/* As one whole item, so that "a" is not found in "ab". */
static bool is_there(const struct rerun_filter *f, const char *item)
{
    const char *between = f->framework->between, *at = f->text.data;
    size_t len = strlen(item);

    for (; at; at = strstr(at, between)) {
        at += at == f->text.data ? 0 : strlen(between);
        if (!strncmp(at, item, len) && (!at[len] || !strncmp(at + len, between, strlen(between))))
            return true;
    }
    return false;
}

static bool add_case(struct rerun_filter *f, struct json_object *test_case, const char *kind)
{
    const char *class = rpc_string(test_case, "class"), *name = rpc_string(test_case, "name");
    const struct rerun_framework *framework = find_framework(kind, class ? class : "");
    struct buf item = BUF_INIT;
    bool good = false;

    if (!f->framework)
        f->framework = framework;
    if (framework && framework->add == f->framework->add && name)
        good = framework->add(&item, class ? class : "", name);
    if (good && !is_there(f, item.data))
        buf_printf(&f->text, "%s%s", f->text.len ? framework->between : "", item.data);
    buf_release(&item);
    return good && f->text.len <= RERUN_FILTER_MAX;
}

void rerun_filter_add(struct rerun_filter *f, struct json_object *test, const char *kind)
{
    struct json_object *cases = rpc_member(test, "cases", json_type_array);
    size_t count = cases ? json_object_array_length(cases) : 0, failed = 0;

    if (!kind || !has_failed(test) || rpc_int(test, "cases_more", 0))
        f->impossible = true;
    for (size_t i = 0; i < count && !f->impossible; i++) {
        struct json_object *test_case = json_object_array_get_idx(cases, i);

        if (!has_failed(test_case))
            continue;
        failed++;
        f->impossible = !add_case(f, test_case, kind);
    }
    /* It failed outside of its cases. */
    if (!failed)
        f->impossible = true;
}

const char *rerun_filter_value(const struct rerun_filter *f)
{
    return f->impossible || !f->text.len ? NULL : f->text.data;
}

void rerun_filter_release(struct rerun_filter *f)
{
    buf_release(&f->text);
}
