/* bes-recv: a Build Event Service whose acknowledgements mean that the durable writer has the event. */
#include "cmd/bes-recv/serve.h"
#include "common/ack/connector.h"
#include "common/base/clock.h"
#include "common/base/err.h"
#include "common/base/opt.h"
#include "common/io/fd.h"
#include "common/proc/signals.h"
#include "common/source/source.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define ACK_TIMEOUT_MS 10000
#define RESUME_MS      60000

enum { ACK_DURABLE, ACK_HANDOFF };
enum { FAILURE_FAIL, FAILURE_DRAIN };

static const char *const ack_choices[] = {"durable", "handoff", NULL};
static const char *const failure_choices[] = {"fail", "drain", NULL};

static struct source_options source = SOURCE_OPTIONS_INIT;
static const char *listen_at = "127.0.0.1:0";
static const char *endpoint_file;
static uint64_t ready_fd = UINT64_MAX;
static int ack = ACK_DURABLE;
static uint64_t ack_timeout_ms = ACK_TIMEOUT_MS;
static const char *ack_socket;
static const char *invocation_id;
static int on_failure = FAILURE_FAIL;
static bool drain;
static struct each_options each = {.resume_ms = RESUME_MS};

static const struct opt options[] = {
    {OPT_STRING, 'l', "listen", "ADDRESS", "127.0.0.1:PORT or unix:PATH (127.0.0.1:0)", &listen_at,
     NULL, 0},
    {OPT_U64, 0, "ready-fd", "N", "write the endpoint to this descriptor", &ready_fd, NULL,
     INT_MAX},
    {OPT_STRING, 0, "endpoint-file", "FILE", "write the endpoint to FILE", &endpoint_file, NULL, 0},
    {OPT_CHOICE, 0, "ack", "WHEN",
     "acknowledge when the durable writer has accepted, or on handoff to stdout (durable)", &ack,
     ack_choices, 0},
    {OPT_DURATION, 0, "ack-timeout", "TIME", "wait this long for the durable writer (10s)",
     &ack_timeout_ms, NULL, 0},
    {OPT_STRING, 0, "ack-socket", "PATH", "where the durable writer says what it has accepted",
     &ack_socket, NULL, 0},
    {OPT_STRING, 'i', "invocation-id", "ID", "the invocation to record (the first one that comes)",
     &invocation_id, NULL, 0},
    {OPT_CHOICE, 0, "on-failure", "WHAT",
     "when the writer has failed: fail the upload, or drain it unwritten (fail)", &on_failure,
     failure_choices, 0},
    {OPT_FLAG, 0, "drain", NULL, "acknowledge everything, write nothing", &drain, NULL, 0},
    {OPT_STRING, 0, "each", "COMMAND",
     "serve all builds: frames of each one go to a COMMAND (of sh) of its own", &each.command, NULL,
     0},
    {OPT_DURATION, 0, "resume-time", "TIME",
     "with --each: how long a broken stream may take to come back (1m)", &each.resume_ms, NULL, 0},
    SOURCE_OPT_PID(source),
    SOURCE_OPT_GRACE(source),
    SOURCE_OPT_MAX_FRAME(&source.max_frame),
    {OPT_END, 0, NULL, NULL, NULL, NULL, NULL, 0},
};

static const struct opt_program program = {
    .name = "bes-recv",
    .synopsis = "[options] [-- COMMAND ...]",
    .about = "A Build Event Service for one Bazel invocation: passes its events on to stdout as\n"
             "frames, and acknowledges each one when bep-durable has accepted it.",
    .options = options,
    .footer = "examples:\n"
              "  bes-recv -- bazel build --bes_backend={} //... | bep-durable e.bep | bep-reduce\n"
              "  bes-recv --listen 127.0.0.1:8980 | bep-durable e.bep | bep-reduce\n"
              "  bes-recv --listen 127.0.0.1:8980 --each 'bep-durable \"$BES_INVOCATION_ID.bep\" | "
              "bep-reduce'\n"
              "  bes-recv --ack=handoff -- bazel test --bes_backend={} //... > e.bep",
};

