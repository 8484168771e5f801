/*
 * The value of Bazel's --test_filter (in the test's environment: TESTBRIDGE_TEST_ONLY) that repeats the failed
 * cases of some tests. Each framework reads it in a way of its own:
 *
 *     GoogleTest            Suite.Case:Suite.Case
 *     Bazel's JUnit runner  a regular expression for package.Class#method
 *     rules_go              a regular expression for the function, as go test -run
 *     absl.testing          Class.method Class.method
 *     pytest's runners      an expression, as pytest -k
 *
 * One value goes to all tests of a command line, so that there is none unless every test takes the same kind.
 */
#ifndef MCP_FRONT_RERUN_FILTER_H
#define MCP_FRONT_RERUN_FILTER_H

#include "common/base/buf.h"

#include <json-c/json.h>
#include <stdbool.h>

#define RERUN_FILTER_MAX 4096 /* bytes; with more failed cases whole tests are run */

struct rerun_framework;

struct rerun_filter {
    const struct rerun_framework *framework; /* NULL: none yet */
    bool impossible;
    struct buf text;
};

#define RERUN_FILTER_INIT                                                                          \
    {                                                                                              \
        .text = BUF_INIT                                                                           \
    }

/* A failed test: an object as in tests.jsonl, and the kind of its target ("cc_test rule"); NULL: unknown. */
void rerun_filter_add(struct rerun_filter *, struct json_object *test, const char *kind);
/* NULL: whole tests have to be run. */
const char *rerun_filter_value(const struct rerun_filter *);
void rerun_filter_release(struct rerun_filter *);

#endif
