#include "cmd/bep-reduce/filesets.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/bep-reduce/table.h"
#include "common/base/mem.h"
#include "common/frame/wire.h"

#define CHUNK       4096U
#define FIRST_SLOTS 1024U
#define NO_LINKS    UINT32_MAX
#define LAST_LINK   0x80000000U /* ends a set's children */
#define MAX_SETS    LAST_LINK

/* NamedSetOfFiles and File in proto/build_event_stream.proto. */
#define FIELD_FILES     1
#define FIELD_FILE_SETS 2
#define FIELD_SET_ID    1
#define FIELD_LENGTH    6

struct fileset {
    uint64_t hash;        /* of its id, which is not kept */
    uint64_t bytes;       /* of its own files */
    uint32_t files : 30;  /* its own */
    uint32_t defined : 1; /* its event came */
    uint32_t visited : 1;
    uint32_t links; /* where its children begin in `links`, or NO_LINKS */
};

void filesets_init(struct filesets *f, size_t max)
{
    *f = (struct filesets){.max = max};
}

void filesets_release(struct filesets *f)
{
    for (size_t i = 0; i < f->chunk_count; i++)
        free(f->chunks[i]);
    free(f->chunks);
    free(f->slots);
    free(f->links);
    filesets_init(f, f->max);
}

static struct fileset *set_at(const struct filesets *f, uint32_t index)
{
    return &f->chunks[index / CHUNK][index % CHUNK];
}

static bool take(struct filesets *f, size_t bytes)
{
    if (f->max && f->memory + bytes > f->max)
        return false;
    f->memory += bytes;
    return true;
}

static void slot_put(uint32_t *slots, size_t count, uint64_t hash, uint32_t index)
{
    size_t i = hash & (count - 1);

    while (slots[i])
        i = (i + 1) & (count - 1);
    slots[i] = index + 1;
}

static bool grow_slots(struct filesets *f)
{
    size_t count = f->slot_count ? f->slot_count * 2 : FIRST_SLOTS;
    uint32_t *slots;

    if (!take(f, (count - f->slot_count) * sizeof(*slots)))
        return false;
    slots = mem_zeroed(count, sizeof(*slots));
    if (!slots)
        return false;
    for (uint32_t i = 0; i < f->count; i++)
        slot_put(slots, count, set_at(f, i)->hash, i);
    free(f->slots);
    f->slots = slots;
    f->slot_count = count;
    return true;
}

static bool grow_chunks(struct filesets *f)
{
    struct fileset **chunks;

    if (!take(f, CHUNK * sizeof(struct fileset)))
        return false;
    chunks = mem_grow(f->chunks, f->chunk_count + 1, sizeof(*chunks));
    if (!chunks)
        return false;
    f->chunks = chunks;
    chunks[f->chunk_count] = mem_alloc(CHUNK * sizeof(struct fileset));
    return chunks[f->chunk_count] && ++f->chunk_count;
}

static bool find(const struct filesets *f, uint64_t hash, uint32_t *index)
{
    if (f->slot_count == 0)
        return false;
    for (size_t i = hash & (f->slot_count - 1); f->slots[i]; i = (i + 1) & (f->slot_count - 1)) {
        *index = f->slots[i] - 1;
        if (set_at(f, *index)->hash == hash)
            return true;
    }
    return false;
}

/* The set with this id, which may not have come yet. 64 bits of a seeded hash stand for the id. */
static bool intern(struct filesets *f, struct bytes id, uint32_t *index)
{
    uint64_t hash = table_hash(table_seed(), id.at, id.len);

    if (find(f, hash, index))
        return true;
    if (f->count == MAX_SETS || (f->count >= f->slot_count / 4 * 3 && !grow_slots(f)) ||
        (f->count == f->chunk_count * CHUNK && !grow_chunks(f))) {
        f->left_out++;
        return false;
    }
    *index = f->count++;
    *set_at(f, *index) = (struct fileset){.hash = hash, .links = NO_LINKS};
    slot_put(f->slots, f->slot_count, hash, *index);
    return true;
}

static bool add_link(struct filesets *f, uint32_t link)
{
    size_t room = f->link_room ? f->link_room / 2 * 3 : CHUNK;
    uint32_t *links;

    if (f->link_count == f->link_room) {
        links = take(f, (room - f->link_room) * sizeof(*links)) && room < NO_LINKS
                    ? mem_grow(f->links, room, sizeof(*links))
                    : NULL;
        if (!links) {
            f->left_out++;
            return false;
        }
        f->links = links;
        f->link_room = room;
    }
    f->links[f->link_count++] = link;
    return true;
}