static struct build *route_to_one(void *self, const struct request *r)
{
    struct build *b = self;

    return invocation_owns(&b->numbers, r) ? b : NULL;
}

static void open_server(struct serve *s)
{
    switch (listen_open(&s->listener, listen_at)) {
    case LISTEN_OK:
        break;
    case LISTEN_BAD_ADDRESS:
        opt_misuse("--listen %s: give 127.0.0.1:PORT, or unix:PATH with a short path", listen_at);
    case LISTEN_FAILED:
        err_die_errno(EX_UNAVAILABLE, "%s", listen_at);
    }
    if (serve_open(s))
        err_die_errno(EX_OSERR, "cannot start the server");
}

static void find_writer(struct ack_address *address)
{
    if (ack_socket) {
        if (!ack_address_of_path(address, ack_socket))
            opt_misuse("--ack-socket: the path is empty or too long for a socket");
    } else if (!ack_address_of_pipe(address, STDOUT_FILENO)) {
        err_die(EX_USAGE, "stdout is no pipe: put bep-durable directly after bes-recv, say "
                          "--ack-socket PATH on both, or say --ack=handoff");
    }
}

/* Before Bazel learns the endpoint: that the writer is missing shows before the build. */
static void connect_writer(struct serve *s, uint64_t started)
{
    struct ack_address address;
    enum ack_status status;
    char text[128];

    find_writer(&address);
    status = ack_connect_until(&s->build.sink.back, &address, started + ack_timeout_ms,
                               STDOUT_FILENO, s->signals);
    switch (status) {
    case ACK_OK:
        return;
    case ACK_STOPPED:
        source_exit(EX_UNAVAILABLE);
    case ACK_STRANGER:
        err_die(EX_UNAVAILABLE, "%s is taken by another user: say --ack-socket PATH on both sides",
                ack_address_text(&address, text, sizeof(text)));
    case ACK_FAILED:
        err_die_errno(EX_OSERR, "%s", ack_address_text(&address, text, sizeof(text)));
    case ACK_CLOSED:
        err_die(EX_UNAVAILABLE, "nobody reads stdout any more");
    case ACK_NOT_YET:
    case ACK_BAD:
        err_die(EX_UNAVAILABLE, "no durable writer: put bep-durable directly after bes-recv, or "
                                "say --ack=handoff");
    }
}

static void open_build(struct serve *s, uint64_t started)
{
    struct build *b = &s->build;
    bool handoff = ack == ACK_HANDOFF || drain;

    invocation_init(&b->numbers, invocation_id);
    sink_init(&b->sink, STDOUT_FILENO, handoff);
    if (drain)
        b->closed = true;
    else if (handoff)
        err_note("--ack=handoff: an event is acknowledged before it is in any file");
    else
        connect_writer(s, started);
    build_start(b, &s->ingest);
    build_connected(b);
}

static void open_each(struct serve *s)
{
    if (drain || invocation_id || ack_socket)
        opt_misuse("--each goes with none of --drain, --invocation-id and --ack-socket");
    each.handoff = ack == ACK_HANDOFF;
    each.ack_timeout_ms = ack_timeout_ms;
    s->each = each_create(&s->ingest, &each);
    if (!s->each)
        err_die_memory();
    s->ingest.route = each_route;
    s->ingest.route_self = s->each;
}

