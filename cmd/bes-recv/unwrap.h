/*
 * What a Build Event Service request holds, straight from its bytes: nothing is copied, every pointer
 * goes into the message. Field numbers are those of google/devtools/build/v1/publish_build_event.proto
 * and build_events.proto (https://github.com/googleapis/googleapis). As protobuf says, the last
 * occurrence of a field wins and repeated messages merge.
 */
#ifndef BES_RECV_UNWRAP_H
#define BES_RECV_UNWRAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum request_kind {
    REQUEST_OTHER,          /* no event, or none that we know */
    REQUEST_BAZEL,          /* bazel_event with a build_event_stream.BuildEvent: `frame` is set */
    REQUEST_FOREIGN,        /* bazel_event of another type */
    REQUEST_FINISHED,       /* component_stream_finished of type FINISHED */
    REQUEST_OTHER_FINISH,   /* component_stream_finished of another type */
    REQUEST_BUILD_FINISHED, /* build_finished, the last lifecycle event of a build */
};

struct view {
    const uint8_t *bytes; /* NULL: the field is not there */
    size_t len;
};

struct request {
    enum request_kind kind;
    struct view stream_id; /* the whole StreamId, as it came */
    struct view build_id;
    struct view invocation_id;
    uint64_t number; /* sequence_number; 0: none */
    /* A frame of Contract 1: the length varint as the client wrote it, and the body behind it. */
    struct view frame;
    struct view body;
};

/* A PublishBuildToolEventStreamRequest. False: malformed; then what was read before that is set. */
bool unwrap_stream_request(const void *message, size_t len, struct request *);

/* A PublishLifecycleEventRequest. */
bool unwrap_lifecycle_request(const void *message, size_t len, struct request *);

#endif
