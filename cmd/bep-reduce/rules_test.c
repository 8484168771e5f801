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

/* C and C++: cmocka, Unity, Check, Criterion, CppUnit. */
static const struct rule c_test[] = {
    {CAUSE, "[  ERROR   ] --- {message}"},
    {PLACE, "[   LINE   ] --- {path}:{line}: error: Failure!"},
    {CAUSE, "{path}:{line}:{word}:FAIL: {message}"},
    {CAUSE, "{path}:{line}:F:{any}:{any}:{number}: {message}"},
    {CAUSE, "{path}:{line}:E:{any}:{any}:{number}: {message}"},
    {JOIN, "[----]     {message}"},
    {NOISE, "[----]{ }"},
    {CAUSE, "[----] {path}:{line}: {message}"},
    {CAUSE, "{number}) test: {any} line: {line} {path}", MESSAGE},
};

static const struct rule unittest[] = {
    {CAUSE, "======{any}= {message:no tests ran} in {any}", 0, WEAK}, /* pytest */
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
    {JOIN, "E   {message:SyntaxError: }"},
    {JOIN, "E   {message:IndentationError: }"},
    {JOIN, "E   {message:TabError: }"},
    {CAUSE, "E     File \"{path}\", line {line}"},
    {DETAIL, "E   {any}"},
    {CAUSE, "E   {message}"},
    {BEFORE, "{path.py}:{line}: in {any}"},
    {BEFORE, "{path.py}:{line}: "},
    {PLACE, "{path.py}:{line}: {exception}", 0, OVERRIDES},
    {PLACE, "{path.py}:{line}"},
    {CAUSE, "FAILED {path.py}::{name} - {message}", 0,
     WEAK | NO_LINE}, /* all there is with --tb=no */
    {NOISE, "FAILED {path.py}::{any}"},
    {NOISE, "ERROR {path.py}{any}"},
};

/* Of Python's modules doctest and unittest.bash of Bazel, and of Skylib. */
static const struct rule small_frameworks[] = {
    {BEFORE, "File \"{path}\", line {line}, in {any}"},
    {CAUSE, "Failed example:", ALL, WHOLE},
    {END, "**********{any}"},
    {CAUSE, "test_{word} FAILED: {message}"},
    {PLACE, "{path}:{line}: in call to {any}"},
    {CAUSE, "In test {any} from {any}: {message}"},
    {CAUSE, "FAIL in ({any}) ({path}:{line})", MESSAGE}, /* clojure.test */
    {CAUSE, "ERROR in ({any}) ({path}:{line})", MESSAGE},
    {CAUSE, "ASSERT:{message}"},                                                    /* shUnit2 */
    {CAUSE, "✘ Test {any} recorded an issue at {path}:{line}:{column}: {message}"}, /* Swift */
};

static const struct rule go_test[] = {
    {NAME, "=== RUN { }{name}", 0, HOLDS},
    {PASSED, "{ }--- PASS: {any}"},
    {PASSED, "{ }--- SKIP: {any}"},
    {NAME, "{ }--- FAIL: {name} ({any})"},
    {NOISE, "FAIL"},
    {NOISE, "FAIL\t{any}"},
    {NOISE, "{ }testing.go:{number}: race detected during execution of test"},
    {DETAIL, "{ }Error Trace:{any}"}, /* testify */
    {JOIN, "{ }Error:{ }{message}"},
    {JOIN, "{ }{message:expected: }", 0, LIST},
    {JOIN, "{ }{message:actual  : }", 0, LIST},
    {CAUSE, "    { }{path.go}:{line}: {message}", INDENTED, HELD},
    {CAUSE, "    { }{path.go}:{line}:{ }", INDENTED, HELD},
    {CAUSE, "got:", ALL, WHOLE | AFTER_NAME}, /* of an example */
};

static const struct rule ginkgo[] = {
    {CAUSE, "{ }[FAILED] {message}", MESSAGE},  {PLACE, "{ }In [{any}] at: {path}:{line} @{any}"},
    {PLACE, "{ }In [{any}] at: {path}:{line}"}, {END, "Summarizing {any}"},
    {END, "------------------------------"},
};

