#include "common/base/mem.h"

#include <stdatomic.h>
#include <stdlib.h>

static atomic_bool ran_out;

static void *checked(void *memory)
{
    if (!memory)
        ran_out = true;
    return memory;
}

void *mem_alloc(size_t size)
{
    return checked(malloc(size ? size : 1));
}

void *mem_zeroed(size_t count, size_t size)
{
    return checked(calloc(count ? count : 1, size));
}

void *mem_grow(void *memory, size_t count, size_t size)
{
    return checked(reallocarray(memory, count ? count : 1, size));
}

bool mem_ran_out(void)
{
    return ran_out;
}
