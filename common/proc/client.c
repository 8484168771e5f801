#include "common/proc/client.h"
#include "common/base/buf.h"
#include "common/base/clock.h"
#include "common/io/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define STAT_MAX 1024 /* /proc/PID/stat is far shorter */

/*
 * State and start time from /proc/PID/stat (proc(5)). The name in parentheses may hold anything, so
 * fields are counted from the last ')'.
 */
static bool read_stat(pid_t pid, char *state, uint64_t *start)
{
    char path[64], text[STAT_MAX + 1];
    unsigned long long ticks;
    const char *after;
    ssize_t n;
    int fd;

    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    n = fd_read_full(fd, text, STAT_MAX);
    fd_drop(&fd);
    if (n <= 0)
        return false;
    text[n] = 0;
    after = strrchr(text, ')');
    if (!after || sscanf(after,
                         ") %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d "
                         "%*d %*d %*d %llu",
                         state, &ticks) != 2)
        return false;
    *start = ticks;
    return true;
}

static bool dead_state(char state)
{
    return state == 'Z' || state == 'X';
}

static void follow(struct client *c, pid_t pid)
{
    char state;

    c->pid = pid;
    c->pidfd = (int)syscall(SYS_pidfd_open, pid, 0U);
    if (!read_stat(pid, &state, &c->start) || dead_state(state))
        c->gone = true;
}

void client_open(struct client *c, pid_t pid)
{
    *c = (struct client)CLIENT_INIT;
    follow(c, pid);
}

static enum buf_status add_replaced(struct buf *out, const char *word, const char *value)
{
    enum buf_status status = BUF_OK;
    const char *braces;

    while (!status && (braces = strstr(word, "{}"))) {
        status = buf_add(out, word, (size_t)(braces - word));
        if (!status)
            status = buf_add_str(out, value);
        word = braces + 2;
    }
    return status ? status : buf_add(out, word, strlen(word) + 1); /* with its NUL */
}

/* The replaced words one after the other in `text`, and pointers to them. NULL: out of memory. */
static char **replaced_argv(char *const *argv, const char *value, struct buf *text)
{
    size_t count = 0;
    char **out, *at;

    for (; argv[count]; count++)
        if (add_replaced(text, argv[count], value) != BUF_OK)
            return NULL;
    out = calloc(count + 1, sizeof(*out));
    at = text->data;
    for (size_t i = 0; out && i < count; i++, at += strlen(at) + 1)
        out[i] = at;
    return out;
}

int client_start(struct client *c, char *const *argv, const char *value)
{
    struct buf text = BUF_INIT;
    struct spawn s = {0};
    int result = -1;

    *c = (struct client)CLIENT_INIT;
    s.argv = replaced_argv(argv, value, &text);
    if (!s.argv) {
        errno = ENOMEM;
        goto out;
    }
    s.keep_ignored = true;
    spawn_fd(&s, STDERR_FILENO, STDOUT_FILENO);
    result = spawn_start(&s, &c->child);
    if (!result)
        follow(c, c->child.pid);
out:
    free((void *)s.argv);
    buf_release(&text);
    return result;
}

static bool gone_by_proc(const struct client *c)
{
    uint64_t start;
    char state;

    return !read_stat(c->pid, &state, &start) || dead_state(state) || start != c->start;
}

bool client_gone(struct client *c)
{
    int ready;

    if (!c->pid)
        return false;
    if (!c->gone) {
        ready = c->pidfd >= 0 ? fd_wait(c->pidfd, POLLIN, 0) : -1;
        c->gone = ready < 0 ? gone_by_proc(c) : ready > 0;
    }
    if (c->gone && c->child.pid)
        child_wait(&c->child);
    return c->gone;
}

int64_t client_started_wall_ms(const struct client *c)
{
    struct timespec boot;
    int64_t up_ms;

    if (!c->start || clock_gettime(CLOCK_BOOTTIME, &boot))
        return 0;
    up_ms = (int64_t)boot.tv_sec * 1000 + boot.tv_nsec / 1000000;
    return clock_wall_ms() - up_ms + (int64_t)(c->start * 1000 / (uint64_t)sysconf(_SC_CLK_TCK));
}

int client_fd(const struct client *c)
{
    return c->gone ? -1 : c->pidfd;
}

void client_release(struct client *c)
{
    fd_drop(&c->pidfd);
    child_release(&c->child);
}
