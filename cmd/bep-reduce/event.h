/*
 * One BuildEvent on the wire: what it is about (its id) and what it says (its payload), without decoding more than that.
 * Numbers are the fields of BuildEventId and BuildEvent in proto/build_event_stream.proto.
 */
#ifndef BEP_REDUCE_EVENT_H
#define BEP_REDUCE_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum id_kind {
    ID_NONE = 0, /* no id, or one that is not read here */
    ID_PATTERN = 4,
    ID_TARGET_COMPLETED = 5,
    ID_ACTION_COMPLETED = 6,
    ID_TEST_SUMMARY = 7,
    ID_TEST_RESULT = 8,
    ID_BUILD_FINISHED = 9,
    ID_PATTERN_SKIPPED = 10,
    ID_NAMED_SET = 13,
    ID_TARGET_CONFIGURED = 16,
    ID_UNCONFIGURED_LABEL = 19,
    ID_CONFIGURED_LABEL = 21,
    ID_TARGET_SUMMARY = 26,
};

enum payload {
    PAYLOAD_NONE = 0,
    PAYLOAD_PROGRESS = 3,
    PAYLOAD_ABORTED = 4,
    PAYLOAD_STARTED = 5,
    PAYLOAD_EXPANDED = 6,
    PAYLOAD_ACTION = 7,
    PAYLOAD_COMPLETED = 8,
    PAYLOAD_TEST_SUMMARY = 9,
    PAYLOAD_TEST_RESULT = 10,
    PAYLOAD_OPTIONS_PARSED = 13,
    PAYLOAD_FINISHED = 14,
    PAYLOAD_NAMED_SET = 15,
    PAYLOAD_CONFIGURED = 18,
    PAYLOAD_TOOL_LOGS = 23,
    PAYLOAD_METRICS = 24,
    PAYLOAD_WORKSPACE = 25,
    PAYLOAD_EXEC_REQUEST = 29,
    PAYLOAD_COUNT = 31, /* one more than the last that is known */
};

/* Bytes of an event: not NUL-terminated, any bytes, valid as long as the event. */
struct bytes {
    const uint8_t *at;
    size_t len;
};

struct event_id {
    enum id_kind kind;
    struct bytes label;
    struct bytes aspect;
    struct bytes configuration;
    struct bytes name; /* pattern, primary output or set id */
    int32_t run, shard, attempt;
};

struct event {
    struct event_id id;
    uint32_t payload;  /* enum payload, or the number of one that is unknown */
    struct bytes body; /* of the payload */
    bool last;         /* last_message */
};

/* Cuts up one frame's body. False where the event is malformed. */
bool event_read(const void *body, size_t len, struct event *);

#endif
