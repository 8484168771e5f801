/*
 * Finds rows by their key. A row is any struct that begins with a struct table_row; it belongs to the caller and
 * stays where it is. Hashes are seeded, so that nobody can choose keys that collide.
 */
#ifndef BEP_REDUCE_TABLE_H
#define BEP_REDUCE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct table_row {
    uint64_t hash;
};

struct table {
    struct table_row **slots; /* malloc'ed */
    size_t size;              /* a power of two, or 0 */
    size_t used;
};

/* Mixes bytes into a hash; the first call starts from table_seed(). */
uint64_t table_hash(uint64_t hash, const void *bytes, size_t len);
uint64_t table_seed(void);

/* The row with this hash, or NULL. 64 bits of a seeded hash stand for the key. */
void *table_find(const struct table *, uint64_t hash);
/* Adds a row whose hash is set and that is not there yet. False: out of memory. */
bool table_add(struct table *, struct table_row *);
void table_release(struct table *);

#endif
