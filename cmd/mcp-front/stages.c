#include "cmd/mcp-front/stages.h"
#include "cmd/mcp-front/store.h"
#include "common/io/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* What Bazel's server still says when its client was killed comes at once; we are gone within 2 s. */
#define GRACE "1s"

bool stage_start(struct stage *stage, const char *folder, const struct argv *argv, int in, int out,
                 int third)
{
    struct spawn spawn = {.argv = argv->items, .own_group = true};
    char *words = NULL;
    int err = -1;

    stage->failed = true;
    if (asprintf(&words, "%s/" STAGES_WORDS, folder) < 0)
        return false;
    err = fd_open(words, O_WRONLY | O_CREAT | O_APPEND, 0600);
    free(words);
    spawn_fd(&spawn, in, 0);
    spawn_fd(&spawn, out, 1);
    if (err >= 0)
        spawn_fd(&spawn, err, 2);
    if (third >= 0)
        spawn_fd(&spawn, third, 3);
    stage->failed = spawn_start(&spawn, &stage->child);
    fd_drop(&err);
    return !stage->failed;
}

char *stage_why(const struct stage *stage)
{
    char *text = NULL;

    return asprintf(&text, "%s cannot be started: %s", stage->name, strerror(errno)) < 0 ? NULL
                                                                                         : text;
}

static void add_client(struct argv *argv, const struct chain_spec *s)
{
    argv_addf(argv, "--pid=%d", (int)s->guard);
    argv_add(argv, "--grace=" GRACE);
}

static void source_arguments(const struct chain *c, struct argv *argv)
{
    const struct chain_spec *s = &c->spec;

    switch (c->transport) {
    case TRANSPORT_TAIL:
        argv_addf(argv, "%s/bep-tail", s->tools);
        add_client(argv, s);
        argv_addf(argv, "%s/" STORE_EVENTS, s->folder);
        break;
    case TRANSPORT_FIFO:
        argv_addf(argv, "%s/bep-fifo", s->tools);
        add_client(argv, s);
        argv_addf(argv, "%s/" STAGES_FIFO, s->folder);
        break;
    case TRANSPORT_BES:
        argv_addf(argv, "%s/bes-recv", s->tools);
        add_client(argv, s);
        argv_addf(argv, "--invocation-id=%s", s->invocation_id);
        argv_add(argv, "--on-failure=drain");
        argv_add(argv, "--ready-fd=3");
        break;
    }
}

static void durable_arguments(const struct chain *c, struct argv *argv)
{
    argv_addf(argv, "%s/bep-durable", c->spec.tools);
    argv_add(argv, c->spec.sync == SYNC_BATCH ? "--sync=batch" : "--sync=end");
    argv_addf(argv, "%s/" STORE_EVENTS, c->spec.folder);
}

/* Starts one stage behind `in`; gives what it writes, or -1. */
static int start_behind(struct chain *c, const char *name,
                        void (*arguments)(const struct chain *, struct argv *), int in, int third)
{
    struct stage *stage = &c->stages[c->stage_count];
    struct argv argv = ARGV_INIT;
    int out[2] = {-1, -1};
    bool started = false;

    stage->name = name;
    arguments(c, &argv);
    if (!argv.failed && !fd_pipe(out))
        started = stage_start(stage, c->spec.folder, &argv, in, out[1], third);
    if (started)
        c->stage_count++;
    else if (!c->fault)
        c->fault = stage_why(stage);
    fd_drop(&out[1]);
    if (!started)
        fd_drop(&out[0]);
    argv_release(&argv);
    return out[0];
}

static int start_source(struct chain *c, int third)
{
    static const char *const names[] = {"bep-tail", "bep-fifo", "bes-recv"};
    struct stage *stage = &c->stages[c->stage_count];
    int null = fd_open_null(O_RDONLY);
    int out = start_behind(c, names[c->transport], source_arguments, null, third);

    /* bep-tail closes its watch and bes-recv shuts gRPC down behind the end of their streams. */
    stage->lingers = c->transport != TRANSPORT_FIFO;
    fd_drop(&null);
    return out;
}

static void fall_back(struct chain *c, const char *what)
{
    if (asprintf(&c->fallback, "%s: %s", what, strerror(errno)) < 0)
        c->fallback = NULL;
    c->transport = TRANSPORT_TAIL;
}

/*
 * Bazel would make a file where the FIFO is missing; so it is there before anyone starts. Held open by us,
 * too, Bazel waits for the drain where it would fail its build with EPIPE.
 */
