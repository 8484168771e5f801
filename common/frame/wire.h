/*
 * Walks the fields of one protobuf message on the wire, without a schema
 * (https://protobuf.dev/programming-guides/encoding/). Groups are refused, as BEP has none.
 */
#ifndef FRAME_WIRE_H
#define FRAME_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum wire_type {
    WIRE_VARINT = 0,
    WIRE_FIXED64 = 1,
    WIRE_BYTES = 2,
    WIRE_FIXED32 = 5,
};

struct wire_field {
    uint32_t number;
    enum wire_type type;
    uint64_t value;       /* of a varint or a fixed number */
    const uint8_t *bytes; /* of WIRE_BYTES: into the message */
    size_t len;
};

struct wire_reader {
    const uint8_t *at;
    const uint8_t *end;
    bool bad; /* the message is malformed from `at` on */
};

void wire_init(struct wire_reader *, const void *message, size_t len);
/* The next field; false at the end or where the message is malformed (then `bad` is set). */
bool wire_next(struct wire_reader *, struct wire_field *);

#endif
