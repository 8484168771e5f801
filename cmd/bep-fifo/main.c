/* bep-fifo: a named pipe that Bazel writes its events to, passed on frame by frame. */
#include "cmd/bep-fifo/fifo.h"
#include "common/base/clock.h"
#include "common/base/err.h"
#include "common/base/opt.h"
#include "common/frame/stream.h"
#include "common/io/fd.h"
#include "common/proc/signals.h"
#include "common/source/source.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

static struct source_options source = SOURCE_OPTIONS_INIT;
static bool drain_only;

static const struct opt options[] = {
    SOURCE_OPT_PID(source),
    SOURCE_OPT_GRACE(source),
    SOURCE_OPT_MAX_FRAME(&source.max_frame),
    {OPT_FLAG, 0, "drain", NULL, "read and forget everything, so that Bazel can go on", &drain_only,
     NULL, 0},
    {OPT_END, 0, NULL, NULL, NULL, NULL, NULL, 0},
};

static const struct opt_program program = {
    .name = "bep-fifo",
    .synopsis = "[options] FIFO [-- COMMAND ...]",
    .about = "Makes FIFO, reads what Bazel writes to it with --build_event_binary_file, and passes "
             "each\n"
             "whole frame on to stdout, until Bazel's client has gone and everything is read.",
    .options = options,
    .footer = "example:\n"
              "  bep-fifo q -- bazel build --build_event_binary_file={} //... | bep-durable e.bep "
              "| bep-reduce",
};

enum writers {
    WRITERS_NONE, /* nobody has it open for writing, and all is read */
    WRITERS_OPEN, /* somebody has, and there is nothing to read now */
};

struct run {
    struct fifo fifo;
    struct client client;
    struct stream stream;
    int signals;
    bool draining;     /* what comes is not passed on any more */
    bool signal_known; /* the first signal has been answered */
    int status;        /* of the fault that made us drain; EX_OK: none */
    uint64_t drained;  /* bytes that were not passed on */
    bool any_writer;   /* ever */
    bool any_byte;
    uint64_t last_data; /* when the last byte came, or the client went (clock_ms) */
    bool client_was_gone;
};

static struct run run;

/* From here on everything is read and forgotten: a build must not fail because we did. */
static void start_draining(int status)
{
    run.draining = true;
    if (!run.status)
        run.status = status;
}

static void pass_on(void)
{
    switch (source_pass(run.stream.whole, run.stream.whole_len, false)) {
    case PASS_OK:
    case PASS_INTERRUPTED:
        if (run.stream.fault)
            start_draining(EX_DATAERR);
        break;
    case PASS_GONE:
        start_draining(EX_UNAVAILABLE);
        break;
    case PASS_FAILED:
        start_draining(EX_IOERR);
        break;
    }
}

/* Where the next bytes go. */
static void *room_for(size_t *len)
{
    static char nowhere[READ_CHUNK];
    void *room = run.draining ? NULL : stream_room(&run.stream, len);

    if (room)
        return room;
    if (!run.draining) {
        err_say("%s: no memory for the frame at byte %llu", run.fifo.path,
                (unsigned long long)run.stream.reader.offset);
        start_draining(EX_OSERR);
    }
    *len = sizeof(nowhere);
    return nowhere;
}

static void take(size_t n)
{
    run.any_byte = true;
    run.last_data = clock_ms();
    if (run.draining) {
        run.drained += n;
        return;
    }
    stream_added(&run.stream, n);
    pass_on();
}

/* Reads until nothing is left, or a signal wants an answer. */
static enum writers read_all(void)
{
    while (run.signal_known || !signals_seen()) {
        size_t len;
        void *room = room_for(&len);
        ssize_t n = fd_read(run.fifo.fd, room, len);
        if (n == 0)
            return WRITERS_NONE;
        run.any_writer = true;
        if (n < 0)
            break;
        take((size_t)n);
    }
    return WRITERS_OPEN;
}

