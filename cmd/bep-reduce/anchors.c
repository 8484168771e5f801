#include "cmd/bep-reduce/anchors.h"
#include "common/base/mem.h"

#include <stdlib.h>

/* Sixteen bits are enough for all literals of all rules. */
#define STATES_MAX 65535

struct anchors {
    uint16_t *next; /* states × classes */
    uint16_t *fail;
    uint16_t *output; /* by state: index in `sets`, 0: none */
    struct rule_set *sets;
    struct rule_set always;
    size_t states;
    size_t set_count;
    size_t classes;
    uint8_t class_of[256]; /* 0: in no literal */
};

static void add(struct rule_set *set, unsigned rule)
{
    set->words[rule / 64] |= 1ULL << (rule % 64);
}

static void unite(struct rule_set *set, const struct rule_set *other)
{
    for (unsigned i = 0; i < ANCHORS_WORDS; i++)
        set->words[i] |= other->words[i];
}

static uint16_t *edge(struct anchors *a, size_t state, unsigned char c)
{
    return &a->next[state * a->classes + a->class_of[c]];
}

static void insert(struct anchors *a, struct slice literal, unsigned rule)
{
    size_t state = 0;
    for (size_t i = 0; i < literal.len; i++) {
        uint16_t *to = edge(a, state, (unsigned char)literal.text[i]);
        if (!*to)
            *to = (uint16_t)a->states++;
        state = *to;
    }
    if (!a->output[state])
        a->output[state] = (uint16_t)a->set_count++;
    add(&a->sets[a->output[state]], rule);
}

/* A state also ends what its longest proper suffix ends. */
static void inherit(struct anchors *a, size_t state, size_t suffix)
{
    if (!a->output[suffix])
        return;
    if (!a->output[state])
        a->output[state] = a->output[suffix];
    else
        unite(&a->sets[a->output[state]], &a->sets[a->output[suffix]]);
}

/* Breadth first; missing edges are filled with those of the suffix, so that finding never backs up. */
static void complete(struct anchors *a, uint16_t *queue)
{
    size_t head = 0;
    size_t tail = 0;
    for (size_t c = 1; c < a->classes; c++)
        if (a->next[c])
            queue[tail++] = a->next[c];
    while (head < tail) {
        size_t state = queue[head++];
        size_t suffix = a->fail[state];
        inherit(a, state, suffix);
        for (size_t c = 1; c < a->classes; c++) {
            uint16_t *to = &a->next[state * a->classes + c];
            uint16_t by_suffix = a->next[suffix * a->classes + c];
            if (*to) {
                a->fail[*to] = by_suffix;
                queue[tail++] = *to;
            } else {
                *to = by_suffix;
            }
        }
    }
}

static bool allocate(struct anchors *a, size_t bytes, size_t count)
{
    a->next = mem_zeroed((bytes + 1) * a->classes, sizeof *a->next);
    a->fail = mem_zeroed(bytes + 1, sizeof *a->fail);
    a->output = mem_zeroed(bytes + 1, sizeof *a->output);
    a->sets = mem_zeroed(count + 1, sizeof *a->sets);
    return a->next && a->fail && a->output && a->sets;
}

struct anchors *anchors_new(const struct slice *literals, size_t count)
{
    size_t bytes = 0;
    struct anchors *a = mem_zeroed(1, sizeof *a);
    if (!a || count > ANCHORS_MAX)
        goto fail;
    a->classes = 1;
    for (size_t i = 0; i < count; i++) {
        bytes += literals[i].len;
        for (size_t k = 0; k < literals[i].len; k++) {
            uint8_t *class = &a->class_of[(unsigned char)literals[i].text[k]];
            if (!*class)
                *class = (uint8_t)a->classes++;
        }
    }
    if (bytes >= STATES_MAX || a->classes > 255 || !allocate(a, bytes, count))
        goto fail;
    a->states = 1;
    a->set_count = 1;
    for (size_t i = 0; i < count; i++) {
        if (literals[i].len)
            insert(a, literals[i], (unsigned)i);
        else
            add(&a->always, (unsigned)i);
    }
    uint16_t *queue = mem_alloc(a->states * sizeof *queue);
    if (!queue)
        goto fail;
    complete(a, queue);
    free(queue);
    return a;
fail:
    anchors_free(a);
    return NULL;
}

void anchors_free(struct anchors *a)
{
    if (!a)
        return;
    free(a->next);
    free(a->fail);
    free(a->output);
    free(a->sets);
    free(a);
}

void anchors_find(const struct anchors *a, struct slice line, struct rule_set *found)
{
    uint64_t seen[ANCHORS_WORDS + 1] = {0}; /* sets that are in `found` already */
    *found = a->always;
    size_t state = 0;
    for (size_t i = 0; i < line.len; i++) {
        state = a->next[state * a->classes + a->class_of[(unsigned char)line.text[i]]];
        unsigned set = a->output[state];
        if (!set || seen[set / 64] >> (set % 64) & 1)
            continue;
        seen[set / 64] |= 1ULL << (set % 64);
        unite(found, &a->sets[set]);
    }
}
