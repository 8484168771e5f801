/* bep-reduce: what the events of a Bazel invocation mean, in one summary. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cmd/bep-reduce/details.h"
#include "cmd/bep-reduce/emit.h"
#include "cmd/bep-reduce/eventjson.h"
#include "cmd/bep-reduce/input.h"
#include "cmd/bep-reduce/progress.h"
#include "cmd/bep-reduce/summary.h"
#include "common/base/err.h"
#include "common/base/limits.h"
#include "common/base/mem.h"
#include "common/base/num.h"
#include "common/base/opt.h"
#include "common/io/fd.h"
#include "common/io/file.h"
#include "common/proc/signals.h"

#define NO_FD            UINT64_MAX
#define REDACT_MAX_BYTES (1024UL * 1024)

enum format {
    FORMAT_JSON,
    FORMAT_TEXT,
    FORMAT_TOON,
    FORMAT_SARIF,
    FORMAT_JUNIT,
    FORMAT_AUTO,
};

static const char *const formats[] = {"json", "text", "toon", "sarif", "junit", NULL};
static const char *const colours[] = {"auto", "always", "never", NULL};

static int format = FORMAT_AUTO;
static int colour;
static const char *stdout_file, *stderr_file, *exit_code, *command, *workspace;
static const char *testlogs, *action_logs;
static const char *redact_file, *details_folder, *event_types, *label_pattern;
static uint64_t progress_fd = NO_FD;
static bool follow;
static uint64_t max_diagnostics = DIAGNOSTICS_DEFAULT;
static uint64_t max_frame = FRAME_MAX_DEFAULT;

static const struct opt options[] = {
    {OPT_CHOICE, 'f', "format", "FORMAT",
     "json, text, toon, sarif or junit (text on a terminal, else json)", &format, formats, 0},
    {OPT_CHOICE, 0, "color", "WHEN", "colour in text: auto, always, never (auto)", &colour, colours,
     0},
    {OPT_STRING, 0, "stdout", "FILE", "Bazel's kept stdout", &stdout_file, NULL, 0},
    {OPT_STRING, 0, "stderr", "FILE", "Bazel's kept stderr", &stderr_file, NULL, 0},
    {OPT_STRING, 0, "exit-code", "N", "Bazel's exit code; wins over the stream's", &exit_code, NULL,
     0},
    {OPT_STRING, 0, "command", "NAME", "Bazel's command (from the stream)", &command, NULL, 0},
    {OPT_STRING, 0, "workspace", "DIR", "the workspace's folder (from the stream)", &workspace,
     NULL, 0},
    {OPT_STRING, 0, "testlogs", "DIR", "look for .../testlogs/REST of an event at DIR/REST",
     &testlogs, NULL, 0},
    {OPT_STRING, 0, "action-logs", "DIR", "look for actions' stdout-N and stderr-N in DIR",
     &action_logs, NULL, 0},
    {OPT_STRING, 0, "redact", "FILE", "take secrets out of everything; FILE: one pattern a line",
     &redact_file, NULL, 0},
    {OPT_STRING, 'd', "details", "DIR", "also write everything to DIR, as JSON lines",
     &details_folder, NULL, 0},
    {OPT_OPTIONAL, 'e', "events", "TYPE,...", "print the events themselves as JSON lines instead",
     &event_types, NULL, 0},
    {OPT_STRING, 0, "label", "PATTERN", "of --events: only those of matching labels",
     &label_pattern, NULL, 0},
    {OPT_U64, 0, "progress-fd", "N", "write progress to descriptor N, as JSON lines", &progress_fd,
     NULL, 65535},
    {OPT_FLAG, 0, "follow", NULL, "show progress as a live line on the terminal", &follow, NULL, 0},
    {OPT_U64, 0, "max-diagnostics", "N", "print at most N diagnostics (1000)", &max_diagnostics,
     NULL, 1000000},
    {OPT_SIZE, 0, "max-frame", "SIZE", "refuse longer frames (1G)", &max_frame, NULL, 0},
    {OPT_END, 0, NULL, NULL, NULL, NULL, NULL, 0},
};

static const struct opt_program program = {
    .name = "bep-reduce",
    .synopsis = "[options] [FILE]",
    .about = "Reads the events of a Bazel invocation (frames, or the JSON lines of\n"
             "--build_event_json_file) from FILE or stdin and prints one summary: what happened, "
             "and why.",
    .options = options,
    .footer = "examples:\n"
              "  bep-tail events.bep | bep-reduce\n"
              "  bep-reduce --format=json events.bep | jq -r .headline",
};

static int open_input(const struct opt_operands *operands, struct input *in)
{
    if (operands->count > 1)
        opt_misuse("one FILE at most, not %s", operands->items[1]);
    if (operands->count == 0 || strcmp(operands->items[0], "-") == 0) {
        if (fd_is_terminal(STDIN_FILENO))
            opt_misuse(
                "stdin is a terminal: pipe frames in (bep-tail FILE | bep-reduce), or name a FILE");
        in->name = "stdin";
        return STDIN_FILENO;
    }
    in->name = operands->items[0];
    in->fd = fd_open(in->name, O_RDONLY, 0);
    if (in->fd < 0)
        err_die_errno(EX_NOINPUT, "cannot open %s", in->name);
    return in->fd;
}

/* Bazel's kept console, through the same screen as the events' text. */
static void read_console(const char *name, struct screen *screen)
{
    int fd = fd_open(name, O_RDONLY, 0);
    char chunk[READ_CHUNK];
    ssize_t n;

    if (fd < 0)
        err_die_errno(EX_NOINPUT, "cannot open %s", name);
    while ((n = fd_read(fd, chunk, sizeof(chunk))) > 0)
        screen_write(screen, chunk, (size_t)n);
    if (n < 0)
        err_die_errno(EX_IOERR, "cannot read %s", name);
    fd_close(fd);
}

