/* What every cmocka test includes, in the order that cmocka wants. */
#ifndef UNIT_UNIT_H
#define UNIT_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <signal.h>

#define assert_contains(text, part)                                                                \
    do {                                                                                           \
        if (!strstr(text, part))                                                                   \
            fail_msg("'%s' is not in '%s'", part, text);                                           \
    } while (0)

/* A shell ignores SIGINT and SIGQUIT for what it starts in the background. For a group's set-up. */
static inline int default_signals(void **state)
{
    (void)state;
    for (int sig = 1; sig < NSIG; sig++)
        signal(sig, SIG_DFL);
    return 0;
}

#endif
