/* What the list needs every entry for: what is superseded, and the order. */
#include <stdlib.h>
#include <string.h>

#include "cmd/bep-reduce/diag.h"
#include "common/base/mem.h"

/* Whose failure has been explained: a label, and the action where it is known. */
struct explained {
    const char *target;
    const char *action; /* NULL: by whatever action */
};

struct explained_set {
    struct explained *items;
    size_t count;
};

static int compare_strings(const char *a, const char *b)
{
    if (!a || !b)
        return (a != NULL) - (b != NULL);
    return strcmp(a, b);
}

static int compare_explained(const void *a, const void *b)
{
    const struct explained *x = a;
    const struct explained *y = b;
    int order = compare_strings(x->target, y->target);
    return order ? order : compare_strings(x->action, y->action);
}

static bool contains(const struct explained_set *set, const char *target, const char *action)
{
    struct explained key = {target, action};
    return set->count &&
           bsearch(&key, set->items, set->count, sizeof *set->items, compare_explained);
}

static bool is_superseded(const struct diag *d, void *context)
{
    const struct explained_set *set = context;
    return d->severity == DIAG_ERROR && d->unspecific && d->target &&
           (contains(set, d->target, NULL) || contains(set, d->target, d->action));
}

static void drop_superseded(struct diag_list *list)
{
    size_t most = 0;
    for (size_t i = 0; i < list->count; i++)
        most += 1 + list->items[i]->also_count;
    struct explained_set set = {.items = mem_alloc((most ? most : 1) * sizeof *set.items)};
    if (!set.items)
        return; /* two entries for one cause are better than none */
    for (size_t i = 0; i < list->count; i++) {
        const struct diag *d = list->items[i];
        if (d->severity != DIAG_ERROR || d->unspecific || !d->target)
            continue;
        set.items[set.count++] = (struct explained){d->target, d->action};
        for (uint32_t k = 0; k < d->also_count; k++)
            set.items[set.count++] = (struct explained){d->also[k], d->action};
    }
    qsort(set.items, set.count, sizeof *set.items, compare_explained);
    diag_list_remove_if(list, is_superseded, &set);
    free(set.items);
}

static bool is_resort(const struct diag *d, void *context)
{
    const bool *told = context;
    return d->resort && (*told || d->severity != DIAG_ERROR);
}

static void drop_resorts(struct diag_list *list)
{
    bool told = false;
    for (size_t i = 0; i < list->count; i++)
        told |= list->items[i]->severity == DIAG_ERROR && !list->items[i]->resort;
    diag_list_remove_if(list, is_resort, &told);
}

static int compare_spoils(const void *a, const void *b)
{
    const struct diag *x = *(struct diag *const *)a;
    const struct diag *y = *(struct diag *const *)b;
    int order = strcmp(x->spoils, y->spoils);
    return order ? order : x->order < y->order ? -1 : x->order > y->order;
}

struct spoilers {
    struct diag **items; /* by what they spoil, then in the order of adding */
    size_t count;
};

/* The first one that spoils `name`, or NULL. */
static const struct diag *find_spoiler(const struct spoilers *s, const char *name)
{
    size_t low = 0;
    size_t high = s->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (strcmp(s->items[middle]->spoils, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < s->count && strcmp(s->items[low]->spoils, name) == 0 ? s->items[low] : NULL;
}

static bool is_spoiled(const struct diag *d, void *context)
{
    const struct diag *by = d->within ? find_spoiler(context, d->within) : NULL;
    return by && by != d;
}

static void drop_spoiled(struct diag_list *list)
{
    struct spoilers spoilers = {.items = mem_alloc((list->count + 1) * sizeof(struct diag *))};
    if (!spoilers.items)
        return;
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i]->spoils && list->items[i]->severity == DIAG_ERROR)
            spoilers.items[spoilers.count++] = list->items[i];
    if (spoilers.count) {
        qsort(spoilers.items, spoilers.count, sizeof(struct diag *), compare_spoils);
        diag_list_remove_if(list, is_spoiled, &spoilers);
    }
    free(spoilers.items);
}

/* Where in a build it goes wrong; earlier phases first. */
static int phase(enum diag_category category)
{
    switch (category) {
    case DIAG_COMMAND_LINE:
    case DIAG_WORKSPACE:
    case DIAG_BAZEL:
        return 0;
    case DIAG_FETCH:
    case DIAG_LOADING:
    case DIAG_ANALYSIS:
    case DIAG_VISIBILITY:
    case DIAG_QUERY:
        return 1;
    case DIAG_TEST:
    case DIAG_TIMEOUT:
    case DIAG_COVERAGE:
        return 3;
    default:
        return 2;
    }
}

static int compare_importance(const void *a, const void *b)
{
    const struct diag *x = *(struct diag *const *)a;
    const struct diag *y = *(struct diag *const *)b;
    if (x->stopped_build != y->stopped_build)
        return x->stopped_build ? -1 : 1;
    if (x->severity != y->severity)
        return x->severity < y->severity ? -1 : 1;
    int px = phase(x->category);
    int py = phase(y->category);
    if (px != py)
        return px < py ? -1 : 1;
    if (x->dependents != y->dependents)
        return x->dependents > y->dependents ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

void diag_list_finish(struct diag_list *list)
{
    drop_resorts(list);
    drop_superseded(list);
    drop_spoiled(list);
    if (list->count)
        qsort(list->items, list->count, sizeof(struct diag *), compare_importance);
}
