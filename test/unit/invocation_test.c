// with: cmd/bes-recv/invocation.c
#include "test/unit/unit.h"
#include "cmd/bes-recv/invocation.h"

#include <string.h>

#define MAX_FRAME 16

static struct view view(const char *text)
{
    return (struct view){(const uint8_t *)text, strlen(text)};
}

static struct request event(uint64_t number, const char *body)
{
    return (struct request){.kind = REQUEST_BAZEL,
                            .build_id = view("build"),
                            .invocation_id = view("inv"),
                            .number = number,
                            .frame = view(body),
                            .body = view(body)};
}

static struct request finish(uint64_t number)
{
    struct request r = event(number, "");

    r.kind = REQUEST_FINISHED;
    return r;
}

static enum take take(struct invocation *in, struct request r)
{
    return invocation_take(in, &r, MAX_FRAME);
}

static void new_numbers_are_written_known_ones_are_not(void **state)
{
    struct invocation in;

    (void)state;
    invocation_init(&in, NULL);
    assert_int_equal(take(&in, event(2, "b")), TAKE_GAP);
    assert_int_equal(take(&in, event(1, "a")), TAKE_WRITE);
    assert_int_equal(take(&in, event(2, "b")), TAKE_WRITE);
    assert_int_equal(take(&in, event(1, "other")), TAKE_ACKNOWLEDGE); /* not finished: no attempt */
    assert_int_equal(take(&in, event(2, "b")), TAKE_ACKNOWLEDGE);
    assert_int_equal(take(&in, event(0, "b")), TAKE_ACKNOWLEDGE);
    assert_int_equal(take(&in, event(4, "d")), TAKE_GAP);
    assert_int_equal(take(&in, event(3, "c")), TAKE_WRITE);
    assert_int_equal(in.taken, 3);
    assert_int_equal(in.events, 3);
    assert_int_equal(in.known, 3);
    invocation_release(&in);
}

static void nothing_is_written_behind_the_end(void **state)
{
    struct invocation in;

    (void)state;
    invocation_init(&in, NULL);
    assert_int_equal(take(&in, event(1, "a")), TAKE_WRITE);
    assert_int_equal(take(&in, finish(2)), TAKE_ACKNOWLEDGE);
    assert_true(in.finished);
    assert_int_equal(take(&in, event(3, "c")), TAKE_ACKNOWLEDGE);
    assert_int_equal(take(&in, finish(4)), TAKE_ACKNOWLEDGE);
    assert_int_equal(in.events, 1);
    assert_int_equal(in.ignored, 2);
    invocation_release(&in);
}

static void another_first_event_after_the_end_is_a_new_attempt(void **state)
{
    struct invocation in;

    (void)state;
    invocation_init(&in, NULL);
    take(&in, event(1, "\xa0\x01\x01")); /* last_message */
    assert_true(in.last);
    take(&in, finish(2));
    assert_int_equal(take(&in, event(1, "\xa0\x01\x01")), TAKE_ACKNOWLEDGE);
    assert_int_equal(in.attempts, 1);
    assert_int_equal(take(&in, event(1, "again")), TAKE_WRITE);
    assert_int_equal(in.attempts, 2);
    assert_false(in.last);
    assert_false(in.finished);
    assert_int_equal(take(&in, event(2, "b")), TAKE_WRITE);
    invocation_release(&in);
}

static void a_frame_of_the_greatest_length_is_written_a_longer_one_is_not(void **state)
{
    struct invocation in;

    (void)state;
    invocation_init(&in, NULL);
    assert_int_equal(take(&in, event(1, "0123456789abcdef")), TAKE_WRITE);
    assert_int_equal(take(&in, event(2, "0123456789abcdefg")), TAKE_ACKNOWLEDGE);
    assert_int_equal(in.too_big, 1);
    assert_int_equal(take(&in, event(3, "c")), TAKE_WRITE);
    invocation_release(&in);
}

static bool owns(struct invocation *in, const char *build, const char *invocation, uint64_t number)
{
    struct request r = event(number, "a");

    r.build_id = view(build);
    r.invocation_id = view(invocation);
    return invocation_owns(in, &r);
}

static void the_first_stream_decides_whose_it_is(void **state)
{
    struct invocation in;

    (void)state;
    invocation_init(&in, NULL);
    assert_true(owns(&in, "build", "inv", 1));
    assert_false(owns(&in, "other", "foreign", 1));
    assert_false(owns(&in, "", "", 1));
    assert_true(owns(&in, "build", "inv", 9));
    invocation_release(&in);
}

static void a_retry_keeps_the_build_id(void **state)
{
    struct invocation in;

    (void)state;
    invocation_init(&in, "inv");
    assert_false(owns(&in, "other", "foreign", 1));
    assert_true(owns(&in, "build", "inv", 1));
    take(&in, event(1, "a"));
    assert_false(owns(&in, "build", "retry", 2)); /* begins with 1 */
    assert_true(owns(&in, "build", "retry", 1));
    assert_int_equal(in.taken, 0);
    assert_false(owns(&in, "build", "inv", 2)); /* late */
    assert_string_equal(in.invocation_id, "retry");
    invocation_release(&in);
}

static void empty_build_ids_join_nothing(void **state)
{
    struct invocation in;

    (void)state;
    invocation_init(&in, NULL);
    assert_true(owns(&in, "", "inv", 1));
    assert_false(owns(&in, "", "other", 1));
    invocation_release(&in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new_numbers_are_written_known_ones_are_not),
        cmocka_unit_test(nothing_is_written_behind_the_end),
        cmocka_unit_test(another_first_event_after_the_end_is_a_new_attempt),
        cmocka_unit_test(a_frame_of_the_greatest_length_is_written_a_longer_one_is_not),
        cmocka_unit_test(the_first_stream_decides_whose_it_is),
        cmocka_unit_test(a_retry_keeps_the_build_id),
        cmocka_unit_test(empty_build_ids_join_nothing),
    };

    return cmocka_run_group_tests_name("invocation", tests, NULL, NULL);
}
