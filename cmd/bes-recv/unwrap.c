#include "cmd/bes-recv/unwrap.h"
#include "common/frame/varint.h"
#include "common/frame/wire.h"

#include <string.h>

enum {
    STREAM_REQUEST_ORDERED_EVENT = 4, /* PublishBuildToolEventStreamRequest.ordered_build_event */
    LIFECYCLE_REQUEST_EVENT = 2,      /* PublishLifecycleEventRequest.build_event */

    ORDERED_STREAM_ID = 1,
    ORDERED_SEQUENCE_NUMBER = 2,
    ORDERED_EVENT = 3,

    STREAM_ID_BUILD_ID = 1,
    STREAM_ID_INVOCATION_ID = 6,

    EVENT_FIRST_KIND = 51, /* the oneof of BuildEvent, invocation_attempt_started … */
    EVENT_BUILD_FINISHED = 55,
    EVENT_STREAM_FINISHED = 59,
    EVENT_BAZEL = 60,
    EVENT_LAST_KIND = 62, /* … source_fetch_event */

    STREAM_FINISHED_TYPE = 1,
    STREAM_FINISHED_TYPE_FINISHED = 1,

    ANY_TYPE_URL = 1,
    ANY_VALUE = 2,
};

/* A value that is not there is an event of no bytes: protobuf leaves out what is empty. */
static const uint8_t empty_frame[1] = {0};

struct any {
    struct view type_url;
    struct view frame;
    struct view body;
};

static bool is_message(const struct wire_field *f, uint32_t number)
{
    return f->number == number && f->type == WIRE_BYTES;
}

static struct view field_view(const struct wire_field *f)
{
    return (struct view){.bytes = f->bytes, .len = f->len};
}

static bool read_stream_id(struct view message, struct request *out)
{
    struct wire_reader r;
    struct wire_field f;

    wire_init(&r, message.bytes, message.len);
    while (wire_next(&r, &f)) {
        if (is_message(&f, STREAM_ID_BUILD_ID))
            out->build_id = field_view(&f);
        else if (is_message(&f, STREAM_ID_INVOCATION_ID))
            out->invocation_id = field_view(&f);
    }
    return !r.bad;
}

/* The length varint and the bytes behind it: on the wire a bytes field looks like our frame. */
static struct view frame_of(const uint8_t *field, const struct wire_field *f)
{
    const uint8_t *end = f->bytes + f->len;
    uint64_t tag;
    size_t tag_len = 0;

    varint_read(field, (size_t)(end - field), &tag, &tag_len);
    return (struct view){.bytes = field + tag_len, .len = (size_t)(end - field) - tag_len};
}

static bool read_any(struct view message, struct any *out)
{
    struct wire_reader r;
    struct wire_field f;
    const uint8_t *field;

    wire_init(&r, message.bytes, message.len);
    for (field = r.at; wire_next(&r, &f); field = r.at) {
        if (is_message(&f, ANY_TYPE_URL)) {
            out->type_url = field_view(&f);
        } else if (is_message(&f, ANY_VALUE)) {
            out->body = field_view(&f);
            out->frame = frame_of(field, &f);
        }
    }
    return !r.bad;
}

/* What stands behind the last '/' names the type. Without a URL, the field alone says it. */
static bool is_build_event(const struct any *any)
{
    static const char name[] = "/build_event_stream.BuildEvent";
    size_t len = sizeof(name) - 1;

    if (!any->type_url.len)
        return any->body.len > 0;
    return any->type_url.len >= len &&
           !memcmp(any->type_url.bytes + any->type_url.len - len, name, len);
}

static bool read_bazel_event(struct view message, struct any *any, struct request *out)
{
    bool good = read_any(message, any);

    out->kind = is_build_event(any) ? REQUEST_BAZEL : REQUEST_FOREIGN;
    out->frame = any->frame.len ? any->frame : (struct view){empty_frame, sizeof(empty_frame)};
    out->body = any->body.len ? any->body : (struct view){empty_frame, 0};
    return good;
}

static bool read_stream_finished(struct view message, uint64_t *type)
{
    struct wire_reader r;
    struct wire_field f;

    wire_init(&r, message.bytes, message.len);
    while (wire_next(&r, &f))
        if (f.number == STREAM_FINISHED_TYPE && f.type == WIRE_VARINT)
            *type = f.value;
    return !r.bad;
}

static bool read_event(struct view message, struct request *out)
{
    uint64_t finish_type = 0;
    struct any any = {0};
    struct wire_reader r;
    struct wire_field f;
    bool good = true;

    wire_init(&r, message.bytes, message.len);
    while (wire_next(&r, &f)) {
        if (is_message(&f, EVENT_BAZEL)) {
            good &= read_bazel_event(field_view(&f), &any, out);
        } else if (is_message(&f, EVENT_STREAM_FINISHED)) {
            good &= read_stream_finished(field_view(&f), &finish_type);
            out->kind = finish_type == STREAM_FINISHED_TYPE_FINISHED ? REQUEST_FINISHED
                                                                     : REQUEST_OTHER_FINISH;
        } else if (is_message(&f, EVENT_BUILD_FINISHED)) {
            out->kind = REQUEST_BUILD_FINISHED;
        } else if (f.number >= EVENT_FIRST_KIND && f.number <= EVENT_LAST_KIND) {
            out->kind = REQUEST_OTHER;
        }
    }
    return good && !r.bad;
}

static bool read_ordered_event(struct view message, struct request *out)
{
    struct wire_reader r;
    struct wire_field f;
    bool good = true;

    wire_init(&r, message.bytes, message.len);
    while (wire_next(&r, &f)) {
        if (is_message(&f, ORDERED_STREAM_ID)) {
            out->stream_id = field_view(&f);
            good &= read_stream_id(out->stream_id, out);
        } else if (f.number == ORDERED_SEQUENCE_NUMBER && f.type == WIRE_VARINT) {
            out->number = f.value;
        } else if (is_message(&f, ORDERED_EVENT)) {
            good &= read_event(field_view(&f), out);
        }
    }
    return good && !r.bad;
}

static bool read_request(const void *message, size_t len, uint32_t event, struct request *out)
{
    struct wire_reader r;
    struct wire_field f;
    bool good = true;

    *out = (struct request){0};
    wire_init(&r, message, len);
    while (wire_next(&r, &f))
        if (is_message(&f, event))
            good &= read_ordered_event(field_view(&f), out);
    return good && !r.bad;
}

bool unwrap_stream_request(const void *message, size_t len, struct request *out)
{
    return read_request(message, len, STREAM_REQUEST_ORDERED_EVENT, out);
}

bool unwrap_lifecycle_request(const void *message, size_t len, struct request *out)
{
    return read_request(message, len, LIFECYCLE_REQUEST_EVENT, out);
}
