/*
 * The events themselves, as bep-reduce --events prints them. Its output is kept in the invocation's
 * folder, so that a page is read by offset; while the invocation runs it is made anew when there is more.
 */
#include "cmd/mcp-front/known.h"
#include "cmd/mcp-front/member.h"
#include "cmd/mcp-front/page.h"
#include "cmd/mcp-front/view_rows.h"
#include "common/io/fd.h"
#include "common/io/file.h"
#include "common/proc/spawn.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define FOLDER "views"

/* bep-reduce lies beside our own executable. */
static bool tool_path(char *path, size_t size)
{
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

    if (n <= 0)
        return false;
    self[n] = '\0';
    *strrchr(self, '/') = '\0';
    return snprintf(path, size, "%s/bep-reduce", self) < (int)size;
}

static bool is_types(const char *types)
{
    for (; *types; types++)
        if (!isalnum((unsigned char)*types) && *types != ',' && *types != '_')
            return false;
    return true;
}

/* Runs bep-reduce with its output into `fd`. 0, or -1. An incomplete stream is no failure. */
static int run_reduce(const struct view_request *r, const char *patterns, const char *events,
                      int fd)
{
    char tool[PATH_MAX], types[1100], label[1100], redact[PATH_MAX];
    char *argv[] = {tool, types, redact, (char *)events, NULL, NULL};
    struct child child = CHILD_INIT;
    struct spawn spawn = {.argv = argv};
    int null = fd_open_null(O_RDWR), result = -1;

    snprintf(types, sizeof(types), "--events%s%s", r->types ? "=" : "", r->types ? r->types : "");
    snprintf(label, sizeof(label), "--label=%s", r->label ? r->label : "");
    if (r->label) {
        argv[4] = (char *)events;
        argv[3] = label;
    }
    spawn_fd(&spawn, null, STDIN_FILENO);
    spawn_fd(&spawn, fd, STDOUT_FILENO);
    spawn_fd(&spawn, null, STDERR_FILENO);
    if (snprintf(redact, sizeof(redact), "--redact=%s", patterns) < (int)sizeof(redact) &&
        tool_path(tool, sizeof(tool)) && null >= 0 && !spawn_start(&spawn, &child)) {
        if (child_wait(&child) == 1 && WIFEXITED(child.status) &&
            (!WEXITSTATUS(child.status) || WEXITSTATUS(child.status) == 65))
            result = 0;
    }
    child_release(&child);
    fd_close(null);
    return result;
}

/* The invocation's own; one that is older than such files has none. */
static bool patterns_file(const struct viewer *v, char *path, size_t size)
{
    const struct buf none = BUF_INIT;

    return snprintf(path, size, "%s/" STORE_PATTERNS, v->record.folder) < (int)size &&
           (!access(path, R_OK) || !known_write(v->db->config, &none, path));
}

static int make_file(struct viewer *v, const char *events, const char *path)
{
    char beside[PATH_MAX], patterns[PATH_MAX];
    int fd, result = -1;

    if (snprintf(beside, sizeof(beside), "%s.XXXXXX", path) >= (int)sizeof(beside) ||
        !patterns_file(v, patterns, sizeof(patterns)))
        return -1;
    fd = mkostemp(beside, O_CLOEXEC);
    if (fd < 0)
        return -1;
    result = run_reduce(v->request, patterns, events, fd);
    fd_close(fd);
    if (!result)
        result = rename(beside, path);
    if (result)
        unlink(beside);
    return result;
}

/* The kept output for these types and labels and this size of the events. False: the answer is an error. */
static bool events_file(struct viewer *v, char *path, size_t size)
{
    const char *parts[] = {v->request->types, v->request->label};
    char events[4300];
    struct stat st;

    snprintf(events, sizeof(events), "%s/" STORE_EVENTS, v->record.folder);
    if (stat(events, &st)) {
        viewer_fail(v, "there are no events of this invocation");
        return false;
    }
    snprintf(path, size, "%s/" FOLDER, v->record.folder);
    if (file_make_folders(path)) {
        viewer_fail(v, "%s: %s", path, strerror(errno));
        return false;
    }
    snprintf(path, size, "%s/" FOLDER "/events-%016" PRIx64 "-%lld.jsonl", v->record.folder,
             cursor_context(parts, 2), (long long)st.st_size);
    if (access(path, R_OK) && make_file(v, events, path)) {
        viewer_fail(v, "bep-reduce could not read the events");
        return false;
    }
    return true;
}

static bool passes(struct viewer *v, const struct page_line *line)
{
    struct filter *filter = &v->filter;

    return !filter->text || filter_text(filter, line->text, line->len);
}

void view_events(struct viewer *v)
{
    const struct view_request *r = v->request;
    char path[4400];
    struct page page;
    struct page_line line;
    bool more = true;

    if (!rows_have_evidence(v))
        return;
    if ((r->types && (!is_types(r->types) || strlen(r->types) > 1000)) ||
        (r->label && strlen(r->label) > 1000)) {
        viewer_fail(
            v, "types are names with commas between them, and a label has at most 1,000 bytes");
        return;
    }
    if (v->filter.pattern) {
        viewer_fail(v, "a label pattern goes into label here, filter is a substring");
        return;
    }
    if (!events_file(v, path, sizeof(path)))
        return;
    if (!page_open(&page, path, v->from.at)) {
        while (more && page_next(&page, &line) > 0) {
            struct json_object *event = passes(v, &line) ? rows_parse(v, &line) : NULL;
            if (event)
                more = viewer_add(v, event, (struct cursor){.at = line.next});
        }
    }
    v->ended = more;
    page_close(&page);
}