static struct bytes bytes_field(struct bytes message, uint32_t number)
{
    struct wire_reader reader;
    struct wire_field field;
    struct bytes found = {0};

    wire_init(&reader, message.at, message.len);
    while (wire_next(&reader, &field))
        if (field.number == number && field.type == WIRE_BYTES)
            found = (struct bytes){.at = field.bytes, .len = field.len};
    return found;
}

static uint64_t file_length(struct bytes file)
{
    struct wire_reader reader;
    struct wire_field field;
    uint64_t length = 0;

    wire_init(&reader, file.at, file.len);
    while (wire_next(&reader, &field))
        if (field.number == FIELD_LENGTH && field.type == WIRE_VARINT && field.value <= INT64_MAX)
            length = field.value;
    return length;
}

static void add_child(struct filesets *f, uint32_t set, struct bytes child)
{
    uint32_t index;
    size_t at;

    if (!intern(f, bytes_field(child, FIELD_SET_ID), &index))
        return;
    at = f->link_count;
    if (!add_link(f, index | LAST_LINK))
        return;
    if (set_at(f, set)->links == NO_LINKS)
        set_at(f, set)->links = (uint32_t)at;
    else
        f->links[at - 1] &= ~LAST_LINK;
}

void filesets_add(struct filesets *f, struct bytes id, struct bytes payload,
                  void (*each)(void *, uint32_t, struct bytes), void *context)
{
    struct wire_reader reader;
    struct wire_field field;
    uint32_t set;

    if (!intern(f, id, &set) || set_at(f, set)->defined)
        return;
    set_at(f, set)->defined = true;
    wire_init(&reader, payload.at, payload.len);
    while (wire_next(&reader, &field)) {
        struct bytes bytes = {.at = field.bytes, .len = field.len};

        if (field.type != WIRE_BYTES)
            continue;
        if (field.number == FIELD_FILE_SETS)
            add_child(f, set, bytes);
        if (field.number != FIELD_FILES)
            continue;
        set_at(f, set)->files++;
        set_at(f, set)->bytes += file_length(bytes);
        if (each)
            each(context, set, bytes);
    }
}

bool filesets_root(struct filesets *f, struct bytes id, uint32_t *root)
{
    uint32_t index;

    if (!intern(f, id, &index))
        return false;
    *root = (uint32_t)f->link_count;
    return add_link(f, index);
}

uint32_t filesets_root_set(const struct filesets *f, uint32_t root)
{
    return f->links[root] & ~LAST_LINK;
}

/*
 * Depth first, without a stack of its own size: a list of sets still to be visited is kept in a growing array of
 * indexes, each of which enters once.
 */
struct pending {
    uint32_t *sets;
    size_t count, room;
};

static bool push(struct pending *p, struct filesets *f, uint32_t set)
{
    uint32_t *sets;

    if (set_at(f, set)->visited)
        return true;
    if (p->count == p->room) {
        p->room = p->room ? p->room * 2 : CHUNK;
        sets = mem_grow(p->sets, p->room, sizeof(*sets));
        if (!sets)
            return false;
        p->sets = sets;
    }
    set_at(f, set)->visited = true;
    p->sets[p->count++] = set;
    return true;
}

static void visit_one(struct filesets *f, struct pending *p, struct fileset_total *total)
{
    const struct fileset *set = set_at(f, p->sets[--p->count]);
    uint32_t link = set->links;

    total->files += set->files;
    total->bytes += set->bytes;
    total->missing += !set->defined;
    if (link == NO_LINKS)
        return;
    do {
        if (!push(p, f, f->links[link] & ~LAST_LINK))
            f->left_out++;
    } while (!(f->links[link++] & LAST_LINK));
}

void filesets_visit(struct filesets *f, uint32_t first, uint32_t count, struct fileset_total *total)
{
    struct pending pending = {0};

    for (uint32_t i = first; i < first + count; i++) {
        if (!push(&pending, f, filesets_root_set(f, i)))
            f->left_out++;
        while (pending.count > 0)
            visit_one(f, &pending, total);
    }
    free(pending.sets);
}
