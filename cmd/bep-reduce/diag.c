#include "cmd/bep-reduce/diag.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/text/utf8.h"
#include "common/base/mem.h"

/* Cleaning makes text at most three times longer (an invalid byte becomes U+FFFD). */
#define CLEAN_INPUT_MAX (64UL * 1024)

struct diag_slot {
    uint64_t hash; /* 0: free */
    struct diag *diag;
};

/* An entry is found by what it says and where, by what it says of whom, and by what it says. */
enum key {
    KEY_PLACE,
    KEY_TARGET,
    KEY_MESSAGE,
    KEYS,
};

void diag_list_init(struct diag_list *list, size_t max_bytes)
{
    *list = (struct diag_list){.memory = ARENA_INIT(max_bytes)};
}

void diag_list_release(struct diag_list *list)
{
    free(list->items);
    free(list->slots);
    arena_release(&list->memory);
    *list = (struct diag_list){.count = 0};
}

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t len)
{
    const unsigned char *p = bytes;
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ p[i]) * 0x100000001b3ULL;
    return hash;
}

static uint64_t hash_string(uint64_t hash, const char *s)
{
    /* The NUL keeps "ab"+"c" apart from "a"+"bc". */
    return s ? hash_bytes(hash, s, strlen(s) + 1) : hash_bytes(hash, "\1", 1);
}