static void answer_signal(void)
{
    run.signal_known = true;
    if (source_command_ends(&run.client))
        return;
    if (!run.draining) {
        err_note(
            "%s: SIG%s: the stream ends here; reading on for Bazel's sake until it has ended (once "
            "more: end at once)",
            run.fifo.path, sigabbrev_np(signals_seen()));
        start_draining(EX_OK);
        fd_to_null(STDOUT_FILENO);
    }
}

/* Whether the stream has ended; else *until is set (clock_ms, 0: no end in sight). */
static bool ended(bool gone, enum writers writers, uint64_t *until)
{
    *until = 0;
    if (!run.client.pid)
        return writers == WRITERS_NONE && (run.any_writer || signals_seen());
    if (!gone)
        return false;
    if (writers == WRITERS_NONE || !run.any_byte || stream_end(&run.stream) == STREAM_COMPLETE)
        return true;
    *until = run.last_data + source.grace_ms;
    return clock_left(*until) == 0;
}

/* 0, or the exit status where it can't go on. */
static int wait_for_change(enum writers writers, uint64_t until)
{
    struct pollfd fds[] = {
        {.fd = run.signal_known ? -1 : run.signals, .events = POLLIN},
        {.fd = run.fifo.fd, .events = POLLIN},
        {.fd = client_fd(&run.client), .events = POLLIN},
        {.fd = run.draining ? -1 : STDOUT_FILENO},
    };

    if (!source_wait(fds, sizeof(fds) / sizeof(*fds), &run.client, until ? clock_left(until) : -1))
        return EX_OK;
    if (fds[3].revents & (POLLERR | POLLHUP))
        start_draining(EX_UNAVAILABLE);
    if (!(fds[1].revents & POLLHUP))
        return EX_OK;
    run.any_writer = true;
    if (writers != WRITERS_NONE || fds[1].revents & POLLIN || !fifo_forget_writers(&run.fifo))
        return EX_OK;
    err_say_errno("%s", run.fifo.path);
    return EX_OSERR;
}

static int follow(void)
{
    for (;;) {
        bool gone = client_gone(&run.client); /* asked first: what was written last is read then */
        enum writers writers;
        uint64_t until;
        int status;

        if (signals_seen() && !run.signal_known)
            answer_signal();
        writers = read_all();
        if (gone && !run.client_was_gone)
            run.last_data = clock_ms();
        run.client_was_gone = gone;
        if (ended(gone, writers, &until))
            return EX_OK;
        status = wait_for_change(writers, until);
        if (status)
            return status;
    }
}

static int verdict(void)
{
    const char *path = run.fifo.path;
    int status = run.status;

    if (drain_only)
        return status;
    if (!run.any_writer && run.client.pid) {
        err_say("%s: process %d ended without opening it", path, (int)run.client.pid);
        return EX_UNAVAILABLE;
    }
    if (!status || status == EX_DATAERR)
        status = stream_say_end(&run.stream, path);
    if (status == EX_UNAVAILABLE)
        err_note("%s: the reader of stdout has gone", path);
    if (run.drained)
        err_note("%s: %llu bytes were read and not passed on", path,
                 (unsigned long long)run.drained);
    return status;
}

/* In a signal handler. */
static void remove_name(void)
{
    unlink(run.fifo.path);
}

int main(int argc, char **argv)
{
    struct opt_operands operands;
    char *const *command;
    int status;

    fd_start();
    opt_parse(&program, argc, argv, &operands);
    if (operands.before_dashes != 1)
        opt_misuse("one FIFO is needed");
    command = source_command(&operands, &source);
    if (!drain_only)
        source_refuse_terminal("bep-fifo FIFO | bep-reduce");
    run.draining = drain_only;
    run.signals = signals_open();
    if (run.signals < 0)
        err_die_errno(EX_OSERR, "signals");
    stream_init(&run.stream, source.max_frame);
    status = fifo_make(&run.fifo, operands.items[0]);
    if (status)
        source_exit(status);
    signals_at_second(remove_name);
    status = source_client(&run.client, &source, command, run.fifo.path);
    if (!status)
        status = follow();
    if (!status)
        status = verdict();
    fifo_remove(&run.fifo);
    client_release(&run.client);
    stream_release(&run.stream);
    source_exit(status);
}
