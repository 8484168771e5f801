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

/* One record each, as an element of an array: in the summary, and as lines of --details. */
void emit_diagnostic(struct json_writer *, const struct diag *);
/* `all`: with every case and with the copies of its logs. */
void emit_test(struct json_writer *, const struct test_row *, bool all);
void emit_target(struct json_writer *, const struct summary *, const struct target *);
/* `label` may be NULL: a file of a set that no target names itself. */
void emit_artifact(struct json_writer *, const char *label, const struct artifact *);
/* With the lines that no test reached, as ranges: "3-7", "12". */
void emit_covered_file(struct json_writer *, const struct covered_file *);

#endif