static const struct rule jest[] = {
    {NAME, "  ● {name}"},
    {CAUSE, "    {message}", PARAGRAPH, AFTER_NAME},
    {JOIN, "    {message:SyntaxError: }"},
    {PLACE, "    {path}:{line}"},
    {JOIN, "    {message:Expected}", 0, LIST},
    {JOIN, "    {message:Received}", 0, LIST},
    {DETAIL, "    > {number} |{any}"},
    {PLACE, "      at {any} ({path}:{line}:{column})"},
    {PLACE, "      at {path}:{line}:{column}"},
    {END, "Test Suites: {any}"},
};

static const struct rule jasmine[] = {
    {CAUSE, "  Message:", INDENTED},
    {PLACE, "{ }at {any} ({path}:{line}:{column})"},
    {NOISE, "{ }at <Jasmine>"},
    {NOISE, "{number} spec{any}, {number} failure{any}"},
    {NAME, "{word} {any} ({any}) {name} FAILED"}, /* Karma */
    {CAUSE, "\t{message}", NOTHING, AFTER_NAME},
};

static const struct rule scalatest[] = {
    {NAME, "{ }- {name} *** FAILED ***"},
    {CAUSE, "{ }{message} ({path.scala}:{line})", 0, AFTER_NAME},
    {CAUSE, "{ }{message}", INDENTED, AFTER_NAME},
    {PLACE, "{ }at {name}({path}:{line})"},
    {NOISE, "*** {number} TEST{any} FAILED ***"},
};

static const struct rule ruby_test[] = {
    {NAME, "  {number}) {name}"}, /* RSpec */
    {CAUSE, "     Failure/Error: {message}", PARAGRAPH},
    {JOIN, "{ }{message:expected: }", 0, LIST},
    {JOIN, "{ }{message:got: }", 0, LIST},
    {PLACE, "     # {path}:{line}:in {any}"},
    {CAUSE, "{word}#{word} [{path}:{line}]:", MESSAGE},     /* Minitest */
    {CAUSE, "{message:Failed asserting that }", PARAGRAPH}, /* PHPUnit */
    {PLACE, "{path.php}:{line}"},
};

static const struct rule dotnet_test[] = {
    {CAUSE, "{ }Error Message:", PARAGRAPH},      {JOIN, "{ }{message:Expected: }", 0, LIST},
    {JOIN, "{ }{message:Actual: }", 0, LIST},     {JOIN, "{ }{message:But was: }", 0, LIST},
    {PLACE, "{ }at {any} in {path}:line {line}"},
};

static const struct rule junit5[] = {
    {NAME, "  JUnit {any}:{name}"},         {PLACE, "       org.junit.{any}"},
    {PLACE, "       java.{any}"},           {PLACE, "       {name}({path}:{line})"},
    {SERIES, "     Caused by: {message}"},  {CAUSE, "    => {message}", PARAGRAPH},
    {END, "Test run finished after {any}"}, {NOISE, "[ {any} ]"},
};

/* Test Anything Protocol, with what bats adds. */
static const struct rule tap[] = {
    {PLACE, "# (in test file {path}, line {line})"},
    {PLACE, "# {any}in test file {path}, line {line})"},
    {PLACE, "#   at {path} line {line}."}, /* Perl */
    {PLACE, "   (in test file {path}, line {line})"},
    {JOIN, "     `{message}' failed{any}"},
    {CAUSE, " ✗ {message}", 0, NEEDS_PLACE},
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
    FAMILY("c-test", c_test, DIAG_TEST),
    FAMILY("unittest", unittest, DIAG_TEST),
    FAMILY("pytest", pytest, DIAG_TEST),
    FAMILY("small-frameworks", small_frameworks, DIAG_TEST),
    FAMILY("go-test", go_test, DIAG_TEST),
    FAMILY("ginkgo", ginkgo, DIAG_TEST),
    FAMILY("jest", jest, DIAG_TEST),
    FAMILY("junit5", junit5, DIAG_TEST),
    FAMILY("jasmine", jasmine, DIAG_TEST),
    FAMILY("scalatest", scalatest, DIAG_TEST),
    FAMILY("dotnet-test", dotnet_test, DIAG_TEST),
    FAMILY("ruby-test", ruby_test, DIAG_TEST),
    FAMILY("tap", tap, DIAG_TEST),
    {.name = NULL},
};
