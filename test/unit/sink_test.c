// with: cmd/bes-recv/sink.c
#include "test/unit/unit.h"
#include "cmd/bes-recv/sink.h"
#include "common/base/limits.h"
#include "common/io/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static unsigned messages; /* not released yet */

void message_release(struct message *m)
{
    messages--;
    free(m);
}

struct pair {
    struct sink sink;
    int ends[2]; /* the pipe */
    int back;    /* where the writer says what it has accepted */
};

static void open_pair(struct pair *p, bool handoff)
{
    int back[2];

    assert_int_equal(fd_pipe(p->ends), 0);
    sink_init(&p->sink, p->ends[1], handoff);
    if (handoff)
        return;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, back), 0);
    p->sink.back = (struct ack_connector){.fd = back[0], .answered = true, .accepted = 100};
    p->back = back[1];
    sink_connected(&p->sink);
}

static void close_pair(struct pair *p)
{
    struct accepted a;

    while (sink_take_lost(&p->sink, &a))
        ;
    sink_release(&p->sink);
    close(p->ends[0]);
    close(p->ends[1]);
    if (p->back)
        close(p->back);
    assert_int_equal(messages, 0);
}

static void add(struct sink *s, uint64_t number, const void *bytes, size_t len)
{
    struct message *m = calloc(1, sizeof(*m));

    assert_non_null(m);
    messages++;
    sink_add(s, s, number, m, (struct view){bytes, len});
}

static void accept_frames(struct pair *p, uint64_t count)
{
    uint8_t text[8];

    for (int i = 0; i < 8; i++)
        text[i] = (uint8_t)(count >> (8 * i));
    assert_int_equal(write(p->back, text, 8), 8);
    sink_receive(&p->sink);
}

static void assert_next(struct sink *s, uint64_t number)
{
    struct accepted a;

    assert_true(sink_take_accepted(s, &a));
    assert_int_equal(a.number, number);
    assert_ptr_equal(a.upload, s);
}

static void assert_none(struct sink *s)
{
    struct accepted a;

    assert_false(sink_take_accepted(s, &a));
}

static void written_is_not_accepted(void **state)
{
    struct pair p = {0};
    char got[16];

    (void)state;
    open_pair(&p, false);
    add(&p.sink, 1, "\1a", 2);
    sink_add(&p.sink, &p.sink, 2, NULL,
             (struct view){0}); /* nothing to write: waits all the same */
    add(&p.sink, 3, "\1c", 2);
    assert_none(&p.sink);
    sink_write(&p.sink);
    assert_int_equal(messages, 0);
    assert_int_equal(read(p.ends[0], got, sizeof(got)), 4);
    assert_memory_equal(got, "\1a\1c", 4);
    assert_none(&p.sink);
    accept_frames(&p, 101); /* the writer had 100 before */
    assert_next(&p.sink, 1);
    assert_next(&p.sink, 2);
    assert_none(&p.sink);
    accept_frames(&p, 102);
    assert_next(&p.sink, 3);
    assert_true(sink_is_empty(&p.sink));
    close_pair(&p);
}

static void handoff_accepts_what_is_written(void **state)
{
    struct pair p = {0};

    (void)state;
    open_pair(&p, true);
    add(&p.sink, 1, "\1a", 2);
    assert_none(&p.sink);
    sink_write(&p.sink);
    assert_next(&p.sink, 1);
    close_pair(&p);
}

static void it_is_full_at_512_entries_or_1_MiB(void **state)
{
    static uint8_t big[BATCH_MAX_BYTES];
    struct pair p = {0};

    (void)state;
    open_pair(&p, true);
    for (unsigned i = 1; i < PENDING_MAX_ENTRIES; i++)
        add(&p.sink, i, "\0", 1);
    assert_false(sink_is_full(&p.sink));
    add(&p.sink, PENDING_MAX_ENTRIES, "\0", 1);
    assert_true(sink_is_full(&p.sink));
    sink_write(&p.sink);
    assert_false(sink_is_full(&p.sink));
    add(&p.sink, 513, big, sizeof(big) - 1);
    assert_false(sink_is_full(&p.sink));
    add(&p.sink, 514, "\0", 1);
    assert_true(sink_is_full(&p.sink));
    close_pair(&p);
}

/* Reads everything that comes until the sink has written all. */
static size_t drain(struct pair *p)
{
    static uint8_t into[1 << 20];
    size_t total = 0;
    ssize_t n;

    fd_set_nonblocking(p->ends[0], true);
    do {
        sink_write(&p->sink);
        n = read(p->ends[0], into, sizeof(into));
        total += n > 0 ? (size_t)n : 0;
    } while (n > 0);
    return total;
}

static void a_frame_larger_than_all_that_may_be_in_flight_goes_through(void **state)
{
    size_t len = IN_FLIGHT_MAX_BYTES + 12345;
    uint8_t *big = calloc(1, len);
    struct pair p = {0};

    (void)state;
    open_pair(&p, false);
    add(&p.sink, 1, "\0", 1);
    add(&p.sink, 2, big, len);
    assert_int_equal(drain(&p), 1); /* the large one waits for the one before it */
    accept_frames(&p, 101);
    assert_next(&p.sink, 1);
    assert_int_equal(drain(&p), len);
    assert_none(&p.sink);
    add(&p.sink, 3, "\0", 1);
    assert_int_equal(drain(&p), 0);
    accept_frames(&p, 102);
    assert_next(&p.sink, 2);
    assert_int_equal(drain(&p), 1);
    free(big);
    close_pair(&p);
}

static void a_writer_that_goes_away_loses_what_it_has_not_accepted(void **state)
{
    struct pair p = {0};
    struct accepted a;

    (void)state;
    open_pair(&p, false);
    add(&p.sink, 1, "\1a", 2);
    sink_write(&p.sink);
    add(&p.sink, 2, "\1b", 2);
    accept_frames(&p, 101);
    close(p.back);
    p.back = 0;
    sink_receive(&p.sink);
    assert_int_equal(p.sink.failure, SINK_GONE);
    assert_next(&p.sink, 1);
    assert_none(&p.sink);
    assert_true(sink_take_lost(&p.sink, &a));
    assert_int_equal(a.number, 2);
    assert_false(sink_take_lost(&p.sink, &a));
    close_pair(&p);
}

static void a_reader_that_goes_away_is_a_failure_not_a_signal(void **state)
{
    struct pair p = {0};

    (void)state;
    signal(SIGPIPE, SIG_IGN);
    open_pair(&p, false);
    close(p.ends[0]);
    add(&p.sink, 1, "\1a", 2);
    sink_write(&p.sink);
    assert_int_equal(p.sink.failure, SINK_GONE);
    assert_int_equal(p.sink.failed_errno, EPIPE);
    p.ends[0] = fd_open_null(O_RDONLY);
    close_pair(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_is_not_accepted),
        cmocka_unit_test(handoff_accepts_what_is_written),
        cmocka_unit_test(it_is_full_at_512_entries_or_1_MiB),
        cmocka_unit_test(a_frame_larger_than_all_that_may_be_in_flight_goes_through),
        cmocka_unit_test(a_writer_that_goes_away_loses_what_it_has_not_accepted),
        cmocka_unit_test(a_reader_that_goes_away_is_a_failure_not_a_signal),
    };

    return cmocka_run_group_tests_name("sink", tests, NULL, NULL);
}
