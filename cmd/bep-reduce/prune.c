#include "cmd/bep-reduce/prune.h"

#include "common/base/limits.h"
#include "common/frame/varint.h"
#include "common/frame/wire.h"

#define TEXT_MAX_BYTES (64UL * 1024) /* of one text field */
#define TAG_MAX_BYTES  (2 * VARINT_MAX_BYTES)

static bool add_varint(struct buf *out, uint64_t value)
{
    uint8_t bytes[VARINT_MAX_BYTES];

    return buf_add(out, bytes, varint_write(bytes, value)) == BUF_OK;
}

static bool add_tag(struct buf *out, const struct wire_field *field)
{
    return add_varint(out, (uint64_t)field->number << 3 | field->type);
}

static bool add_text(struct buf *out, const struct wire_field *field, size_t room)
{
    size_t len = field->len;

    if (len > TEXT_MAX_BYTES)
        len = TEXT_MAX_BYTES;
    if (len + TAG_MAX_BYTES > room)
        return true;
    return add_tag(out, field) && add_varint(out, len) && buf_add(out, field->bytes, len) == BUF_OK;
}

/* The schema does not recurse, so neither does this, beyond the depth of the schema. */
static bool add_message(struct buf *out, const ProtobufCFieldDescriptor *known,
                        const struct wire_field *field, size_t room)
{
    struct buf inner = BUF_INIT;
    struct bytes message = {.at = field->bytes, .len = field->len};
    bool good = true;

    if (room > TAG_MAX_BYTES)
        good = prune(known->descriptor, message, room - TAG_MAX_BYTES, &inner) &&
               add_tag(out, field) && add_varint(out, inner.len) &&
               buf_add(out, inner.data, inner.len) == BUF_OK;
    buf_release(&inner);
    return good;
}

static bool add_field(struct buf *out, const ProtobufCFieldDescriptor *known,
                      const struct wire_field *field, size_t room)
{
    if (field->type == WIRE_VARINT)
        return room < TAG_MAX_BYTES || (add_tag(out, field) && add_varint(out, field->value));
    if (field->type != WIRE_BYTES)
        return true;
    return known->type == PROTOBUF_C_TYPE_MESSAGE ? add_message(out, known, field, room)
                                                  : add_text(out, field, room);
}

bool prune(const ProtobufCMessageDescriptor *type, struct bytes message, size_t max,
           struct buf *out)
{
    struct wire_reader reader;
    struct wire_field field;
    size_t start = out->len;

    wire_init(&reader, message.at, message.len);
    while (wire_next(&reader, &field)) {
        const ProtobufCFieldDescriptor *known =
            protobuf_c_message_descriptor_get_field(type, field.number);
        size_t used = out->len - start;

        if (known && !add_field(out, known, &field, used < max ? max - used : 0))
            return false;
    }
    return !reader.bad;
}
