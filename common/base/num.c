#include "common/base/num.h"

#include <string.h>

/* Reads digits from *at on; false where there are none or they pass 64 bits. */
static bool digits(const char **at, uint64_t *value)
{
    const char *p = *at;

    *value = 0;
    for (; *p >= '0' && *p <= '9'; p++)
        if (__builtin_mul_overflow(*value, 10, value) ||
            __builtin_add_overflow(*value, (uint64_t)(*p - '0'), value))
            return false;
    if (p == *at)
        return false;
    *at = p;
    return true;
}

bool num_parse_u64(const char *text, uint64_t *value)
{
    uint64_t parsed;

    if (!digits(&text, &parsed) || *text)
        return false;
    *value = parsed;
    return true;
}

bool num_parse_i64(const char *text, int64_t *value)
{
    bool negative = *text == '-';
    uint64_t parsed;

    if (!num_parse_u64(text + negative, &parsed))
        return false;
    if (parsed > (uint64_t)INT64_MAX + negative)
        return false;
    *value = negative ? (int64_t)-parsed : (int64_t)parsed;
    return true;
}

bool num_parse_size(const char *text, uint64_t *bytes)
{
    static const char units[] = "KMG";
    uint64_t parsed;
    const char *unit;

    if (!digits(&text, &parsed))
        return false;
    if (*text) {
        unit = strchr(units, *text);
        if (!unit || text[1])
            return false;
        if (__builtin_mul_overflow(parsed, 1ULL << (10 * (unit - units + 1)), &parsed))
            return false;
    }
    *bytes = parsed;
    return true;
}

static uint64_t unit_in_ms(const char *unit)
{
    static const struct {
        const char *name;
        uint64_t ms;
    } units[] = {{"", 1000}, {"ms", 1}, {"s", 1000}, {"m", 60000}, {"h", 3600000}};

    for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
        if (!strcmp(unit, units[i].name))
            return units[i].ms;
    return 0;
}

bool num_parse_duration(const char *text, uint64_t *milliseconds)
{
    uint64_t whole, unit, ms;
    uint64_t fraction = 0, scale = 1;

    if (!digits(&text, &whole))
        return false;
    if (*text == '.') {
        for (text++; *text >= '0' && *text <= '9'; text++) {
            if (scale < 1000000) {
                fraction = fraction * 10 + (uint64_t)(*text - '0');
                scale *= 10;
            }
        }
        if (scale == 1)
            return false;
    }
    unit = unit_in_ms(text);
    if (!unit || __builtin_mul_overflow(whole, unit, &ms) ||
        __builtin_add_overflow(ms, fraction * unit / scale, &ms))
        return false;
    *milliseconds = ms;
    return true;
}
