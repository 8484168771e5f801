/* LCOV: hits are at most what was found, lines are sorted and told once, whatever the reports hold. */
// with: cmd/bep-reduce/coverage.c
// with: cmd/bep-reduce/table.c
#include "cmd/bep-reduce/coverage.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int holds)
{
    if (!holds)
        abort();
}

static void check(const struct covered_list *list)
{
    require(list->hit <= list->count);
    for (size_t i = 1; i < list->count; i++)
        require(list->items[i - 1].key < list->items[i].key);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct coverage c;

    coverage_init(&c);
    coverage_add(&c, (const char *)data, size / 2);
    coverage_add(&c, (const char *)data + size / 2, size - size / 2);
    coverage_finish(&c);
    for (const struct covered_file *f = c.files; f; f = f->next) {
        check(&f->lines);
        check(&f->branches);
        check(&f->functions);
    }
    require(c.lines_hit <= c.lines_found);
    coverage_release(&c);
    return 0;
}
