#include "cmd/bep-reduce/input.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "cmd/bep-reduce/ndjson.h"
#include "common/base/err.h"
#include "common/frame/reader.h"
#include "common/io/fd.h"

/* `whole` is what the event took in the stream. */
static void take(const struct input *in, struct reducer *r, const void *body, size_t len,
                 size_t whole)
{
    r->state.counts.bytes += whole;
    if (in->on_frame)
        in->on_frame(in->context, body, len);
    reducer_take(r, body, len);
}

static enum frame_status take_frames(const struct input *in, struct reducer *r,
                                     struct frame_reader *frames)
{
    enum frame_status status;
    struct frame frame;

    while ((status = frame_next(frames, &frame)) == FRAME_OK)
        take(in, r, frame.body, frame.body_len, frame.whole_len);
    if (in->on_read)
        in->on_read(in->context);
    return status;
}

/* Events begin with their id, and so no frame begins with what a JSON line begins with. */
static bool looks_like_json(const struct frame_reader *frames)
{
    const char *text = frames->buf.data;

    return frames->offset == 0 && frames->buf.len >= 2 && text[0] == '{' &&
           (text[1] == '"' || text[1] == ' ' || text[1] == '\n');
}

/* What a file is whose beginning is no frame of a BuildEvent; NULL where the beginning does not tell. */
static const char *foreign_format(const struct frame_reader *frames)
{
    static const struct {
        const char *magic;
        const char *words;
    } formats[] = {
        {"\x1f\x8b", "gzip data: decompress it first (gzip -dc)"},
        {"\x28\xb5\x2f\xfd", "zstd data: decompress it first (zstd -dc)"},
        {"[", "a JSON array: give Bazel's --build_event_json_file, one event a line"},
        {"id ", "protobuf text: give the file of --build_event_binary_file instead"},
        {"ERROR", "console text: that is what --stderr takes"},
        {"INFO", "console text: that is what --stderr takes"},
        {"Loading", "console text: that is what --stderr takes"},
    };

    for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
        if (!strncmp(frames->buf.data, formats[i].magic, strlen(formats[i].magic)))
            return formats[i].words;
    return NULL;
}

static int say_end(const struct input *in, const struct reducer *r,
                   const struct frame_reader *frames, enum frame_status status)
{
    if (in->foreign && !r->state.build.started)
        err_say("%s: looks like %s", in->name, in->foreign);
    else if (status == FRAME_TOO_BIG)
        err_say("%s: frame at byte %" PRIu64 " announces %" PRIu64 " bytes, more than --max-frame",
                in->name, frames->offset, frames->announced);
    else if (status == FRAME_MALFORMED)
        err_say("%s: no frame begins at byte %" PRIu64, in->name, frames->offset);
    else if (frame_reader_tail(frames) > 0)
        err_say("%s: incomplete: ends inside the frame at byte %" PRIu64, in->name, frames->offset);
    else if (frames->offset == 0)
        err_say("%s: no events", in->name);
    else if (!r->state.build.last_message)
        err_say("%s: incomplete: ends at byte %" PRIu64 " without a last message", in->name,
                frames->offset);
    else
        return EX_OK;
    return EX_DATAERR;
}

/* One read and what it brought. False at the end. */
static bool read_once(struct input *in, struct reducer *r, struct frame_reader *frames,
                      enum frame_status *status)
{
    size_t room;
    void *at = frame_reader_room(frames, &room);
    ssize_t n;

    if (!at)
        err_die_memory();
    n = fd_read(in->fd, at, room);
    if (n < 0)
        err_die_errno(errno == EISDIR ? EX_NOINPUT : EX_IOERR, "cannot read %s", in->name);
    if (n == 0)
        return false;
    frame_reader_added(frames, (size_t)n);
    if (frames->offset == 0 && !in->foreign)
        in->foreign = foreign_format(frames);
    if (looks_like_json(frames))
        return false;
    *status = take_frames(in, r, frames);
    return *status == FRAME_MORE;
}

struct json_input {
    const struct input *in;
    struct reducer *reducer;
};

static void take_json_event(void *context, const void *body, size_t len)
{
    const struct json_input *json = context;

    take(json->in, json->reducer, body, len, len);
}

static int read_json(const struct input *in, struct reducer *r, struct frame_reader *frames)
{
    struct json_input json = {in, r};
    struct ndjson_end end;

    ndjson_read(in->fd, frames->buf.data, frames->buf.len, take_json_event, &json, &end);
    if (end.error)
        err_die_errno(EX_IOERR, "cannot read %s", in->name);
    if (end.bad_lines > 0)
        err_say("%s: %" PRIu64 " lines are no events; the first is line %" PRIu64, in->name,
                end.bad_lines, end.first_bad);
    else if (!r->state.build.last_message)
        err_say("%s: incomplete: ends after %" PRIu64 " lines without a last message", in->name,
                end.lines);
    return end.bad_lines == 0 && r->state.build.last_message ? EX_OK : EX_DATAERR;
}

int input_read(struct input *in, struct reducer *r)
{
    enum frame_status status = FRAME_MORE;
    struct frame_reader frames;
    int result;

    frame_reader_init(&frames, in->max_frame);
    while (read_once(in, r, &frames, &status))
        ;
    result = looks_like_json(&frames) ? read_json(in, r, &frames) : say_end(in, r, &frames, status);
    frame_reader_release(&frames);
    return result;
}
