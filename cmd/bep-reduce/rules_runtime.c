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
    {PLACE, "{ }at {any}({path.java}:{line})"},
    {PLACE, "{ }at {any}(Native Method)"},
    {PLACE, "{ }at {any}(Unknown Source)"},
    {PLACE, "{ }at {any} ({path}:{line}:{column})"},
    {PLACE, "{ }at {path}:{line}:{column}"},
    {PLACE, "{ }at {any} (node:{any})"},
    {PLACE, "{ }at node:{any}"},
    {PLACE, "{ }at {any} (<anonymous>)"},
    {SERIES, "Caused by: {message}"},
    {NOISE, "{ }... {number} more"},
    {NOISE, "{ }... {number} lines matching cause stack trace ..."},
    {NOISE, "Node.js v{any}"},
    {BEFORE, "{path.js}:{line}"},
    {BEFORE, "{path.cjs}:{line}"},
    {BEFORE, "{path.mjs}:{line}"},
    {BEFORE, "{path.ts}:{line}"},
    {CAUSE, "Exception in thread \"{any}\" {message}", PARAGRAPH, NEEDS_PLACE},
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
    {CAUSE, "thread {any} panicked at '{message}', {path}:{line}:{column}"},
    {CAUSE, "thread {any} panicked at {path}:{line}:{column}:", MESSAGE},
};

static const struct rule go_panic[] = {
    {PLACE, "{ }{path.go}:{line} +0x{hex}"},
    {PLACE, "{ }{path.go}:{line}"},
    {NOISE, "goroutine {number} [{any}]:"},
    {NOISE, "exit status {number}"},
    {DETAIL, "[signal {any}"},
    {CAUSE, "{message:panic: } [recovered{any}", 0, NEEDS_PLACE},
    {CAUSE, "panic: {any}", 0, NEEDS_PLACE | WHOLE},
    {CAUSE, "fatal error: {any}", 0, NEEDS_PLACE | WHOLE},
    {CAUSE, "WARNING: DATA RACE", 0, WHOLE},
};

static const struct rule sanitizers[] = {
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
    {CAUSE, "{path}:{line}:{column}: runtime error: {message}", INDENTED},
    {NOISE, "ThreadSanitizer: reported {number} warnings"},
    {CAUSE, "WARNING: {message:ThreadSanitizer: } (pid={number})"},
    {CAUSE, "{message:LeakSanitizer: }"},
};

static const struct rule c_runtime[] = {
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
    FAMILY("c-runtime", c_runtime, DIAG_UNKNOWN),
    FAMILY("go-panic", go_panic, DIAG_UNKNOWN),
    {.name = NULL},
};
