#include "test/unit/unit.h"
#include "common/base/buf.h"
#include "common/base/err.h"
#include "common/base/limits.h"
#include "common/frame/stream.h"
#include "common/frame/varint.h"
#include "test/unit/capture.h"

#include <string.h>

/* Bodies of 0, 1, 127, 128, 300 and 20,000 bytes of field 3, an empty frame, and the last message. */
static void build(struct buf *stream)
{
    static const size_t sizes[] = {0, 1, 127, 128, 300, 20000, 0};
    static const uint8_t last[] = {3, 0xa0, 0x01, 0x01};

    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
        uint8_t len[VARINT_MAX_BYTES], head[1 + VARINT_MAX_BYTES] = {0x1a};
        size_t head_len = sizes[i] ? 1 + varint_write(head + 1, sizes[i]) : 0;
        assert_int_equal(buf_add(stream, len, varint_write(len, head_len + sizes[i])), BUF_OK);
        assert_int_equal(buf_add(stream, head, head_len), BUF_OK);
        for (size_t n = 0; n < sizes[i]; n++)
            assert_int_equal(buf_add_char(stream, (char)n), BUF_OK);
    }
    assert_int_equal(buf_add(stream, last, sizeof(last)), BUF_OK);
}

static void feed(struct stream *s, const void *bytes, size_t len, struct buf *out)
{
    size_t room;
    void *to = stream_room(s, &room);

    assert_non_null(to);
    assert_true(room >= READ_CHUNK);
    assert_true(len <= room);
    memcpy(to, bytes, len);
    stream_added(s, len);
    assert_int_equal(buf_add(out, s->whole, s->whole_len), BUF_OK);
}

/* Split in two at every byte: what comes out is what went in, and the end is right at each cut. */
static void every_split_point(void **state)
{
    struct buf in = BUF_INIT, out = BUF_INIT;

    (void)state;
    build(&in);
    for (size_t cut = 0; cut <= in.len; cut++) {
        struct stream s;
        stream_init(&s, FRAME_MAX_DEFAULT);
        buf_clear(&out);
        feed(&s, in.data, cut, &out);
        assert_memory_equal(out.data, in.data, out.len);
        assert_int_equal(s.reader.offset, out.len);
        assert_int_equal(frame_reader_tail(&s.reader), cut - out.len);
        if (cut < in.len)
            assert_int_equal(stream_end(&s), cut == out.len ? STREAM_NO_LAST : STREAM_IN_FRAME);
        feed(&s, in.data + cut, in.len - cut, &out);
        assert_int_equal(out.len, in.len);
        assert_memory_equal(out.data, in.data, in.len);
        assert_int_equal(s.reader.frames, 8);
        assert_int_equal(stream_end(&s), STREAM_COMPLETE);
        stream_release(&s);
    }
    buf_release(&in);
    buf_release(&out);
}

static void every_chunk_size(void **state)
{
    struct buf in = BUF_INIT, out = BUF_INIT;

    (void)state;
    build(&in);
    for (size_t chunk = 1; chunk < 400; chunk++) {
        struct stream s;
        stream_init(&s, FRAME_MAX_DEFAULT);
        buf_clear(&out);
        for (size_t at = 0; at < in.len; at += chunk)
            feed(&s, in.data + at, in.len - at < chunk ? in.len - at : chunk, &out);
        assert_int_equal(out.len, in.len);
        assert_memory_equal(out.data, in.data, in.len);
        assert_int_equal(stream_end(&s), STREAM_COMPLETE);
        stream_release(&s);
    }
    buf_release(&in);
    buf_release(&out);
}

static void max_frame_is_exact(void **state)
{
    (void)state;
    for (uint64_t max = 0; max < 400; max++) {
        uint8_t bytes[VARINT_MAX_BYTES + 400] = {0};
        struct buf out = BUF_INIT;
        struct stream s;
        stream_init(&s, max);
        feed(&s, bytes, varint_write(bytes, max) + max, &out);
        assert_int_equal(s.reader.frames, 1);
        assert_int_equal(s.fault, FRAME_OK);
        feed(&s, bytes, varint_write(bytes, max + 1), &out);
        assert_int_equal(s.fault, FRAME_TOO_BIG);
        assert_int_equal(s.reader.announced, max + 1);
        assert_int_equal(stream_end(&s), STREAM_TOO_BIG);
        stream_release(&s);
        buf_release(&out);
    }
}

/* An announced gigabyte allocates nothing before it comes. */
static void grows_with_what_arrives(void **state)
{
    uint8_t len[VARINT_MAX_BYTES];
    static char bytes[READ_CHUNK];
    struct buf out = BUF_INIT;
    struct stream s;

    (void)state;
    stream_init(&s, FRAME_MAX_DEFAULT);
    feed(&s, len, varint_write(len, FRAME_MAX_DEFAULT), &out);
    for (size_t n = 1; n <= 64; n++) {
        feed(&s, bytes, sizeof(bytes), &out);
        assert_true(s.reader.buf.cap <= 2 * (n + 1) * READ_CHUNK);
    }
    assert_int_equal(stream_end(&s), STREAM_IN_FRAME);
    stream_restart(&s);
    assert_int_equal(stream_end(&s), STREAM_NO_LAST);
    assert_int_equal(s.reader.offset, 0);
    stream_release(&s);
    buf_release(&out);
}

