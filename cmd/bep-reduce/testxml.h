/*
 * Reads test.xml as the world writes it: JUnit's format in all its dialects (any root, nested suites, several failures
 * in a case, texts as attributes or as bodies), cut short or broken: what was read up to there counts. DTDs are refused.
 */
#ifndef BEP_REDUCE_TESTXML_H
#define BEP_REDUCE_TESTXML_H

#include <stdbool.h>
#include <stddef.h>

#include "cmd/bep-reduce/testcases.h"

/* Adds the cases to `cases`, which is all zero at first; their memory is the arena's. False: it ends in an error. */
bool testxml_read(const char *xml, size_t len, struct arena *, struct test_cases *cases);

/*
 * Whether Bazel wrote the case: for a test that wrote no test.xml it makes one, with a case named after the target's path,
 * which says the exit code at most. It knows no cause.
 */
bool testxml_is_bazels_own(const struct test_case *);

#endif
