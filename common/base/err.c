#include "common/base/err.h"
#include "common/base/limits.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *program = "bep";
static int verbosity;

void err_set_program(const char *name)
{
    program = name;
}

const char *err_program(void)
{
    return program;
}

void err_set_verbosity(int level)
{
    verbosity = level;
}

int err_verbosity(void)
{
    return verbosity;
}

static size_t clip(int n, size_t room)
{
    if (n < 0)
        return 0;
    return (size_t)n < room ? (size_t)n : room - 1;
}

static void write_line(int error, const char *format, va_list args)
{
    char line[WORD_LINE_MAX];
    size_t room = sizeof(line) - 1; /* one byte for the newline */
    size_t len = clip(snprintf(line, room, "%s: ", program), room);
    size_t start = len;

    len += clip(vsnprintf(line + len, room - len, format, args), room - len);
    if (error)
        len += clip(snprintf(line + len, room - len, ": %s", strerror(error)), room - len);
    for (size_t i = start; i < len; i++)
        if ((unsigned char)line[i] < 0x20 || line[i] == 0x7f)
            line[i] = '?';
    line[len++] = '\n';
    while (write(STDERR_FILENO, line, len) < 0 && errno == EINTR)
        ;
}

#define PRINT(error)                                                                               \
    do {                                                                                           \
        int saved = errno;                                                                         \
        va_list args;                                                                              \
        va_start(args, format);                                                                    \
        write_line(error, format, args);                                                           \
        va_end(args);                                                                              \
        errno = saved;                                                                             \
    } while (0)

void err_say(const char *format, ...)
{
    PRINT(0);
}

void err_say_errno(const char *format, ...)
{
    PRINT(errno);
}

void err_note(const char *format, ...)
{
    if (verbosity >= 0)
        PRINT(0);
}

void err_verbose(const char *format, ...)
{
    if (verbosity > 0)
        PRINT(0);
}

void err_die(int status, const char *format, ...)
{
    PRINT(0);
    exit(status);
}

void err_die_errno(int status, const char *format, ...)
{
    PRINT(errno);
    exit(status);
}

void err_die_memory(void)
{
    err_die(EX_OSERR, "out of memory");
}
