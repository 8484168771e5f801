/* Shells, what Bazel wraps around a test, and words that any tool may use. */
#include "cmd/bep-reduce/rules.h"

/* Around a test's log, and what --sandbox_debug makes the sandbox say. */
static const struct rule bazel_wrapper[] = {
    {NOISE, "exec ${any} || exit 1"},
    {NOISE, "Executing tests from {any}"},
    {NOISE, "-----------------------------------------------------------------------------"},
    {NOISE, "-- Test timed out at {any}"},
    {NOISE, "Failed to determine workspace status: Process exited with status {number}"},
    {NOISE, "Coverage runner: {any}"},
    {NOISE, "The following commands failed with status {any}"},
    {NOISE, "/{code}.runfiles/{code}"},
    {NOISE, "--"},
    {NOISE, "{any}/test-setup.sh: line {number}: {any}"},
    {NOISE, "+ exit {number}"},
    {NOISE, "{any}src/main/tools/linux-sandbox{any}"},
    {NOISE, "{any}src/main/tools/process-wrapper{any}"},
    {CAUSE, "{message:undeclared inclusion(s) in rule }", PARAGRAPH, 0, DIAG_COMPILATION},
    {CAUSE, "{message:missing input file }"},
    {CAUSE, "{message:Failed to query remote execution capabilities: }", 0, 0, DIAG_REMOTE},
    {CAUSE, "{message:Failed to fetch blobs because they do not exist remotely}", 0, 0,
     DIAG_REMOTE},
    {CAUSE, "{message:UNAVAILABLE: }", 0, WEAK_IN_LOG, DIAG_REMOTE},
    {CAUSE, "com.google.devtools.build.lib.remote.{word}: {message}", 0, 0, DIAG_REMOTE},
    {CAUSE, "{message:failed to create symbolic link }"},
    {CAUSE, "{any}: {message:output '}"},
    {CAUSE, "{any}: {message:declared output '}"},
    {NOISE, "[{number}]{any} Aborted {any}"},
    {NOISE, "[{number}]{any} Segmentation fault {any}"},
    {NOISE, "[{number}]{any} Killed {any}"},
};

static const struct rule shell[] = {
    {DETAIL, "{path}: line {line}: `{any}'"},
    {DETAIL, "{word}: line {number}: `{any}'"},
    {CAUSE, "{path}: line {line}: { }{number} {message}"},
    {CAUSE, "{path}: line {line}: {message}"},
    {CAUSE, "{word}: line {number}: {message}"},
    {CAUSE, "{path.sh}: {line}: {message}"},
    {CAUSE, "{word}sh: {number}: {message}"},
    {CAUSE, "{word}sh: -c: line {number}: {message}"},
};

static const struct rule build_tools[] = {
    {NOISE, "_____ {any} BUILD LOGS _____"}, /* rules_foreign_cc */
    {NOISE, "rules_foreign_cc: {any}"},
    {CAUSE, "CMake Error at {path}:{line} ({any}):", MESSAGE},
    {CAUSE, "CMake Error: {message}", NOTHING, WEAK},
    {NOISE, "-- Configuring incomplete, errors occurred!"},
    {NOISE, "See also \"{any}CMake{any}.log\"."},
    {NOISE, "configure: error: in `{any}':"},
    {NOISE, "See `config.log' for more details{any}"},
    {NOISE, "ninja: build stopped: {any}"},
    {NOISE, "tar: Error is not recoverable: exiting now"},
    {NOISE, "tar: Exiting with failure status due to previous errors"},
    {NOISE, "tar: Child returned status {number}"},
    {NOISE, "jq: {number} compile error{any}"},
    {NOISE, "BEGIN failed--compilation aborted at {any}"},
    {NOISE, "Compilation failed in require at {any}"},
    {NOISE, "Execution of {any} aborted due to compilation errors."},
    {CAUSE, "{message} at {path} line {line}.", NOTHING, WEAK_IN_LOG}, /* Perl */
    {CAUSE, "{message} at {path} line {line}, near {any}", NOTHING, WEAK_IN_LOG},
    {CAUSE, "{word}: *** {message}  Stop."},
    {CAUSE, "make: *** [{path}:{line}: {any}] Error {number}", NOTHING, WEAK | WHOLE},
};

