/* Test frameworks. */
#include "cmd/bep-reduce/rules.h"

static const struct rule gtest[] = {
    {NAME, "[ RUN      ] {name}"},
    {END, "[       OK ] {any}"},
    {END, "[  FAILED  ] {any}"},
    {END, "[----------]{any}"},
    {END, "[==========]{any}"},
    {NOISE, "[  PASSED  ] {any}"},
    {CAUSE, "{path}:{line}: Failure", ALL},
    {CAUSE, "unknown file: Failure", ALL},
};

static const struct rule catch2[] = {
    {NOISE, "test cases: {any}"},
    {NOISE, "assertions: {any}"},
    {CAUSE, "{path}:{line}: FAILED:", MESSAGE},
};

static const struct rule unittest[] = {
    {END, "======{any}"},
    {END, "Ran {number} test{any} in {any}"},
    {NAME, "FAIL: {code} ({name}){any}", 0, WHOLE},
    {NAME, "ERROR: {code} ({name}){any}", 0, WHOLE},
    {END, "FAILED (failures={any}"},
    {END, "FAILED (errors={any}"},
};

static const struct rule pytest[] = {
    {NAME, "___{any}_ {name} _{any}___"},
    {CHAIN, "The above exception was the direct cause of the following exception:"},
    {CHAIN, "During handling of the above exception, another exception occurred:"},
    {DETAIL, "E   {any}"},
    {CAUSE, "E   {message}"},
    {BEFORE, "{path.py}:{line}: in {any}"},
    {BEFORE, "{path.py}:{line}: "},
    {PLACE, "{path.py}:{line}: {exception}", 0, OVERRIDES},
    {NOISE, "FAILED {path.py}::{any}"},
    {NOISE, "ERROR {path.py}{any}"},
};

static const struct rule go_test[] = {
    {NAME, "=== RUN { }{name}", 0, HOLDS},
    {PASSED, "{ }--- PASS: {any}"},
    {PASSED, "{ }--- SKIP: {any}"},
    {NAME, "{ }--- FAIL: {name} ({any})"},
    {NOISE, "FAIL"},
    {NOISE, "FAIL\t{any}"},
    {NOISE, "{ }testing.go:{number}: race detected during execution of test"},
    {CAUSE, "    { }{path.go}:{line}: {message}", INDENTED, HELD},
};

static const struct rule jest[] = {
    {NAME, "  ● {name}"},
    {CAUSE, "    {message}", PARAGRAPH, AFTER_NAME},
    {JOIN, "    {message:Expected}", 0, LIST},
    {JOIN, "    {message:Received}", 0, LIST},
    {DETAIL, "    > {number} |{any}"},
    {PLACE, "      at {any} ({path}:{line}:{column})"},
    {PLACE, "      at {path}:{line}:{column}"},
    {END, "Test Suites: {any}"},
};

static const struct rule junit5[] = {
    {NAME, "  JUnit {any}:{name}"},         {PLACE, "       org.junit.{any}"},
    {PLACE, "       java.{any}"},           {PLACE, "       {any}({path.java}:{line})"},
    {SERIES, "     Caused by: {message}"},  {CAUSE, "    => {message}", PARAGRAPH},
    {END, "Test run finished after {any}"}, {NOISE, "[ {any} ]"},
};

/* Test Anything Protocol, with what bats adds. */
static const struct rule tap[] = {
    {PLACE, "# (in test file {path}, line {line})"},
    {PLACE, "# {any}in test file {path}, line {line})"},
    {PLACE, "{ }{any} ({path}:{line}:{column})"},
    {PLACE, "  location: '{path}:{line}:{column}'"},
    {JOIN, "# { }`{message}' failed{any}"},
    {JOIN, "  error: '{message}'"},
    {DETAIL, "# {any}"},
    {END, "ok {number} {any}"},
    {CAUSE, "not ok {number} - {message}", INDENTED},
    {CAUSE, "not ok {number} {message}", INDENTED},
};

const struct family families_test[] = {
    FAMILY("gtest", gtest, DIAG_TEST),
    FAMILY("catch2", catch2, DIAG_TEST),
    FAMILY("unittest", unittest, DIAG_TEST),
    FAMILY("pytest", pytest, DIAG_TEST),
    FAMILY("go-test", go_test, DIAG_TEST),
    FAMILY("jest", jest, DIAG_TEST),
    FAMILY("junit5", junit5, DIAG_TEST),
    FAMILY("tap", tap, DIAG_TEST),
    {.name = NULL},
};
