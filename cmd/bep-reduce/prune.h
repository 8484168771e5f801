/*
 * Makes a huge message small before it is unpacked: protobuf-c needs up to 80 times the wire size. Only fields that
 * the schema knows are kept, long texts are cut, and repeated fields end when the budget is used up.
 */
#ifndef BEP_REDUCE_PRUNE_H
#define BEP_REDUCE_PRUNE_H

#include <stdbool.h>

#include <protobuf-c/protobuf-c.h>

#include "cmd/bep-reduce/event.h"
#include "common/base/buf.h"

/* Appends a message of at most `max` bytes to `out`. False: malformed, or no memory. */
bool prune(const ProtobufCMessageDescriptor *, struct bytes message, size_t max, struct buf *out);

#endif
