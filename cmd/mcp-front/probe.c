#include "cmd/mcp-front/probe.h"
#include "cmd/mcp-front/guard.h"
#include "common/base/clock.h"
#include "common/io/fd.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MAX_ANSWER (64UL * 1024)

/* What tells one Bazel from another. */
struct probe_key {
    struct stat executable, version_file;
};

struct probe {
    struct probe *next;
    char *executable, *workspace;
    struct probe_key key;
    struct bazel_version version;
    bool known;
    struct guard guard;
    struct reader *reader;
    uint64_t deadline;
    struct probe_wait *waits;
};

struct probes {
    uv_loop_t *loop;
    const struct config *config;
    char *const *env;
    struct probe *first;
};

struct probes *probes_new(uv_loop_t *loop, const struct config *config, char *const *env)
{
    struct probes *all = calloc(1, sizeof(*all));

    if (all)
        *all = (struct probes){.loop = loop, .config = config, .env = env};
    return all;
}

static bool same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* A missing file is all zero. */
static void read_key(struct probe_key *key, const char *executable, const char *workspace)
{
    char *path = NULL;

    memset(key, 0, sizeof(*key));
    if (stat(executable, &key->executable))
        memset(&key->executable, 0, sizeof(key->executable));
    if (asprintf(&path, "%s/.bazelversion", workspace) < 0)
        return;
    if (stat(path, &key->version_file))
        memset(&key->version_file, 0, sizeof(key->version_file));
    free(path);
}

static void finish(struct probe *p)
{
    struct probe_wait *w;

    p->known = true;
    reader_close(p->reader);
    p->reader = NULL;
    guard_release(&p->guard);
    while ((w = p->waits)) {
        p->waits = w->next;
        w->known(w->data);
    }
}

static void on_answer(void *data, struct buf *all)
{
    struct probe *p = data;

    p->version = bazel_parse_version(all->data);
    finish(p);
}

/* What Bazel, or a wrapper of it, has left behind may hold its stdout for ever. */
static void on_guard_end(void *data, enum guard_end end, int value)
{
    struct probe *p = data;

    (void)value;
    if (end == GUARD_FAILED || end == GUARD_DIED)
        finish(p);
    else if (p->reader)
        reader_finish(p->reader);
}

static bool start(struct probes *all, struct probe *p)
{
    struct guard_spec spec = {.env = all->env,
                              .cwd = p->workspace,
                              .ended = on_guard_end,
                              .data = p,
                              .interrupt_ms = 100,
                              .terminate_ms = 100};
    const struct reader_handler handler = {NULL, on_answer, p};
    char option[] = "--version", *argv[] = {p->executable, option, NULL};
    int out[2], null = fd_open_null(O_WRONLY);
    bool started = false;

    if (fd_pipe(out)) {
        fd_drop(&null);
        return false;
    }
    spec.out = out[1];
    spec.err = null;
    if (!guard_start(&p->guard, all->loop, &spec))
        started = !guard_go(&p->guard, argv);
    fd_drop(&out[1]);
    fd_drop(&null);
    if (started)
        p->reader = reader_open(all->loop, out[0], MAX_ANSWER, &handler);
    else
        fd_drop(&out[0]);
    p->deadline = clock_ms() + all->config->version_check_timeout_seconds * 1000;
    return p->reader;
}

static struct probe *find(struct probes *all, const char *executable, const char *workspace)
{
    struct probe_key key;

    read_key(&key, executable, workspace);
    for (struct probe *p = all->first; p; p = p->next) {
        if (strcmp(p->executable, executable) || strcmp(p->workspace, workspace))
            continue;
        if (!p->known || (same_file(&p->key.executable, &key.executable) &&
                          same_file(&p->key.version_file, &key.version_file)))
            return p;
    }
    return NULL;
}

static struct probe *add(struct probes *all, const char *executable, const char *workspace)
{
    struct probe *p = calloc(1, sizeof(*p));

    if (!p)
        return NULL;
    p->guard = (struct guard)GUARD_INIT;
    p->executable = strdup(executable);
    p->workspace = strdup(workspace);
    if (!p->executable || !p->workspace) {
        free(p->executable);
        free(p->workspace);
        free(p);
        return NULL;
    }
    read_key(&p->key, executable, workspace);
    p->next = all->first;
    all->first = p;
    if (!start(all, p))
        finish(p);
    return p;
}

bool probe_version(struct probes *all, const char *executable, const char *workspace,
                   struct probe_wait *wait, struct bazel_version *version)
{
    struct probe *p = find(all, executable, workspace);

    *version = (struct bazel_version){0};
    if (!p)
        p = add(all, executable, workspace);
    if (!p || p->known) {
        if (p)
            *version = p->version;
        return true;
    }
    wait->next = p->waits;
    p->waits = wait;
    return false;
}

void probe_forget(struct probes *all, struct probe_wait *wait)
{
    for (struct probe *p = all->first; p; p = p->next)
        for (struct probe_wait **at = &p->waits; *at; at = &(*at)->next)
            if (*at == wait) {
                *at = wait->next;
                return;
            }
}

void probes_reap(struct probes *all)
{
    for (struct probe *p = all->first; p; p = p->next)
        guard_reap(&p->guard);
}

void probes_tick(struct probes *all)
{
    for (struct probe *p = all->first; p; p = p->next) {
        guard_tick(&p->guard);
        if (!p->known && clock_ms() >= p->deadline)
            finish(p);
    }
}

void probes_free(struct probes *all)
{
    struct probe *p;

    while (all && (p = all->first)) {
        all->first = p->next;
        reader_close(p->reader);
        guard_release(&p->guard);
        free(p->executable);
        free(p->workspace);
        free(p);
    }
    free(all);
}
