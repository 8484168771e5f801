#include "common/frame/wire.h"
#include "common/frame/varint.h"

#include <string.h>

void wire_init(struct wire_reader *r, const void *message, size_t len)
{
    r->at = message;
    r->end = r->at + len;
    r->bad = false;
}

static bool take_varint(struct wire_reader *r, uint64_t *value)
{
    size_t used;

    /* Nearly every tag and length is one byte. */
    if (r->at < r->end && *r->at < 0x80) {
        *value = *r->at++;
        return true;
    }
    if (varint_read(r->at, (size_t)(r->end - r->at), value, &used) != VARINT_OK)
        return false;
    r->at += used;
    return true;
}

static bool take_fixed(struct wire_reader *r, size_t len, uint64_t *value)
{
    uint64_t v = 0;

    if ((size_t)(r->end - r->at) < len)
        return false;
    for (size_t i = 0; i < len; i++)
        v |= (uint64_t)r->at[i] << (8 * i);
    r->at += len;
    *value = v;
    return true;
}

static bool take_bytes(struct wire_reader *r, struct wire_field *field)
{
    uint64_t len;

    if (!take_varint(r, &len) || len > (uint64_t)(r->end - r->at))
        return false;
    field->bytes = r->at;
    field->len = (size_t)len;
    r->at += len;
    return true;
}

static bool take_value(struct wire_reader *r, struct wire_field *field)
{
    switch (field->type) {
    case WIRE_VARINT:
        return take_varint(r, &field->value);
    case WIRE_FIXED64:
        return take_fixed(r, 8, &field->value);
    case WIRE_BYTES:
        return take_bytes(r, field);
    case WIRE_FIXED32:
        return take_fixed(r, 4, &field->value);
    }
    return false;
}

bool wire_next(struct wire_reader *r, struct wire_field *field)
{
    uint64_t tag;

    if (r->bad || r->at == r->end)
        return false;
    if (take_varint(r, &tag) && tag >> 3 && tag >> 3 <= 0x1fffffff) {
        field->number = (uint32_t)(tag >> 3);
        field->type = (enum wire_type)(tag & 7);
        if (take_value(r, field))
            return true;
    }
    r->bad = true;
    return false;
}
