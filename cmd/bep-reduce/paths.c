#include "cmd/bep-reduce/paths.h"

/* Longer ones are no names of files that anybody wants to open. */
#define PATH_BYTES_MAX 1024

static const char *last_of(struct slice s, struct slice what)
{
    const char *found = NULL;
    const char *at;
    while ((at = slice_find(s, what))) {
        found = at;
        s = slice_from(s, (size_t)(at - s.text) + 1);
    }
    return found;
}

static struct slice after(struct slice s, const char *at, size_t n)
{
    return slice_from(s, (size_t)(at - s.text) + n);
}

static struct slice first_component(struct slice s)
{
    const char *slash = memchr(s.text, '/', s.len);
    return (struct slice){s.text, slash ? (size_t)(slash - s.text) : s.len};
}

static bool is_main_repository(const struct paths *paths, struct slice raw, struct slice name)
{
    if (slice_equals(name, SLICE("_main")) || slice_equals(name, SLICE("__main__")))
        return true;
    if (paths->main_repository)
        return slice_equals(name, slice_of(paths->main_repository));
    const char *root = slice_find(raw, SLICE("/execroot/"));
    if (root)
        return slice_equals(name, first_component(after(raw, root, strlen("/execroot/"))));
    return true; /* most are */
}

/* Behind "X.runfiles/": the first component is a repository. */
static bool resolve_runfiles(const struct paths *paths, struct slice raw, struct slice *rest,
                             bool *external)
{
    const char *at = last_of(raw, SLICE(".runfiles/"));
    if (!at)
        return false;
    *rest = after(raw, at, strlen(".runfiles/"));
    struct slice name = first_component(*rest);
    if (name.len == rest->len)
        return false;
    if (is_main_repository(paths, raw, name))
        *rest = slice_from(*rest, name.len + 1);
    else
        *external = true;
    return true;
}

static bool resolve_exec_root(struct slice raw, struct slice *rest)
{
    static const struct slice here = SLICE("/proc/self/cwd/");
    const char *at = last_of(raw, SLICE("/execroot/"));
    if (at) {
        struct slice behind = after(raw, at, strlen("/execroot/"));
        struct slice name = first_component(behind);
        if (name.len == behind.len)
            return false;
        *rest = slice_from(behind, name.len + 1);
        return true;
    }
    if (!slice_starts(raw, here))
        return false;
    *rest = slice_from(raw, here.len);
    return true;
}

/* Recordings that were made anonymous have this where the workspace was. */
static const struct slice anonymous = SLICE("<WORKSPACE>");

static bool resolve_workspace(const struct paths *paths, struct slice raw, struct slice *rest)
{
    struct slice workspace = slice_of(paths->workspace);
    if (slice_starts(raw, anonymous) && raw.len > anonymous.len + 1 &&
        raw.text[anonymous.len] == '/')
        workspace = anonymous;
    if (!workspace.len || !slice_starts(raw, workspace) || raw.len <= workspace.len + 1 ||
        raw.text[workspace.len] != '/')
        return false;
    *rest = slice_from(raw, workspace.len + 1);
    return true;
}

/* An output base has external/NAME/…; the last one, since repositories have such folders, too. */
static bool resolve_output_base(struct slice raw, struct slice *rest)
{
    const char *at = slice_find(raw, SLICE("/external/"));
    if (!at || (raw.text[0] != '/' && raw.text[0] != '<'))
        return false;
    *rest = after(raw, at, 1);
    return true;
}

void paths_package(const char *label, struct buf *out)
{
    buf_clear(out);
    if (!label)
        return;
    const char *slashes = strstr(label, "//");
    if (!slashes)
        return;
    const char *repository = label + strspn(label, "@");
    if (repository < slashes)
        buf_printf(out, "external/%.*s", (int)(slashes - repository), repository);
    size_t len = strcspn(slashes + 2, ":");
    if (len && out->len)
        buf_add_char(out, '/');
    buf_add(out, slashes + 2, len);
}

/* Where the workspace is unknown: what stands behind ".../PACKAGE/", PACKAGE being the target's. */
static bool resolve_by_package(const struct paths *paths, struct slice raw, const char *target,
                               struct slice *rest)
{
    struct buf package = BUF_INIT;
    bool found = false;
    paths_package(target, &package);
    if (!paths->workspace && package.len && raw.text[0] == '/') {
        struct buf middle = BUF_INIT;
        buf_printf(&middle, "/%s/", package.data);
        const char *at = last_of(raw, (struct slice){middle.data, middle.len});
        found = at != NULL;
        if (found)
            *rest = after(raw, at, 1);
        buf_release(&middle);
    }
    buf_release(&package);
    return found;
}

/* Appends without "." and ".."; false where it leaves the tree. */
static bool append_normal(struct slice path, struct buf *out)
{
    while (path.len) {
        struct slice part = first_component(path);
        path = slice_from(path, part.len < path.len ? part.len + 1 : part.len);
        if (part.len == 0 || slice_equals(part, SLICE(".")))
            continue;
        if (slice_equals(part, SLICE(".."))) {
            if (!out->len)
                return false;
            const char *slash = memrchr(out->data, '/', out->len);
            buf_truncate(out, slash ? (size_t)(slash - out->data) : 0);
            continue;
        }
        if (out->len && buf_add_char(out, '/') != BUF_OK)
            return false;
        if (buf_add(out, part.text, part.len) != BUF_OK)
            return false;
    }
    return out->len > 0;
}

static bool is_foreign(struct slice raw)
{
    return raw.text[0] == '/' || raw.text[0] == '<' || raw.text[0] == '~' ||
           slice_starts(raw, SLICE("node:")) || slice_starts(raw, SLICE("GOROOT/")) ||
           slice_find(raw, SLICE("://")) ||
           (raw.len > 2 && raw.text[1] == ':' && (raw.text[2] == '\\' || raw.text[2] == '/'));
}

