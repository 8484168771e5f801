/* test.xml: whatever it holds, cases come with clean texts, and no more of them than the bound. */
// with: cmd/bep-reduce/testxml.c
// link: expat
#include "cmd/bep-reduce/testxml.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = ARENA_INIT(1024UL * 1024);
    struct test_cases cases = {0};
    size_t count = 0;

    testxml_read((const char *)data, size, &arena, &cases);
    for (const struct test_case *c = cases.first; c; c = c->next, count++)
        /* A byte that XML does not allow becomes U+FFFD, three bytes. */
        if (c->duration_ms < -1 || (c->message && strlen(c->message) > 3 * size))
            abort();
    if (count != cases.count || count > CASES_MAX)
        abort();
    arena_release(&arena);
    return 0;
}
