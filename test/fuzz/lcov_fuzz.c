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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct coverage c;

    coverage_init(&c);
    coverage_add(&c, (const char *)data, size / 2);
    coverage_add(&c, (const char *)data + size / 2, size - size / 2);
    coverage_finish(&c);
    for (const struct covered_file *f = c.files; f; f = f->next) {
        require(f->lines_hit <= f->lines_found && f->branches_hit <= f->branches_found);
        require(f->functions_hit <= f->functions_found);
        for (size_t i = 1; i < f->count; i++)
            require(f->lines[i - 1].line < f->lines[i].line);
    }
    require(c.lines_hit <= c.lines_found);
    coverage_release(&c);
    return 0;
}
