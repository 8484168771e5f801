// with: cmd/bep-reduce/[!m]*.c
// link: protobuf-c
// link: json-c
// link: expat
// link: pcre2
#include "test/unit/unit.h"
#include "cmd/bep-reduce/emit.h"
#include "cmd/bep-reduce/ndjson.h"
#include "cmd/bep-reduce/prune.h"
#include "cmd/bep-reduce/summary.h"
#include "common/frame/reader.h"
#include "common/frame/varint.h"
#include "common/io/file.h"
#include "common/text/utf8.h"
#include "proto/build_event_stream.pb-c.h"

#include <glob.h>
#include <stdio.h>
#include <string.h>

#define CUT_STEP 97

static void take_frames(struct reducer *r, const char *bytes, size_t len)
{
    struct frame_reader frames;
    struct frame frame;
    size_t room;

    frame_reader_init(&frames, 1 << 20);
    while (len > 0) {
        void *to = frame_reader_room(&frames, &room);
        size_t n = len < room ? len : room;

        memcpy(to, bytes, n);
        frame_reader_added(&frames, n);
        while (frame_next(&frames, &frame) == FRAME_OK)
            reducer_take(r, frame.body, frame.body_len);
        bytes += n;
        len -= n;
    }
    frame_reader_release(&frames);
}

/* The summary of a stream, as JSON, into `out`. */
static void reduce(const char *bytes, size_t len, struct buf *out)
{
    struct summary_options how = {.told = {.exit_code = -1}, .max_diagnostics = 1000};
    struct console_log console = {BUF_INIT, BUF_INIT, 0};
    struct files files = {0};
    struct summary summary;
    struct reducer reducer;

    reducer_init(&reducer, &files, NULL);
    take_frames(&reducer, bytes, len);
    screen_text(&reducer.state.console_out, &console.out);
    screen_text(&reducer.state.console_err, &console.err);
    summary_make(&summary, &reducer, &console, &how);
    assert_true(emit_json(&summary, out));
    summary_release(&summary);
    buf_release(&console.out);
    buf_release(&console.err);
    reducer_release(&reducer);
}

/* Recordings of our own, and one in four of those beside the repository. */
static void each_stream(void (*check)(const struct buf *))
{
    static const char *const patterns[] = {"test/corpus/*/events.bep",
                                           "../shared/corpus/*/*/events.bep"};
    glob_t found;

    for (int set = 0; set < 2; set++) {
        if (glob(patterns[set], 0, NULL, &found) != 0)
            continue;
        for (size_t i = 0; i < found.gl_pathc; i += 4) {
            struct buf stream = BUF_INIT;

            assert_int_equal(file_read(found.gl_pathv[i], 1 << 24, &stream), 0);
            check(&stream);
            buf_release(&stream);
        }
        globfree(&found);
    }
}

static void cut_everywhere(const struct buf *stream)
{
    for (size_t cut = 0; cut < stream->len && cut < 60000; cut += CUT_STEP) {
        struct buf out = BUF_INIT;

        reduce(stream->data, cut, &out);
        assert_true(utf8_is_clean(out.data, out.len));
        assert_contains(out.data, "\"state\":\"incomplete\"");
        buf_release(&out);
    }
}

static void any_cut_has_a_summary(void **state)
{
    (void)state;
    each_stream(cut_everywhere);
}

static void flip_sparsely(const struct buf *stream)
{
    for (size_t at = 0; at < stream->len && at < 60000; at += CUT_STEP) {
        struct buf copy = BUF_INIT, out = BUF_INIT;

        buf_add(&copy, stream->data, stream->len);
        copy.data[at] = (char)~copy.data[at];
        reduce(copy.data, copy.len, &out);
        assert_true(utf8_is_clean(out.data, out.len));
        buf_release(&copy);
        buf_release(&out);
    }
}

static void any_flipped_byte_has_a_summary(void **state)
{
    (void)state;
    each_stream(flip_sparsely);
}

static void put_field(struct buf *out, unsigned number, const char *bytes, size_t len)
{
    uint8_t varint[10];

    buf_add_char(out, (char)(number << 3 | 2));
    buf_add(out, varint, varint_write(varint, len));
    buf_add(out, bytes, len);
}

static void prunes_to_a_bound_what_is_huge(void **state)
{
    struct buf message = BUF_INIT, small = BUF_INIT;
    BuildEventStream__ActionExecuted *action;

    (void)state;
    put_field(&message, 8, "Genrule", 7); /* type */
    for (int i = 0; i < 300000; i++)
        put_field(&message, 9, "an argument", 11); /* command_line */
    put_field(&message, 77, "unknown", 7);
    assert_true(prune(&build_event_stream__action_executed__descriptor,
                      (struct bytes){(const uint8_t *)message.data, message.len}, 100000, &small));
    assert_true(small.len <= 100000 && small.len > 90000);
    action = build_event_stream__action_executed__unpack(NULL, small.len, (uint8_t *)small.data);
    assert_non_null(action);
    assert_memory_equal(action->type.data, "Genrule", 7);
    assert_true(action->n_command_line > 1000);
    build_event_stream__action_executed__free_unpacked(action, NULL);
    buf_release(&message);
    buf_release(&small);
}

static void prune_refuses_what_is_malformed(void **state)
{
    struct buf small = BUF_INIT;

    (void)state;
    assert_false(prune(&build_event_stream__action_executed__descriptor,
                       (struct bytes){(const uint8_t *)"\x42\x09", 2}, 1000, &small));
    buf_release(&small);
}

static void reads_events_from_json(void **state)
{
    static const char line[] =
        "{\"id\":{\"testResult\":{\"label\":\"//"
        ":t\",\"run\":2}},\"lastMessage\":true,\"unknown\":[{}],"
        "\"testResult\":{\"status\":\"TIMEOUT\",\"testAttemptDurationMillis\":\"1500\","
        "\"cachedLocally\":true,"
        "\"testActionOutput\":[{\"name\":\"a\",\"contents\":\"aGk=\"},{\"name\":\"b\"}]}}";
    struct buf wire = BUF_INIT;
    BuildEventStream__BuildEvent *event;

    (void)state;
    assert_true(ndjson_event(line, strlen(line), &wire));
    event = build_event_stream__build_event__unpack(NULL, wire.len, (uint8_t *)wire.data);
    assert_non_null(event);
    assert_true(event->last_message);
    assert_int_equal(event->id->test_result->run, 2);
    assert_int_equal(event->test_result->status, BUILD_EVENT_STREAM__TEST_STATUS__TIMEOUT);
    assert_int_equal(event->test_result->test_attempt_duration_millis, 1500);
    assert_int_equal(event->test_result->n_test_action_output, 2);
    assert_memory_equal(event->test_result->test_action_output[0]->contents.data, "hi", 2);
    build_event_stream__build_event__free_unpacked(event, NULL);
    buf_clear(&wire);
    assert_false(ndjson_event("{\"id\":[]}", 9, &wire));
    assert_false(ndjson_event("[]", 2, &wire));
    assert_false(ndjson_event("{\"id\"", 5, &wire));
    buf_release(&wire);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_cut_has_a_summary),
        cmocka_unit_test(any_flipped_byte_has_a_summary),
        cmocka_unit_test(prunes_to_a_bound_what_is_huge),
        cmocka_unit_test(prune_refuses_what_is_malformed),
        cmocka_unit_test(reads_events_from_json),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
