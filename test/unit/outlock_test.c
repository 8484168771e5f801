// link: uv
// with: cmd/mcp-front/outlock.c cmd/mcp-front/outlock_file.c
#include "cmd/mcp-front/outlock.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/outlock_test.XXXXXX";

struct seen {
    int calls, error;
};

static void on_lock(void *data, int error)
{
    struct seen *seen = data;

    seen->calls++;
    seen->error = error;
}

static void on_closed(void *data)
{
    *(bool *)data = true;
}

/* Turns the loop until the lock is there, at most for 5 s. */
static void turn(uv_loop_t *loop, struct seen *seen, int calls)
{
    for (int i = 0; i < 5000 && seen->calls < calls; i++) {
        uv_run(loop, UV_RUN_NOWAIT);
        usleep(1000);
    }
    assert_int_equal(seen->calls, calls);
}

static void finish(uv_loop_t *loop, struct outlocks *all)
{
    bool closed = false;

    outlocks_close(all, on_closed, &closed);
    uv_run(loop, UV_RUN_DEFAULT);
    assert_true(closed);
    assert_int_equal(uv_loop_close(loop), 0);
}

static void one_server_gives_it_in_order(void **state)
{
    uv_loop_t loop;
    struct outlocks *all;
    struct outlock *first, *second, *third, *other;
    struct seen a = {0}, b = {0}, c = {0}, d = {0};
    struct outlock_owner owner;

    (void)state;
    uv_loop_init(&loop);
    all = outlocks_new(&loop);
    first = outlock_take(all, "/base/one", "id-1", on_lock, &a);
    second = outlock_take(all, "/base/one", "id-2", on_lock, &b);
    third = outlock_take(all, "/base/one", "id-3", on_lock, &c);
    other = outlock_take(all, "/base/two", "id-4", on_lock, &d);
    assert_int_equal(a.calls, 0);
    turn(&loop, &a, 1);
    turn(&loop, &d, 1);
    assert_false(outlock_waits(first, &owner));
    assert_true(outlock_waits(third, &owner));
    assert_int_equal(owner.ahead, 2);
    assert_int_equal(owner.pid, getpid());
    assert_string_equal(owner.invocation_id, "id-1");
    assert_true(owner.since_ms > 1600000000000LL);
    outlock_release(second);
    assert_int_equal(b.calls, 0);
    outlock_release(first);
    turn(&loop, &c, 1);
    assert_int_equal(b.calls, 0);
    outlock_release(third);
    outlock_release(other);
    finish(&loop, all);
}

/* A process that holds the lock until it is told to end, or is killed. */
static pid_t start_holder(const char *key, int *control)
{
    int ends[2], ready[2];
    char byte;
    pid_t pid;

    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
    pid = fork();
    if (!pid) {
        uv_loop_t loop;
        struct seen seen = {0};
        struct outlock *lock;
        close(ends[1]);
        uv_loop_init(&loop);
        lock = outlock_take(outlocks_new(&loop), key, "theirs", on_lock, &seen);
        while (!seen.calls)
            uv_run(&loop, UV_RUN_NOWAIT);
        if (write(ready[1], "r", 1) != 1 || read(ends[0], &byte, 1) < 0)
            _exit(1);
        outlock_release(lock);
        for (;;)
            pause();
    }
    close(ends[0]);
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    *control = ends[1];
    return pid;
}

static void wait_for_other(bool by_kill)
{
    uv_loop_t loop;
    struct outlocks *all;
    struct outlock *lock;
    struct seen seen = {0};
    struct outlock_owner owner;
    int control;
    pid_t pid = start_holder("/base/shared", &control);

    uv_loop_init(&loop);
    all = outlocks_new(&loop);
    lock = outlock_take(all, "/base/shared", "ours", on_lock, &seen);
    for (int i = 0; i < 20; i++) {
        uv_run(&loop, UV_RUN_NOWAIT);
        usleep(1000);
    }
    assert_int_equal(seen.calls, 0);
    assert_true(outlock_waits(lock, &owner));
    assert_int_equal(owner.pid, pid);
    assert_string_equal(owner.invocation_id, "theirs");
    assert_int_equal(owner.ahead, 0);
    if (by_kill)
        kill(pid, SIGKILL);
    else
        close(control);
    turn(&loop, &seen, 1);
    assert_int_equal(seen.error, 0);
    outlock_release(lock);
    finish(&loop, all);
    if (by_kill)
        close(control);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

static void another_process_lets_go(void **state)
{
    (void)state;
    wait_for_other(false);
}

static void another_process_is_killed(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++)
        wait_for_other(true);
}

static void waiting_is_cancelled_at_once(void **state)
{
    uv_loop_t loop;
    struct outlocks *all;
    struct outlock *lock;
    struct seen seen = {0};
    int control;
    pid_t pid = start_holder("/base/c", &control);

    (void)state;
    uv_loop_init(&loop);
    all = outlocks_new(&loop);
    lock = outlock_take(all, "/base/c", "ours", on_lock, &seen);
    uv_run(&loop, UV_RUN_NOWAIT);
    outlock_release(lock);
    finish(&loop, all);
    assert_int_equal(seen.calls, 0);
    close(control);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

static void a_folder_that_cannot_be_ours_is_an_error(void **state)
{
    uv_loop_t loop;
    struct outlocks *all;
    struct outlock *lock;
    struct seen seen = {0};
    char path[64], elsewhere[64];

    (void)state;
    snprintf(path, sizeof(path), "%s/evil", folder);
    mkdir(path, 0700);
    setenv("XDG_RUNTIME_DIR", path, 1);
    snprintf(elsewhere, sizeof(elsewhere), "%s/elsewhere", folder);
    mkdir(elsewhere, 0700);
    snprintf(path, sizeof(path), "%s/evil/mcp-front", folder);
    assert_int_equal(symlink(elsewhere, path), 0);
    uv_loop_init(&loop);
    all = outlocks_new(&loop);
    lock = outlock_take(all, "/base/x", "id", on_lock, &seen);
    turn(&loop, &seen, 1);
    assert_int_not_equal(seen.error, 0);
    outlock_release(lock);
    finish(&loop, all);
    setenv("XDG_RUNTIME_DIR", folder, 1);
}

static int set_up(void **state)
{
    (void)state;
    return mkdtemp(folder) ? setenv("XDG_RUNTIME_DIR", folder, 1) : -1;
}

static int tear_down(void **state)
{
    char command[128];

    (void)state;
    snprintf(command, sizeof(command), "rm -rf '%s'", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_server_gives_it_in_order),
        cmocka_unit_test(another_process_lets_go),
        cmocka_unit_test(another_process_is_killed),
        cmocka_unit_test(waiting_is_cancelled_at_once),
        cmocka_unit_test(a_folder_that_cannot_be_ours_is_an_error),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
