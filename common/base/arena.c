#include "common/base/arena.h"
#include "common/base/mem.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_SIZE (64UL * 1024)
#define ALIGN      alignof(max_align_t)

struct arena_block {
    struct arena_block *next;
    size_t size;
    size_t used;
    alignas(max_align_t) char bytes[];
};

static struct arena_block *add_block(struct arena *a, size_t size)
{
    size_t room = size > BLOCK_SIZE ? size : BLOCK_SIZE;
    struct arena_block *block = mem_alloc(sizeof(*block) + room);

    if (!block)
        return NULL;
    block->next = a->blocks;
    block->size = room;
    block->used = 0;
    a->blocks = block;
    return block;
}

/* Behind what the newest block has given, at a multiple of `align`. */
static void *take(struct arena *a, size_t size, size_t align)
{
    struct arena_block *block = a->blocks;
    size_t gap = block ? -block->used & (align - 1) : 0;
    void *memory;

    if (size > SIZE_MAX / 2)
        return NULL;
    if (!block || gap > block->size - block->used || size > block->size - block->used - gap) {
        block = NULL;
        gap = 0;
    }
    if (a->cap && size + gap > a->cap - a->used)
        return NULL;
    if (!block)
        block = add_block(a, size);
    if (!block)
        return NULL;
    memory = block->bytes + block->used + gap;
    block->used += gap + size;
    a->used += gap + size;
    return memory;
}

void *arena_alloc(struct arena *a, size_t size)
{
    return take(a, size, ALIGN);
}

char *arena_strndup(struct arena *a, const char *bytes, size_t len)
{
    char *copy = take(a, len + 1, 1);

    if (!copy)
        return NULL;
    memcpy(copy, bytes, len);
    copy[len] = 0;
    return copy;
}

static void free_from(struct arena_block *block)
{
    while (block) {
        struct arena_block *next = block->next;
        free(block);
        block = next;
    }
}

void arena_reset(struct arena *a)
{
    struct arena_block *kept = NULL;

    a->used = 0;
    for (struct arena_block **at = &a->blocks; *at; at = &(*at)->next) {
        if ((*at)->size == BLOCK_SIZE) {
            kept = *at;
            *at = kept->next;
            break;
        }
    }
    free_from(a->blocks);
    a->blocks = kept;
    if (kept) {
        kept->next = NULL;
        kept->used = 0;
    }
}

void arena_release(struct arena *a)
{
    free_from(a->blocks);
    a->blocks = NULL;
    a->used = 0;
}
