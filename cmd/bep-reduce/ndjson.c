#include "cmd/bep-reduce/ndjson.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "cmd/bep-reduce/jsonname.h"
#include "common/base/limits.h"
#include "common/frame/varint.h"
#include "common/frame/wire.h"
#include "common/io/fd.h"
#include "proto/build_event_stream.pb-c.h"

#define LINE_MAX_BYTES (1024UL * 1024 * 1024) /* as a frame */
#define DEPTH_MAX      64

static bool add_varint(struct buf *out, uint64_t value)
{
    uint8_t bytes[VARINT_MAX_BYTES];

    return buf_add(out, bytes, varint_write(bytes, value)) == BUF_OK;
}

static bool add_tag(struct buf *out, uint32_t number, enum wire_type type)
{
    return add_varint(out, (uint64_t)number << 3 | type);
}

static bool add_bytes(struct buf *out, uint32_t number, const char *bytes, size_t len)
{
    return add_tag(out, number, WIRE_BYTES) && add_varint(out, len) &&
           buf_add(out, bytes, len) == BUF_OK;
}

static int base64_digit(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c ? strchr(digits, c == '-' ? '+' : c == '_' ? '/' : c) : NULL;

    return at ? (int)(at - digits) : -1;
}

static bool decode_base64(const char *text, size_t len, struct buf *out)
{
    uint32_t bits = 0;
    int count = 0;

    for (size_t i = 0; i < len && text[i] != '='; i++) {
        int digit = base64_digit(text[i]);

        if (digit < 0)
            return false;
        bits = bits << 6 | (uint32_t)digit;
        count += 6;
        if (count < 8)
            continue;
        count -= 8;
        if (buf_add_char(out, (char)(bits >> count)) != BUF_OK)
            return false;
    }
    return true;
}

static bool add_text(struct buf *out, const ProtobufCFieldDescriptor *field,
                     struct json_object *value, const ProtobufCMessageDescriptor *in)
{
    const char *text = json_object_get_string(value);
    size_t len = (size_t)json_object_get_string_len(value);
    struct buf raw = BUF_INIT;
    bool good;

    if (!json_object_is_type(value, json_type_string))
        return false;
    if (!jsonname_is_binary(in, field))
        return add_bytes(out, field->id, text, len);
    good = decode_base64(text, len, &raw) && add_bytes(out, field->id, raw.data, raw.len);
    buf_release(&raw);
    return good;
}

/* Numbers of 64 bits are strings in this mapping; both forms are taken. */
static bool add_number(struct buf *out, const ProtobufCFieldDescriptor *field,
                       struct json_object *value)
{
    int64_t number = json_object_get_int64(value);

    if (json_object_is_type(value, json_type_boolean))
        number = json_object_get_boolean(value);
    return add_tag(out, field->id, WIRE_VARINT) && add_varint(out, (uint64_t)number);
}

static bool add_enum(struct buf *out, const ProtobufCFieldDescriptor *field,
                     struct json_object *value)
{
    const ProtobufCEnumValue *known;

    if (!json_object_is_type(value, json_type_string))
        return add_number(out, field, value);
    known = protobuf_c_enum_descriptor_get_value_by_name(field->descriptor,
                                                         json_object_get_string(value));
    if (!known)
        return true;
    return add_tag(out, field->id, WIRE_VARINT) && add_varint(out, (uint64_t)(int64_t)known->value);
}

static bool add_message(struct buf *out, const ProtobufCMessageDescriptor *type,
                        struct json_object *object);

static bool add_inner(struct buf *out, const ProtobufCFieldDescriptor *field,
                      struct json_object *value)
{
    struct buf inner = BUF_INIT;
    bool good = add_message(&inner, field->descriptor, value) &&
                add_bytes(out, field->id, inner.data, inner.len);

    buf_release(&inner);
    return good;
}

