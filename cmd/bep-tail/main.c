/* bep-tail: a BEP file that Bazel is still writing, passed on frame by frame. */
#include "cmd/bep-tail/tail.h"
#include "common/base/clock.h"
#include "common/base/err.h"
#include "common/base/opt.h"
#include "common/io/fd.h"
#include "common/proc/signals.h"
#include "common/source/source.h"

#include <poll.h>
#include <string.h>
#include <unistd.h>

#define NO_DEADLINE UINT64_MAX

static struct source_options source = SOURCE_OPTIONS_INIT;
static uint64_t wait_ms = NO_DEADLINE;
static bool no_follow;

static const struct opt options[] = {
    SOURCE_OPT_PID(source),
    SOURCE_OPT_GRACE(source),
    {OPT_DURATION, 'w', "wait", "TIME",
     "wait this long for FILE to appear (as long as the client lives)", &wait_ms, NULL, 0},
    {OPT_FLAG, 'n', "no-follow", NULL, "pass on what is in FILE now, and end", &no_follow, NULL, 0},
    SOURCE_OPT_MAX_FRAME(&source.max_frame),
    {OPT_END, 0, NULL, NULL, NULL, NULL, NULL, 0},
};

static const struct opt_program program = {
    .name = "bep-tail",
    .synopsis = "[options] FILE [-- COMMAND ...]",
    .about = "Follows FILE, which Bazel writes with --build_event_binary_file, from its first "
             "byte, and\n"
             "passes each whole frame on to stdout, until the last message has passed.",
    .options = options,
    .footer = "examples:\n"
              "  bazel build --build_event_binary_file=e.bep //... & bep-tail --pid $! e.bep | "
              "bep-reduce\n"
              "  bep-tail e.bep -- bazel test --build_event_binary_file={} //... | bep-reduce",
};

/* One run over one file. Times are of clock_ms. */
struct run {
    struct tail tail;
    struct client client;
    int signals;
    uint64_t started;
    uint64_t last_data; /* when the last byte came, or the client went, whichever is later */
    bool client_was_gone;
    bool signal_known; /* the first signal has been answered ... */
    bool stopped;      /* ... and ends the stream */
};

/* Whether a signal has ended our stream; answers the first one. */
static bool stopped(struct run *r)
{
    if (signals_seen() && !r->signal_known) {
        r->signal_known = true;
        r->stopped = !source_command_ends(&r->client);
    }
    return r->stopped;
}

/* Passes on everything that is there. EX_OK, or the exit status. */
static int pass_all(struct run *r)
{
    struct stream *stream = &r->tail.stream;
    bool until_signal = !r->client.child.pid;
    enum tail_status status;

    while (!stopped(r) && (status = tail_read(&r->tail)) != TAIL_IDLE) {
        if (status == TAIL_FAILED)
            return r->tail.failure;
        r->last_data = clock_ms();
        switch (source_pass(stream->whole, stream->whole_len, until_signal)) {
        case PASS_OK:
        case PASS_INTERRUPTED:
            break;
        case PASS_GONE:
            return EX_UNAVAILABLE;
        case PASS_FAILED:
            return EX_IOERR;
        }
        if (stream->fault)
            break;
    }
    return EX_OK;
}

/* When to stop waiting for more; 0: now. */
static uint64_t deadline(const struct run *r, bool gone)
{
    bool last = stream_end(&r->tail.stream) == STREAM_COMPLETE;

    if (no_follow || r->stopped || r->tail.stream.fault)
        return 0;
    if (r->tail.fd < 0 && !gone && wait_ms != NO_DEADLINE)
        return r->started + wait_ms;
    if (gone)
        return last || !r->tail.any_byte ? 0 : r->last_data + source.grace_ms;
    if (!last)
        return NO_DEADLINE;
    /* Bazel may begin a second attempt; a client that only runs what it has built lives on as well. */
    return r->client.pid ? r->last_data + source.grace_ms : 0;
}

static int shorter(int a, int b)
{
    return a < 0 || (b >= 0 && b < a) ? b : a;
}

/* False: nobody reads stdout any more. */
static bool wait_for_change(struct run *r, uint64_t until)
{
    struct pollfd fds[] = {
        {.fd = r->signal_known ? -1 : r->signals, .events = POLLIN},
        {.fd = r->tail.watch.fd, .events = POLLIN},
        {.fd = client_fd(&r->client), .events = POLLIN},
        {.fd = STDOUT_FILENO},
    };
    int timeout = watch_timeout(&r->tail.watch);

    if (until != NO_DEADLINE)
        timeout = shorter(timeout, clock_left(until));
    if (!source_wait(fds, sizeof(fds) / sizeof(*fds), &r->client, timeout))
        return true;
    watch_clear(&r->tail.watch);
    return !(fds[3].revents & (POLLERR | POLLHUP));
}

/* Why no frame was ever seen, or how the stream ended. */
static int verdict(const struct run *r)
{
    const struct tail *t = &r->tail;

    if (t->held) {
        err_say("%s: not written by process %d", t->path, (int)r->client.pid);
        return EX_NOINPUT;
    }
    if (t->fd >= 0)
        return stream_say_end(&t->stream, t->path);
    if (r->client.gone)
        err_say("%s: process %d ended without writing it", t->path, (int)r->client.pid);
    else if (signals_seen())
        err_verbose("%s: did not appear", t->path);
    else
        err_say("%s: no such file%s", t->path, no_follow ? "" : " appeared in time");
    return EX_NOINPUT;
}

static int follow(struct run *r)
{
    bool noted = false;

    for (;;) {
        bool gone =
            client_gone(&r->client); /* asked first: what it wrote last is read afterwards */
        uint64_t until;
        int status = pass_all(r);
        if (status)
            return status;
        if (gone && !r->client_was_gone)
            r->last_data = clock_ms();
        r->client_was_gone = gone;
        until = deadline(r, gone);
        if (until <= clock_ms())
            return verdict(r);
        if (r->tail.fd < 0 && !r->client.pid && !noted)
            err_note("%s: does not exist yet; waiting for it", r->tail.path);
        noted = true;
        if (!wait_for_change(r, until))
            return EX_UNAVAILABLE;
    }
}

int main(int argc, char **argv)
{
    struct run r = {.started = 0};
    struct opt_operands operands;
    char *const *command;
    int status;

    fd_start();
    opt_parse(&program, argc, argv, &operands);
    if (operands.before_dashes != 1)
        opt_misuse("one FILE is needed");
    if (!strcmp(operands.items[0], "-"))
        opt_misuse("a stream on stdin needs no bep-tail, and a file named '-' is './-'");
    command = source_command(&operands, &source);
    source_refuse_terminal("bep-tail FILE | bep-reduce");
    r.signals = signals_open();
    if (r.signals < 0)
        err_die_errno(EX_OSERR, "signals");
    r.started = clock_ms();
    status = source_client(&r.client, &source, command, operands.items[0]);
    if (status)
        source_exit(status);
    tail_open(&r.tail, operands.items[0], &r.client, source.max_frame);
    /* The reader first: to close an inotify descriptor takes the kernel 10 ms and more. */
    status = source_close(follow(&r));
    tail_close(&r.tail);
    client_release(&r.client);
    source_leave(status);
}
