// with: cmd/bes-recv/unwrap.c
#include "test/unit/unit.h"
#include "cmd/bes-recv/unwrap.h"
#include "common/base/buf.h"
#include "common/base/limits.h"
#include "common/frame/varint.h"

#include <string.h>

#define URL "type.googleapis.com/build_event_stream.BuildEvent"

static void varint(struct buf *b, uint64_t value)
{
    uint8_t text[VARINT_MAX_BYTES];

    assert_int_equal(buf_add(b, text, varint_write(text, value)), BUF_OK);
}

static void field(struct buf *b, unsigned number, const void *bytes, size_t len)
{
    varint(b, number << 3 | 2);
    varint(b, len);
    assert_int_equal(buf_add(b, bytes, len), BUF_OK);
}

/* Takes the inner message. */
static void nest(struct buf *b, unsigned number, struct buf *inner)
{
    field(b, number, inner->data, inner->len);
    buf_release(inner);
}

static void number_field(struct buf *b, unsigned number, uint64_t value)
{
    varint(b, number << 3);
    varint(b, value);
}

static struct buf any_event(const char *url, const void *value, size_t len)
{
    struct buf any = BUF_INIT, event = BUF_INIT;

    if (url)
        field(&any, 1, url, strlen(url));
    if (value)
        field(&any, 2, value, len);
    nest(&event, 60, &any);
    return event;
}

static struct buf finish_event(uint64_t type)
{
    struct buf finished = BUF_INIT, event = BUF_INIT;

    number_field(&finished, 1, type);
    nest(&event, 59, &finished);
    return event;
}

/* A stream request with number 7; takes the event. */
static struct buf request_of(struct buf *event)
{
    struct buf id = BUF_INIT, ordered = BUF_INIT, request = BUF_INIT;

    field(&id, 1, "build", 5);
    number_field(&id, 3, 3);
    field(&id, 6, "inv", 3);
    nest(&ordered, 1, &id);
    number_field(&ordered, 2, 7);
    nest(&ordered, 3, event);
    nest(&request, 4, &ordered);
    return request;
}

static void assert_view(struct view v, const void *bytes, size_t len)
{
    assert_int_equal(v.len, len);
    assert_memory_equal(v.bytes, bytes, len);
}

static void gives_ids_number_and_the_frame_in_place(void **state)
{
    struct buf event = any_event(URL, "abc", 3), message = request_of(&event);
    struct request r;

    (void)state;
    assert_true(unwrap_stream_request(message.data, message.len, &r));
    assert_int_equal(r.kind, REQUEST_BAZEL);
    assert_int_equal(r.number, 7);
    assert_view(r.build_id, "build", 5);
    assert_view(r.invocation_id, "inv", 3);
    assert_view(r.stream_id,
                "\x0a\x05"
                "build\x18\x03\x32\x03inv",
                14);
    assert_view(r.frame,
                "\x03"
                "abc",
                4);
    assert_view(r.body, "abc", 3);
    assert_true((const char *)r.body.bytes > message.data &&
                (const char *)r.body.bytes < message.data + message.len);
    buf_release(&message);
}

static void keeps_the_length_varint_as_the_client_wrote_it(void **state)
{
    /* Any.value with a length of 3 in two bytes. */
    static const char any[] = "\x0a\x1f/build_event_stream.BuildEvent!\x12\x83\x00"
                              "abc";
    static const char good[] = "\x0a\x1e/build_event_stream.BuildEvent\x12\x83\x00"
                               "abc";
    struct buf event = BUF_INIT, message;
    struct request r;

    (void)state;
    field(&event, 60, any, sizeof(any) - 1);
    message = request_of(&event);
    assert_true(unwrap_stream_request(message.data, message.len, &r));
    assert_int_equal(r.kind, REQUEST_FOREIGN);
    buf_release(&message);
    event = (struct buf)BUF_INIT;
    field(&event, 60, good, sizeof(good) - 1);
    message = request_of(&event);
    assert_true(unwrap_stream_request(message.data, message.len, &r));
    assert_int_equal(r.kind, REQUEST_BAZEL);
    assert_view(r.frame,
                "\x83\x00"
                "abc",
                5);
    buf_release(&message);
}

static void tells_kinds(void **state)
{
    struct {
        struct buf event;
        enum request_kind kind;
        size_t frame_len;
    } cases[] = {
        {any_event(URL, NULL, 0), REQUEST_BAZEL, 1}, /* an event of no bytes */
        {any_event(NULL, "abc", 3), REQUEST_BAZEL, 4},
        {any_event(NULL, NULL, 0), REQUEST_FOREIGN, 1},
        {any_event("x/google.protobuf.Struct", "abc", 3), REQUEST_FOREIGN, 4},
        {any_event("build_event_stream.BuildEvent", "abc", 3), REQUEST_FOREIGN, 4},
        {finish_event(1), REQUEST_FINISHED, 0},
        {finish_event(2), REQUEST_OTHER_FINISH, 0},
        {finish_event(0), REQUEST_OTHER_FINISH, 0},
        {BUF_INIT, REQUEST_OTHER, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct buf message = request_of(&cases[i].event);
        struct request r;

        assert_true(unwrap_stream_request(message.data, message.len, &r));
        assert_int_equal(r.kind, cases[i].kind);
        assert_int_equal(r.frame.len, cases[i].frame_len);
        buf_release(&message);
    }
}

static void the_last_event_of_a_oneof_wins(void **state)
{
    struct buf event = any_event(URL, "abc", 3), second = finish_event(1), message;
    struct request r;

    (void)state;
    assert_int_equal(buf_add(&event, second.data, second.len), BUF_OK);
    buf_release(&second);
    message = request_of(&event);
    assert_true(unwrap_stream_request(message.data, message.len, &r));
    assert_int_equal(r.kind, REQUEST_FINISHED);
    buf_release(&message);
}

static void a_malformed_request_keeps_what_came_before(void **state)
{
    struct buf event = any_event(URL, "abc", 3), message = request_of(&event);
    struct request r;

    (void)state;
    assert_false(unwrap_stream_request("\xff\xff", 2, &r));
    assert_int_equal(r.number, 0);
    for (size_t len = 0; len < message.len; len++)
        assert_true(!unwrap_stream_request(message.data, len, &r) || !len);
    assert_int_equal(buf_add(&message, "\x0b", 1), BUF_OK); /* a group */
    assert_false(unwrap_stream_request(message.data, message.len, &r));
    assert_int_equal(r.number, 7);
    buf_release(&message);
}

static void knows_the_last_lifecycle_event(void **state)
{
    struct buf ordered = BUF_INIT, event = BUF_INIT, request = BUF_INIT;
    struct request r;

    (void)state;
    number_field(&request, 1, 2);
    field(&event, 55, "", 0);
    nest(&ordered, 3, &event);
    nest(&request, 2, &ordered);
    assert_true(unwrap_lifecycle_request(request.data, request.len, &r));
    assert_int_equal(r.kind, REQUEST_BUILD_FINISHED);
    assert_true(unwrap_stream_request(request.data, request.len, &r));
    assert_int_equal(r.kind, REQUEST_OTHER);
    buf_release(&request);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_ids_number_and_the_frame_in_place),
        cmocka_unit_test(keeps_the_length_varint_as_the_client_wrote_it),
        cmocka_unit_test(tells_kinds),
        cmocka_unit_test(the_last_event_of_a_oneof_wins),
        cmocka_unit_test(a_malformed_request_keeps_what_came_before),
        cmocka_unit_test(knows_the_last_lifecycle_event),
    };

    return cmocka_run_group_tests_name("unwrap", tests, NULL, NULL);
}
