/* Compilers and linters. */
#include "cmd/bep-reduce/rules.h"

/* GCC 12, Clang 14; mypy, buildifier and many others speak like them. */
static const struct rule gcc[] = {
    {NOISE, "{any}: fatal error: too many errors emitted, stopping now{any}"},
    {NOISE, "{any}: all warnings being treated as errors"},
    {NOISE, "compilation terminated{any}"},
    {NOISE, "{number} error{any} generated."},
    {NOISE, "{number} warning{any} generated."},
    {PLACE, "{path}:{line}:{column}: note: in instantiation of {any} requested here"},
    {DETAIL, "{path}:{line}:{column}: note: {any}"},
    {DETAIL, "{path}:{line}: note: {any}"},
    {BEFORE, "{path}:{line}:{column}: { }required from {any}"},
    {BEFORE, "{path}:{line}:{column}: { }required by {any}"},
    {WITHIN, "In file included from {path}:{line}:{column}{any}"},
    {WITHIN, "In file included from {path}:{line}{any}"},
    {WITHIN, "{ }from {path}:{line}:{column}{any}"},
    {WITHIN, "{ }from {path}:{line}{any}"},
    {CAUSE, "{path}:{line}:{column}: {severity}: {message}", INDENTED},
    {CAUSE, "{path}:{line}: {severity}: {message}", SOURCE, CARET},
    {NOISE, "{path}: In {any}:"},
    {NOISE, "{path}: At {any}:"},
    {CAUSE, "{path}: {severity}: {message}", INDENTED, NO_LINE},
};

/* Their drivers. */
static const struct rule drivers[] = {
    {CAUSE, "clang: error: {message}"},    {CAUSE, "clang++: error: {message}"},
    {CAUSE, "gcc: {severity}: {message}"}, {CAUSE, "g++: {severity}: {message}"},
    {CAUSE, "cc1: {severity}: {message}"}, {CAUSE, "cc1plus: {severity}: {message}"},
};

static const struct rule rustc[] = {
    {NOISE, "error: aborting due to {any}"},
    {NOISE, "error: could not compile {any}"},
    {NOISE, "warning: {any} warning{any} emitted"},
    {NOISE, "For more information about this error{any}"},
    {NOISE, "Some errors have detailed explanations{any}"},
    {PLACE, "{ }--> {path}:{line}:{column}"},
    {PLACE, "{ }::: {path}:{line}:{column}"},
    {CAUSE, "error[{code}]: {message}", INDENTED},
    {CAUSE, "warning[{code}]: {message}", INDENTED, 0, 0, DIAG_WARNING},
    {CAUSE, "error: {message}", INDENTED, NEEDS_PLACE},
    {CAUSE, "warning: {message}", INDENTED, NEEDS_PLACE, 0, DIAG_WARNING},
    {DETAIL, "note: {any}"},
    {DETAIL, "help: {any}"},
};

static const struct rule javac[] = {
    {NOISE, "{number} error"},
    {NOISE, "{number} errors"},
    {NOISE, "{number} warning"},
    {NOISE, "{number} warnings"},
    {NOISE, "Note: {any}"},
    {JOIN, "  symbol: { }{message}"},
    {CAUSE, "{path.java}:{line}: error: {message}", SOURCE, CARET},
    {CAUSE, "{path.java}:{line}: warning: {message}", SOURCE, CARET, 0, DIAG_WARNING},
};

/* The Go compiler and vet have no word for "error" in their lines; protoc neither. */
static const struct rule go[] = {
    {NOISE, "# {code}"},
    {NOISE, "compilepkg: error running subcommand {any}"},
    {NOISE, "{path}:{line}:{column}: too many errors"},
    {NOISE, "too many errors"},
    {NAME, "{name}: missing strict dependencies:", 0, WHOLE},
    {NOISE, "No dependencies were provided."},
    {NOISE, "Check that imports in Go sources match importpath attributes in deps."},
    {CAUSE, "{ }{path.go}: {message:import of }", 0, NO_LINE | NAMED},
    {CAUSE, "vet: {path}:{line}:{column}: {message}", INDENTED},
    {CAUSE, "{path.go}:{line}:{column}: {message}", INDENTED},
};