static bool add_one(struct buf *out, const ProtobufCMessageDescriptor *in,
                    const ProtobufCFieldDescriptor *field, struct json_object *value)
{
    switch (field->type) {
    case PROTOBUF_C_TYPE_MESSAGE:
        return add_inner(out, field, value);
    case PROTOBUF_C_TYPE_BYTES:
        return add_text(out, field, value, in);
    case PROTOBUF_C_TYPE_ENUM:
        return add_enum(out, field, value);
    default:
        return add_number(out, field, value);
    }
}

static bool add_field(struct buf *out, const ProtobufCMessageDescriptor *in,
                      const ProtobufCFieldDescriptor *field, struct json_object *value)
{
    if (field->label != PROTOBUF_C_LABEL_REPEATED)
        return add_one(out, in, field, value);
    if (!json_object_is_type(value, json_type_array))
        return false;
    for (size_t i = 0; i < json_object_array_length(value); i++)
        if (!add_one(out, in, field, json_object_array_get_idx(value, i)))
            return false;
    return true;
}

/* The schema does not recurse, so the depth is the schema's. */
static bool add_message(struct buf *out, const ProtobufCMessageDescriptor *type,
                        struct json_object *object)
{
    if (!json_object_is_type(object, json_type_object))
        return false;
    json_object_object_foreach(object, key, value)
    {
        const ProtobufCFieldDescriptor *field = jsonname_field(type, key);

        if (field && value && !add_field(out, type, field, value))
            return false;
    }
    return true;
}

bool ndjson_event(const char *line, size_t len, struct buf *wire)
{
    struct json_tokener *tokener = json_tokener_new_ex(DEPTH_MAX);
    struct json_object *object;
    bool good;

    if (!tokener)
        return false;
    object = json_tokener_parse_ex(tokener, line, (int)len);
    good = object && add_message(wire, &build_event_stream__build_event__descriptor, object);
    json_object_put(object);
    json_tokener_free(tokener);
    return good;
}

struct lines {
    void (*take)(void *, const void *, size_t);
    void *context;
    struct ndjson_end *end;
    struct buf wire;
};

static void take_line(struct lines *l, const char *line, size_t len)
{
    if (len > 0 && line[len - 1] == '\r')
        len--;
    l->end->lines++;
    if (len == 0)
        return;
    buf_clear(&l->wire);
    if (len < INT32_MAX && ndjson_event(line, len, &l->wire)) {
        l->take(l->context, l->wire.data, l->wire.len);
        return;
    }
    if (l->end->bad_lines++ == 0)
        l->end->first_bad = l->end->lines;
}

static void take_lines(struct lines *l, struct buf *text)
{
    size_t at = 0;
    const char *stop;

    while ((stop = memchr(text->data + at, '\n', text->len - at))) {
        take_line(l, text->data + at, (size_t)(stop - text->data) - at);
        at = (size_t)(stop - text->data) + 1;
    }
    buf_shift(text, at);
}

static bool read_more(int fd, struct buf *text, struct ndjson_end *end)
{
    ssize_t n;

    if (buf_reserve(text, READ_CHUNK) != BUF_OK) {
        end->error = ENOMEM;
        return false;
    }
    n = fd_read(fd, text->data + text->len, READ_CHUNK);
    if (n < 0)
        end->error = errno;
    if (n <= 0)
        return false;
    buf_added(text, (size_t)n);
    return true;
}

void ndjson_read(int fd, const char *begun, size_t len, void (*take)(void *, const void *, size_t),
                 void *context, struct ndjson_end *end)
{
    struct lines lines = {take, context, end, BUF_INIT};
    struct buf text = BUF_INIT_MAX(LINE_MAX_BYTES);

    *end = (struct ndjson_end){0};
    buf_add(&text, begun, len);
    do
        take_lines(&lines, &text);
    while (read_more(fd, &text, end));
    if (text.len > 0)
        take_line(&lines, text.data, text.len);
    buf_release(&text);
    buf_release(&lines.wire);
}
