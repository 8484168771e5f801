#include "test/unit/unit.h"
#include "common/io/fd.h"
#include "common/proc/signals.h"
#include "test/unit/capture.h"

#include <poll.h>
#include <signal.h>
#include <string.h>

static void say_last(void)
{
    fd_write(STDOUT_FILENO, "last words\n", 11);
}

static void first_and_second(void *arg)
{
    int fd = signals_open();

    signals_at_second(say_last);
    if (fd < 0 || signals_seen() || fd_wait(fd, POLLIN, 0))
        _exit(1);
    raise(*(int *)arg);
    if (signals_seen() != *(int *)arg || fd_wait(fd, POLLIN, 0) != POLLIN ||
        fd_wait(fd, POLLIN, 0) != POLLIN)
        _exit(2);
    raise(SIGINT);
    _exit(3);
}

static void the_second_ends_the_process(void **state)
{
    static const int first[] = {SIGINT, SIGTERM, SIGHUP};

    (void)state;
    for (int i = 0; i < 3; i++) {
        struct captured c = capture(first_and_second, (void *)&first[i]);
        assert_int_equal(c.status, 256 + SIGINT);
        assert_string_equal(c.out, "last words\n");
    }
}

static void while_ignored(void *arg)
{
    (void)arg;
    signal(SIGHUP, SIG_IGN);
    signals_open();
    raise(SIGHUP);
    raise(SIGHUP);
    _exit(signals_seen());
}

static void ignored_stays_ignored(void **state)
{
    (void)state;
    assert_int_equal(capture(while_ignored, NULL).status, 0);
}

/* raise(3) is tgkill, kill(2) is what other processes use. */
static void killed(void *arg)
{
    (void)arg;
    signals_open();
    kill(getpid(), SIGTERM);
    _exit(signals_was_sent() ? 0 : 1);
}

static void kill_is_told_from_the_terminal(void **state)
{
    (void)state;
    assert_int_equal(capture(killed, NULL).status, 0);
}

static void die(void *arg)
{
    signals_open();
    raise(*(int *)arg);
    signals_die(signals_seen());
}

static void a_shell_sees_how_we_ended(void **state)
{
    (void)state;
    assert_int_equal(capture(die, &(int){SIGTERM}).status, 256 + SIGTERM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_second_ends_the_process),
        cmocka_unit_test(ignored_stays_ignored),
        cmocka_unit_test(kill_is_told_from_the_terminal),
        cmocka_unit_test(a_shell_sees_how_we_ended),
    };
    return cmocka_run_group_tests_name("signals", tests, default_signals, NULL);
}
