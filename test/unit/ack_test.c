#include "test/unit/unit.h"
#include "common/ack/connector.h"
#include "common/ack/listener.h"
#include "common/base/clock.h"
#include "common/io/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct ack_listener listener;
static struct ack_address address;
static int ends[2];

static void serve(void)
{
    struct pollfd fds[ACK_LISTENER_FDS];

    ack_listener_poll(&listener, fds);
    if (poll(fds, ACK_LISTENER_FDS, 0) > 0)
        ack_listener_serve(&listener, fds);
}

static int listen_on_pipe(void **state)
{
    (void)state;
    if (fd_pipe(ends) || !ack_address_of_pipe(&address, ends[1]))
        return -1;
    return ack_listen(&listener, &address);
}

static int stop_listening(void **state)
{
    (void)state;
    ack_listener_release(&listener);
    fd_drop(&ends[0]);
    fd_drop(&ends[1]);
    return 0;
}

/* Connects and is served. */
static struct ack_connector connected(void)
{
    struct ack_connector c = ACK_CONNECTOR_INIT;

    assert_int_equal(ack_connect(&c, &address), ACK_NOT_YET);
    serve();
    assert_int_equal(ack_connect(&c, &address), ACK_OK);
    return c;
}

static void address_is_the_pipes(void **state)
{
    struct ack_address other;
    struct stat st;
    char text[128], wanted[128];

    (void)state;
    assert_true(ack_address_of_pipe(&other, ends[0]));
    assert_int_equal(other.len, address.len);
    assert_memory_equal(&other, &address, sizeof(address));
    assert_int_equal(fstat(ends[0], &st), 0);
    snprintf(wanted, sizeof(wanted), "@bep-ack-%u-%lu-%lu", (unsigned)geteuid(),
             (unsigned long)st.st_dev, (unsigned long)st.st_ino);
    assert_string_equal(ack_address_text(&address, text, sizeof(text)), wanted);
    assert_int_equal(address.len,
                     offsetof(struct sockaddr_un, sun_path) + strlen(wanted)); /* no NUL counts */
}

static void address_needs_a_pipe_or_a_short_path(void **state)
{
    struct ack_address a;
    char path[200], text[200];
    int null = fd_open_null(O_RDONLY);

    (void)state;
    assert_false(ack_address_of_pipe(&a, null));
    fd_close(null);
    memset(path, 'x', sizeof(path));
    path[108] = 0;
    assert_false(ack_address_of_path(&a, path));
    path[107] = 0;
    assert_true(ack_address_of_path(&a, path));
    assert_string_equal(ack_address_text(&a, text, sizeof(text)), path);
    assert_false(ack_address_of_path(&a, ""));
}

static void first_number_comes_at_once_and_then_each(void **state)
{
    struct ack_connector c;

    (void)state;
    ack_listener_accepted(&listener, 7);
    c = connected();
    assert_int_equal(c.accepted, 7);
    for (uint64_t n = 8; n < 300; n += 3) {
        ack_listener_accepted(&listener, n);
        assert_int_equal(ack_receive(&c), ACK_OK);
        assert_int_equal(c.accepted, n);
    }
    ack_listener_accepted(&listener, 0x0102030405060708);
    assert_int_equal(ack_receive(&c), ACK_OK);
    assert_true(c.accepted == 0x0102030405060708);
    ack_connector_release(&c);
}

static void bytes_are_little_endian(void **state)
{
    struct ack_connector c;
    uint8_t bytes[8];

    (void)state;
    c = connected();
    ack_listener_accepted(&listener, 0x0102030405060708);
    assert_int_equal(fd_read_full(c.fd, bytes, 8), 8);
    assert_memory_equal(bytes, "\x08\x07\x06\x05\x04\x03\x02\x01", 8);
    ack_connector_release(&c);
}

/* Far more numbers than fit, none of them read: nothing blocks, and the newest arrives. */
static void newest_number_wins(void **state)
{
    struct ack_connector c;

    (void)state;
    c = connected();
    for (uint64_t n = 1; n <= 100000; n++)
        ack_listener_accepted(&listener, n);
    assert_int_equal(ack_receive(&c), ACK_OK);
    assert_in_range(c.accepted, 10, 99999);
    serve();
    assert_int_equal(ack_receive(&c), ACK_OK);
    assert_int_equal(c.accepted, 100000);
    ack_connector_release(&c);
}

static void second_connector_is_closed(void **state)
{
    struct ack_connector first, second = ACK_CONNECTOR_INIT;

    (void)state;
    first = connected();
    assert_int_equal(ack_connect(&second, &address), ACK_NOT_YET);
    assert_true(second.fd >= 0);
    serve();
    assert_int_equal(ack_connect(&second, &address), ACK_NOT_YET);
    assert_int_equal(second.fd, -1);
    ack_listener_accepted(&listener, 5);
    assert_int_equal(ack_receive(&first), ACK_OK);
    assert_int_equal(first.accepted, 5);

    /* When the first has gone, its place is free. */
    ack_connector_release(&first);
    serve();
    second = connected();
    assert_int_equal(second.accepted, 5);
    ack_connector_release(&second);
}

