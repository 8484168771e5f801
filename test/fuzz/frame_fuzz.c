/*
 * The stream reader: whatever comes, in whatever pieces, it gives out the same whole frames, next to
 * each other and byte for byte, and says the same end. The first byte of the input is the piece size.
 */
#include "common/base/limits.h"
#include "common/frame/stream.h"
#include "common/frame/wire.h"

#include <stdlib.h>
#include <string.h>

#define MAX_FRAME 4096

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int holds)
{
    if (!holds)
        abort();
}

/* Feeds everything in pieces and compares what comes out with what went in. */
static void feed(struct stream *s, const uint8_t *data, size_t size, size_t piece)
{
    size_t passed = 0;

    for (size_t at = 0; at < size && !s->fault; at += piece) {
        size_t n = size - at < piece ? size - at : piece;
        size_t room;
        void *to = stream_room(s, &room);
        require(to && room >= READ_CHUNK);
        memcpy(to, data + at, n);
        stream_added(s, n);
        require(!s->whole_len || !memcmp(s->whole, data + passed, s->whole_len));
        passed += s->whole_len;
        require(passed <= at + n && passed == s->reader.offset);
        require(s->fault || passed + frame_reader_tail(&s->reader) == at + n);
    }
}

static void walk(const uint8_t *data, size_t size)
{
    struct wire_reader r;
    struct wire_field f;

    wire_init(&r, data, size);
    while (wire_next(&r, &f)) {
        require(f.number > 0 && f.number <= 0x1fffffff);
        if (f.type == WIRE_BYTES)
            require(f.bytes >= data && f.bytes + f.len <= data + size);
    }
    require(r.bad || r.at == r.end);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct stream pieces, whole;

    if (!size || size > READ_CHUNK)
        return 0;
    stream_init(&pieces, MAX_FRAME);
    stream_init(&whole, MAX_FRAME);
    feed(&pieces, data + 1, size - 1, data[0] + 1U);
    feed(&whole, data + 1, size - 1, size);
    require(stream_end(&pieces) == stream_end(&whole));
    require(pieces.reader.offset == whole.reader.offset);
    require(pieces.reader.frames == whole.reader.frames);
    require(pieces.last == whole.last);
    walk(data + 1, size - 1);
    stream_release(&pieces);
    stream_release(&whole);
    return 0;
}