static void a_huge_frame_is_not_kept(void **state)
{
    uint8_t len[VARINT_MAX_BYTES];
    static char bytes[READ_CHUNK];
    struct buf out = BUF_INIT;
    struct stream s;
    size_t room;

    (void)state;
    stream_init(&s, FRAME_MAX_DEFAULT);
    feed(&s, len, varint_write(len, 64 * sizeof(bytes)), &out);
    for (int n = 0; n < 64; n++)
        feed(&s, bytes, sizeof(bytes), &out);
    assert_int_equal(s.reader.frames, 1);
    assert_non_null(stream_room(&s, &room));
    assert_true(s.reader.buf.cap < 2 * READ_CHUNK);
    stream_release(&s);
    buf_release(&out);
}

/* Whole frames before a malformed one are given out; nothing is after it. */
static void malformed_is_final(void **state)
{
    static const char bytes[] = "\x01\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x01\x00";
    struct buf out = BUF_INIT;
    struct stream s;

    (void)state;
    stream_init(&s, FRAME_MAX_DEFAULT);
    feed(&s, bytes, sizeof(bytes) - 1, &out);
    feed(&s, "\x01\x00", 2, &out);
    assert_int_equal(out.len, 2);
    assert_int_equal(stream_end(&s), STREAM_MALFORMED);
    assert_int_equal(s.reader.offset, 2);
    stream_release(&s);
    buf_release(&out);
}

static bool last(const char *body, size_t len)
{
    return frame_is_last(&(struct frame){.body = (const uint8_t *)body, .body_len = len});
}

#define LAST(text) last(text, sizeof(text) - 1)

static void last_message(void **state)
{
    (void)state;
    assert_true(LAST("\xa0\x01\x01"));
    assert_true(LAST("\x0a\x02\x12\x00\xa0\x01\x01"));
    assert_true(LAST("\xa0\x01\x81\x80\x00"));     /* longer than needed */
    assert_true(LAST("\xa0\x01\x00\xa0\x01\x01")); /* the last occurrence wins */
    assert_false(LAST("\xa0\x01\x01\xa0\x01\x00"));
    assert_false(LAST(""));
    assert_false(LAST("\xa0\x01\x00"));
    assert_false(LAST("\x1a\x03\xa0\x01\x01")); /* inside another field */
    assert_false(LAST("\xa2\x01\x01\x01"));     /* another wire type */
    assert_false(LAST("\xa0\x01\x01\x0a"));     /* malformed behind it */
}

/* A second attempt must be complete itself; an empty frame changes nothing. */
static void the_last_attempt_decides(void **state)
{
    struct buf out = BUF_INIT;
    struct stream s;

    (void)state;
    stream_init(&s, FRAME_MAX_DEFAULT);
    assert_int_equal(stream_end(&s), STREAM_NO_LAST);
    feed(&s, "\x03\xa0\x01\x01", 4, &out);
    feed(&s, "\x00", 1, &out);
    assert_int_equal(stream_end(&s), STREAM_COMPLETE);
    feed(&s, "\x02\x0a\x00", 3, &out);
    assert_int_equal(stream_end(&s), STREAM_NO_LAST);
    feed(&s, "\x03\xa0\x01\x01", 4, &out);
    assert_int_equal(stream_end(&s), STREAM_COMPLETE);
    feed(&s, "\x03", 1, &out);
    assert_int_equal(stream_end(&s), STREAM_IN_FRAME);
    stream_release(&s);
    buf_release(&out);
}

struct said {
    const char *bytes;
    size_t len;
    uint64_t max;
};

static void say(void *arg)
{
    const struct said *input = arg;
    struct buf out = BUF_INIT;
    struct stream s;

    err_set_program("prog");
    stream_init(&s, input->max);
    feed(&s, input->bytes, input->len, &out);
    exit(stream_say_end(&s, "FILE"));
}

#define SAY(text, limit) capture(say, &(struct said){text, sizeof(text) - 1, limit})

static void the_end_in_words(void **state)
{
    struct captured c;

    (void)state;
    c = SAY("\x03\xa0\x01\x01", 100);
    assert_int_equal(c.status, 0);
    assert_string_equal(c.err, "");
    c = SAY("\x01\x00\x00", 100);
    assert_int_equal(c.status, 65);
    assert_string_equal(
        c.err,
        "prog: FILE: incomplete: ends at byte 3, after 2 events, without the last message\n");
    c = SAY("\x03\xa0\x01\x01\x05\x0a\x00", 100);
    assert_int_equal(c.status, 65);
    assert_string_equal(
        c.err, "prog: FILE: incomplete: ends inside the frame at byte 4, of which 3 bytes came\n");
    c = SAY("\x00\x65", 100);
    assert_int_equal(c.status, 65);
    assert_string_equal(
        c.err, "prog: FILE: the frame at byte 1 announces 101 bytes, more than --max-frame "
               "allows (100)\n");
    c = SAY("\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 100);
    assert_int_equal(c.status, 65);
    assert_string_equal(c.err, "prog: FILE: malformed: no frame begins at byte 1\n");
    c = SAY("{\"id\":{}}", 100);
    assert_int_equal(c.status, 65);
    assert_contains(c.err, "123 bytes, more than --max-frame allows (100) (it begins like JSON");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_split_point),
        cmocka_unit_test(every_chunk_size),
        cmocka_unit_test(max_frame_is_exact),
        cmocka_unit_test(grows_with_what_arrives),
        cmocka_unit_test(a_huge_frame_is_not_kept),
        cmocka_unit_test(malformed_is_final),
        cmocka_unit_test(last_message),
        cmocka_unit_test(the_last_attempt_decides),
        cmocka_unit_test(the_end_in_words),
    };
    return cmocka_run_group_tests_name("frame", tests, NULL, NULL);
}
