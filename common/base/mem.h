/*
 * malloc(3) and its kin, that remember a failure: a program whose one result is made at the end asks once whether anything
 * is missing from it, instead of at every text that it appends. Buffers and arenas allocate with these; reaching
 * a bound of their own is no failure of memory.
 */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stdbool.h>
#include <stddef.h>

/* Freed with free(3); NULL: out of memory. */
void *mem_alloc(size_t size);
/* All zero. */
void *mem_zeroed(size_t count, size_t size);
/* Makes room for `count` items of `size`; on failure `memory` stays as it is. */
void *mem_grow(void *memory, size_t count, size_t size);

/* Whether any of these has failed since the process began. */
bool mem_ran_out(void);

#endif
