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
#define NAME_MAX_BYTES  512
#define EVENT           build_event_stream__build_event__descriptor

struct printing {
    struct json_writer json;
    struct eventjson *kept;
    struct redact *redact;
};

void eventjson_init(struct eventjson *e, struct redact *redact)
{
    e->redact = redact;
    safelines_init(&e->out);
    safelines_init(&e->err);
}

void eventjson_release(struct eventjson *e)
{
    safelines_release(&e->out);
    safelines_release(&e->err);
}

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

static bool label_selected(const char *pattern, struct bytes label, struct redact *redact)
{
    struct buf text = BUF_INIT_MAX(LABEL_MAX_BYTES);
    const char *at = (const char *)label.at;
    bool selected;

    if (!pattern)
        return true;
    /* A hit in what is taken out would tell it letter by letter. */
    selected = label.len > 0 &&
               (redact ? redact_text(redact, at, label.len, &text)
                       : buf_add(&text, at, label.len)) == BUF_OK &&
               label_matches(pattern, text.data);
    buf_release(&text);
    return selected;
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

    if (!p->redact)
        json_put_bytes(&p->json, key, data.data, data.len);
    else if (redact_text(p->redact, (const char *)data.data, data.len, &clean) == BUF_OK)
        json_put_bytes(&p->json, key, clean.data, clean.len);
    else
        json_put_string(&p->json, key, REDACT_MARK);
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

static void print_console(struct printing *p, const char *key, struct safelines *stream,
                          ProtobufCBinaryData data)
{
    struct buf lines = BUF_INIT;

    safelines_write(stream, p->redact, (struct bytes){data.data, data.len}, &lines);
    if (lines.len > 0)
        json_put_bytes(&p->json, key, lines.data, lines.len);
    buf_release(&lines);
}

/* Progress, with redaction. */
static void print_progress(struct printing *p, const char *key,
                           const BuildEventStream__Progress *progress)
{
    json_begin_object(&p->json, key);
    print_console(p, "stdout", &p->kept->out, progress->stdout_);
    print_console(p, "stderr", &p->kept->err, progress->stderr_);
    json_end_object(&p->json);
}

/* A text of a few bytes, with a NUL behind it. What is longer is no name: "". */
static const char *short_text(const ProtobufCBinaryData *data, char text[NAME_MAX_BYTES])
{
    size_t len = data->len < NAME_MAX_BYTES ? data->len : 0;

    if (len > 0)
        memcpy(text, data->data, len);
    text[len] = 0;
    return text;
}

/* Whether element i of a list is the value of a flag before it that names a secret. */
static bool is_named_argument(struct printing *p, const ProtobufCBinaryData *items, size_t i)
{
    char texts[4][NAME_MAX_BYTES];
    const char *args[4];
    size_t n = 0;

    if (!p->redact || i == 0 || items[i - 1].len == 0 || items[i - 1].data[0] != '-')
        return false;
    for (size_t from = i < 3 ? 0 : i - 3; from <= i; from++, n++)
        args[n] = short_text(&items[from], texts[n]);
    return redact_argument(p->redact, args, n - 1);
}

/* Whether a field is the value of one beside it that names a secret: "key" and "value". */
static bool is_named_value(struct printing *p, const ProtobufCMessage *message,
                           const ProtobufCFieldDescriptor *field)
{
    static const char *const pairs[][2] = {
        {"value", "key"}, {"value", "name"}, {"option_value", "option_name"}};
    char text[NAME_MAX_BYTES];

    for (size_t i = 0; p->redact && i < sizeof(pairs) / sizeof(*pairs); i++) {
        const ProtobufCFieldDescriptor *name =
            strcmp(field->name, pairs[i][0]) != 0
                ? NULL
                : protobuf_c_message_descriptor_get_field_by_name(message->descriptor, pairs[i][1]);
        const void *at = name ? (const char *)message + name->offset : NULL;
        if (at && redact_named(p->redact, short_text(at, text), "="))
            return true;
    }
    return false;
}

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
        if (field->type == PROTOBUF_C_TYPE_BYTES &&
            is_named_argument(p, (const ProtobufCBinaryData *)items, i))
            json_put_string(&p->json, NULL, REDACT_MARK);
        else
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
    else if (is_named_value(p, message, field))
        json_put_string(&p->json, key, REDACT_MARK);
    else if (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) {
        if (*(const uint32_t *)(base + field->quantifier_offset) == field->id)
            print_value(p, key, message->descriptor, field, base + field->offset);
    } else if (!is_default(field, base + field->offset)) {
        print_value(p, key, message->descriptor, field, base + field->offset);
    }
}

static void print_message(struct printing *p, const char *key, const ProtobufCMessage *message)
{
    if (p->redact && message->descriptor == &build_event_stream__progress__descriptor) {
        print_progress(p, key, (const BuildEventStream__Progress *)message);
        return;
    }
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

static bool print_event(struct eventjson *e, struct bytes event, struct buf *out)
{
    struct arena arena = ARENA_INIT(64UL * 1024 * 1024);
    ProtobufCAllocator allocator = {take, give_back, &arena};
    struct printing p = {.kept = e, .redact = e->redact};
    ProtobufCMessage *message = protobuf_c_message_unpack(&EVENT, &allocator, event.len, event.at);

    json_begin(&p.json, out);
    if (message)
        print_message(&p, NULL, message);
    arena_release(&arena);
    return message && !p.json.failed && buf_add_char(out, '\n') == BUF_OK;
}

enum eventjson_status eventjson_write(struct eventjson *e, const void *body, size_t len,
                                      const struct event_filter *filter, struct buf *out)
{
    struct bytes bytes = {body, len};
    struct buf small = BUF_INIT;
    struct event event;
    bool good;

    if (!event_read(body, len, &event))
        return EVENTJSON_BAD;
    if (!type_selected(filter->types, event.payload) ||
        !label_selected(filter->label, event.id.label, e->redact))
        return EVENTJSON_SKIPPED;
    if (len > UNPACK_MAX_BYTES && prune(&EVENT, bytes, UNPACK_MAX_BYTES / 8, &small))
        bytes = (struct bytes){(const uint8_t *)small.data, small.len};
    good = print_event(e, bytes, out);
    buf_release(&small);
    return good ? EVENTJSON_OK : EVENTJSON_BAD;
}
