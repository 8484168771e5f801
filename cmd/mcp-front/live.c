#include "cmd/mcp-front/live.h"
#include "cmd/mcp-front/reaper.h"
#include "cmd/mcp-front/stages.h"
#include "common/io/fd.h"
#include "common/io/file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

struct live {
    char *folder;
    struct stage stage;
    struct reader *reader;
    live_cb done;
    void *data;
};

bool live_possible(const struct invocation *inv)
{
    return inv->folder && inv->bazel_ran && inv->step < STEP_FINISH &&
           bazel_kind_has_events(bazel_kind(inv->call.command));
}

static void finish(struct live *l)
{
    reader_close(l->reader);
    reaper_take(&l->stage.child);
    l->done(l->data, l->folder);
    free(l);
}

static void on_summary(void *data, struct buf *all)
{
    struct live *l = data;
    char *path = NULL;

    if (asprintf(&path, "%s/" STORE_SUMMARY, l->folder) < 0 ||
        file_replace(path, all->data, all->len)) {
        live_free(l->folder);
        l->folder = NULL;
    }
    free(path);
    finish(l);
}

static void arguments(const struct invocation *inv, const struct live *l, struct argv *argv)
{
    argv_addf(argv, "%s/bep-reduce", inv->engine->tools);
    argv_add(argv, "--quiet");
    argv_add(argv, "--format=json");
    argv_addf(argv, "--details=%s/" STORE_DETAILS, l->folder);
    argv_addf(argv, "--command=%s", inv->call.command);
    argv_addf(argv, "--workspace=%s", inv->call.workspace);
    argv_addf(argv, "--redact=%s", inv->patterns);
    argv_addf(argv, "%s/" STORE_EVENTS, inv->folder);
}

static bool start(const struct invocation *inv, struct live *l)
{
    const struct reader_handler handler = {NULL, on_summary, l};
    struct argv argv = ARGV_INIT;
    int out[2] = {-1, -1}, null = fd_open_null(O_RDONLY);
    bool started = false;

    arguments(inv, l, &argv);
    if (!argv.failed && !fd_pipe(out))
        started = stage_start(&l->stage, inv->folder, &argv, null, out[1], -1);
    argv_release(&argv);
    fd_drop(&null);
    fd_drop(&out[1]);
    if (started)
        l->reader = reader_open(inv->engine->loop, out[0], CHAIN_MAX_SUMMARY, &handler);
    else
        fd_drop(&out[0]);
    return l->reader;
}

void live_reduce(struct invocation *inv, live_cb done, void *data)
{
    struct live *l = calloc(1, sizeof(*l));

    if (!l) {
        done(data, NULL);
        return;
    }
    *l = (struct live){
        .stage = {.name = "bep-reduce", .child = CHILD_INIT}, .done = done, .data = data};
    if (asprintf(&l->folder, "%s/live-XXXXXX", inv->folder) < 0)
        l->folder = NULL;
    if (l->folder && mkdtemp(l->folder) && start(inv, l))
        return;
    live_free(l->folder);
    l->folder = NULL;
    finish(l);
}

void live_free(char *folder)
{
    if (folder)
        file_remove_tree(folder);
    free(folder);
}
