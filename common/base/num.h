/* Numbers in text, strictly: the whole string, no sign where none makes sense, no silent overflow. */
#ifndef BASE_NUM_H
#define BASE_NUM_H

#include <stdbool.h>
#include <stdint.h>

/* Decimal digits only. */
bool num_parse_u64(const char *text, uint64_t *value);
/* Decimal, with an optional minus sign. */
bool num_parse_i64(const char *text, int64_t *value);
/* Bytes: a number with an optional K, M or G (powers of 1024). */
bool num_parse_size(const char *text, uint64_t *bytes);
/* A time: a number with an optional fraction and ms, s, m or h; seconds where no unit stands. */
bool num_parse_duration(const char *text, uint64_t *milliseconds);

#endif
