#include "cmd/bes-recv/serve.h"
#include "common/base/clock.h"
#include "common/base/err.h"
#include "common/source/source.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>

/* Then the other descriptors get their turn, however much the clients send. */
#define STEPS_AT_ONCE 512

#define NO_DEADLINE UINT64_MAX
#define CLIENT_MS   100 /* how often a client without a pidfd is looked at */

static void wake(void *self)
{
    struct serve *s = self;

    server_wake(s->server);
}

static void connection_ready(void *self, uint32_t events)
{
    struct serve *s = self;
    int fd;

    (void)events;
    while ((fd = listen_accept(&s->listener)) >= 0)
        server_add_connection(s->server, fd);
}

static void client_ready(void *self, uint32_t events)
{
    struct serve *s = self;

    (void)events;
    if (!client_gone(&s->client))
        return;
    watch_remove(&s->watches, &s->client_watch);
    s->last_data = clock_ms();
}

static void signal_ready(void *self, uint32_t events)
{
    struct serve *s = self;

    (void)events;
    watch_remove(&s->watches, &s->signal_watch);
    s->stopped = !source_command_ends(&s->client);
    s->last_data = clock_ms();
}

int serve_open(struct serve *s)
{
    s->handler = ingest_handler(&s->ingest);
    s->server = server_create(&s->handler);
    if (!s->server) {
        errno = ENOMEM;
        return -1;
    }
    s->listen_watch = (struct watch){.ready = connection_ready, .self = s, .fd = -1};
    s->client_watch = (struct watch){.ready = client_ready, .self = s, .fd = -1};
    s->signal_watch = (struct watch){.ready = signal_ready, .self = s, .fd = -1};
    s->ingest.server = s->server;
    s->ingest.watches = &s->watches;
    if (watch_open(&s->watches, wake, s))
        return -1;
    if (watch_add(&s->watches, &s->listen_watch, s->listener.fd, EPOLLIN))
        return -1;
    return watch_add(&s->watches, &s->signal_watch, s->signals, EPOLLIN);
}

static unsigned steps(struct serve *s)
{
    unsigned n = 0;

    while (n < STEPS_AT_ONCE && server_step(s->server, 0))
        n++;
    return n;
}

/* Whether anything happened. A partial batch goes out when one scheduler yield has brought no more. */
static bool serve_calls(struct serve *s)
{
    unsigned n = steps(s);

    if (n && n < STEPS_AT_ONCE) {
        sched_yield();
        n += steps(s);
    }
    if (s->ingest.data_came) {
        s->ingest.data_came = false;
        s->any_data = true;
        s->last_data = clock_ms();
    }
    ingest_pump(&s->ingest);
    server_flush(s->server);
    if (!s->each && s->build.lost && !s->lost) {
        s->lost = true;
        s->last_data = clock_ms();
    }
    return n > 0;
}

/* A server for many builds ends with its client, if it has one, or by a signal. */
static uint64_t deadline_of_each(const struct serve *s)
{
    if (s->client.pid && s->client.gone)
        return server_open_calls(s->server) ? s->last_data + s->grace_ms : 0;
    return s->stopped ? 0 : NO_DEADLINE;
}

/* Without a client to follow, the end of the stream is the end. */
static uint64_t deadline_of_stream(const struct serve *s, bool settled, uint64_t quiet)
{
    const struct build *b = &s->build;

    if (settled && b->lost && !s->ingest.drain_on_failure)
        return s->ingest.build_finished ? 0 : quiet; /* others are refused in the same words */
    if (!settled || !b->numbers.finished)
        return NO_DEADLINE;
    /* Bazel's last lifecycle call comes after the stream, and its upload hangs without an answer. */
    if ((s->ingest.lifecycle && !s->ingest.build_finished) || server_open_calls(s->server))
        return quiet;
    return 0;
}

/* When to end, if nothing happens before; 0: now. */
static uint64_t deadline(const struct serve *s)
{
    const struct build *b = &s->build;
    bool settled = !b->uploads && sink_is_empty(&b->sink);
    bool ended = settled && (b->numbers.finished || b->numbers.last);
    uint64_t quiet = s->last_data + s->grace_ms;

    if (s->stopped) /* what has come is handed over */
        return sink_is_empty(&b->sink) ? 0 : quiet;
    if (!s->client.pid)
        return deadline_of_stream(s, settled, quiet);
    if (s->client.gone)
        return ended || (settled && !s->any_data) ? 0 : quiet;
    /* Bazel may begin a second attempt; a client that only runs what it has built lives on as well. */
    return ended ? quiet : NO_DEADLINE;
}

static int wait_ms(struct serve *s, uint64_t until)
{
    int left = until == NO_DEADLINE ? -1 : clock_left(until);
    bool ask = s->client.pid && !s->client.gone && client_fd(&s->client) < 0;

    if (ask && !client_gone(&s->client))
        return left < 0 || left > CLIENT_MS ? CLIENT_MS : left;
    return left;
}

void serve_run(struct serve *s)
{
    if (client_fd(&s->client) >= 0)
        watch_add(&s->watches, &s->client_watch, client_fd(&s->client), EPOLLIN);
    s->last_data = clock_ms();
    for (;;) {
        bool busy = serve_calls(s);
        uint64_t until, due;

        if (watch_ready(&s->watches) || busy)
            continue;
        due = s->each ? each_tick(s->each) : NO_DEADLINE;
        server_flush(s->server);
        until = s->each ? deadline_of_each(s) : deadline(s);
        if (until != NO_DEADLINE && until <= clock_ms())
            return;
        watch_arm(&s->watches);
        server_step(s->server, wait_ms(s, due < until ? due : until));
        watch_disarm(&s->watches);
    }
}

void serve_stop(struct serve *s)
{
    listen_close(&s->listener);
    if (s->each)
        each_finish(s->each);
    else
        build_close(&s->build);
}

void serve_close(struct serve *s)
{
    server_destroy(s->server);
    watch_close(&s->watches);
    client_release(&s->client);
}

void serve_release(struct serve *s)
{
    if (s->each)
        each_destroy(s->each);
    else
        build_release(&s->build);
}
