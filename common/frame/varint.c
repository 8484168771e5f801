#include "common/frame/varint.h"
#include "common/base/limits.h"

enum varint_status varint_read(const uint8_t *bytes, size_t len, uint64_t *value, size_t *used)
{
    uint64_t v = 0;

    for (size_t i = 0; i < len; i++) {
        uint64_t bits = bytes[i] & 0x7f;
        if (i == VARINT_MAX_BYTES - 1 && bytes[i] > 1)
            return VARINT_BAD;
        v |= bits << (7 * i);
        if (!(bytes[i] & 0x80)) {
            *value = v;
            *used = i + 1;
            return VARINT_OK;
        }
    }
    return VARINT_MORE;
}

size_t varint_write(uint8_t *out, uint64_t value)
{
    size_t n = 0;

    while (value >= 0x80) {
        out[n++] = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    out[n++] = (uint8_t)value;
    return n;
}
