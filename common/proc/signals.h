/*
 * SIGINT, SIGTERM and SIGHUP as something to poll. They reach every program of a pipeline at once:
 * sources end their stream at the first one, bep-durable and bep-reduce go on to the end of input, a
 * second one ends anything.
 */
#ifndef PROC_SIGNALS_H
#define PROC_SIGNALS_H

/*
 * Blocks the three signals and gives a descriptor that is readable when one has come (signalfd,
 * close-on-exec, non-blocking). A signal that was ignored at start (nohup) stays ignored. -1 and errno.
 */
int signals_open(void);

/* The next signal that has come, 0 where none has. */
int signals_next(int fd);

/* Gives the signal its default action back and raises it, so that a shell sees how we ended. */
void signals_die(int sig) __attribute__((noreturn));

#endif