/* A kept console says all that the events say of it, and more. */
static void console_text(const char *name, struct screen *of_events, const struct state *s,
                         struct buf *text, uint64_t *rows)
{
    struct redact *redact = s->redact;
    struct buf plain = BUF_INIT;
    struct screen kept;

    screen_init(&kept, of_events->max);
    if (name)
        read_console(name, &kept);
    if (redact && !s->build.last_message) { /* it may end with the half of a secret */
        screen_forget_line(&kept);
        screen_forget_line(of_events);
    }
    if (screen_text(name && kept.lines + kept.line.len > 0 ? &kept : of_events, &plain) != BUF_OK)
        err_die_memory();
    if (!redact)
        *text = plain;
    else if (redact_text(redact, plain.data, plain.len, text) != BUF_OK)
        err_die_memory();
    if (redact)
        buf_release(&plain);
    *rows = name && kept.lines > 0 ? kept.lines : of_events->lines;
    screen_release(&kept);
    screen_forget_text(of_events);
}

static struct told told_by_user(void)
{
    struct told told = {.exit_code = -1, .command = command};
    int64_t code;

    if (!exit_code)
        return told;
    if (!num_parse_i64(exit_code, &code) || code < -255 || code > 255)
        opt_misuse("--exit-code=%s is no exit code", exit_code);
    /* A process that a signal ended: -N here, 128+N in shells. */
    told.exit_code = code < 0 ? 128 - (int)code : (int)code;
    return told;
}

static unsigned terminal_width(void)
{
    struct winsize size;

    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40)
        return size.ws_col < 120 ? size.ws_col : 120;
    return 80;
}

static bool want_colour(void)
{
    const char *no_color = getenv("NO_COLOR");

    if (colour != 0)
        return colour == 1;
    return fd_is_terminal(STDOUT_FILENO) && !(no_color && *no_color);
}

static bool render(const struct summary *summary, struct buf *out)
{
    switch (format) {
    case FORMAT_TEXT:
        return emit_text(summary, want_colour(), terminal_width(), out);
    case FORMAT_TOON:
        return emit_toon(summary, out);
    case FORMAT_SARIF:
        return emit_sarif(summary, out);
    case FORMAT_JUNIT:
        return emit_junit(summary, out);
    default:
        return emit_json(summary, out);
    }
}

static void print(const struct buf *out)
{
    if (fd_write_full(STDOUT_FILENO, out->data, out->len) == 0)
        return;
    if (errno == EPIPE)
        exit(EX_UNAVAILABLE);
    err_die_errno(EX_IOERR, "cannot write to stdout");
}

static void print_summary(const struct summary *summary)
{
    struct buf out = BUF_INIT;

    if (!render(summary, &out) || mem_ran_out())
        err_die_memory();
    print(&out);
    buf_release(&out);
}

/* All that listens while events arrive. */
struct listeners {
    struct reducer *reducer;
    struct progress progress;
    struct eventjson events;
    struct buf lines; /* of --events */
};