static struct slice without_prefix(struct slice raw)
{
    raw = slice_trim(raw);
    if (slice_starts(raw, SLICE("file://")))
        raw = slice_from(raw, strlen("file://"));
    while (slice_starts(raw, SLICE("./")))
        raw = slice_from(raw, 2);
    return raw;
}

/* Windows' way to write "a/b.c"; `copy` has room for all of it. */
static struct slice with_slashes(struct slice raw, char *copy)
{
    if (memchr(raw.text, '/', raw.len) || !memchr(raw.text, '\\', raw.len))
        return raw;
    for (size_t i = 0; i < raw.len; i++)
        copy[i] = raw.text[i] == '\\' ? '/' : raw.text[i];
    return (struct slice){copy, raw.len};
}

bool paths_resolve(const struct paths *paths, const char *bytes, size_t len, const char *target,
                   struct buf *out)
{
    char slashed[PATH_BYTES_MAX];
    buf_clear(out);
    struct slice raw = without_prefix((struct slice){bytes, len});
    if (!raw.len || raw.len > sizeof slashed)
        return false;
    raw = with_slashes(raw, slashed);
    struct slice rest = raw;
    bool external = false;
    if (!resolve_runfiles(paths, raw, &rest, &external) && !resolve_exec_root(raw, &rest) &&
        !resolve_workspace(paths, raw, &rest) && !resolve_output_base(raw, &rest) &&
        !resolve_by_package(paths, raw, target, &rest)) {
        if (is_foreign(raw))
            return false;
        if (!memchr(raw.text, '/', raw.len))
            paths_package(target, out);
    }
    if (slice_starts(rest, SLICE("../"))) { /* a sibling of the main repository in runfiles */
        rest = slice_from(rest, 3);
        external = true;
    }
    if (external)
        buf_add_str(out, "external");
    if (append_normal(rest, out))
        return true;
    buf_clear(out);
    return false;
}

static bool is_name_without_extension(struct slice name)
{
    static const struct slice names[] = {
        {"BUILD", 5}, {"WORKSPACE", 9}, {"Makefile", 8}, {"Dockerfile", 10}, {"Jenkinsfile", 11},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (slice_equals(name, names[i]))
            return true;
    return false;
}

static bool has_extension(struct slice name)
{
    const char *dot = memrchr(name.text, '.', name.len);
    if (!dot || dot == name.text)
        return false;
    struct slice extension = after(name, dot, 1);
    bool letter = false;
    for (size_t i = 0; i < extension.len; i++) {
        unsigned char c = (unsigned char)extension.text[i];
        bool is_letter = (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
        if (!is_letter && (c < '0' || c > '9') && c != '+' && c != '_')
            return false;
        letter |= is_letter;
    }
    return letter && extension.len <= 12;
}

/* Signs of a sentence, a URL, or a name with a place behind it; Bazel knows no names with colons. */
static bool is_prose(struct slice path)
{
    bool drive = path.len > 2 && path.text[1] == ':';
    struct slice name = slice_from(path, drive ? 2 : 0);
    return path.text[0] == ' ' || path.text[0] == '-' || path.text[path.len - 1] == ' ' ||
           path.text[path.len - 1] == ')' || memchr(name.text, ':', name.len) ||
           slice_find(path, SLICE("  ")) || slice_find(path, SLICE("] ")) ||
           slice_find(path, SLICE(" /"));
}

bool paths_plausible(struct slice path)
{
    if (slice_starts(path, SLICE("file://")))
        path = slice_from(path, strlen("file://"));
    if (!path.len || path.len > PATH_BYTES_MAX || is_prose(path))
        return false;
    const char *slash = memrchr(path.text, '/', path.len);
    struct slice name = slash ? after(path, slash, 1) : path;
    /* A name with spaces is one only where a folder tells it from a sentence. */
    bool spaced = memchr(path.text, ' ', path.len);
    if (has_extension(name) || is_name_without_extension(name))
        return slash || !spaced;
    return slash && name.len && !spaced;
}

/* Up to where a path at the front is only where the build ran; 0: it is not. */
static size_t prefix_length(const struct paths *paths, struct slice path)
{
    struct slice workspace = slice_of(paths->workspace);
    struct slice rest = path;
    size_t end = 0;
    while (end < path.len && !memchr(" \t\n'\"`()[],;:", path.text[end], 14))
        end++;
    path.len = end;
    bool external = false;
    if (workspace.len > 1 && slice_starts(path, workspace) && path.len > workspace.len + 1 &&
        path.text[workspace.len] == '/')
        return workspace.len + 1;
    if (resolve_runfiles(paths, path, &rest, &external) || resolve_exec_root(path, &rest))
        return (size_t)(rest.text - path.text);
    return 0;
}

void paths_relativize(const struct paths *paths, struct slice text, struct buf *out)
{
    bool anonymous_root = slice_starts(slice_of(paths->workspace), SLICE("<"));
    size_t start = 0;
    for (size_t i = 0; i < text.len; i++) {
        bool begins = i == 0 || memchr(" \t\n'\"`([,:=", text.text[i - 1], 11);
        bool path = text.text[i] == '/' || (anonymous_root && text.text[i] == '<');
        if (!begins || !path)
            continue;
        size_t prefix = prefix_length(paths, slice_from(text, i));
        if (!prefix)
            continue;
        buf_add(out, text.text + start, i - start);
        start = i + prefix;
        i = start - 1;
    }
    buf_add(out, text.text + start, text.len - start);
}