static void numbers_may_come_in_pieces(void **state)
{
    struct ack_connector c;
    const uint8_t two[16] = {1, 0, 0, 0, 0, 0, 0, 0, 2};

    (void)state;
    c = connected();
    for (size_t i = 0; i < sizeof(two); i++) {
        assert_int_equal(fd_write(listener.fd, two + i, 1), 1);
        assert_int_equal(ack_receive(&c), ACK_OK);
        assert_int_equal(c.accepted, (i + 1) / 8);
    }
    ack_connector_release(&c);
}

static void number_that_goes_backwards_is_bad(void **state)
{
    struct ack_connector c;

    (void)state;
    c = connected();
    ack_listener_accepted(&listener, 9);
    ack_listener_accepted(&listener, 8);
    assert_int_equal(ack_receive(&c), ACK_BAD);
    assert_int_equal(c.accepted, 9);
    assert_int_equal(c.fd, -1);
}

static void end_is_told_after_the_last_number(void **state)
{
    struct ack_connector c;

    (void)state;
    c = connected();
    ack_listener_accepted(&listener, 3);
    ack_listener_release(&listener);
    assert_int_equal(ack_receive(&c), ACK_CLOSED);
    assert_int_equal(c.accepted, 3);
    assert_int_equal(ack_connect(&c, &address), ACK_NOT_YET); /* the name is free again */
}

static void noise_from_a_connector_is_ignored(void **state)
{
    struct ack_connector c;

    (void)state;
    c = connected();
    assert_int_equal(fd_write(c.fd, "hello", 5), 5);
    serve();
    ack_listener_accepted(&listener, 1);
    assert_int_equal(ack_receive(&c), ACK_OK);
    assert_int_equal(c.accepted, 1);
    ack_connector_release(&c);
}

static void waiting_ends_at_the_deadline_or_earlier(void **state)
{
    struct ack_connector c = ACK_CONNECTOR_INIT;
    int stop[2];
    uint64_t start = clock_ms();

    (void)state;
    ack_listener_release(&listener);
    assert_int_equal(fd_pipe(stop), 0);
    assert_int_equal(ack_connect_until(&c, &address, start + 50, ends[1], stop[0]), ACK_NOT_YET);
    assert_true(clock_ms() >= start + 50);
    fd_write(stop[1], "", 1);
    assert_int_equal(ack_connect_until(&c, &address, UINT64_MAX, ends[1], stop[0]), ACK_STOPPED);
    fd_drop(&ends[0]);
    assert_int_equal(ack_connect_until(&c, &address, UINT64_MAX, ends[1], -1), ACK_CLOSED);
    fd_drop(&stop[0]);
    fd_drop(&stop[1]);
}

/* Another user listens on the name that is ours: not to be believed. */
static void listener_of_another_user_is_a_stranger(void **state)
{
    struct ack_connector c = ACK_CONNECTOR_INIT;

    (void)state;
    if (geteuid())
        skip();
    ack_listener_release(&listener);
    assert_int_equal(seteuid(65534), 0);
    assert_int_equal(ack_listen(&listener, &address), 0);
    assert_int_equal(seteuid(0), 0);
    assert_int_equal(ack_connect(&c, &address), ACK_STRANGER);
    assert_int_equal(c.fd, -1);
    assert_int_equal(ack_connect_until(&c, &address, clock_ms() + 20, -1, -1), ACK_STRANGER);
}

static void path_is_private_and_replaced_when_left_over(void **state)
{
    char folder[] = "/tmp/ack-test.XXXXXX";
    char path[64];
    struct ack_listener other;
    struct stat st;

    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/s", folder);
    assert_true(ack_address_of_path(&address, path));
    ack_listener_release(&listener);
    assert_int_equal(ack_listen(&listener, &address), 0);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);

    assert_int_equal(ack_listen(&other, &address), -1); /* somebody listens */
    assert_int_equal(errno, EADDRINUSE);
    fd_drop(&listener.listen_fd); /* as if killed */
    assert_int_equal(ack_listen(&listener, &address), 0);
    ack_listener_release(&listener);
    assert_int_equal(stat(path, &st), -1);

    assert_int_equal(close(creat(path, 0600)), 0); /* a file of the user's */
    assert_int_equal(ack_listen(&listener, &address), -1);
    assert_int_equal(stat(path, &st), 0);
    unlink(path);
    rmdir(folder);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, listen_on_pipe, stop_listening)
    const struct CMUnitTest tests[] = {
        TEST(address_is_the_pipes),
        TEST(address_needs_a_pipe_or_a_short_path),
        TEST(first_number_comes_at_once_and_then_each),
        TEST(bytes_are_little_endian),
        TEST(newest_number_wins),
        TEST(second_connector_is_closed),
        TEST(numbers_may_come_in_pieces),
        TEST(number_that_goes_backwards_is_bad),
        TEST(end_is_told_after_the_last_number),
        TEST(noise_from_a_connector_is_ignored),
        TEST(waiting_ends_at_the_deadline_or_earlier),
        TEST(listener_of_another_user_is_a_stranger),
        TEST(path_is_private_and_replaced_when_left_over),
    };
    return cmocka_run_group_tests_name("ack", tests, NULL, NULL);
}
