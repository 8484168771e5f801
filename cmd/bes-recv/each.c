#include "cmd/bes-recv/each.h"
#include "common/base/clock.h"
#include "common/base/err.h"
#include "common/io/fd.h"
#include "common/proc/spawn.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NEVER          UINT64_MAX
#define REMEMBERED_MAX 1024 /* finished builds whose numbers are acknowledged again */

/* A build, the COMMAND that takes its frames, and what is left when it is done: the numbers. */
struct job {
    struct build build;
    struct each *each;
    struct child child;
    struct watch exit_watch;
    int pipe; /* COMMAND's stdin */
    struct ack_address address;
    uint64_t connect_until; /* the writer must have answered by then */
    uint64_t resume_until;  /* NEVER: the stream is not broken */
    bool done;              /* no frames any more: COMMAND has seen the end of its input */
    struct job *next;       /* newest first */
};

struct each {
    struct ingest *ingest;
    const struct each_options *options;
    struct job *jobs;
    bool failed;
};

struct each *each_create(struct ingest *in, const struct each_options *options)
{
    struct each *e = calloc(1, sizeof(*e));

    if (!e)
        return NULL;
    e->ingest = in;
    e->options = options;
    return e;
}

static bool is_name(struct view id)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789_-";

    for (size_t i = 0; i < id.len; i++)
        if (!id.bytes[i] || !strchr(letters, id.bytes[i]))
            return false;
    return id.len > 0 && id.len <= ID_MAX;
}

/* COMMAND has its end of input, its numbers stay. What still comes for it is acknowledged at once. */
static void finish(struct job *j)
{
    if (j->done)
        return;
    j->done = true;
    build_close(&j->build);
    fd_drop(&j->pipe);
}

static void give_up(struct job *j, const char *why)
{
    if (!j->build.sink.failure) {
        err_say("%s: %s", j->build.numbers.invocation_id, why);
        j->each->failed = true;
    }
    build_fail(&j->build, SINK_GONE);
}

static void command_exited(void *self, uint32_t events)
{
    struct job *j = self;
    char text[64];

    (void)events;
    if (child_try_wait(&j->child) == 0)
        return;
    watch_remove(j->each->ingest->watches, &j->exit_watch);
    child_release(&j->child); /* the job is remembered for long, its process need not be */
    if (j->child.status) {
        err_say("%s: the command ended with %s", j->build.numbers.invocation_id,
                child_status_text(j->child.status, text, sizeof(text)));
        j->each->failed = true;
    }
    if (!j->done)
        give_up(j, "the command ended before the stream");
}

/* Our environment, with the ids in front of what may be there under these names already. */
static char **environment(const struct job *j, char ids[2][ID_MAX + 32])
{
    size_t count = 0;
    char **env;

    while (environ[count])
        count++;
    env = malloc((count + 3) * sizeof(*env));
    if (!env)
        err_die_memory();
    snprintf(ids[0], sizeof(ids[0]), "BES_INVOCATION_ID=%s", j->build.numbers.invocation_id);
    snprintf(ids[1], sizeof(ids[1]), "BES_BUILD_ID=%s", j->build.numbers.build_id);
    env[0] = ids[0];
    env[1] = ids[1];
    count = 2;
    for (char **old = environ; *old; old++)
        if (strncmp(*old, "BES_INVOCATION_ID=", 18) && strncmp(*old, "BES_BUILD_ID=", 13))
            env[count++] = *old;
    env[count] = NULL;
    return env;
}

static int start_command(struct job *j, int input)
{
    char ids[2][ID_MAX + 32];
    char **env = environment(j, ids);
    char *argv[] = {(char *)"/bin/sh", (char *)"-c", (char *)j->each->options->command, NULL};
    struct spawn s = {.argv = argv, .env = env};
    int result;

    spawn_fd(&s, input, STDIN_FILENO);
    result = spawn_start(&s, &j->child);
    free(env);
    return result;
}

static void start(struct job *j)
{
    struct each *e = j->each;
    int ends[2];

    if (fd_pipe(ends)) {
        err_say_errno("%s: pipe", j->build.numbers.invocation_id);
        e->failed = true;
        j->build.sink = (struct sink){.fd = -1, .back = ACK_CONNECTOR_INIT};
        j->build.sink.failure = SINK_GONE;
        return;
    }
    j->pipe = ends[1];
    ack_address_of_pipe(&j->address, j->pipe);
    sink_init(&j->build.sink, j->pipe, e->options->handoff);
    if (start_command(j, ends[0])) {
        err_say_errno("/bin/sh");
        e->failed = true;
        j->build.sink.failure = SINK_GONE;
    } else if (j->child.pidfd >= 0) {
        watch_add(e->ingest->watches, &j->exit_watch, j->child.pidfd, EPOLLIN);
    }
    fd_drop(&ends[0]);
}

