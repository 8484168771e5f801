/*
 * Base-128 varints, as protobuf writes them (https://protobuf.dev/programming-guides/encoding/):
 * seven bits a byte, least significant first, the top bit says that more come.
 */
#ifndef FRAME_VARINT_H
#define FRAME_VARINT_H

#include <stddef.h>
#include <stdint.h>

enum varint_status {
    VARINT_OK,
    VARINT_MORE, /* the bytes end inside the varint */
    VARINT_BAD,  /* more than 10 bytes or more than 64 bits */
};

/* Reads one varint from the front of `bytes`; sets *value and *used only for VARINT_OK. */
enum varint_status varint_read(const uint8_t *bytes, size_t len, uint64_t *value, size_t *used);

/* Writes `value` into `out`, which has room for VARINT_MAX_BYTES; gives the length. */
size_t varint_write(uint8_t *out, uint64_t value);

#endif
