/*
 * Words for people: one line on stderr, "program: message", one write(2) each, so that the lines of a
 * pipeline never mix. Control characters in a message become '?', invalid UTF-8 is left as it is.
 *
 * Only main.c and its direct helpers die; library code returns a status. Exit statuses are those of
 * <sysexits.h>, one table for all programs: EX_OK 0; EX_USAGE 64; EX_DATAERR 65 malformed or incomplete
 * stream; EX_NOINPUT 66 input cannot be opened; EX_UNAVAILABLE 69 the other side never came or went
 * away; EX_SOFTWARE 70 our own bug; EX_OSERR 71 out of memory or descriptors; EX_CANTCREAT 73 output
 * cannot be created; EX_IOERR 74 I/O or sync failed; EX_TEMPFAIL 75 try again later; EX_PROTOCOL 76
 * protocol violated; EX_CONFIG 78 configuration.
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <sysexits.h>

/* Names the program in every line. `name` must live as long as the process. */
void err_set_program(const char *name);
const char *err_program(void);

/* How much is said: -1 errors only (-q), 0 default, 1 and more with each -v. */
void err_set_verbosity(int level);
int err_verbosity(void);

/* Errors: always printed. The _errno forms append ": " and strerror(errno). errno is preserved. */
void err_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
void err_say_errno(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* What a user may want to know (left out with -q), and what only the curious want (with -v). */
void err_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
void err_verbose(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints like err_say or err_say_errno and exits with `status`. */
void err_die(int status, const char *format, ...) __attribute__((noreturn, format(printf, 2, 3)));
void err_die_errno(int status, const char *format, ...)
    __attribute__((noreturn, format(printf, 2, 3)));

/* Exits 71 with one line; for allocation failures in code that has no better answer. */
void err_die_memory(void) __attribute__((noreturn));

/* Our own bug: names the place and exits 70. */
#define err_bug(what) err_die(EX_SOFTWARE, "bug at %s:%d: %s", __FILE__, __LINE__, what)

#endif