static bool make_fifo(struct chain *c)
{
    char *path = NULL;
    bool made = asprintf(&path, "%s/" STAGES_FIFO, c->spec.folder) >= 0 && !mkfifo(path, 0600);

    if (made)
        c->hold = fd_open(path, O_RDONLY | O_NONBLOCK, 0);
    free(path);
    if (c->hold < 0)
        fall_back(c, "no FIFO can be made");
    return c->hold >= 0;
}

static void on_endpoint(void *data, const char *line)
{
    struct chain *c = data;

    if (!c->endpoint)
        c->endpoint = strdup(line);
}

/* With the line, or without one: then Bazel writes a file instead. */
static void on_endpoint_end(void *data, struct buf *all)
{
    struct chain *c = data;

    (void)all;
    reader_close(c->endpoint_reader);
    c->endpoint_reader = NULL;
    if (!c->endpoint) {
        c->transport = TRANSPORT_TAIL;
        c->fallback = strdup("bes-recv did not become ready");
    }
    c->spec.ready(c->spec.data);
}

static int open_bes(struct chain *c)
{
    const struct reader_handler handler = {on_endpoint, on_endpoint_end, c};
    int ready[2], out;

    if (fd_pipe(ready)) {
        fall_back(c, "no pipe can be made");
        return -1;
    }
    out = start_source(c, ready[1]);
    fd_drop(&ready[1]);
    if (out < 0) {
        fd_drop(&ready[0]);
        fall_back(c, "bes-recv cannot be started");
        return -1;
    }
    c->endpoint_reader = reader_open(c->spec.loop, ready[0], READER_LINE, &handler);
    return out;
}

static int open_fifo(struct chain *c)
{
    int out;

    if (!make_fifo(c))
        return -1;
    out = start_source(c, -1);
    if (out < 0)
        fall_back(c, "bep-fifo cannot be started");
    return out;
}

void stages_prepare(struct chain *c)
{
    if (c->transport == TRANSPORT_FIFO)
        c->frames = open_fifo(c);
    else if (c->transport == TRANSPORT_BES)
        c->frames = open_bes(c);
}

int stages_open(struct chain *c)
{
    int frames = c->frames, out;

    c->frames = -1;
    if (c->transport == TRANSPORT_TAIL)
        return start_source(c, -1);
    out = frames < 0 ? -1 : start_behind(c, "bep-durable", durable_arguments, frames, -1);
    fd_drop(&frames);
    return out;
}

void stages_drain(struct chain *c)
{
    struct argv argv = ARGV_INIT;
    int null = fd_open_null(O_RDWR);

    if (c->transport == TRANSPORT_FIFO) {
        argv_addf(&argv, "%s/bep-fifo", c->spec.tools);
        argv_add(&argv, "--drain");
        argv_addf(&argv, "--pid=%d", (int)c->spec.guard);
        argv_addf(&argv, "%s/" STAGES_FIFO, c->spec.folder);
    } else {
        argv_addf(&argv, "%s/bes-recv", c->spec.tools);
        argv_add(&argv, "--drain");
        argv_addf(&argv, "--pid=%d", (int)c->spec.guard);
        argv_addf(&argv, "--listen=%s",
                  c->endpoint && !strncmp(c->endpoint, "grpc://", 7) ? c->endpoint + 7 : "");
    }
    c->drain.name = "the drain";
    if (!argv.failed)
        stage_start(&c->drain, c->spec.folder, &argv, null, null, -1);
    fd_drop(&null);
    argv_release(&argv);
}

/* From Bazel 8 on these exist for certain; an rc file that lets Bazel leave before the upload must not win. */
#define UPLOAD_MODE_MAJOR 8

void chain_flags(const struct chain *c, int bazel_major, struct argv *argv)
{
    const struct chain_spec *s = &c->spec;

    if (!s->has_events)
        return;
    if (c->transport == TRANSPORT_BES) {
        argv_addf(argv, "--bes_backend=%s", c->endpoint);
        argv_add(argv, "--nobes_lifecycle_events");
        argv_add(argv, "--bes_proxy=");
        if (bazel_major >= UPLOAD_MODE_MAJOR)
            argv_add(argv, "--bes_upload_mode=wait_for_upload_complete");
        return;
    }
    argv_addf(argv, "--build_event_binary_file=%s/%s", s->folder,
              c->transport == TRANSPORT_FIFO ? STAGES_FIFO : STORE_EVENTS);
    argv_add(argv, "--build_event_binary_file_path_conversion=false");
    if (bazel_major >= UPLOAD_MODE_MAJOR)
        argv_add(argv, "--build_event_binary_file_upload_mode=wait_for_upload_complete");
}
