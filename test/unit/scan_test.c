// with: cmd/bep-durable/scan.c
#include "test/unit/unit.h"
#include "cmd/bep-durable/scan.h"
#include "common/frame/varint.h"

#include <stdlib.h>
#include <string.h>

static void scan_all(struct scan *s, const char *bytes, size_t len, size_t piece)
{
    for (size_t at = 0; at < len; at += piece)
        scan_bytes(s, bytes + at, len - at < piece ? len - at : piece);
}

/* What the reader that keeps whole frames in memory says of the same stream. */
static void assert_same_as_stream(const char *bytes, size_t len, size_t piece, uint64_t max_frame)
{
    struct scan s;
    struct stream other;
    size_t room;

    scan_init(&s, max_frame);
    scan_all(&s, bytes, len, piece);
    stream_init(&other, max_frame);
    for (size_t at = 0; at < len && other.fault == FRAME_OK; at += piece) {
        size_t n = len - at < piece ? len - at : piece;
        memcpy(stream_room(&other, &room), bytes + at, n);
        stream_added(&other, n);
    }
    assert_int_equal(s.whole, other.reader.offset);
    assert_int_equal(s.frames, other.reader.frames);
    assert_int_equal(s.last, other.last);
    assert_int_equal(s.fault, other.fault);
    assert_int_equal(scan_end(&s), stream_end(&other));
    if (s.fault == FRAME_TOO_BIG)
        assert_int_equal(s.announced, other.reader.announced);
    if (s.fault == FRAME_OK)
        assert_int_equal(s.whole + s.tail, len);
    stream_release(&other);
}

#define CASE(text)                                                                                 \
    {                                                                                              \
        text, sizeof(text) - 1                                                                     \
    }

static const struct {
    const char *bytes;
    size_t len;
} cases[] = {
    CASE(""),
    CASE("\0"),
    CASE("\0\0\0"),
    CASE("\x03\xa0\x01\x01"),             /* last_message: true */
    CASE("\x03\xa0\x01\x01\0\0"),         /* and empty frames behind it */
    CASE("\x03\xa0\x01\x01\x02\x08\x01"), /* and another event behind it */
    CASE("\x03\xa0\x01\x00"),             /* last_message: false */
    CASE("\x06\xa0\x01\x01\xa0\x01\x00"), /* the last occurrence wins */
    CASE("\x06\xa0\x01\x00\xa0\x01\x01"), /* either way */
    CASE("\x08\xa0\x01\x01\x0a\x03xyz"),  /* fields behind it */
    CASE("\x05\xa0\x01\x01\x0a\x01"),     /* whose content is missing */
    CASE("\x04\xa0\x01\x01\x0a"),         /* whose length is missing */
    CASE("\x04\xa0\x01\x01\x80"),         /* a tag that is cut */
    CASE("\x04\xa2\x01\x01\x01"),         /* field 20, but as bytes */
    CASE("\x03\x01\x00\x00"),             /* field number 0 */
    CASE("\x03\x0b\xa0\x01"),             /* a group */
    CASE("\x0c\x09"
         "12345678"
         "\xa0\x01\x01"), /* a fixed64 before it */
    CASE("\x08\x0d"
         "1234"
         "\xa0\x01\x01"), /* a fixed32 before it */
    CASE("\x04\x0d"
         "123"), /* a fixed32 that is cut */
    CASE("\x08\x09"
         "1234567"), /* a fixed64 that is cut */
    CASE("\x0e\xa0\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02\x08\x01"), /* 65 bits of a value */
    CASE("\x0c\xa0\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),         /* 64 bits of a value */
    CASE("\x83\x80\x00\xa0\x01\x01"),                 /* a length that is longer than needed */
    CASE("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), /* the longest length */
    CASE("\x01\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), /* no length */
    CASE("\x05\xa0"),
    CASE("\x80"),
};

static void says_the_same_as_stream_in_any_pieces(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        for (size_t piece = 1; piece <= 16; piece++)
            assert_same_as_stream(cases[i].bytes, cases[i].len, piece, 1000);
}

/* Bytes that are likely to mean something in a frame. */
static char random_byte(void)
{
    static const char likely[] = "\0\1\2\3\4\5\6\7\x08\x0a\x0b\x0d\x09\xa0\x01\x80\xff\x12";

    return random() % 4 ? likely[(size_t)random() % (sizeof(likely) - 1)] : (char)random();
}

static void says_the_same_as_stream_of_noise(void **state)
{
    char bytes[200];

    (void)state;
    srandom(20);
    for (int round = 0; round < 20000; round++) {
        size_t len = (size_t)random() % sizeof(bytes);
        for (size_t i = 0; i < len; i++)
            bytes[i] = random_byte();
        assert_same_as_stream(bytes, len, 1 + (size_t)random() % 64, (uint64_t)random() % 150);
    }
}

static void max_frame_is_exact(void **state)
{
    struct scan s;
    uint8_t length[10];
    char body[1000] = {0};
    size_t n = varint_write(length, sizeof(body));

    (void)state;
    scan_init(&s, sizeof(body));
    scan_bytes(&s, length, n);
    scan_bytes(&s, body, sizeof(body));
    assert_int_equal(s.frames, 1);
    assert_int_equal(s.fault, FRAME_OK);

    scan_init(&s, sizeof(body) - 1);
    scan_bytes(&s, length, n);
    scan_bytes(&s, body, sizeof(body));
    assert_int_equal(s.frames, 0);
    assert_int_equal(s.fault, FRAME_TOO_BIG);
    assert_int_equal(s.announced, sizeof(body));
    assert_int_equal(scan_end(&s), STREAM_TOO_BIG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_the_same_as_stream_in_any_pieces),
        cmocka_unit_test(says_the_same_as_stream_of_noise),
        cmocka_unit_test(max_frame_is_exact),
    };
    return cmocka_run_group_tests_name("scan", tests, NULL, NULL);
}
