#include "cmd/bep-reduce/blocks.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/bep-reduce/table.h"
#include "common/base/mem.h"

#define MEMORY_MAX (8UL * 1024 * 1024)
#define CANDIDATES_MAX                                                                             \
    64 /* actions of one package that are compared with a block: keeps matching linear */

static const char *copy(struct blocks *b, struct slice text)
{
    return text.len ? arena_strndup(&b->memory, text.text, text.len) : NULL;
}

static void resolve_rule(struct blocks *b, struct block *block, const struct paths *paths)
{
    struct slice path = block->console.place_path;
    struct buf resolved = BUF_INIT;

    if (path.len && paths_resolve(paths, path.text, path.len, NULL, &resolved)) {
        block->rule.path = arena_strndup(&b->memory, resolved.data, resolved.len);
        block->rule.line = block->console.line;
        block->rule.column = block->console.column;
    }
    buf_release(&resolved);
}

static bool add(struct blocks *b, const struct console_block *console, const struct paths *paths)
{
    struct block *block;

    if (b->count == b->room) {
        size_t room = b->room ? b->room * 2 : 64;
        struct block *items = mem_grow(b->items, room, sizeof(*items));

        if (!items)
            return false;
        b->items = items;
        b->room = room;
    }
    block = &b->items[b->count++];
    *block = (struct block){.console = *console};
    block->what = copy(b, console->what);
    block->label = copy(b, console->label);
    block->mnemonic = copy(b, console->mnemonic);
    resolve_rule(b, block, paths);
    return true;
}

static void cut(struct blocks *b, const struct buf *text, const struct paths *paths)
{
    struct console_block block;
    struct console console;

    console_init(&console, text->data, text->len);
    while (console_next(&console, &block))
        if (!add(b, &block, paths))
            return;
}

void blocks_cut(struct blocks *b, const struct console_log *log, const struct paths *paths)
{
    *b = (struct blocks){.memory = ARENA_INIT(MEMORY_MAX)};
    cut(b, &log->err, paths);
    cut(b, &log->out, paths);
}

void blocks_release(struct blocks *b)
{
    free(b->items);
    arena_release(&b->memory);
}

/* Failed actions of one package, in the order of their events. */
struct package {
    struct table_row row;
    struct action *first, *last;
};

static uint64_t package_hash(const char *path, size_t len)
{
    return table_hash(table_seed(), path, len);
}

/* "a/b" of "a/b/BUILD", "" of "BUILD". */
static size_t folder_len(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? (size_t)(slash - path) : 0;
}

static uint64_t label_package(const char *label)
{
    struct buf package = BUF_INIT;
    uint64_t hash;

    if (label)
        paths_package(label, &package);
    hash = package_hash(package.data, package.len);
    buf_release(&package);
    return hash;
}

static bool contains(struct slice text, const char *word, size_t len)
{
    return word && len && text.len >= len && memmem(text.text, text.len, word, len);
}

static const char *base_name(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;

    return slash ? slash + 1 : path;
}

/* The part of the output that a block would repeat: its first line. */
static size_t first_line(const struct output *output)
{
    const char *end = output->len ? memchr(output->text, '\n', output->len) : NULL;

    return end ? (size_t)(end - output->text) : output->len;
}

/* How well a block and an action fit, 0: not at all. */
static int fitness(const struct block *block, const struct action *action)
{
    const struct console_block *c = &block->console;
    const char *label = action->label;
    const char *name = base_name(action->primary_output);
    int points = 1;

    if (block->label)
        return label && strcmp(block->label, label) == 0 ? 100 : 0;
    if (block->mnemonic && action->mnemonic && strcmp(block->mnemonic, action->mnemonic) != 0)
        return 0;
    if (contains(c->body, action->errors.text, first_line(&action->errors)))
        points += 8;
    if (label && contains(c->what, label, strlen(label)))
        points += 8;
    if (name && contains(c->what, name, strlen(name)))
        points += 4;
    if (c->exit_code >= 0 && c->exit_code == action->exit_code)
        points += 1;
    return points;
}

static struct action *best_action(const struct block *block, const struct package *package)
{
    struct action *best = NULL;
    int best_points = 0, left = CANDIDATES_MAX;

    for (struct action *a = package->first; a && left > 0; a = a->next_in_package) {
        int points = a->told ? 0 : fitness(block, a);

        left -= !a->told;
        if (points > best_points) {
            best = a;
            best_points = points;
        }
    }
    return best;
}

static void index_actions(struct table *packages, struct arena *memory, const struct state *state)
{
    for (struct action *a = state->actions; a; a = a->next) {
        uint64_t hash = label_package(a->label);
        struct package *p = table_find(packages, hash);

        if (!p) {
            p = arena_alloc(memory, sizeof(*p));
            if (!p)
                return;
            *p = (struct package){.row.hash = hash};
            if (!table_add(packages, &p->row))
                return;
        }
        if (p->last)
            p->last->next_in_package = a;
        else
            p->first = a;
        p->last = a;
    }
}

static void forget_told(struct package *package)
{
    while (package->first && package->first->told)
        package->first = package->first->next_in_package;
}

/* Bazel names the BUILD file of an action's rule, newer ones its label as well. */
static uint64_t block_package(const struct block *block)
{
    if (block->label)
        return label_package(block->label);
    return package_hash(block->rule.path, folder_len(block->rule.path));
}

static void match(struct block *block, struct table *packages)
{
    struct package *package;
    struct action *action;

    if (block->console.kind != CONSOLE_ACTION || (!block->rule.path && !block->label))
        return;
    package = table_find(packages, block_package(block));
    if (!package)
        return;
    forget_told(package);
    action = best_action(block, package);
    if (!action)
        return;
    action->told = true;
    block->action = action;
}

void blocks_match(struct blocks *b, const struct state *state)
{
    struct table packages = {0};

    index_actions(&packages, &b->memory, state);
    for (size_t i = 0; i < b->count; i++)
        match(&b->items[i], &packages);
    table_release(&packages);
}
