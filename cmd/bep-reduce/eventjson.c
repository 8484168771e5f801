#include "cmd/bep-reduce/eventjson.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd/bep-reduce/event.h"
#include "cmd/bep-reduce/jsonname.h"
#include "cmd/bep-reduce/prune.h"
#include "cmd/bep-reduce/reduce.h"
#include "common/base/arena.h"
#include "common/json/write.h"
#include "proto/build_event_stream.pb-c.h"

#define LABEL_MAX_BYTES 4096
#define EVENT           build_event_stream__build_event__descriptor

struct printing {
    struct json_writer json;
    struct redact *redact;
};

static bool name_matches(const ProtobufCFieldDescriptor *field, const char *name, size_t len)
{
    char json[JSONNAME_MAX];

    jsonname_of(field, json);
    return (strlen(json) == len && memcmp(json, name, len) == 0) ||
           (strlen(field->name) == len && memcmp(field->name, name, len) == 0);
}

static bool is_payload(const ProtobufCFieldDescriptor *field)
{
    return field->type == PROTOBUF_C_TYPE_MESSAGE && (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF);
}

static uint32_t payload_named(const char *name, size_t len)
{
    for (unsigned i = 0; i < EVENT.n_fields; i++)
        if (is_payload(&EVENT.fields[i]) && name_matches(&EVENT.fields[i], name, len))
            return EVENT.fields[i].id;
    return PAYLOAD_NONE;
}

const char *eventjson_unknown_type(const char *types, size_t *len)
{
    for (; *types; types += *len + (types[*len] == ',')) {
        *len = strcspn(types, ",");
        if (*len > 0 && payload_named(types, *len) == PAYLOAD_NONE)
            return types;
    }
    return NULL;
}

static bool type_selected(const char *types, uint32_t payload)
{
    size_t len;

    if (!types || !*types)
        return true;
    for (; *types; types += len + (types[len] == ',')) {
        len = strcspn(types, ",");
        if (len > 0 && payload_named(types, len) == payload)
            return true;
    }
    return false;
}

static bool ends_with(const char *text, const char *end)
{
    size_t len = strlen(text), want = strlen(end);

    return len >= want && strcmp(text + len - want, end) == 0;
}

/* "//a/..." means //a and all below it. */
static bool below(const char *pattern, const char *label)
{
    size_t len = strlen(pattern) - strlen("...");

    if (len > 2 && pattern[len - 1] == '/' && strncmp(pattern, label, len - 1) == 0 &&
        (label[len - 1] == ':' || label[len - 1] == '/' || label[len - 1] == 0))
        return true;
    return strncmp(pattern, label, len) == 0;
}

static bool label_matches(const char *pattern, const char *label)
{
    if (ends_with(pattern, "..."))
        return below(pattern, label);
    if (ends_with(pattern, ":all"))
        return strncmp(pattern, label, strlen(pattern) - strlen("all")) == 0;
    return fnmatch(pattern, label, 0) == 0;
}

static bool label_selected(const char *pattern, struct bytes label)
{
    char text[LABEL_MAX_BYTES];

    if (!pattern)
        return true;
    if (label.len == 0 || label.len >= sizeof(text))
        return false;
    memcpy(text, label.at, label.len);
    text[label.len] = 0;
    return label_matches(pattern, text);
}

static void print_base64(struct printing *p, const char *key, ProtobufCBinaryData data)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    struct buf text = BUF_INIT;

    for (size_t i = 0; i < data.len; i += 3) {
        size_t left = data.len - i;
        uint32_t bits = (uint32_t)data.data[i] << 16;

        bits |= left > 1 ? (uint32_t)data.data[i + 1] << 8 : 0;
        bits |= left > 2 ? data.data[i + 2] : 0;
        buf_add_char(&text, digits[bits >> 18]);
        buf_add_char(&text, digits[bits >> 12 & 63]);
        buf_add_char(&text, left > 1 ? digits[bits >> 6 & 63] : '=');
        buf_add_char(&text, left > 2 ? digits[bits & 63] : '=');
    }
    json_put_bytes(&p->json, key, text.data, text.len);
    buf_release(&text);
}

static void print_text(struct printing *p, const char *key, ProtobufCBinaryData data)
{
    struct buf clean = BUF_INIT;

    if (!p->redact || redact_text(p->redact, (const char *)data.data, data.len, &clean) != BUF_OK)
        json_put_bytes(&p->json, key, data.data, data.len);
    else
        json_put_bytes(&p->json, key, clean.data, clean.len);
    buf_release(&clean);
}

/* 64-bit numbers are strings in this mapping. */
static void print_int64(struct printing *p, const char *key, int64_t value)
{
    char text[24];

    snprintf(text, sizeof(text), "%" PRId64, value);
    json_put_string(&p->json, key, text);
}

static void print_enum(struct printing *p, const char *key, const ProtobufCEnumDescriptor *type,
                       int value)
{
    const ProtobufCEnumValue *known = protobuf_c_enum_descriptor_get_value(type, value);

    if (known)
        json_put_string(&p->json, key, known->name);
    else
        json_put_int(&p->json, key, value);
}