static bool same(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool has_source(const struct diag *d)
{
    return d->place.path && !d->place_is_rule;
}

/* 0: the entry has no such key. */
static uint64_t key_hash(enum key key, const struct diag *d)
{
    if ((key == KEY_PLACE && !has_source(d)) || (key == KEY_TARGET && !d->target))
        return 0;
    if (key == KEY_MESSAGE && d->unspecific)
        return 0;
    uint64_t hash = 0xcbf29ce484222325ULL + (uint64_t)key * KEYS + d->severity;
    hash = hash_string(hash, d->message);
    if (key == KEY_PLACE) {
        hash = hash_string(hash, d->place.path);
        hash = hash_bytes(hash, &d->place.line, sizeof d->place.line);
    } else if (key == KEY_TARGET) {
        hash = hash_string(hash, d->target);
        if (d->unspecific)
            hash = hash_string(hash, d->action);
    }
    hash ^= hash >> 29;
    return hash ? hash : 1;
}

static bool key_matches(enum key key, const struct diag *a, const struct diag *b)
{
    if (a->severity != b->severity || a->unspecific != b->unspecific ||
        !same(a->message, b->message))
        return false;
    if (key == KEY_PLACE)
        return has_source(a) && a->place.line == b->place.line &&
               same(a->place.path, b->place.path);
    if (key == KEY_TARGET)
        return same(a->target, b->target) && (!a->unspecific || same(a->action, b->action));
    return true;
}

static struct diag *find(const struct diag_list *list, enum key key, const struct diag *d)
{
    uint64_t hash = key_hash(key, d);
    if (!hash || !list->slot_count)
        return NULL;
    size_t mask = list->slot_count - 1;
    for (size_t i = hash & mask; list->slots[i].hash; i = (i + 1) & mask)
        if (list->slots[i].hash == hash && key_matches(key, list->slots[i].diag, d))
            return list->slots[i].diag;
    return NULL;
}

static void put(struct diag_list *list, uint64_t hash, struct diag *d)
{
    size_t mask = list->slot_count - 1;
    size_t i = hash & mask;
    while (list->slots[i].hash)
        i = (i + 1) & mask;
    list->slots[i] = (struct diag_slot){hash, d};
    list->slots_used++;
}

/* The first entry with a key keeps it. */
static void enter(struct diag_list *list, struct diag *d)
{
    for (enum key key = 0; key < KEYS; key++)
        if (key_hash(key, d) && !find(list, key, d))
            put(list, key_hash(key, d), d);
}

static bool rehash(struct diag_list *list, size_t slot_count)
{
    struct diag_slot *slots = mem_zeroed(slot_count, sizeof *slots);
    if (!slots)
        return false;
    free(list->slots);
    list->slots = slots;
    list->slot_count = slot_count;
    list->slots_used = 0;
    for (size_t i = 0; i < list->count; i++)
        enter(list, list->items[i]);
    return true;
}

/* Merging can add keys to an entry, so there is always room for one entry's worth. */
static bool make_room(struct diag_list *list)
{
    if ((list->slots_used + KEYS) * 4 > list->slot_count * 3 &&
        !rehash(list, list->slot_count ? list->slot_count * 2 : 256))
        return false;
    if (list->count < list->capacity)
        return true;
    size_t capacity = list->capacity ? list->capacity * 2 : 64;
    struct diag **items = mem_grow(list->items, capacity, sizeof(struct diag *));
    if (!items)
        return false;
    list->items = items;
    list->capacity = capacity;
    return true;
}

static size_t cut_lines(const char *text, size_t len, int lines)
{
    const char *at = text;
    for (int i = 0; i < lines; i++) {
        const char *newline = memchr(at, '\n', len - (size_t)(at - text));
        if (!newline)
            return len;
        at = newline + 1;
    }
    return (size_t)(at - text) - 1;
}

static void flatten(char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (text[i] == '\n' || text[i] == '\t')
            text[i] = ' ';
}

/* A clean copy of at most `max` bytes and `lines` lines (0: everything on one line), or NULL. */
static const char *clean_copy(struct diag_list *list, const char *text, size_t max, int lines)
{
    if (!text)
        return NULL;
    struct buf clean = BUF_INIT;
    const char *copy = NULL;
    size_t len = strnlen(text, CLEAN_INPUT_MAX);
    if (utf8_clean(&clean, text, len) == BUF_OK) {
        size_t start = 0;
        size_t end = clean.len;
        if (lines)
            end = cut_lines(clean.data, end, lines);
        else
            flatten(clean.data, end);
        while (!lines && start < end && clean.data[start] == ' ')
            start++;
        if (end - start > max)
            end = start + utf8_cut(clean.data + start, end - start, max);
        while (end > start && (clean.data[end - 1] == ' ' || clean.data[end - 1] == '\n'))
            end--;
        if (end > start)
            copy = arena_strndup(&list->memory, clean.data + start, end - start);
    }
    buf_release(&clean);
    return copy;
}

static const char *copy_string(struct diag_list *list, const char *s)
{
    return s ? arena_strndup(&list->memory, s, strlen(s)) : NULL;
}

void diag_add_also(struct diag_list *list, struct diag *d, const char *label)
{
    if (!label || same(d->target, label))
        return;
    for (uint32_t i = 0; i < d->also_count; i++)
        if (same(d->also[i], label))
            return;
    if (!d->also)
        d->also = arena_alloc(&list->memory, DIAG_ALSO_MAX * sizeof *d->also);
    const char *copy = d->also && d->also_count < DIAG_ALSO_MAX ? copy_string(list, label) : NULL;
    if (copy)
        d->also[d->also_count++] = copy;
    else
        d->also_more++;
}

/* The entry of the same cause, or NULL. */
static struct diag *find_same_cause(const struct diag_list *list, const struct diag *new)
{
    struct diag *old = find(list, KEY_PLACE, new);
    if (old)
        return old;
    old = find(list, KEY_TARGET, new);
    if (old && !(has_source(old) && has_source(new)))
        return old;
    old = find(list, KEY_MESSAGE, new);
    if (!old || (has_source(old) && has_source(new)))
        return NULL;
    if (!old->target || !new->target)
        return old;
    return has_source(old) || has_source(new) ? NULL : old;
}

static bool is_general(enum diag_category category)
{
    return category == DIAG_UNKNOWN || category == DIAG_BAZEL || category == DIAG_ACTION;
}

static void fill_string(struct diag_list *list, const char **field, const char *value)
{
    if (!*field)
        *field = copy_string(list, value);
}

static void merge_place(struct diag_list *list, struct diag *old, const struct diag *new)
{
    bool better = !old->place.path || (old->place_is_rule && !new->place_is_rule);
    if (new->place.path && better) {
        old->place = new->place;
        old->place.path = copy_string(list, new->place.path);
        old->place_is_rule = new->place_is_rule;
    } else if (has_source(old) && has_source(new) && !old->place.column) {
        old->place.column = new->place.column;
    }
}

static void merge(struct diag_list *list, struct diag *old, const struct diag *new)
{
    old->repetition_count += new->repetition_count ? new->repetition_count : 1;
    merge_place(list, old, new);
    if (old->target)
        diag_add_also(list, old, new->target);
    fill_string(list, &old->target, new->target);
    fill_string(list, &old->action, new->action);
    fill_string(list, &old->spoils, new->spoils);
    fill_string(list, &old->within, new->within);
    if (!old->detail)
        old->detail = clean_copy(list, new->detail, DIAG_DETAIL_MAX, DIAG_DETAIL_LINES_MAX);
    if (is_general(old->category) && !is_general(new->category))
        old->category = new->category;
    if (new->dependents > old->dependents)
        old->dependents = new->dependents;
    old->stopped_build |= new->stopped_build;
    old->resort &= new->resort;
    for (uint32_t i = 0; i < new->also_count; i++)
        diag_add_also(list, old, new->also[i]);
    enter(list, old);
}

static struct diag *append(struct diag_list *list, const struct diag *new)
{
    struct diag *d = arena_alloc(&list->memory, sizeof *d);
    if (!d)
        return NULL;
    *d = *new;
    d->also = NULL;
    d->also_count = 0;
    d->detail = clean_copy(list, new->detail, DIAG_DETAIL_MAX, DIAG_DETAIL_LINES_MAX);
    d->place.path = copy_string(list, new->place.path);
    d->target = copy_string(list, new->target);
    d->action = copy_string(list, new->action);
    d->spoils = copy_string(list, new->spoils);
    d->within = copy_string(list, new->within);
    d->repetition_count = new->repetition_count ? new->repetition_count : 1;
    d->order = list->next_order++;
    for (uint32_t i = 0; i < new->also_count; i++)
        diag_add_also(list, d, new->also[i]);
    list->items[list->count++] = d;
    enter(list, d);
    return d;
}

struct diag *diag_list_add(struct diag_list *list, const struct diag *given)
{
    struct diag new = *given;
    new.message = clean_copy(list, given->message, DIAG_MESSAGE_MAX, 0);
    if (!new.message) {
        list->dropped += given->message && given->message[0];
        return NULL;
    }
    if (!new.place.path)
        new.place = (struct place){.path = NULL};
    if (!new.place.line)
        new.place.column = 0;
    struct diag *d = NULL;
    if (make_room(list)) {
        d = find_same_cause(list, &new);
        if (d)
            merge(list, d, &new);
        else
            d = append(list, &new);
    }
    if (!d)
        list->dropped++;
    return d;
}

void diag_list_remove_if(struct diag_list *list, bool (*unwanted)(const struct diag *, void *),
                         void *context)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++)
        if (!unwanted(list->items[i], context))
            list->items[kept++] = list->items[i];
    if (kept == list->count)
        return;
    list->count = kept;
    memset(list->slots, 0, list->slot_count * sizeof *list->slots);
    list->slots_used = 0;
    for (size_t i = 0; i < kept; i++)
        enter(list, list->items[i]);
}

const char *diag_severity_name(enum diag_severity severity)
{
    static const char *const names[] = {"error", "warning", "note"};
    return names[severity];
}

const char *diag_category_name(enum diag_category category)
{
    static const char *const names[DIAG_CATEGORIES] = {
        "unknown",    "command_line", "workspace", "fetch",  "loading", "analysis",
        "visibility", "compilation",  "link",      "action", "test",    "timeout",
        "coverage",   "query",        "remote",    "bazel",
    };
    return names[category];
}
