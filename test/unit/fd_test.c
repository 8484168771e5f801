#include "test/unit/unit.h"
#include "common/io/fd.h"
#include "test/unit/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>

static volatile sig_atomic_t rings;

static void ring(int sig)
{
    (void)sig;
    rings = rings + 1;
}

/* A signal every millisecond, without SA_RESTART: every call that waits is interrupted. */
static void rings_on(void)
{
    struct itimerval every = {{0, 1000}, {0, 1000}};
    struct sigaction action = {.sa_handler = ring};

    rings = 0;
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &every, NULL);
}

static void rings_off(void)
{
    struct itimerval never = {{0, 0}, {0, 0}};

    setitimer(ITIMER_REAL, &never, NULL);
}

#define MUCH (1 << 20)

/* In a child: writes MUCH bytes, byte i being i % 251, in two pieces, with a pause. */
static pid_t slow_writer(int fd)
{
    pid_t pid = fork();

    if (pid)
        return pid;
    for (int i = 0; i < MUCH; i++) {
        static char block[4096];
        block[i % 4096] = (char)(i % 251);
        if (i % 4096 == 4095 && fd_write_full(fd, block, 4096))
            _exit(1);
        if (i == MUCH / 2)
            usleep(20000);
    }
    _exit(0);
}

static void full_reads_and_writes_survive_signals(void **state)
{
    static char bytes[MUCH + 10];
    int ends[2], status;
    pid_t pid;

    (void)state;
    assert_int_equal(fd_pipe(ends), 0);
    pid = slow_writer(ends[1]);
    fd_drop(&ends[1]);
    rings_on();
    assert_int_equal(fd_read_full(ends[0], bytes, sizeof(bytes)), MUCH);
    rings_off();
    assert_true(rings > 0);
    for (int i = 0; i < MUCH; i++)
        assert_int_equal(bytes[i], (char)(i % 251));
    fd_drop(&ends[0]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

/* In a child: reads everything slowly and checks it. */
static pid_t slow_reader(int ends[2])
{
    pid_t pid = fork();
    char block[1000];
    ssize_t n;
    int at = 0;

    if (pid)
        return pid;
    fd_drop(&ends[1]);
    while ((n = fd_read(ends[0], block, sizeof(block))) > 0) {
        for (int i = 0; i < n; i++)
            if (block[i] != (char)((at + i) % 251))
                _exit(2);
        at += (int)n;
        if (at % 50000 == 0)
            usleep(1000);
    }
    _exit(at == MUCH ? 0 : 3);
}

/* A vector with empty parts, to a blocking and to a non-blocking pipe, under signals. */
static void vectors_arrive_whole(void **state)
{
    static char bytes[MUCH];

    (void)state;
    for (int i = 0; i < MUCH; i++)
        bytes[i] = (char)(i % 251);
    for (int nonblocking = 0; nonblocking < 2; nonblocking++) {
        struct iovec iov[] = {{NULL, 0},
                              {bytes, 1},
                              {bytes + 1, 0},
                              {bytes + 1, 99999},
                              {bytes + 100000, MUCH - 100000},
                              {NULL, 0}};
        int ends[2], status;
        pid_t pid;
        assert_int_equal(fd_pipe(ends), 0);
        pid = slow_reader(ends);
        fd_drop(&ends[0]);
        assert_int_equal(fd_set_nonblocking(ends[1], nonblocking), 0);
        rings_on();
        assert_int_equal(fd_writev_full(ends[1], iov, 6), 0);
        rings_off();
        fd_drop(&ends[1]);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_int_equal(status, 0);
    }
}

static int has_rung(void)
{
    return rings > 0;
}

static void write_unless_gives_up_only_when_told(void **state)
{
    static char bytes[MUCH];
    int ends[2];

    (void)state;
    assert_int_equal(fd_pipe(ends), 0);
    rings = 1; /* does not matter while nothing waits */
    assert_int_equal(fd_write_unless(ends[1], bytes, 4096, has_rung), 0);
    rings_on(); /* nobody reads: the pipe is full after 64 KiB */
    assert_int_equal(fd_write_unless(ends[1], bytes, MUCH, has_rung), -1);
    rings_off();
    assert_int_equal(errno, EINTR);
    fd_drop(&ends[0]);
    signal(SIGPIPE, SIG_IGN);
    assert_int_equal(fd_write_unless(ends[1], bytes, 1, has_rung), -1);
    assert_int_equal(errno, EPIPE);
    fd_drop(&ends[1]);
}

static void wait_is_not_prolonged_by_signals(void **state)
{
    struct timespec before, after;
    int ends[2];

    (void)state;
    assert_int_equal(fd_pipe(ends), 0);
    rings_on();
    clock_gettime(CLOCK_MONOTONIC, &before);
    assert_int_equal(fd_wait(ends[0], POLLIN, 50), 0);
    clock_gettime(CLOCK_MONOTONIC, &after);
    rings_off();
    assert_true(
        (after.tv_sec - before.tv_sec) * 1000 + (after.tv_nsec - before.tv_nsec) / 1000000 >= 49);
    assert_int_equal(fd_write(ends[1], "x", 1), 1);
    assert_int_equal(fd_wait(ends[0], POLLIN, -1), POLLIN);
    assert_true(fd_is_fifo(ends[0]));
    assert_false(fd_is_terminal(ends[0]));
    fd_drop(&ends[0]);
    assert_int_equal(ends[0], -1);
    assert_true(fd_wait(ends[1], 0, 0) & POLLERR);
    fd_drop(&ends[1]);
    fd_drop(&ends[1]);
    assert_int_equal(fd_close(-1), 0);
}

static void pread_stops_at_the_end(void **state)
{
    char name[] = "/tmp/fd_test.XXXXXX", bytes[20];
    int fd = mkstemp(name);

    (void)state;
    assert_true(fd >= 0);
    unlink(name);
    assert_int_equal(fd_write_full(fd, "0123456789", 10), 0);
    assert_int_equal(fd_pread_full(fd, bytes, 20, 7), 3);
    assert_memory_equal(bytes, "789", 3);
    assert_int_equal(fd_pread_full(fd, bytes, 3, 7), 3);
    assert_int_equal(fd_pread_full(fd, bytes, 3, 10), 0);
    assert_int_equal(fd_to_null(fd), 0);
    assert_int_equal(fd_pread_full(fd, bytes, 3, 0), 0);
    fd_drop(&fd);
}

static void new_descriptors_are_closed_by_exec(void **state)
{
    int fds[4];

    (void)state;
    assert_int_equal(fd_pipe(fds), 0);
    fds[2] = fd_open_null(O_RDONLY);
    fds[3] = fd_open("/dev/null", O_WRONLY, 0);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(fcntl(fds[i], F_GETFD), FD_CLOEXEC);
        assert_int_equal(fd_set_cloexec(fds[i], false), 0);
        assert_int_equal(fcntl(fds[i], F_GETFD), 0);
        fd_drop(&fds[i]);
    }
    assert_int_equal(fd_set_nonblocking(-1, true), -1);
}

static void opened_again_has_flags_of_its_own(void **state)
{
    int ends[2], again;

    (void)state;
    assert_int_equal(fd_pipe(ends), 0);
    again = fd_open_again(ends[1], O_WRONLY | O_NONBLOCK);
    assert_true(again >= 0 && again != ends[1]);
    assert_int_equal(fcntl(again, F_GETFL) & O_NONBLOCK, O_NONBLOCK);
    assert_int_equal(fcntl(ends[1], F_GETFL) & O_NONBLOCK, 0);
    fd_drop(&again);
    fd_drop(&ends[0]);
    fd_drop(&ends[1]);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    assert_int_equal(fd_open_again(ends[1], O_WRONLY), -1);
    fd_drop(&ends[0]);
    fd_drop(&ends[1]);
}

static int open_descriptors(void)
{
    int n = 0;

    for (int fd = 0; fd < 256; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

static void start_closed(void *arg)
{
    int before = open_descriptors();

    (void)arg;
    close(0);
    close(1);
    close(2);
    fd_start();
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) != 0)
            _exit(1);
    if (open_descriptors() != before)
        _exit(2);
    _exit(write(1, "", 1) == 1 && raise(SIGPIPE) == 0 ? 0 : 3);
}

static void start_opens_what_is_closed(void **state)
{
    (void)state;
    assert_int_equal(capture(start_closed, NULL).status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(full_reads_and_writes_survive_signals),
        cmocka_unit_test(vectors_arrive_whole),
        cmocka_unit_test(write_unless_gives_up_only_when_told),
        cmocka_unit_test(wait_is_not_prolonged_by_signals),
        cmocka_unit_test(pread_stops_at_the_end),
        cmocka_unit_test(new_descriptors_are_closed_by_exec),
        cmocka_unit_test(opened_again_has_flags_of_its_own),
        cmocka_unit_test(start_opens_what_is_closed),
    };
    return cmocka_run_group_tests_name("fd", tests, NULL, NULL);
}
