#include "cmd/bep-reduce/rulebook.h"

#include <stdlib.h>

#include "common/base/err.h"
#include "common/base/mem.h"

static const struct family *const all_families[] = {
    families_wrapper, families_linker,  families_linter,  families_compiler,
    families_test,    families_runtime, families_general,
};

static size_t count_rules(void)
{
    size_t count = 0;
    for (size_t i = 0; i < sizeof all_families / sizeof *all_families; i++)
        for (const struct family *f = all_families[i]; f->name; f++)
            count += f->count;
    return count;
}

/* A pattern that does not compile is a mistake in a table. */
static void add_family(struct rulebook *book, const struct family *family)
{
    for (size_t i = 0; i < family->count; i++) {
        struct rulebook_entry *e = &book->entries[book->count++];
        e->family = family;
        e->rule = &family->rules[i];
        if (!pattern_compile(&e->pattern, e->rule->pattern))
            err_bug(e->rule->pattern);
    }
}

static bool make(struct rulebook *book)
{
    size_t count = count_rules();
    struct slice *literals = mem_zeroed(count, sizeof *literals);
    book->entries = mem_zeroed(count, sizeof *book->entries);
    if (!literals || !book->entries) {
        free(literals);
        return false;
    }
    for (size_t i = 0; i < sizeof all_families / sizeof *all_families; i++)
        for (const struct family *f = all_families[i]; f->name; f++)
            add_family(book, f);
    for (size_t i = 0; i < count; i++)
        literals[i] = book->entries[i].pattern.anchor;
    if (count > ANCHORS_MAX)
        err_bug("more rules than ANCHORS_MAX");
    book->anchors = anchors_new(literals, count);
    free(literals);
    return book->anchors != NULL;
}

const struct rulebook *rulebook_get(void)
{
    static struct rulebook book;
    if (!book.anchors && !make(&book)) {
        free(book.entries);
        book = (struct rulebook){.entries = NULL};
        return NULL;
    }
    return &book;
}
