/*
 * Runs a function in a child process and keeps what it wrote and how it ended: for code that prints or
 * exits. Include cmocka first.
 */
#ifndef UNIT_CAPTURE_H
#define UNIT_CAPTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

struct captured {
    int status; /* exit status, or 256 + the signal */
    char out[8192];
    char err[8192];
};

static inline void capture_read(FILE *f, char *text, size_t size)
{
    rewind(f);
    text[fread(text, 1, size - 1, f)] = 0;
    fclose(f);
}

/* `fn` exits 0 where it returns. */
static inline struct captured capture(void (*fn)(void *), void *arg)
{
    struct captured c;
    FILE *out = tmpfile(), *err = tmpfile();
    int status;
    pid_t pid;

    fflush(NULL);
    pid = fork();
    if (!pid) {
        dup2(fileno(out), STDOUT_FILENO);
        dup2(fileno(err), STDERR_FILENO);
        fn(arg);
        fflush(NULL);
        _exit(0);
    }
    waitpid(pid, &status, 0);
    c.status = WIFSIGNALED(status) ? 256 + WTERMSIG(status) : WEXITSTATUS(status);
    capture_read(out, c.out, sizeof(c.out));
    capture_read(err, c.err, sizeof(c.err));
    return c;
}

#endif