static void write_endpoint_file(const char *endpoint)
{
    int fd = open(endpoint_file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    if (fd < 0 || fd_write_full(fd, endpoint, strlen(endpoint)) || fd_write_full(fd, "\n", 1) ||
        fd_close(fd))
        err_die_errno(EX_CANTCREAT, "%s", endpoint_file);
}

/* Whoever waits for us goes on at the end of line. */
static void announce(const char *endpoint, bool command)
{
    if (endpoint_file)
        write_endpoint_file(endpoint);
    if (ready_fd != UINT64_MAX) {
        int fd = (int)ready_fd;
        char line[256];
        int len = snprintf(line, sizeof(line), "%s\n", endpoint);

        if (fd_write_full(fd, line, (size_t)len) || fd_close(fd))
            err_die_errno(EX_OSERR, "--ready-fd %d", fd);
    }
    if (!endpoint_file && ready_fd == UINT64_MAX && !command)
        err_say("%s", endpoint);
}

static int writer_verdict(const struct build *b)
{
    int status = EX_IOERR;

    if (b->sink.failure == SINK_FAILED) {
        errno = b->sink.failed_errno;
        err_say_errno("stdout");
    } else {
        err_say("the durable writer went away after %llu events; %llu requests were not written",
                (unsigned long long)b->numbers.events, (unsigned long long)b->unwritten);
        status = on_failure == FAILURE_DRAIN ? EX_IOERR : EX_UNAVAILABLE;
    }
    return status;
}

static int stream_verdict(const struct invocation *in)
{
    err_verbose("%llu events in %llu bytes, %u attempts, %llu requests sent again, %llu without "
                "an event of Bazel's",
                (unsigned long long)in->events, (unsigned long long)in->bytes, in->attempts,
                (unsigned long long)in->known, (unsigned long long)in->ignored);
    if (in->too_big)
        err_say("%llu events were longer than --max-frame and are missing",
                (unsigned long long)in->too_big);
    if (!in->attempts)
        err_say("no build event stream came");
    else if (!in->last)
        err_say("the stream ends after %llu events, at byte %llu, without its last message",
                (unsigned long long)in->events, (unsigned long long)in->bytes);
    return in->last && !in->too_big ? EX_OK : EX_DATAERR;
}

static int verdict(const struct serve *s)
{
    const struct build *b = &s->build;

    if (s->ingest.foreign)
        err_note("%llu requests of other builds were acknowledged and dropped",
                 (unsigned long long)s->ingest.foreign);
    if (s->each)
        return each_failed(s->each) ? EX_IOERR : EX_OK;
    if (drain)
        return EX_OK;
    /* A writer that ends after the last message has done its work. */
    if (b->lost && (b->unwritten || !b->numbers.last))
        return writer_verdict(b);
    return stream_verdict(&b->numbers);
}

int main(int argc, char **argv)
{
    static struct serve s;
    struct opt_operands operands;
    uint64_t started = clock_ms();
    char *const *command;
    int status, closed;

    fd_start();
    opt_parse(&program, argc, argv, &operands);
    if (operands.before_dashes)
        opt_misuse("what is '%s'? A command comes behind '--'", operands.items[0]);
    command = source_command(&operands, &source);
    if (!drain && !each.command)
        source_refuse_terminal("bes-recv | bep-durable e.bep | bep-reduce");
    s.signals = signals_open();
    if (s.signals < 0)
        err_die_errno(EX_OSERR, "signals");
    s.grace_ms = source.grace_ms;
    s.ingest = (struct ingest){.drain_on_failure = on_failure == FAILURE_DRAIN,
                               .max_frame = source.max_frame,
                               .route = route_to_one,
                               .route_self = &s.build};
    open_server(&s);
    if (each.command)
        open_each(&s);
    else
        open_build(&s, started);
    announce(s.listener.endpoint, command != NULL);
    status = source_client(&s.client, &source, command, s.listener.endpoint);
    if (!status)
        serve_run(&s);
    serve_stop(&s);
    /* The reader first: gRPC takes its time to end. */
    closed = source_close(EX_OK);
    serve_close(&s);
    if (!status)
        status = verdict(&s);
    serve_release(&s);
    source_leave(status ? status : closed);
}
