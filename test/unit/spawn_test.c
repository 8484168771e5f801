#include "test/unit/unit.h"
#include "common/io/fd.h"
#include "common/proc/client.h"
#include "common/proc/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WORDS(...) ((char *const *)(const char *const[]){__VA_ARGS__, NULL})

/* Runs `sh -c script` with the write end of a pipe as its stdout; gives what it wrote. */
static const char *output_of(struct spawn *s, const char *script, struct child *c)
{
    static char text[65536];
    const char *argv[] = {"sh", "-c", script, NULL};
    int ends[2];
    ssize_t n;

    assert_int_equal(fd_pipe(ends), 0);
    s->argv = (char *const *)argv;
    spawn_fd(s, ends[1], STDOUT_FILENO);
    assert_int_equal(spawn_start(s, c), 0);
    fd_drop(&ends[1]);
    n = fd_read_full(ends[0], text, sizeof(text) - 1);
    assert_true(n >= 0);
    text[n] = 0;
    fd_drop(&ends[0]);
    return text;
}

static void the_child_has_only_what_is_listed(void **state)
{
    struct spawn s = {.env = WORDS("ONLY=this"), .cwd = "/"};
    struct child c;
    int extra = open("/dev/null", O_RDONLY); /* without close-on-exec */
    int shared = open("/etc/passwd", O_RDONLY);
    const char *text;

    (void)state;
    spawn_fd(&s, shared, 7);
    text = output_of(&s,
                     "pwd; echo $ONLY; i=0; while [ $i -lt 99 ]; do [ ! -e /proc/$$/fd/$i ] || "
                     "echo $i; i=$((i+1)); done",
                     &c);
    assert_string_equal(text, "/\nthis\n0\n1\n2\n7\n");
    assert_int_equal(child_wait(&c), 1);
    assert_int_equal(c.status, 0);
    child_release(&c);
    close(extra);
    close(shared);
}

/* Targets that are sources of other rows: 1 -> 2, 2 -> 1 and so on must not overwrite each other. */
static void descriptors_can_be_swapped(void **state)
{
    const char *argv[] = {"sh", "-c", "echo a; echo b >&2", NULL};
    struct spawn s = {.argv = (char *const *)argv};
    int one[2], two[2];
    char text[10] = "";
    struct child c;

    (void)state;
    assert_int_equal(fd_pipe(one), 0);
    assert_int_equal(fd_pipe(two), 0);
    spawn_fd(&s, one[1], two[1]);
    spawn_fd(&s, two[1], one[1]);
    spawn_fd(&s, one[1], 2);
    spawn_fd(&s, two[1], 1);
    assert_int_equal(spawn_start(&s, &c), 0);
    fd_drop(&one[1]);
    fd_drop(&two[1]);
    assert_int_equal(fd_read_full(one[0], text, sizeof(text)), 2);
    assert_memory_equal(text, "b\n", 2);
    assert_int_equal(fd_read_full(two[0], text, sizeof(text)), 2);
    assert_memory_equal(text, "a\n", 2);
    assert_int_equal(child_wait(&c), 1);
    child_release(&c);
    fd_drop(&one[0]);
    fd_drop(&two[0]);
}

static void signals_are_reset(void **state)
{
    /* Without signals 32 and 33: they are the C library's, and make's posix_spawn leaves them ignored. */
    static const char script[] =
        "grep -E 'Sig(Blk|Ign)' /proc/$$/status |"
        " while read name mask; do printf '%s%x\\n' $name $((0x$mask & 0x7fffffff)); done";
    struct spawn s = {0}, kept = {.keep_ignored = true};
    struct child c;
    sigset_t some, before;

    (void)state;
    sigemptyset(&some);
    sigaddset(&some, SIGUSR1);
    sigprocmask(SIG_BLOCK, &some, &before);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    assert_string_equal(output_of(&s, script, &c), "SigBlk:0\nSigIgn:0\n");
    assert_int_equal(child_wait(&c), 1);
    child_release(&c);
    assert_string_equal(output_of(&kept, script, &c), "SigBlk:0\nSigIgn:1\n");
    assert_int_equal(child_wait(&c), 1);
    child_release(&c);
    signal(SIGHUP, SIG_DFL);
    sigprocmask(SIG_SETMASK, &before, NULL);
}

