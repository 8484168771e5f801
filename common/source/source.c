#include "common/source/source.h"
#include "common/base/err.h"
#include "common/io/fd.h"
#include "common/proc/signals.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define ASK_MS 100 /* between two looks at what does not wake us up */

void source_refuse_terminal(const char *example)
{
    if (fd_is_terminal(STDOUT_FILENO))
        err_die(EX_USAGE, "stdout is a terminal, and frames are no text: try '%s'", example);
}

char *const *source_command(const struct opt_operands *operands, const struct source_options *o)
{
    char *const *command = operands->items + operands->before_dashes;

    if (!operands->dashes)
        return NULL;
    if (!*command)
        opt_misuse("no command after '--'");
    if (o->pid)
        opt_misuse("--pid and a command are two clients, and only one can be followed");
    return command;
}

int source_client(struct client *c, const struct source_options *o, char *const *command,
                  const char *value)
{
    *c = (struct client)CLIENT_INIT;
    if (command && client_start(c, command, value)) {
        err_say_errno("%s", command[0]);
        return EX_UNAVAILABLE;
    }
    if (o->pid)
        client_open(c, (pid_t)o->pid);
    return EX_OK;
}

bool source_wait(struct pollfd *fds, nfds_t count, const struct client *client, int timeout_ms)
{
    bool ask = client->pid && !client->gone && client_fd(client) < 0;
    int n;

    if (ask && (timeout_ms < 0 || timeout_ms > ASK_MS))
        timeout_ms = ASK_MS;
    n = poll(fds, count, timeout_ms);
    if (n < 0 && errno != EINTR)
        nanosleep(&(struct timespec){.tv_nsec = ASK_MS * 1000000L}, NULL);
    return n > 0;
}

bool source_command_ends(struct client *client)
{
    if (!client->child.pid)
        return false;
    if (signals_was_sent())
        child_kill(&client->child, signals_seen());
    return true;
}

enum pass_status source_pass(const void *bytes, size_t len, bool until_signal)
{
    int result = until_signal ? fd_write_unless(STDOUT_FILENO, bytes, len, signals_seen)
                              : fd_write_full(STDOUT_FILENO, bytes, len);

    if (!result)
        return PASS_OK;
    if (errno == EPIPE)
        return PASS_GONE;
    if (errno == EINTR)
        return PASS_INTERRUPTED;
    err_say_errno("stdout");
    return PASS_FAILED;
}

int source_close(int status)
{
    if (fd_close(STDOUT_FILENO) && !status) {
        err_say_errno("stdout");
        return EX_IOERR;
    }
    return status;
}

void source_leave(int status)
{
    if (status && signals_seen())
        signals_die(signals_seen());
    exit(status);
}

void source_exit(int status)
{
    source_leave(source_close(status));
}
