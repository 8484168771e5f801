#include "common/proc/signals.h"
#include "common/io/fd.h"

#include <signal.h>
#include <stddef.h>
#include <sys/signalfd.h>
#include <unistd.h>

static void add_unless_ignored(sigset_t *set, int sig)
{
    struct sigaction now;

    if (!sigaction(sig, NULL, &now) && now.sa_handler != SIG_IGN)
        sigaddset(set, sig);
}

int signals_open(void)
{
    sigset_t set;

    sigemptyset(&set);
    add_unless_ignored(&set, SIGINT);
    add_unless_ignored(&set, SIGTERM);
    add_unless_ignored(&set, SIGHUP);
    sigprocmask(SIG_BLOCK, &set, NULL);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

int signals_next(int fd)
{
    struct signalfd_siginfo info;

    if (fd_read(fd, &info, sizeof(info)) != sizeof(info))
        return 0;
    return (int)info.ssi_signo;
}

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
