/*
 * The whole reducer: whatever frames come, it ends with a summary that is one line of JSON, and every other rendering
 * is made, too.
 */
// with: cmd/bep-reduce/[!m]*.c
// link: protobuf-c
// link: json-c
// link: expat
// link: pcre2
#include "cmd/bep-reduce/emit.h"
#include "cmd/bep-reduce/eventjson.h"
#include "cmd/bep-reduce/summary.h"
#include "common/base/limits.h"
#include "common/frame/reader.h"
#include "common/text/utf8.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int holds)
{
    if (!holds)
        abort();
}

static void take_all(struct reducer *r, const uint8_t *data, size_t size)
{
    struct event_filter all = {NULL, NULL};
    struct eventjson events;
    struct frame_reader frames;
    struct buf lines = BUF_INIT;
    struct frame frame;
    size_t room;
    void *to;

    eventjson_init(&events, NULL);
    frame_reader_init(&frames, size);
    to = frame_reader_room(&frames, &room);
    require(to && room >= size);
    memcpy(to, data, size);
    frame_reader_added(&frames, size);
    while (frame_next(&frames, &frame) == FRAME_OK) {
        reducer_take(r, frame.body, frame.body_len);
        eventjson_write(&events, frame.body, frame.body_len, &all, &lines);
    }
    eventjson_release(&events);
    require(utf8_is_clean(lines.data, lines.len));
    buf_release(&lines);
    frame_reader_release(&frames);
}

static void summarise(struct reducer *r)
{
    struct summary_options how = {.told = {.exit_code = -1}, .max_diagnostics = 1000};
    struct console_log console = {BUF_INIT, BUF_INIT, 0};
    struct buf out = BUF_INIT;
    struct summary summary;

    require(screen_text(&r->state.console_out, &console.out) == BUF_OK);
    require(screen_text(&r->state.console_err, &console.err) == BUF_OK);
    summary_make(&summary, r, &console, &how);
    require(emit_json(&summary, &out));
    require(out.len > 2 && memchr(out.data, '\n', out.len) == out.data + out.len - 1);
    require(utf8_is_clean(out.data, out.len));
    require(emit_text(&summary, true, 80, &out));
    require(emit_toon(&summary, &out));
    require(emit_sarif(&summary, &out));
    require(emit_junit(&summary, &out));
    buf_release(&out);
    summary_release(&summary);
    buf_release(&console.out);
    buf_release(&console.err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct files files = {0};
    struct reducer reducer;

    if (size > READ_CHUNK)
        return 0;
    reducer_init(&reducer, &files, NULL);
    take_all(&reducer, data, size);
    summarise(&reducer);
    reducer_release(&reducer);
    return 0;
}
