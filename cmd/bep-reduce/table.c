#include "cmd/bep-reduce/table.h"

#include "common/base/mem.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define FIRST_SIZE 64
#define MULTIPLIER 0x9e3779b97f4a7c15ULL

uint64_t table_seed(void)
{
    static uint64_t seed;

    if (seed == 0 && getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != sizeof(seed))
        seed = MULTIPLIER;
    return seed |= 1;
}

static uint64_t mix(uint64_t hash, uint64_t word)
{
    __uint128_t product = (__uint128_t)(hash ^ word) * MULTIPLIER;

    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

uint64_t table_hash(uint64_t hash, const void *bytes, size_t len)
{
    const uint8_t *at = bytes;
    uint64_t word;

    for (; len >= sizeof(word); at += sizeof(word), len -= sizeof(word)) {
        memcpy(&word, at, sizeof(word));
        hash = mix(hash, word + MULTIPLIER);
    }
    word = 0;
    if (len > 0)
        memcpy(&word, at, len);
    return mix(hash + table_seed(), word ^ ((uint64_t)len << 56));
}

void *table_find(const struct table *t, uint64_t hash)
{
    if (t->size == 0)
        return NULL;
    for (size_t i = hash & (t->size - 1); t->slots[i]; i = (i + 1) & (t->size - 1))
        if (t->slots[i]->hash == hash)
            return t->slots[i];
    return NULL;
}

static void place(struct table_row **slots, size_t size, struct table_row *row)
{
    size_t i = row->hash & (size - 1);

    while (slots[i])
        i = (i + 1) & (size - 1);
    slots[i] = row;
}

static bool grow(struct table *t)
{
    size_t size = t->size ? t->size * 2 : FIRST_SIZE;
    struct table_row **slots = mem_zeroed(size, sizeof(*slots));

    if (!slots)
        return false;
    for (size_t i = 0; i < t->size; i++)
        if (t->slots[i])
            place(slots, size, t->slots[i]);
    free(t->slots);
    t->slots = slots;
    t->size = size;
    return true;
}

bool table_add(struct table *t, struct table_row *row)
{
    if (t->used >= t->size / 4 * 3 && !grow(t))
        return false;
    place(t->slots, t->size, row);
    t->used++;
    return true;
}

void table_release(struct table *t)
{
    free(t->slots);
    *t = (struct table){0};
}
