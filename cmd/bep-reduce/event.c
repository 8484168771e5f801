#include "cmd/bep-reduce/event.h"

#include "common/frame/wire.h"

#define FIELD_ID           1
#define FIELD_CHILDREN     2
#define FIELD_LAST_MESSAGE 20

/* Which field of an id message means what; 0: it has none. */
struct id_layout {
    uint8_t label, aspect, configuration, name, run, shard, attempt;
};

static const struct id_layout layouts[] = {
    [ID_PATTERN] = {.name = 1},
    [ID_TARGET_COMPLETED] = {.label = 1, .aspect = 2, .configuration = 3},
    [ID_ACTION_COMPLETED] = {.name = 1, .label = 2, .configuration = 3},
    [ID_TEST_SUMMARY] = {.label = 1, .configuration = 2},
    [ID_TEST_RESULT] = {.label = 1, .run = 2, .shard = 3, .attempt = 4, .configuration = 5},
    [ID_BUILD_FINISHED] = {0},
    [ID_PATTERN_SKIPPED] = {.name = 1},
    [ID_NAMED_SET] = {.name = 1},
    [ID_TARGET_CONFIGURED] = {.label = 1, .aspect = 2},
    [ID_UNCONFIGURED_LABEL] = {.label = 1},
    [ID_CONFIGURED_LABEL] = {.label = 1, .configuration = 2},
    [ID_TARGET_SUMMARY] = {.label = 1, .configuration = 2},
};

static struct bytes field_bytes(const struct wire_field *field)
{
    return (struct bytes){.at = field->bytes, .len = field->len};
}

/* A ConfigurationId is a message with the one field `id`. */
static struct bytes configuration_of(const struct wire_field *field)
{
    struct wire_reader reader;
    struct wire_field inner;

    wire_init(&reader, field->bytes, field->len);
    while (wire_next(&reader, &inner))
        if (inner.number == 1 && inner.type == WIRE_BYTES)
            return field_bytes(&inner);
    return (struct bytes){0};
}

static void take_bytes(const struct id_layout *layout, const struct wire_field *field,
                       struct event_id *id)
{
    if (field->number == layout->label)
        id->label = field_bytes(field);
    else if (field->number == layout->aspect)
        id->aspect = field_bytes(field);
    else if (field->number == layout->name && !id->name.at)
        id->name = field_bytes(field);
    else if (field->number == layout->configuration)
        id->configuration = configuration_of(field);
}

static void take_number(const struct id_layout *layout, const struct wire_field *field,
                        struct event_id *id)
{
    if (field->number == layout->run)
        id->run = (int32_t)field->value;
    else if (field->number == layout->shard)
        id->shard = (int32_t)field->value;
    else if (field->number == layout->attempt)
        id->attempt = (int32_t)field->value;
}

static void read_id(const struct wire_field *outer, struct event_id *id)
{
    struct wire_reader ids, reader;
    struct wire_field kind, field;
    const struct id_layout *layout;

    wire_init(&ids, outer->bytes, outer->len);
    if (!wire_next(&ids, &kind) || kind.type != WIRE_BYTES)
        return;
    if (kind.number >= sizeof(layouts) / sizeof(*layouts))
        return;
    id->kind = kind.number;
    layout = &layouts[kind.number];
    wire_init(&reader, kind.bytes, kind.len);
    while (wire_next(&reader, &field)) {
        if (field.type == WIRE_BYTES)
            take_bytes(layout, &field, id);
        else if (field.type == WIRE_VARINT)
            take_number(layout, &field, id);
    }
}

bool event_read(const void *body, size_t len, struct event *event)
{
    struct wire_reader reader;
    struct wire_field field;

    *event = (struct event){0};
    wire_init(&reader, body, len);
    while (wire_next(&reader, &field)) {
        if (field.number == FIELD_LAST_MESSAGE && field.type == WIRE_VARINT) {
            event->last = field.value != 0;
        } else if (field.type != WIRE_BYTES || field.number == FIELD_CHILDREN) {
            continue;
        } else if (field.number == FIELD_ID) {
            read_id(&field, &event->id);
        } else {
            event->payload = field.number;
            event->body = field_bytes(&field);
        }
    }
    return !reader.bad;
}