static struct job *create(struct each *e, const struct request *r)
{
    struct job *j = calloc(1, sizeof(*j));

    if (!j)
        err_die_memory();
    j->each = e;
    j->pipe = -1;
    j->child = (struct child)CHILD_INIT;
    j->exit_watch = (struct watch){.ready = command_exited, .self = j, .fd = -1};
    j->connect_until = clock_ms() + e->options->ack_timeout_ms;
    j->resume_until = NEVER;
    invocation_init(&j->build.numbers, NULL);
    invocation_owns(&j->build.numbers, r);
    start(j);
    build_start(&j->build, e->ingest);
    if (e->options->handoff || j->build.sink.failure)
        build_connected(&j->build);
    j->next = e->jobs;
    e->jobs = j;
    return j;
}

struct build *each_route(void *self, const struct request *r)
{
    struct each *e = self;

    for (struct job *j = e->jobs; j; j = j->next)
        if (invocation_is(&j->build.numbers, r))
            return &j->build;
    if (!is_name(r->build_id) || !is_name(r->invocation_id))
        return NULL;
    return &create(e, r)->build;
}

static void free_job(struct job *j)
{
    finish(j);
    watch_remove(j->each->ingest->watches, &j->exit_watch);
    child_release(&j->child);
    build_release(&j->build);
    free(j);
}

static bool is_over(const struct job *j)
{
    return j->done && j->child.reaped && !j->build.uploads && !j->build.in_unpumped;
}

static void forget_oldest(struct each *e)
{
    unsigned finished = 0;

    for (struct job **link = &e->jobs; *link;) {
        struct job *j = *link;

        if (!is_over(j) || ++finished <= REMEMBERED_MAX) {
            link = &j->next;
            continue;
        }
        *link = j->next;
        free_job(j);
    }
}

static uint64_t try_connect(struct job *j)
{
    uint64_t now = clock_ms();

    switch (ack_connect(&j->build.sink.back, &j->address)) {
    case ACK_OK:
        build_connected(&j->build);
        return NEVER;
    case ACK_NOT_YET:
    case ACK_STRANGER:
        if (now < j->connect_until)
            return now + ACK_RETRY_MS;
        break;
    default:
        break;
    }
    give_up(j, "no durable writer: begin the command with bep-durable, or say --ack=handoff");
    return NEVER;
}

/* Between two calls a stream may be away for a while, but not for ever. */
static uint64_t watch_break(struct job *j)
{
    uint64_t now = clock_ms();

    if (j->build.uploads) {
        j->resume_until = NEVER;
    } else if (j->resume_until == NEVER) {
        j->resume_until = now + j->each->options->resume_ms;
    } else if (now >= j->resume_until) {
        err_say("%s: the stream broke after %llu events and did not come back",
                j->build.numbers.invocation_id, (unsigned long long)j->build.numbers.events);
        j->each->failed = true;
        finish(j);
        return NEVER;
    }
    return j->resume_until;
}

static uint64_t tick(struct job *j)
{
    struct build *b = &j->build;

    if (j->done)
        return NEVER;
    if (!b->connected && !b->lost)
        return try_connect(j);
    if (sink_is_empty(&b->sink) && (b->numbers.finished || (b->lost && !b->uploads))) {
        finish(j);
        return NEVER;
    }
    return watch_break(j);
}

uint64_t each_tick(struct each *e)
{
    uint64_t next = NEVER;

    for (struct job *j = e->jobs; j; j = j->next) {
        uint64_t due = tick(j);

        next = due < next ? due : next;
    }
    forget_oldest(e);
    return next;
}

void each_finish(struct each *e)
{
    for (struct job *j = e->jobs; j; j = j->next) {
        if (!j->done && !j->build.numbers.last) {
            err_say("%s: cut short after %llu events", j->build.numbers.invocation_id,
                    (unsigned long long)j->build.numbers.events);
            e->failed = true;
        }
        finish(j);
    }
    for (struct job *j = e->jobs; j; j = j->next)
        if (j->child.pid && !j->child.reaped && child_wait(&j->child) > 0)
            e->failed = e->failed || j->child.status;
}

bool each_failed(const struct each *e)
{
    return e->failed;
}

void each_destroy(struct each *e)
{
    while (e->jobs) {
        struct job *j = e->jobs;

        e->jobs = j->next;
        free_job(j);
    }
    free(e);
}
