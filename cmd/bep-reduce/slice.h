/* A stretch of somebody else's bytes, not NUL-terminated. */
#ifndef BEP_REDUCE_SLICE_H
#define BEP_REDUCE_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct slice {
    const char *text;
    size_t len;
};

#define SLICE(literal) ((struct slice){literal, sizeof(literal) - 1})

static inline struct slice slice_of(const char *string)
{
    return (struct slice){string, string ? strlen(string) : 0};
}

/* Without its first n bytes (n <= len). */
static inline struct slice slice_from(struct slice s, size_t n)
{
    return (struct slice){n ? s.text + n : s.text, s.len - n};
}

static inline bool slice_equals(struct slice s, struct slice other)
{
    return s.len == other.len && (!s.len || memcmp(s.text, other.text, s.len) == 0);
}

static inline bool slice_starts(struct slice s, struct slice with)
{
    return s.len >= with.len && (!with.len || memcmp(s.text, with.text, with.len) == 0);
}

static inline bool slice_ends(struct slice s, struct slice with)
{
    return s.len >= with.len &&
           (!with.len || memcmp(s.text + s.len - with.len, with.text, with.len) == 0);
}

/* Where `what` begins in `s`, or NULL. */
static inline const char *slice_find(struct slice s, struct slice what)
{
    return s.len ? memmem(s.text, s.len, what.text, what.len) : NULL;
}

static inline struct slice slice_trim(struct slice s)
{
    while (s.len && (s.text[0] == ' ' || s.text[0] == '\t'))
        s = slice_from(s, 1);
    while (s.len && (s.text[s.len - 1] == ' ' || s.text[s.len - 1] == '\t'))
        s.len--;
    return s;
}

#endif
