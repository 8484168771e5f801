/* The summary (bep-summary(5)) as values: computed once, rendered by emit_*.c. */
#ifndef BEP_REDUCE_SUMMARY_H
#define BEP_REDUCE_SUMMARY_H

#include <stddef.h>
#include <stdint.h>

#include "cmd/bep-reduce/coverage.h"
#include "cmd/bep-reduce/diag.h"
#include "cmd/bep-reduce/evidence.h"
#include "cmd/bep-reduce/outcome.h"
#include "cmd/bep-reduce/reduce.h"
#include "cmd/bep-reduce/slice.h"
#include "cmd/bep-reduce/state.h"
#include "cmd/bep-reduce/testcases.h"
#include "common/base/buf.h"

#define HEADLINE_MAX_BYTES    300
#define FAILED_TARGETS_MAX    100
#define QUERY_SAMPLE_MAX      20
#define IMPORTANT_OUTPUTS_MAX 20
#define TEST_RESULTS_MAX      1000
#define DIAGNOSTICS_DEFAULT   1000 /* --max-diagnostics */
#define INFO_KEYS_MAX         100

struct target_counts {
    uint64_t requested, succeeded, failed, skipped;
};

struct test_counts {
    uint64_t passed, failed, timed_out, flaky, incomplete, skipped, cached;
    uint64_t total;
};

struct query_result {
    bool known;
    uint64_t rows;
    struct slice sample[QUERY_SAMPLE_MAX];
    size_t sample_count;
};

struct info_entry {
    struct slice key, value;
};

struct info_result {
    struct info_entry entries[INFO_KEYS_MAX];
    size_t count, more;
};

/* A test in the order of importance, with its cases. */
struct test_row {
    const struct test *test;
    enum test_status status;
    struct test_cases cases;
};

struct summary {
    const struct state *state;
    const char *command; /* NULL: unknown */
    struct ending ending;
    struct buf headline;
    int64_t duration_ms; /* -1: unknown */
    struct target_counts targets;
    struct test_counts tests;
    struct test_row *test_rows; /* malloc'ed */
    size_t test_row_count;
    struct diag_list causes;
    size_t max_diagnostics;
    struct coverage coverage;
    struct fileset_total outputs;
    struct query_result query;
    struct info_result info;
    int program_exit; /* of `run`, -1: unknown */
    const struct console_log *console;
    struct arena memory; /* of the cases */
};

struct summary_options {
    struct told told;
    const char *workspace; /* NULL: from the stream */
    size_t max_diagnostics;
};

/* The reducer and the console log must outlive the summary. */
void summary_make(struct summary *, struct reducer *, const struct console_log *,
                  const struct summary_options *);
void summary_release(struct summary *);

/* What a target counts as. */
enum target_class {
    CLASS_PENDING,
    CLASS_SUCCEEDED,
    CLASS_FAILED,
    CLASS_SKIPPED,
};
enum target_class summary_class(const struct summary *, const struct target *);

/* The label of the target that has this file set at the top of its outputs, NULL: none. */
const char *summary_set_owner(const struct summary *, uint32_t set);

const char *test_status_name(enum test_status);

#endif
