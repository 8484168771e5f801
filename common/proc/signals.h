/*
 * SIGINT, SIGTERM and SIGHUP. They reach every program of a pipeline at once: sources end their stream
 * at the first one, bep-durable and bep-reduce go on to the end of input, a second one ends anything.
 *
 * Handlers rather than signalfd(2): a write that waits for a slow reader must be interruptible, and a
 * second signal must end a process wherever it hangs.
 */
#ifndef PROC_SIGNALS_H
#define PROC_SIGNALS_H

#include <stdbool.h>

/*
 * Catches the three signals and gives a descriptor that is readable once one has come (close-on-exec;
 * do not read from it). The first one interrupts a blocking call (EINTR); at the second one the process
 * ends by that signal at once. A signal that was ignored at start (nohup) stays ignored. -1 and errno.
 */
int signals_open(void);

/* The first signal that has come, 0 where none has. */
int signals_seen(void);

/* Whether that signal came from a process (kill(1)), not from the terminal: then others missed it. */
bool signals_was_sent(void);

/* `last` is called in the handler before the second signal ends us: async-signal-safe calls only. */
void signals_at_second(void (*last)(void));

/* Gives the signal its default action back and raises it, so that a shell sees how we ended. */
void signals_die(int sig) __attribute__((noreturn));

#endif
