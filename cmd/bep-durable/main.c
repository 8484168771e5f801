/* bep-durable: frames to FILE, accepted, then on to stdout. See bep-durable(1) and bep-pipeline(7). */
#include "cmd/bep-durable/durable.h"
#include "common/base/err.h"
#include "common/base/limits.h"
#include "common/base/opt.h"
#include "common/io/fd.h"
#include "common/proc/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

/* More than the 64 KiB of a new pipe, so that a source writes on while a batch goes to disk; less than
 * would use up a user's allowance (pipe(7), pipe-user-pages-soft) with a hundred builds at once. */
#define PIPE_BYTES (256 * 1024)

static struct {
    bool append, force;
    int sync;
    uint64_t max_frame;
    const char *ack_socket;
} options = {.max_frame = FRAME_MAX_DEFAULT};

/*
 * Being woken by a source must not put that source aside: it has more coming, and taking it at one go
 * saves a read, a write, an acknowledgement and two switches for each batch.
 */
static void let_the_source_run_on(void)
{
    static const struct sched_param none;

    (void)sched_setscheduler(0, SCHED_BATCH, &none); /* for speed only */
}

static const char *const sync_words[] = {"end", "batch", NULL};

static const struct opt rows[] = {
    {OPT_FLAG, 'a', "append", NULL, "go on behind the last whole frame of FILE", &options.append,
     NULL, 0},
    {OPT_FLAG, 'f', "force", NULL, "empty FILE where it exists", &options.force, NULL, 0},
    {OPT_CHOICE, 's', "sync", "WHEN", "end (default): with the last message; batch: always",
     &options.sync, sync_words, 0},
    {OPT_STRING, 0, "ack-socket", "PATH", "listen for bes-recv there", &options.ack_socket, NULL,
     0},
    {OPT_SIZE, 0, "max-frame", "SIZE", "longest frame that is accepted (1G)", &options.max_frame,
     NULL, 0},
    {OPT_END, 0, NULL, NULL, NULL, NULL, NULL, 0},
};

static const struct opt_program program = {
    .name = "bep-durable",
    .synopsis = "[options] FILE",
    .about =
        "Writes the frames on stdin to FILE, tells bes-recv that they are accepted, and passes\n"
        "them on to stdout at the pace of who reads there.",
    .options = rows,
    .footer = "example: bep-fifo q -- bazel build --build_event_binary_file={} //... |\n"
              "         bep-durable events.bep | bep-reduce",
};

static struct durable durable;

static const char *file_operand(int argc, char **argv)
{
    static struct opt_operands operands; /* what it points to lives as long as we do */

    opt_parse(&program, argc, argv, &operands);
    if (operands.count != 1 || !operands.items[0][0])
        opt_misuse("one FILE is needed");
    if (options.append && options.force)
        opt_misuse("--append and --force exclude each other");
    if (fd_is_terminal(STDIN_FILENO))
        opt_misuse("stdin is a terminal, and frames are no text: put a source before");
    return operands.items[0];
}

/* The second signal ends us in the middle of something: FILE shall still be whole frames. */
static void cut_file(void)
{
    store_cut(&durable.store);
}

/*
 * The explicit path must work. The name that follows from the pipe may be taken by anybody, and a source
 * other than bes-recv does not miss it: then it is bes-recv that ends, and says why.
 */
static void listen_for_connector(struct ack_listener *ack)
{
    struct ack_address address;
    char text[sizeof(address.un.sun_path) + 1];

    *ack = (struct ack_listener)ACK_LISTENER_INIT;
    if (options.ack_socket) {
        if (!ack_address_of_path(&address, options.ack_socket))
            opt_misuse("--ack-socket: '%s' is no name for a socket (1 to 107 bytes)",
                       options.ack_socket);
        if (ack_listen(ack, &address))
            err_die_errno(EX_CANTCREAT, "%s", options.ack_socket);
    } else if (ack_address_of_pipe(&address, STDIN_FILENO) && ack_listen(ack, &address)) {
        err_say_errno("%s: no acceptance is told there: give --ack-socket PATH to both sides",
                      ack_address_text(&address, text, sizeof(text)));
    }
}

static void open_file(struct store *store, const char *path)
{
    enum store_mode mode = options.append ? STORE_APPEND : options.force ? STORE_FORCE : STORE_NEW;
    int status = store_open(store, path, mode, options.max_frame);

    if (status) {
        ack_listener_release(&durable.ack);
        exit(status);
    }
}

static int say_end(const struct scan *s)
{
    unsigned long long offset = s->whole;

    switch (scan_end(s)) {
    case STREAM_COMPLETE:
        err_verbose("complete: %llu events, %llu bytes", (unsigned long long)s->frames, offset);
        return EX_OK;
    case STREAM_NO_LAST:
        err_say("stdin: incomplete: ends at byte %llu, after %llu events, without the last message",
                offset, (unsigned long long)s->frames);
        break;
    case STREAM_IN_FRAME:
        err_say("stdin: incomplete: ends inside the frame at byte %llu, of which %llu bytes came",
                offset, (unsigned long long)s->tail);
        break;
    case STREAM_TOO_BIG:
        err_say("stdin: the frame at byte %llu announces %llu bytes, more than --max-frame allows "
                "(%llu)",
                offset, (unsigned long long)s->announced, (unsigned long long)s->max_frame);
        break;
    case STREAM_MALFORMED:
        err_say("stdin: malformed: no frame begins at byte %llu", offset);
        break;
    }
    return EX_DATAERR;
}

/* Closes everything and says what is to be said. */
static int finish(struct durable *d)
{
    int status = d->store.failed ? EX_IOERR : d->status;

    if (!store_close(&d->store))
        status = EX_IOERR;
    if (out_close(&d->out)) {
        err_say_errno("stdout");
        status = EX_IOERR;
    }
    ack_listener_release(&d->ack);
    if (!d->store.failed && say_end(&d->scan) && !status)
        status = EX_DATAERR;
    return status;
}

int main(int argc, char **argv)
{
    const char *path;
    int status;

    fd_start();
    signal(SIGXFSZ, SIG_IGN); /* a file size limit is EFBIG, and 74 */
    path = file_operand(argc, argv);

    /* open: the back-channel first, as bes-recv waits for it */
    listen_for_connector(&durable.ack);
    open_file(&durable.store, path);
    if (out_open(&durable.out, STDOUT_FILENO))
        err_die_errno(EX_IOERR, "stdout");
    durable.in = STDIN_FILENO;
    durable.sync = (enum durable_sync)options.sync;
    fcntl(STDIN_FILENO, F_SETPIPE_SZ, PIPE_BYTES); /* for speed only; most inputs refuse */
    let_the_source_run_on();

    if (signals_open() < 0)
        err_die_errno(EX_OSERR, "signals");
    signals_at_second(cut_file);

    durable_run(&durable, options.max_frame);

    status = finish(&durable);
    if (status == EX_DATAERR && signals_seen())
        signals_die(signals_seen());
    return status;
}