static void print_message(struct printing *p, const char *key, const ProtobufCMessage *message);

static void print_value(struct printing *p, const char *key, const ProtobufCMessageDescriptor *in,
                        const ProtobufCFieldDescriptor *field, const void *value)
{
    const ProtobufCBinaryData *data = value;

    switch (field->type) {
    case PROTOBUF_C_TYPE_MESSAGE:
        print_message(p, key, *(ProtobufCMessage *const *)value);
        break;
    case PROTOBUF_C_TYPE_BYTES:
        if (jsonname_is_binary(in, field))
            print_base64(p, key, *data);
        else
            print_text(p, key, *data);
        break;
    case PROTOBUF_C_TYPE_BOOL:
        json_put_bool(&p->json, key, *(const protobuf_c_boolean *)value);
        break;
    case PROTOBUF_C_TYPE_ENUM:
        print_enum(p, key, field->descriptor, *(const int *)value);
        break;
    case PROTOBUF_C_TYPE_INT64:
        print_int64(p, key, *(const int64_t *)value);
        break;
    default:
        json_put_int(&p->json, key, *(const int32_t *)value);
    }
}

/* Whether a field has the value that protobuf's JSON leaves out. */
static bool is_default(const ProtobufCFieldDescriptor *field, const void *value)
{
    switch (field->type) {
    case PROTOBUF_C_TYPE_MESSAGE:
        return *(ProtobufCMessage *const *)value == NULL;
    case PROTOBUF_C_TYPE_BYTES:
        return ((const ProtobufCBinaryData *)value)->len == 0;
    case PROTOBUF_C_TYPE_INT64:
        return *(const int64_t *)value == 0;
    default:
        return *(const int32_t *)value == 0;
    }
}

static size_t element_size(const ProtobufCFieldDescriptor *field)
{
    return field->type == PROTOBUF_C_TYPE_MESSAGE ? sizeof(ProtobufCMessage *)
                                                  : sizeof(ProtobufCBinaryData);
}

/* The schema repeats messages and texts only. */
static void print_repeated(struct printing *p, const char *key, const ProtobufCMessage *message,
                           const ProtobufCFieldDescriptor *field)
{
    const char *base = (const char *)message;
    size_t count = *(const size_t *)(base + field->quantifier_offset);
    const char *items = *(const char *const *)(base + field->offset);

    if (count == 0)
        return;
    json_begin_array(&p->json, key);
    for (size_t i = 0; i < count; i++)
        print_value(p, NULL, message->descriptor, field, items + i * element_size(field));
    json_end_array(&p->json);
}

static void print_field(struct printing *p, const ProtobufCMessage *message,
                        const ProtobufCFieldDescriptor *field)
{
    const char *base = (const char *)message;
    char key[JSONNAME_MAX];

    jsonname_of(field, key);
    if (field->label == PROTOBUF_C_LABEL_REPEATED)
        print_repeated(p, key, message, field);
    else if (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) {
        if (*(const uint32_t *)(base + field->quantifier_offset) == field->id)
            print_value(p, key, message->descriptor, field, base + field->offset);
    } else if (!is_default(field, base + field->offset)) {
        print_value(p, key, message->descriptor, field, base + field->offset);
    }
}

static void print_message(struct printing *p, const char *key, const ProtobufCMessage *message)
{
    json_begin_object(&p->json, key);
    for (unsigned i = 0; i < message->descriptor->n_fields; i++)
        print_field(p, message, &message->descriptor->fields[i]);
    json_end_object(&p->json);
}

static void *take(void *arena, size_t size)
{
    return arena_alloc(arena, size);
}

static void give_back(void *arena, void *memory)
{
    (void)arena;
    (void)memory;
}

static bool print_event(struct bytes event, struct redact *redact, struct buf *out)
{
    struct arena arena = ARENA_INIT(64UL * 1024 * 1024);
    ProtobufCAllocator allocator = {take, give_back, &arena};
    struct printing p = {.redact = redact};
    ProtobufCMessage *message = protobuf_c_message_unpack(&EVENT, &allocator, event.len, event.at);

    json_begin(&p.json, out);
    if (message)
        print_message(&p, NULL, message);
    arena_release(&arena);
    return message && !p.json.failed && buf_add_char(out, '\n') == BUF_OK;
}

enum eventjson_status eventjson_write(const void *body, size_t len,
                                      const struct event_filter *filter, struct redact *redact,
                                      struct buf *out)
{
    struct bytes bytes = {body, len};
    struct buf small = BUF_INIT;
    struct event event;
    bool good;

    if (!event_read(body, len, &event))
        return EVENTJSON_BAD;
    if (!type_selected(filter->types, event.payload) ||
        !label_selected(filter->label, event.id.label))
        return EVENTJSON_SKIPPED;
    if (len > UNPACK_MAX_BYTES && prune(&EVENT, bytes, UNPACK_MAX_BYTES / 8, &small))
        bytes = (struct bytes){(const uint8_t *)small.data, small.len};
    good = print_event(bytes, redact, out);
    buf_release(&small);
    return good ? EVENTJSON_OK : EVENTJSON_BAD;
}
