/* The way down of a process group: one signal at a time, each after the grace of the one before. */
#include "cmd/mcp-front/descent.h"
#include "common/proc/spawn.h"
#include "test/unit/unit.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>

// with: cmd/mcp-front/descent.c

static void start(struct child *c, const char *script)
{
    char shell[] = "/bin/sh", option[] = "-c", text[256];
    char *argv[] = {shell, option, text, NULL};
    struct spawn s = {.argv = argv, .own_group = true};

    snprintf(text, sizeof(text), "%s", script);
    assert_int_equal(spawn_start(&s, c), 0);
}

static void nap(long ms)
{
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

static void the_first_signal_is_an_interrupt(void **state)
{
    struct descent d = {.interrupt_ms = 60000, .terminate_ms = 60000};
    struct child c;

    (void)state;
    start(&c, "exec sleep 60");
    assert_int_equal(descent_left(&d), -1);
    descent_go(&d, c.pid);
    assert_int_equal(child_wait(&c), 1);
    assert_int_equal(WTERMSIG(c.status), SIGINT);
    assert_in_range(descent_left(&d), 1, 60000);
    child_release(&c);
}

static void the_next_one_waits_for_its_time(void **state)
{
    struct descent d = {.interrupt_ms = 60000, .terminate_ms = 60000};
    struct child c;

    (void)state;
    start(&c, "trap '' INT; exec sleep 60");
    nap(50);
    descent_go(&d, c.pid);
    descent_go(&d, c.pid);
    assert_int_equal(d.sent, 1);
    nap(50);
    assert_int_equal(child_try_wait(&c), 0);
    d.deadline = 0;
    descent_go(&d, c.pid);
    assert_int_equal(child_wait(&c), 1);
    assert_int_equal(WTERMSIG(c.status), SIGTERM);
    child_release(&c);
}

static void the_stubborn_are_killed(void **state)
{
    struct descent d = {.interrupt_ms = 0, .terminate_ms = 0};
    struct child c;

    (void)state;
    start(&c, "trap '' INT TERM; exec sleep 60");
    nap(50);
    for (int i = 0; i < 5; i++)
        descent_go(&d, c.pid);
    assert_int_equal(d.sent, 3);
    assert_int_equal(child_wait(&c), 1);
    assert_int_equal(WTERMSIG(c.status), SIGKILL);
    assert_int_equal(descent_left(&d), -1);
    assert_false(descent_over(&d));
    d.deadline = 0;
    assert_true(descent_over(&d));
    child_release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_signal_is_an_interrupt),
        cmocka_unit_test(the_next_one_waits_for_its_time),
        cmocka_unit_test(the_stubborn_are_killed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