static void print_event(void *context, const void *body, size_t len)
{
    struct event_filter filter = {event_types, label_pattern};
    struct listeners *l = context;

    if (event_types)
        eventjson_write(&l->events, body, len, &filter, &l->lines);
}

static void after_read(void *context)
{
    struct listeners *l = context;

    print(&l->lines);
    buf_clear(&l->lines);
    progress_tell(&l->progress, &l->reducer->state);
}

static void summarise(struct reducer *reducer, struct details *details)
{
    struct summary_options how = {
        .told = told_by_user(), .workspace = workspace, .max_diagnostics = max_diagnostics};
    struct console_log console = {BUF_INIT, BUF_INIT, 0};
    struct summary summary;
    uint64_t lines;

    console_text(stdout_file, &reducer->state.console_out, &reducer->state, &console.out,
                 &console.rows);
    console_text(stderr_file, &reducer->state.console_err, &reducer->state, &console.err, &lines);
    summary_make(&summary, reducer, &console, &how);
    print_summary(&summary);
    if (details_folder && details_write(details, &summary) != 0)
        err_die_errno(EX_IOERR, "cannot write details to %s", details_folder);
    summary_release(&summary);
    buf_release(&console.out);
    buf_release(&console.err);
}

static struct redact *open_redact(void)
{
    struct redact *redact;
    struct buf text = BUF_INIT, why = BUF_INIT;

    if (!redact_file)
        return NULL;
    redact = redact_new();
    if (!redact)
        err_die_memory();
    if (file_read(redact_file, REDACT_MAX_BYTES, &text) != 0)
        err_die_errno(EX_NOINPUT, "cannot read %s", redact_file);
    if (!redact_add_file(redact, text.data, text.len, &why))
        err_die(EX_CONFIG, "%s: %s", redact_file, why.data);
    buf_release(&text);
    return redact;
}

static void check_options(void)
{
    const char *unknown;
    size_t len;

    (void)told_by_user();
    if (label_pattern && !event_types)
        opt_misuse("--label goes with --events");
    unknown = event_types ? eventjson_unknown_type(event_types, &len) : NULL;
    if (unknown)
        opt_misuse("--events: there is no event of type %.*s", (int)len, unknown);
    if (format == FORMAT_AUTO)
        format = fd_is_terminal(STDOUT_FILENO) ? FORMAT_TEXT : FORMAT_JSON;
}

static void open_details(struct details *details, struct reducer *reducer)
{
    if (!details_folder)
        return;
    if (details_open(details, details_folder, reducer->state.redact) != 0)
        err_die_errno(EX_CANTCREAT, "cannot make %s", details_folder);
    reducer->on_log = details_copy_logs;
    reducer->context = details;
}

static int read_events(struct input in, struct reducer *reducer)
{
    struct listeners listeners = {.reducer = reducer, .lines = BUF_INIT};
    int status;

    eventjson_init(&listeners.events, reducer->state.redact);
    progress_init(&listeners.progress, progress_fd == NO_FD ? -1 : (int)progress_fd,
                  follow && fd_is_terminal(STDERR_FILENO), terminal_width());
    in.on_frame = print_event;
    in.on_read = after_read;
    in.context = &listeners;
    status = input_read(&in, reducer);
    after_read(&listeners);
    progress_end(&listeners.progress, &reducer->state);
    eventjson_release(&listeners.events);
    buf_release(&listeners.lines);
    return status;
}

int main(int argc, char **argv)
{
    struct files files;
    static struct opt_operands operands; /* lives as long as the process */
    struct input in = {.fd = -1};
    struct redact *redact;
    struct details details;
    struct reducer reducer;
    int status;

    fd_start();
    opt_parse(&program, argc, argv, &operands);
    check_options();
    if (signals_open() < 0)
        err_die_errno(EX_OSERR, "cannot catch signals");
    in.fd = open_input(&operands, &in);
    in.max_frame = max_frame;
    redact = open_redact();

    files =
        (struct files){.testlogs = testlogs, .action_logs = action_logs, .workspace = workspace};
    reducer_init(&reducer, &files, redact);
    open_details(&details, &reducer);
    status = read_events(in, &reducer);
    if (!event_types)
        summarise(&reducer, &details);
    reducer_release(&reducer);
    redact_free(redact);

    if (fd_close(STDOUT_FILENO) != 0)
        err_die_errno(EX_IOERR, "cannot write to stdout");
    if (status != EX_OK && signals_seen())
        signals_die(signals_seen());
    return status;
}
