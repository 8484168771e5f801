#include "common/proc/signals.h"
#include "common/io/fd.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static volatile sig_atomic_t seen;
static volatile sig_atomic_t sent;
static void (*volatile last_call)(void);
static int wake = -1; /* the write end of a pipe: a byte in it makes the other end readable */

void signals_die(int sig)
{
    sigset_t set;

    signal(sig, SIG_DFL);
    sigemptyset(&set);
    sigaddset(&set, sig);
    raise(sig);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    _exit(128 + sig); /* not reached: the default action of all three ends the process */
}

static void caught(int sig, siginfo_t *info, void *context)
{
    int saved = errno;

    (void)context;
    if (seen) {
        if (last_call)
            last_call();
        signals_die(sig);
    }
    seen = sig;
    sent = info->si_code == SI_USER;
    fd_write(wake, "", 1);
    errno = saved;
}

static int catch_unless_ignored(int sig)
{
    struct sigaction now, ours = {.sa_sigaction = caught, .sa_flags = SA_SIGINFO};

    if (sigaction(sig, NULL, &now))
        return -1;
    if (now.sa_handler == SIG_IGN)
        return 0;
    sigemptyset(&ours.sa_mask);
    sigaddset(&ours.sa_mask, SIGINT);
    sigaddset(&ours.sa_mask, SIGTERM);
    sigaddset(&ours.sa_mask, SIGHUP);
    return sigaction(sig, &ours, NULL);
}

int signals_open(void)
{
    int ends[2];

    if (fd_pipe(ends))
        return -1;
    wake = ends[1];
    if (catch_unless_ignored(SIGINT) || catch_unless_ignored(SIGTERM) ||
        catch_unless_ignored(SIGHUP))
        return -1;
    return ends[0];
}

int signals_seen(void)
{
    return seen;
}

bool signals_was_sent(void)
{
    return sent;
}

void signals_at_second(void (*last)(void))
{
    last_call = last;
}
