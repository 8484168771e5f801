/*
 * Memory that is freed all at once: one arena an event, reset after it. A cap bounds what one hostile
 * event can take; beyond it every allocation fails (NULL) until the next reset.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct arena_block;

struct arena {
    struct arena_block *blocks; /* newest first */
    size_t used;                /* bytes handed out since the last reset */
    size_t cap;                 /* 0: none */
};

#define ARENA_INIT(c)                                                                              \
    {                                                                                              \
        .cap = (c)                                                                                 \
    }

/* Memory aligned for any type, not cleared, or NULL: cap reached or out of memory. */
void *arena_alloc(struct arena *, size_t size);
/* A NUL-terminated copy of `len` bytes, packed behind the last one, or NULL. */
char *arena_strndup(struct arena *, const char *bytes, size_t len);
/* Takes everything back; keeps one block, so that the next event allocates nothing. */
void arena_reset(struct arena *);
void arena_release(struct arena *);

#endif
