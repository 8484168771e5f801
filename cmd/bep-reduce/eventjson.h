/* Events as the JSON lines that --build_event_json_file has: protobuf's JSON mapping of what our schema knows. */
#ifndef BEP_REDUCE_EVENTJSON_H
#define BEP_REDUCE_EVENTJSON_H

#include <stdbool.h>
#include <stddef.h>

#include "cmd/bep-reduce/safelines.h"
#include "common/base/buf.h"
#include "common/text/redact.h"

struct event_filter {
    const char *types; /* payload names, "action,test_result" or "testResult"; NULL or "": all */
    const char *label; /* //a/..., //a:all, a label, or with * and ?; NULL: all, labels or not */
};

/* The first name in `types` that is no payload's, or NULL. It points into `types`; *len is its length. */
const char *eventjson_unknown_type(const char *types, size_t *len);

enum eventjson_status {
    EVENTJSON_OK,
    EVENTJSON_SKIPPED, /* not selected */
    EVENTJSON_BAD,     /* does not decode */
};

/* What is kept from event to event. */
struct eventjson {
    struct redact *redact; /* NULL: everything is told as it is */
    struct safelines out, err;
};

void eventjson_init(struct eventjson *, struct redact *);
void eventjson_release(struct eventjson *);

/*
 * Appends one line. Events over UNPACK_MAX_BYTES are pruned first (prune.h). With redaction, progress events
 * tell whole lines (safelines.h), and a label is selected by what is told of it.
 */
enum eventjson_status eventjson_write(struct eventjson *, const void *body, size_t len,
                                      const struct event_filter *, struct buf *out);

#endif
