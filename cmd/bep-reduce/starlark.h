/*
 * Starlark's tracebacks, in the forms of Bazel 2 ("line 3, in f", the message without "Error") to 9.
 */
#ifndef BEP_REDUCE_STARLARK_H
#define BEP_REDUCE_STARLARK_H

#include "cmd/bep-reduce/paths.h"
#include "cmd/bep-reduce/slice.h"
#include "common/base/buf.h"

#include <stdint.h>

struct traceback {
    struct slice message; /* of the error, in the text */
    struct slice below;   /* further lines of it */
    struct buf place;     /* the innermost frame in the workspace; empty: none */
    uint32_t line, column;
    struct buf package; /* of the BUILD file that was being loaded; only where `loading` */
    bool loading;       /* the outermost frame is a BUILD file */
    struct buf
        frames; /* those in the workspace but for the innermost, one a line, innermost first */
};

/* False: there is no traceback in the text. The caller releases it in both cases. */
bool traceback_read(struct traceback *, struct slice text, const struct paths *);
void traceback_release(struct traceback *);

#endif