static const struct rule protoc[] = {
    {NOISE, "{path.proto}: File not found."},
};

/* TypeScript's two ways, and those of MSVC and C#. */
static const struct rule tsc[] = {
    {NOISE, "Found {number} error{any}"},
    {CAUSE, "{path}({line},{column}): {severity} {code}: {message}", INDENTED},
    {CAUSE, "{path}:{line}:{column} - {severity} {code}: {message}", PARAGRAPH},
    {CAUSE, "error {code}: {message}", INDENTED},
};

static const struct rule eslint[] = {
    {NOISE, "{any} problem{any} ({any} error{any}, {any} warning{any})"},
    {NOISE, "{any} potentially fixable with the `--fix` option."},
    {CAUSE, "{ }{line}:{column} { }{severity} { }{message}  { }{code}"},
    {CAUSE, "{ }{line}:{column} { }{severity} { }{message}"},
    {FILE_OF, "{path.js}"},
    {FILE_OF, "{path.jsx}"},
    {FILE_OF, "{path.mjs}"},
    {FILE_OF, "{path.cjs}"},
    {FILE_OF, "{path.ts}"},
    {FILE_OF, "{path.tsx}"},
    {FILE_OF, "{path.vue}"},
};

/* Scala 3 says in its first lines what kind of error it is, and below the source line what it is. */
static const struct rule scalac[] = {
    {NOISE, "{number} error{any} found"},
    {JOIN, "{ }|{ }{message:Found:}"},
    {JOIN, "{ }|{ }{message:Required:}", 0, LIST},
    {JOIN, "{ }|{ }{message:Not found: }"},
    {JOIN, "{ }|{ }{message:value }"},
    {CAUSE, "-- [{code}] {message}: {path}:{line}:{column} -{any}", INDENTED},
    {CAUSE, "-- {message}: {path}:{line}:{column} -{any}", INDENTED},
};

/* swc, oxc and others that print with miette. Their place is where the excerpt begins. */
static const struct rule swc[] = {
    {NOISE, "Caused by:"},
    {NOISE, "    {number}: {any}"},
    {NOISE, "Error: Failed to compile {any}"},
    {PLACE, "{ },-[{path}:{line}:{column}]"},
    {PLACE, "{ }╭─[{path}:{line}:{column}]"},
    {CAUSE, "  x {message}", INDENTED, NEEDS_PLACE | CARET},
    {CAUSE, "  × {message}", INDENTED, NEEDS_PLACE | CARET},
};

static const struct rule ruff[] = {
    {NOISE, "Found {number} error{any}"},
    {NOISE, "[*] {any} fixable with {any}"},
    {PLACE, "{ }--> {path}:{line}:{column}"},
    {DETAIL, "help: {any}"},
    {CAUSE, "{lint} [*] {message}", INDENTED, NEEDS_PLACE},
    {CAUSE, "{lint} {message}", INDENTED, NEEDS_PLACE},
};

const struct family families_compiler[] = {
    FAMILY("javac", javac, DIAG_COMPILATION),     FAMILY("gcc", gcc, DIAG_COMPILATION),
    FAMILY("drivers", drivers, DIAG_COMPILATION), FAMILY("tsc", tsc, DIAG_COMPILATION),
    FAMILY("rustc", rustc, DIAG_COMPILATION),     FAMILY("go", go, DIAG_COMPILATION),
    FAMILY("protoc", protoc, DIAG_COMPILATION),   FAMILY("scalac", scalac, DIAG_COMPILATION),
    FAMILY("eslint", eslint, DIAG_COMPILATION),   FAMILY("swc", swc, DIAG_COMPILATION),
    FAMILY("ruff", ruff, DIAG_COMPILATION),       {.name = NULL},
};
