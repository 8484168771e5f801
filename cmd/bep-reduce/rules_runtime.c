/* How programs end by themselves: tracebacks, exceptions, panics, sanitizer reports, failed assertions. */
#include "cmd/bep-reduce/rules.h"

static const struct rule python[] = {
    {TRACE, "{any}Traceback (most recent call last):"},
    {BEFORE, "  File \"{path}\", line {line}, in {any}", 0, OPENS_TRACE},
    {BEFORE, "  File \"{path}\", line {line}", 0, OPENS_TRACE},
    {NOISE, "  File \"{any}\", line {number}{any}"},
    {CHAIN, "The above exception was the direct cause of the following exception:"},
    {CHAIN, "During handling of the above exception, another exception occurred:"},
    {NOISE, "----------------"},
    {NOISE, "Note: The failure of target {any}"},
    {NOISE, "{exception}Group: {any} ({number} sub-exception{any}"},
    {NOISE, "AssertionError: Failed doctest test for {any}"},
    {NOISE, "ImportError: Failed to import test module: {any}"},
    {PLACE, "  in \"{path}\", line {line}, column {column}"}, /* PyYAML */
    {CAUSE, "Fatal Python error: {any}", 0, WHOLE},
    {PLACE, "  File \"{path}\", line {line} in {any}"},
    {CAUSE, "Sorry: {message} ({path}, line {line})"},
    {CAUSE, "{exception}: {message}", PARAGRAPH, IN_TRACE | WHOLE},
    {CAUSE, "{exception}", PARAGRAPH, IN_TRACE | WHOLE},
    {CAUSE, "{path}:{line}: {exception}Warning: {message}", INDENTED, 0, 0, DIAG_WARNING},
};

/* The runners of Java and JavaScript show frames of themselves; they have no path that could be the user's. */
static const struct rule exceptions[] = {
    {PLACE, "{ }at java.{any}"},
    {PLACE, "{ }at javax.{any}"},
    {PLACE, "{ }at jdk.{any}"},
    {PLACE, "{ }at sun.{any}"},
    {PLACE, "{ }at com.sun.{any}"},
    {PLACE, "{ }at junit.{any}"},
    {PLACE, "{ }at org.junit.{any}"},
    {PLACE, "{ }at org.opentest4j.{any}"},
    {PLACE, "{ }at com.google.testing.{any}"},
    {PLACE, "{ }at com.google.common.{any}"},
    {PLACE, "{ }at org.hamcrest.{any}"},
    {PLACE, "{ }at org.mockito.{any}"},
    {PLACE, "{ }at org.assertj.{any}"},
    {PLACE, "{ }at kotlin.{any}"},
    {PLACE, "{ }at scala.{any}"},
    {PLACE, "{ }at org.scalatest.{any}"},
    {PLACE, "{ }at io.bazel.{any}"},
    {PLACE, "{ }at {name}({path}:{line})"},
    {PLACE, "{ }at {any}(Native Method)"},
    {PLACE, "{ }at {any}(Unknown Source)"},
    {PLACE, "{ }at {any} ({path}:{line}:{column})"},
    {PLACE, "{ }at {path}:{line}:{column}"},
    {PLACE, "{ }at {any} (node:{any})"},
    {PLACE, "{ }at node:{any}"},
    {PLACE, "{ }at {any} (<anonymous>)"},
    {PLACE, "{ }❯ {path}:{line}:{column}"}, /* Vitest */
    {PLACE, "{ }❯ {any} {path}:{line}:{column}"},
    {PLACE, "  {path} {line}:{column}  {any}"},    /* Sass */
    {PLACE, "  on {path} line {line}, in {any}:"}, /* Terraform */
    {PLACE, "  on {path} line {line}:"},
    {PLACE, "{ }--> {path}:{line}:{column}:"}, /* Solidity */
    {SERIES, "Caused by: {message}"},
    {SERIES, "{ }[cause]: {message}"},
    {NOISE, "{ }... {number} more"},
    {NOISE, "{ }... {number} trimmed"},
    {NOISE, "{ }... {number} lines matching cause stack trace ..."},
    {NOISE, "Node.js v{any}"},
    {BEFORE, "{path.js}:{line}"},
    {BEFORE, "{path.cjs}:{line}"},
    {BEFORE, "{path.mjs}:{line}"},
    {BEFORE, "{path.ts}:{line}"},
    {NAME, "{number}) {name}({exception})"}, /* JUnit 4 */
    {CAUSE, "{message}", MESSAGE, AFTER_NAME},
    {CAUSE, "Condition not satisfied:", PARAGRAPH, NEEDS_PLACE | WHOLE}, /* Spock */
    {CAUSE, "Exception in thread \"{any}\" {message}", PARAGRAPH, NEEDS_PLACE},
    {CAUSE, "Error [ERR_MODULE_NOT_FOUND]: {any} imported from {path}", PARAGRAPH, WHOLE | NO_LINE},
    {CAUSE, "{ }{exception}Error: {message}", PARAGRAPH, NEEDS_PLACE | WHOLE},
    {CAUSE, "{ }{exception}Error [{code}]: {message}", PARAGRAPH, NEEDS_PLACE | WHOLE},
    {CAUSE, "{ }{exception}Exception: {message}", PARAGRAPH, NEEDS_PLACE | WHOLE},
    {CAUSE, "{ }{exception}.{exception}Error", PARAGRAPH, NEEDS_PLACE | WHOLE},
    {CAUSE, "{ }{exception}.{exception}Exception", PARAGRAPH, NEEDS_PLACE | WHOLE},
};

