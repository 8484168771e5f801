/* Renderings of the summary. Each appends to `out` and gives false where memory is out. */
#ifndef BEP_REDUCE_EMIT_H
#define BEP_REDUCE_EMIT_H

#include <stdbool.h>

#include "cmd/bep-reduce/summary.h"
#include "common/base/buf.h"
#include "common/json/write.h"

/* One JSON object, the schema of bep-summary(5), with a newline behind it. */
bool emit_json(const struct summary *, struct buf *out);
/* For people: `width` columns, colour where asked for. */
bool emit_text(const struct summary *, bool colour, unsigned width, struct buf *out);
/* TOON: the JSON object with its tables flattened. */
bool emit_toon(const struct summary *, struct buf *out);
/* SARIF 2.1.0 (OASIS), for viewers of code scanning. */
bool emit_sarif(const struct summary *, struct buf *out);
/* JUnit XML: a suite for each test target. */
bool emit_junit(const struct summary *, struct buf *out);

/* One record, as in the summary and in the files of --details. `key` as in json/write.h. */
void emit_diagnostic(struct json_writer *, const struct diag *);
void emit_test(struct json_writer *, const struct test_row *);

#endif
