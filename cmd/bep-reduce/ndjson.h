/*
 * The JSON lines of --build_event_json_file (protobuf's JSON mapping), turned back into the events' wire form, so that
 * everything behind sees one kind of event. Members that the schema does not know are left out.
 */
#ifndef BEP_REDUCE_NDJSON_H
#define BEP_REDUCE_NDJSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buf.h"

struct ndjson_end {
    uint64_t lines, bad_lines;
    uint64_t first_bad; /* number of the first bad line, from 1 */
    int error;          /* errno of a failed read, 0: none */
};

/* Gives each line's event to `take`. `begun` is what was read already. */
void ndjson_read(int fd, const char *begun, size_t len,
                 void (*take)(void *context, const void *body, size_t len), void *context,
                 struct ndjson_end *);

/* One line. False: it is no event. */
bool ndjson_event(const char *line, size_t len, struct buf *wire);

#endif