static const struct rule located[] = {
    {CAUSE, "{path}:{line}:{column}: {severity}: {message}", INDENTED, WEAK_IN_LOG},
    {CAUSE, "{path}:{line}:{column}: {message}", INDENTED, WEAK_IN_LOG},
    {CAUSE, "{path}:{line}: {message}", INDENTED, WEAK_IN_LOG},
    {CAUSE, "{path}:{line}:{column}:{message}", INDENTED, WEAK_IN_LOG},
    {CAUSE, "{severity}({number}): {path}:{line}:{column}: {message}", INDENTED, WEAK_IN_LOG},
    {CAUSE, "[{severity}] {path}:{line}:{column}: {message}", INDENTED, WEAK_IN_LOG},
    {CAUSE, "[{severity}] {path}:{line}: {message}", INDENTED, WEAK_IN_LOG},
    {CAUSE, "[{severity}] {path}:[{line},{column}] {message}", INDENTED, WEAK_IN_LOG},
    {CAUSE, "{path}: line {line}, col {column}, {severity} - {message}", NOTHING, WEAK_IN_LOG},
    {CAUSE, "{ }{path}:{line}: {column}: {severity}: {message}", INDENTED, WEAK_IN_LOG},
    {CAUSE, "{word}: {path}:{line}:{column}: {message}", INDENTED, WEAK_IN_LOG},
    {CAUSE, "{word}: {path}:{line}: {message}", INDENTED, WEAK_IN_LOG},
};

static const struct rule words[] = {
    {CAUSE, "ERROR: {message}", INDENTED, WEAK},
    {CAUSE, "Error: {message}", INDENTED, WEAK},
    {CAUSE, "error: {message}", INDENTED, WEAK},
    {CAUSE, "FATAL: {message}", INDENTED, WEAK},
    {CAUSE, "fatal: {message}", INDENTED, WEAK},
    {CAUSE, "FAIL: {message}", INDENTED, WEAK},
    {CAUSE, "FAILED: {message}", INDENTED, WEAK},
    {CAUSE, "{word}: error: {message}", INDENTED, WEAK},
    {CAUSE, "Error in {any} : {message}", INDENTED, WEAK}, /* R */
    {NOISE, "Execution halted"},
    {CAUSE, "{word}: fatal: {message}", INDENTED, WEAK},
    {CAUSE, "{word} ERROR {message}", INDENTED, WEAK},
    {CAUSE, "{word} {word} ERROR {message}", INDENTED, WEAK},
    {CAUSE, "{word} FATAL {message}", INDENTED, WEAK},
    {CAUSE, "{word} {word} FATAL {message}", INDENTED, WEAK},
    {CAUSE, "{any}[ERROR] {message}", INDENTED, WEAK},
    {CAUSE, "{message:Segmentation fault}", NOTHING, WEAK},
};

/* What differs, where a golden file is compared and nothing else is said. */
static const struct rule diff[] = {
    {CAUSE, "@@ -{any} @@{any}", MESSAGE, WEAK | LAST},
    {CAUSE, "{number}c{number}", MESSAGE, WEAK | LAST},
    {CAUSE, "{number},{number}c{number},{number}", MESSAGE, WEAK | LAST},
    {CAUSE, "{number}a{number}", MESSAGE, WEAK | LAST},
    {CAUSE, "{number}d{number}", MESSAGE, WEAK | LAST},
    {CAUSE, "{message:Binary files } differ", 0, WEAK | LAST},
};

const struct family families_general[] = {
    FAMILY("shell", shell, DIAG_UNKNOWN),     FAMILY("build-tools", build_tools, DIAG_UNKNOWN),
    FAMILY("located", located, DIAG_UNKNOWN), FAMILY("words", words, DIAG_UNKNOWN),
    FAMILY("diff", diff, DIAG_UNKNOWN),       {.name = NULL},
};

const struct family families_wrapper[] = {
    FAMILY("bazel", bazel_wrapper, DIAG_UNKNOWN),
    {.name = NULL},
};