static int open_descriptors(void)
{
    int n = 0;

    for (int fd = 0; fd < 256; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

static void a_failed_exec_leaves_nothing(void **state)
{
    static const struct {
        const char *program, *cwd;
        int error;
    } cases[] = {{"/nonexistent", NULL, ENOENT},
                 {"no-such-program-on-path", NULL, ENOENT},
                 {"/etc/passwd", NULL, EACCES},
                 {"/", NULL, EACCES},
                 {"true", "/nonexistent", ENOENT}};
    int before = open_descriptors();

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const char *argv[] = {cases[i].program, NULL};
        struct spawn s = {.argv = (char *const *)argv, .cwd = cases[i].cwd};
        struct child c;
        assert_int_equal(spawn_start(&s, &c), -1);
        assert_int_equal(errno, cases[i].error);
        assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
        assert_int_equal(errno, ECHILD);
    }
    assert_int_equal(open_descriptors(), before);
}

static void a_gate_holds(void **state)
{
    struct spawn s = {.argv = WORDS("true"), .gated = true, .own_group = true};
    struct child c;

    (void)state;
    assert_int_equal(spawn_start(&s, &c), 0);
    assert_int_equal(getpgid(c.pid), c.pid);
    usleep(20000);
    assert_int_equal(child_try_wait(&c), 0);
    assert_int_equal(child_open_gate(&c), 0);
    assert_int_equal(child_wait(&c), 1);
    assert_int_equal(c.status, 0);
    child_release(&c);

    s.argv = WORDS("/nonexistent");
    assert_int_equal(spawn_start(&s, &c), 0);
    assert_int_equal(child_open_gate(&c), -1);
    assert_int_equal(errno, ENOENT);
    child_release(&c);

    /* A gate that is closed unopened: the program never starts. */
    s.argv = WORDS("sh", "-c", "exit 9");
    assert_int_equal(spawn_start(&s, &c), 0);
    fd_drop(&c.gate_fd);
    assert_int_equal(child_wait(&c), 1);
    assert_int_equal(c.status, 0);
    child_release(&c);
}

static void statuses(void **state)
{
    struct spawn s = {.argv = WORDS("sh", "-c", "exit 3")};
    struct child c;
    char text[64];

    (void)state;
    assert_int_equal(spawn_start(&s, &c), 0);
    assert_int_equal(child_wait(&c), 1);
    assert_int_equal(child_wait(&c), 1);
    assert_int_equal(child_try_wait(&c), 1);
    assert_string_equal(child_status_text(c.status, text, sizeof(text)), "exit status 3");
    child_kill(&c, SIGKILL); /* reaped: kills nobody */
    child_release(&c);

    s.argv = WORDS("sleep", "600");
    assert_int_equal(spawn_start(&s, &c), 0);
    assert_int_equal(child_try_wait(&c), 0);
    child_kill(&c, SIGKILL);
    assert_int_equal(child_wait(&c), 1);
    assert_string_equal(child_status_text(c.status, text, sizeof(text)), "signal 9 (Killed)");
    child_release(&c);

    c = (struct child)CHILD_INIT;
    assert_int_equal(child_wait(&c), -1);
    child_kill(&c, SIGKILL);
}

static void a_zombie_is_gone(void **state)
{
    struct client c;
    pid_t pid = fork();

    (void)state;
    if (!pid) {
        usleep(50000);
        _exit(0);
    }
    client_open(&c, pid);
    assert_false(client_gone(&c));
    assert_true(client_fd(&c) >= 0);
    assert_true(fd_wait(client_fd(&c), 1, 5000) > 0);
    assert_int_equal(kill(pid, 0), 0); /* what a naive test would ask */
    assert_true(client_gone(&c));
    assert_int_equal(client_fd(&c), -1);
    client_release(&c);
    client_open(&c, pid); /* still a zombie */
    assert_true(client_gone(&c));
    client_release(&c);
    waitpid(pid, NULL, 0);
    client_open(&c, pid);
    assert_true(client_gone(&c));
    client_release(&c);
}

/* Without a pidfd, /proc says it: the state, or another start time of the same pid. */
static void proc_is_the_fallback(void **state)
{
    struct client c;
    pid_t pid = fork();

    (void)state;
    if (!pid) {
        pause();
        _exit(0);
    }
    client_open(&c, pid);
    fd_drop(&c.pidfd);
    assert_int_equal(client_fd(&c), -1);
    assert_false(client_gone(&c));
    c.start++;
    assert_true(client_gone(&c));
    client_open(&c, pid);
    fd_drop(&c.pidfd);
    kill(pid, SIGKILL);
    for (int i = 0; i < 500 && !client_gone(&c); i++)
        usleep(10000);
    assert_true(client_gone(&c));
    waitpid(pid, NULL, 0);
    client_release(&c);
}

static int64_t wall_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void a_started_client(void **state)
{
    struct client c;
    int64_t before = wall_ms(), started;
    int saved = dup(STDERR_FILENO), ends[2];
    char text[64] = "";

    (void)state;
    assert_int_equal(fd_pipe(ends), 0);
    dup2(ends[1], STDERR_FILENO);
    assert_int_equal(
        client_start(&c, WORDS("sh", "-c", "echo {}:x{} {} $1; exit 5", "{}", "{}{"), "V"), 0);
    dup2(saved, STDERR_FILENO);
    close(saved);
    fd_drop(&ends[1]);
    started = client_started_wall_ms(&c);
    assert_true(started >= before - 30 && started <= wall_ms() + 30);
    assert_true(fd_read_full(ends[0], text, sizeof(text)) > 0);
    assert_string_equal(text, "V:xV V V{\n"); /* its stdout is our stderr */
    fd_drop(&ends[0]);
    assert_true(fd_wait(c.pidfd, 1, 5000) > 0);
    assert_true(client_gone(&c));
    assert_true(c.child.reaped);
    assert_int_equal(WEXITSTATUS(c.child.status), 5);
    client_release(&c);
    assert_int_equal(client_start(&c, WORDS("/nonexistent"), "V"), -1);
    assert_int_equal(errno, ENOENT);
    client_release(&c);
}

static void no_client_is_never_gone(void **state)
{
    struct client c = CLIENT_INIT;

    (void)state;
    assert_false(client_gone(&c));
    assert_int_equal(client_fd(&c), -1);
    assert_int_equal(client_started_wall_ms(&c), 0);
    client_release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_child_has_only_what_is_listed),
        cmocka_unit_test(descriptors_can_be_swapped),
        cmocka_unit_test(signals_are_reset),
        cmocka_unit_test(a_failed_exec_leaves_nothing),
        cmocka_unit_test(a_gate_holds),
        cmocka_unit_test(statuses),
        cmocka_unit_test(a_zombie_is_gone),
        cmocka_unit_test(proc_is_the_fallback),
        cmocka_unit_test(a_started_client),
        cmocka_unit_test(no_client_is_never_gone),
    };
    return cmocka_run_group_tests_name("proc", tests, default_signals, NULL);
}