static const struct rule rust_panic[] = {
    {NOISE, "note: run with `RUST_BACKTRACE{any}"},
    {NOISE, "note: Some details are omitted, run with `RUST_BACKTRACE{any}"},
    {NOISE, "stack backtrace:"},
    {NAME, "---- {name} stdout ----"},
    {END, "failures:"},
    {END, "test result: {any}"},
    {CAUSE, "{message:Error: }", NOTHING, AFTER_NAME},
    {CAUSE, "{message:note: test did not panic } at {path}:{line}:{column}", 0, AFTER_NAME},
    {CAUSE, "{message:note: test did not panic }", 0, AFTER_NAME},
    {CAUSE, "thread {any} panicked at '{message}', {path}:{line}:{column}"},
    {CAUSE, "thread {any} panicked at {path}:{line}:{column}:", MESSAGE},
    {CAUSE, "thread {any} panicked at '{message}", MESSAGE},
    {PLACE, "{message}', {path}:{line}:{column}"},
};

static const struct rule go_panic[] = {
    {PLACE, "{ }_testmain.go:{any}"},
    {PLACE, "{ }{path.go}:{line} +0x{hex}"},
    {PLACE, "{ }{path.go}:{line}"},
    {NOISE, "goroutine {number} [{any}]:"},
    {NOISE, "created by {any}"},
    {NOISE, "exit status {number}"},
    {DETAIL, "[signal {any}"},
    {CAUSE, "{message:panic: } [recovered{any}", 0, NEEDS_PLACE},
    {CAUSE, "panic: {any}", 0, NEEDS_PLACE | WHOLE},
    {CAUSE, "fatal error: {any}", 0, NEEDS_PLACE | WHOLE},
    {CAUSE, "WARNING: DATA RACE", 0, WHOLE},
    {CAUSE, "{number}/{number}/{number} {word} {path.go}:{line}: {message}", 0, WEAK}, /* log */
};

static const struct rule sanitizers[] = {
    {PLACE, "{ }#{number} 0x{hex} in {any} ../{any}"}, /* of the C library, where it was built */
    {PLACE, "{ }#{number} 0x{hex} in {any} {path}:{line}:{column}"},
    {PLACE, "{ }#{number} 0x{hex} in {any} {path}:{line}"},
    {PLACE, "{ }#{number} {any} {path}:{line}:{column} ({any})"},
    {PLACE, "{ }#{number} {any} {path}:{line} ({any})"},
    {PLACE, "{ }#{number} 0x{hex} {any}"},
    {DETAIL, "Direct leak of {any}"},
    {DETAIL, "{any} is located {any}"},
    {NOISE, "SUMMARY: {any}"},
    {NOISE, "{any}Sanitizer:DEADLYSIGNAL"},
    {NOISE, "=={number}==ABORTING"},
    {CAUSE, "=={number}==ERROR: {message} on unknown address {any}"},
    {CAUSE, "=={number}==ERROR: {message} on address {any}"},
    {CAUSE, "=={number}==ERROR: {message}"},
    {CAUSE, "=={number}==WARNING: {message:MemorySanitizer: }"},
    {CAUSE, "{path}:{line}:{column}: runtime error: {message}", INDENTED},
    {NOISE, "ThreadSanitizer: reported {number} warnings"},
    {CAUSE, "WARNING: {message:ThreadSanitizer: } (pid={number})"},
    {CAUSE, "{message:LeakSanitizer: }"},
};

