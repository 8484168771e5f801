/*
 * Bazel's console without secrets. Progress events cut it anywhere, so that it is told by whole lines, each
 * with the event that ends it: of a secret that is cut in two no half is seen.
 */
#ifndef BEP_REDUCE_SAFELINES_H
#define BEP_REDUCE_SAFELINES_H

#include "cmd/bep-reduce/event.h"
#include "common/base/buf.h"
#include "common/text/redact.h"

/* One of its two streams. */
struct safelines {
    struct redact_lines lines;
    struct buf open; /* the line that has not ended yet */
};

void safelines_init(struct safelines *);
void safelines_release(struct safelines *);

/* Appends the lines that end in `piece` to `out`. Of one that is too long to be kept only a mark is told. */
void safelines_write(struct safelines *, struct redact *, struct bytes piece, struct buf *out);

#endif
