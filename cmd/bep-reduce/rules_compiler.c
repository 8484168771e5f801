/* Compilers. */
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
    {CAUSE, "{path}:{line}:{column}-{number}: {severity}: {message}", INDENTED},
    {CAUSE, "{path}:{line}.{column}: {severity}: {message}", INDENTED}, /* Bison */
    {CAUSE, "{path}:{line}.{column}-{number}: {severity}: {message}", INDENTED},
    {CAUSE, "{path}:{line}.{column}-{number}.{number}: {severity}: {message}", INDENTED},
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
    {CAUSE, "error: {message:warnings found and -Werror specified}", 0, WEAK | OF_WARNINGS},
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
    {CAUSE, "{path.proto} is imported, but {any}", 0, WHOLE},
    {CAUSE, "{path.proto}: {message}", 0, NO_LINE},
    {CAUSE, "--{word}_out: {path.proto}: {message}", 0, NO_LINE},
    {CAUSE, "--{word}_out: {any}: Plugin failed with status code {number}.", 0, WEAK | WHOLE},
    {CAUSE, "--{word}_out: {message}", 0, WEAK},
    {CAUSE, "protoc-gen-{word}: {message}", 0, WEAK},
};

/* TypeScript's two ways, and those of MSVC, C#, nvcc and D. */
static const struct rule tsc[] = {
    {NOISE, "Found {number} error{any}"},
    {NOISE, "{number} error{any} detected in the compilation of {any}"},
    {CAUSE, "unknown location(0): {severity}: {message}"}, /* Boost.Test */
    {PLACE, "{path}({line}): last checkpoint{any}"},
    {CAUSE, "{path}({line},{column}): {severity} {code}: {message}", INDENTED},
    {CAUSE, "{path}({line},{column}): {severity}: {message}", INDENTED},
    {CAUSE, "{path}({line}): {severity} {code}: {message}", INDENTED},
    {CAUSE, "{path}({line}): {severity}: {message}", INDENTED},
    {CAUSE, "{path}:{line}:{column} - {severity} {code}: {message}", PARAGRAPH},
    {CAUSE, "error {code}: {message}", INDENTED},
};

/* Scala 3 says in its first lines what kind of error it is, and below the source line what it is. */
static const struct rule scalac[] = {
    {NOISE, "{number} error{any} found"},
    {NOISE, "one error found"},
    {CAUSE, "error: {message:No warnings can be incurred under }", 0, WEAK | OF_WARNINGS},
    {NOISE, "java.lang.RuntimeException: Build failed"}, /* rules_scala's worker */
    {NOISE, "{ }at io.bazel.{any}"},
    {CAUSE, "{path.scala}:{line}: {severity}: {message}", SOURCE, CARET},
    {CAUSE, "{path.scala}:{line}:{column}: {severity}: {message}", INDENTED},
    {JOIN, " {message:found }", 0, LIST},
    {JOIN, " {message:required:}", 0, LIST},
    {JOIN, "{ }|{ }{message:Found:}"},
    {JOIN, "{ }|{ }{message:Required:}", 0, LIST},
    {JOIN, "{ }|{ }{message:Not found: }"},
    {JOIN, "{ }|{ }{message:value }"},
    {CAUSE, "-- [{code}] {message}: {path}:{line}:{column} -{any}", INDENTED},
    {CAUSE, "-- {message}: {path}:{line}:{column} -{any}", INDENTED},
};

/* Kotlin's compiler through its build tools. */
static const struct rule kotlinc[] = {
    {CAUSE, "e: {path}:{line}:{column} {message}", INDENTED},
    {CAUSE, "e: {path}: ({line}, {column}): {message}", INDENTED},
    {CAUSE, "w: {path}:{line}:{column} {message}", INDENTED, 0, 0, DIAG_WARNING},
    {CAUSE, "error: {path}:{line}:{column}: {message}", INDENTED},
    {CAUSE, "error: {path}:{line}:{column} {message}", INDENTED},
    {CAUSE, "error: {path}:{line}: {message}", INDENTED},
};

/* GHC says what is wrong on the lines below the place. */
static const struct rule ghc[] = {
    {CAUSE, "{path.hs}:{line}:{column}: {severity}:", INDENTED},
    {CAUSE, "{path.hs}:{line}:{column}: {severity}: [{any}]", INDENTED},
};

/* OCaml and gfortran say the place before the error. */
static const struct rule place_first[] = {
    {BEFORE, "File \"{path}\", line {line}, characters {column}-{number}:"},
    {BEFORE, "{path.f90}:{line}:{column}:"},
    {BEFORE, "{path.F90}:{line}:{column}:"},
    {BEFORE, "{path.f}:{line}:{column}:"},
    {BEFORE, "{path.f03}:{line}:{column}:"},
    {BEFORE, "{path.f08}:{line}:{column}:"},
};

const struct family families_compiler[] = {
    FAMILY("javac", javac, DIAG_COMPILATION),
    FAMILY("ghc", ghc, DIAG_COMPILATION),
    FAMILY("scalac", scalac, DIAG_COMPILATION),
    FAMILY("kotlinc", kotlinc, DIAG_COMPILATION),
    FAMILY("gcc", gcc, DIAG_COMPILATION),
    FAMILY("drivers", drivers, DIAG_COMPILATION),
    FAMILY("tsc", tsc, DIAG_COMPILATION),
    FAMILY("rustc", rustc, DIAG_COMPILATION),
    FAMILY("go", go, DIAG_COMPILATION),
    FAMILY("protoc", protoc, DIAG_COMPILATION),
    FAMILY("place-first", place_first, DIAG_COMPILATION),
    {.name = NULL},
};
