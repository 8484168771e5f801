/* The cases of one test that did not pass, from test.xml. */
#ifndef BEP_REDUCE_TESTCASES_H
#define BEP_REDUCE_TESTCASES_H

#include <stddef.h>
#include <stdint.h>

#include "cmd/bep-reduce/diag.h"
#include "common/base/arena.h"

#define CASES_MAX 200 /* kept of one test */

enum case_status {
    CASE_FAILED,
    CASE_ERROR,
    CASE_SKIPPED,
};

struct test_case {
    struct test_case *next;
    const char *name;
    const char *class_name; /* NULL: none */
    const char *message;    /* what the failure says of itself; NULL: nothing */
    const char *text;       /* its body: a trace; NULL: none */
    struct place place;     /* as the file says; path NULL: none */
    int64_t duration_ms;    /* -1: unknown */
    enum case_status status;
};

struct test_cases {
    struct test_case *first, **tail; /* not passed, failed and skipped as they come */
    size_t count, more;              /* kept, and for which there was no room */
    size_t passed;
};

#endif
