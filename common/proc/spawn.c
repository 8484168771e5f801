#include "common/proc/spawn.h"
#include "common/io/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define HIGH_FD 64 /* where the child keeps descriptors while it arranges them */

/* What the child has beside the caller's descriptors, all close-on-exec. */
struct plumbing {
    int exec_read, exec_write; /* errno of a failed exec; closed by a successful one */
    int gate_read, gate_write; /* one byte opens the gate; its end means: do not start */
};

void spawn_fd(struct spawn *s, int from, int to)
{
    s->fds[s->fd_count++] = (struct spawn_fd){from, to};
}

static bool ignored(int sig)
{
    struct sigaction now;

    return sig != SIGPIPE && !sigaction(sig, NULL, &now) && now.sa_handler == SIG_IGN;
}

static void reset_signals(bool keep_ignored)
{
    sigset_t none;

    for (int sig = 1; sig < NSIG; sig++)
        if (!keep_ignored || !ignored(sig))
            signal(sig, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/*
 * Moves the sources out of the way first, so that no target overwrites a source. dup2 gives the targets
 * without close-on-exec; everything else from 3 on gets it.
 */
static int arrange_fds(const struct spawn *s, struct plumbing *p)
{
    int moved[SPAWN_MAX_FDS];

    p->exec_write = fcntl(p->exec_write, F_DUPFD_CLOEXEC, HIGH_FD);
    if (p->gate_read >= 0)
        p->gate_read = fcntl(p->gate_read, F_DUPFD_CLOEXEC, HIGH_FD);
    for (int i = 0; i < s->fd_count; i++) {
        moved[i] = fcntl(s->fds[i].from, F_DUPFD_CLOEXEC, HIGH_FD);
        if (moved[i] < 0)
            return -1;
    }
    if (syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_CLOEXEC))
        return -1;
    for (int i = 0; i < s->fd_count; i++)
        if (dup2(moved[i], s->fds[i].to) < 0)
            return -1;
    return 0;
}

static void wait_at_gate(int gate_read)
{
    char byte;

    if (gate_read >= 0 && fd_read(gate_read, &byte, 1) != 1)
        _exit(0);
}

static void run_child(const struct spawn *s, struct plumbing p)
{
    int failure;

    if (s->own_group)
        setpgid(0, 0);
    if (s->die_with_parent)
        prctl(PR_SET_PDEATHSIG, s->die_with_parent);
    if (!arrange_fds(s, &p)) {
        if (p.gate_write >= 0)
            close(p.gate_write);
        wait_at_gate(p.gate_read);
        reset_signals(s->keep_ignored);
        if (!s->cwd || !chdir(s->cwd))
            execvpe(s->argv[0], s->argv, s->env ? s->env : environ);
    }
    failure = errno;
    (void)!write(p.exec_write, &failure, sizeof(failure));
    _exit(127);
}

static int open_plumbing(const struct spawn *s, struct plumbing *p)
{
    int exec_ends[2], gate_ends[2] = {-1, -1};

    if (fd_pipe(exec_ends))
        return -1;
    if (s->gated && fd_pipe(gate_ends)) {
        fd_drop(&exec_ends[0]);
        fd_drop(&exec_ends[1]);
        return -1;
    }
    *p = (struct plumbing){exec_ends[0], exec_ends[1], gate_ends[0], gate_ends[1]};
    return 0;
}

/* Waits for exec: the pipe closes (it went well) or carries an errno (then the child is reaped). */
static int exec_result(struct child *c)
{
    int failure = 0;
    ssize_t n = fd_read_full(c->exec_fd, &failure, sizeof(failure));

    fd_drop(&c->exec_fd);
    if (n != sizeof(failure))
        return 0;
    child_wait(c);
    child_release(c);
    errno = failure;
    return -1;
}

int spawn_start(const struct spawn *s, struct child *c)
{
    struct plumbing p;
    sigset_t all, before;
    int saved;

    *c = (struct child)CHILD_INIT;
    if (open_plumbing(s, &p))
        return -1;
    /* No handler of ours may run in the child before reset_signals. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    c->pid = _Fork();
    if (c->pid == 0)
        run_child(s, p);
    saved = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    fd_drop(&p.exec_write);
    fd_drop(&p.gate_read);
    c->exec_fd = p.exec_read;
    c->gate_fd = p.gate_write;
    if (c->pid < 0) {
        c->pid = 0;
        child_release(c);
        errno = saved;
        return -1;
    }
    if (s->own_group)
        setpgid(c->pid, c->pid);                         /* both sides do it: whoever comes first */
    c->pidfd = (int)syscall(SYS_pidfd_open, c->pid, 0U); /* close-on-exec by definition */
    return s->gated ? 0 : exec_result(c);
}

int child_open_gate(struct child *c)
{
    if (fd_write_full(c->gate_fd, "", 1))
        return -1;
    fd_drop(&c->gate_fd);
    return exec_result(c);
}

static int reap(struct child *c, int options)
{
    pid_t got;

    if (c->reaped)
        return 1;
    if (!c->pid) {
        errno = ECHILD;
        return -1;
    }
    do
        got = waitpid(c->pid, &c->status, options);
    while (got < 0 && errno == EINTR);
    c->reaped = got == c->pid;
    return got < 0 ? -1 : c->reaped;
}

int child_try_wait(struct child *c)
{
    return reap(c, WNOHANG);
}

int child_wait(struct child *c)
{
    return reap(c, 0);
}

void child_kill(struct child *c, int sig)
{
    if (c->pid && !c->reaped)
        kill(c->pid, sig);
}

void child_release(struct child *c)
{
    fd_drop(&c->pidfd);
    fd_drop(&c->exec_fd);
    fd_drop(&c->gate_fd);
}

const char *child_status_text(int status, char *text, size_t size)
{
    if (WIFSIGNALED(status))
        snprintf(text, size, "signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        snprintf(text, size, "exit status %d", WEXITSTATUS(status));
    return text;
}