static const struct rule valgrind[] = {
    {PLACE, "=={number}==    {word} 0x{hex}: {any} ({path}:{line})"},
    {PLACE, "=={number}==    {word} 0x{hex}: {any}"},
    {DETAIL, "=={number}==  Address 0x{hex} is {any}"},
    {CAUSE, "=={number}== {message:Invalid }"},
    {CAUSE, "=={number}== {message:Mismatched free() }"},
    {CAUSE, "=={number}== {message:Conditional jump or move depends }"},
    {CAUSE, "=={number}== {message:Use of uninitialised value }"},
    {CAUSE, "=={number}== {message:Syscall param }"},
    {CAUSE, "=={number}== {message:Process terminating with }"},
    {CAUSE, "=={number}== {message} in loss record {any}"},
    {END, "=={number}== {any} SUMMARY:{any}"},
    {NOISE, "=={number}== {any}"},
};

static const struct rule jvm[] = {
    {CAUSE, "#  {message:SIG} at pc={any}"},
    {CAUSE, "# {message:There is insufficient memory }"},
    {DETAIL, "# C  {any}"},
    {DETAIL, "# V  {any}"},
    {DETAIL, "# J {any}"},
    {NOISE, "#"},
    {NOISE, "# {any}"},
};

static const struct rule ruby[] = {
    {PLACE, "\tfrom {path}:{line}:in {any}"},
    {CAUSE, "{path}:{line}:in {any}': {message}"},
};

static const struct rule other_languages[] = {
    {PLACE, "{ }at {any} in {path}:line {line}"}, /* .NET */
    {CAUSE, "Unhandled exception. {message}", 0, NEEDS_PLACE},
    {CAUSE, "PHP {any}: { }{message} in {path} on line {line}"},
    {CAUSE, "** ({exception}) {path}:{line}: {message}"}, /* Elixir */
};

static const struct rule c_runtime[] = {
    {CAUSE, "{message:Assertion failed: }, function {any}, file {path}, line {line}."}, /* macOS */
    {CAUSE, "{message:Assertion failed: }, file {path}, line {line}"}, /* Windows */
    {CAUSE, "{message:Assertion failed: } ({path}: {any}: {line})"},   /* musl */
    {CAUSE, "libc++abi{any}: {message:terminating }"},
    {CAUSE, "{path}:{line}: {any}: {message:Assertion '}"}, /* libstdc++ */
    {CAUSE, "{message:double free or corruption }"},        /* glibc */
    {CAUSE, "*** {message:stack smashing detected }"},
    {CAUSE, "*** {message:buffer overflow detected }"},
    {CAUSE, "{message:free(): }"},
    {CAUSE, "{message:malloc(): }"},
    {CAUSE, "{message:realloc(): }"},
    {CAUSE, "{message:munmap_chunk(): }"},
    {CAUSE, "{message:corrupted size vs. prev_size}"},
    {CAUSE, "{any}: {path}:{line}: {any}: {message:Assertion `}"},
    {CAUSE, "{message:terminate called after throwing an instance of }"},
    {CAUSE, "{message:terminate called without an active exception}"},
    {JOIN, "  what(): { }{message}"},
};

const struct family families_runtime[] = {
    FAMILY("python", python, DIAG_UNKNOWN),
    FAMILY("rust-panic", rust_panic, DIAG_UNKNOWN),
    FAMILY("exceptions", exceptions, DIAG_UNKNOWN),
    FAMILY("sanitizers", sanitizers, DIAG_UNKNOWN),
    FAMILY("valgrind", valgrind, DIAG_UNKNOWN),
    FAMILY("c-runtime", c_runtime, DIAG_UNKNOWN),
    FAMILY("jvm", jvm, DIAG_UNKNOWN),
    FAMILY("ruby", ruby, DIAG_UNKNOWN),
    FAMILY("other-languages", other_languages, DIAG_UNKNOWN),
    FAMILY("go-panic", go_panic, DIAG_UNKNOWN),
    {.name = NULL},
};
