/* What judges sources by more than the language, formats them, or packs them for the web. */
#include "cmd/bep-reduce/rules.h"

static const struct rule eslint[] = {
    {NOISE, "{any} problem{any} ({any} error{any}, {any} warning{any})"},
    {NOISE, "{any} potentially fixable with the `--fix` option."},
    {CAUSE, "{ }{line}:{column} { }{severity} { }{message}  { }{code}"},
    {CAUSE, "{ }{line}:{column} { }{severity} { }{message}"},
    {CAUSE, "{ }{line}:{column} { }✖ { }{message}  { }{code}"}, /* stylelint */
    {FILE_OF, "{path.js}"},
    {FILE_OF, "{path.jsx}"},
    {FILE_OF, "{path.mjs}"},
    {FILE_OF, "{path.cjs}"},
    {FILE_OF, "{path.ts}"},
    {FILE_OF, "{path.tsx}"},
    {FILE_OF, "{path.vue}"},
    {FILE_OF, "{path.css}"},
    {FILE_OF, "{path.scss}"},
    {FILE_OF, "{path.md}"},
    {FILE_OF, "{path.yaml}"},
    {FILE_OF, "{path.yml}"},
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
    {BEFORE, "{path}:{line}:{column} {code} {any}━━━{any}"}, /* Biome */
    {CAUSE, "  ✖ {message}", INDENTED, NEEDS_PLACE},
};

/* Log lines of Abseil, glog and klog, which begin as lints do. */
static const struct rule glog[] = {
    {CAUSE, "F{number} {word} { }{number} {path}:{line}] {message}"},
    {CAUSE, "E{number} {word} { }{number} {path}:{line}] {message}", 0, WEAK},
    {NOISE, "W{number} {word} { }{number} {path}:{line}] {any}"},
    {NOISE, "*** Check failure stack trace: ***"},
    {NOISE, "    @ { }0x{hex}  {any}"},
};

static const struct rule ruff[] = {
    {NOISE, "Found {number} error{any}"},
    {NOISE, "[*] {any} fixable with {any}"},
    {PLACE, "{ }--> {path}:{line}:{column}"},
    {DETAIL, "help: {any}"},
    {CAUSE, "{lint} [*] {message}", INDENTED, NEEDS_PLACE},
    {CAUSE, "{lint} {message}", INDENTED, NEEDS_PLACE},
};

static const struct rule pyright[] = {
    {NOISE, "{number} error{any}, {number} warning{any}, {any}"},
    {CAUSE, "{ }{path}:{line}:{column} - {severity}: {message}", INDENTED},
    {CAUSE, "{ }{severity} • {message} • {path}:{line}:{column} • {code}"}, /* Dart */
};

static const struct rule shellcheck[] = {
    {NOISE, "For more information:"},
    {NOISE, "  https://www.shellcheck.net/{any}"},
    {FILE_OF, "In {path} line {line}:"},
    {CAUSE, "{ }^-- {lint} ({word}): {message}"}, /* even a matter of style fails the run */
    {CAUSE, "{ }^{any}^ {lint} ({word}): {message}"},
};

static const struct rule formatters[] = {
    {NOISE, "Oh no! {any}"},
    {NOISE, "{number} file{any} would be reformatted{any}"},
    {NOISE, "{number} file{any} failed to reformat{any}"},
    {NOISE, "Checking formatting..."},
    {CAUSE, "error: cannot format {path}: Cannot parse{any}: {line}:{column}: {any}", 0, WHOLE},
    {CAUSE, "error: cannot format {path}: {message}", 0, NO_LINE},
    {CAUSE, "would reformat {path}", 0, WHOLE | NO_LINE},
    {CAUSE, "ERROR: {path} {message:Imports are }", 0, NO_LINE},
    {CAUSE, "Diff in {path} at line {line}:", INDENTED, WHOLE},
    {CAUSE, "Diff in {path}:{line}:", INDENTED, WHOLE},
    {CAUSE, "[error] {path}: {message} ({line}:{column})"}, /* Prettier */
    {NOISE, "[error] > {number} |{any}"},
    {NOISE, "[error] { }{number} |{any}"},
    {NOISE, "[error] { }|{any}"},
    {CAUSE, "[warn] {message:Code style issues }", 0, NO_LINE},
    {FILE_OF, "[warn] {path}"},
};

static const struct rule other_linters[] = {
    {CAUSE, "{path}:{line} {lint} {word}: {message}"},  /* Hadolint */
    {CAUSE, "{path}:{line}:{column} {lint}/{message}"}, /* markdownlint */
    {CAUSE, "{path}:{line} {lint}/{message}"},          {CAUSE, ">> Issue: {message}"}, /* Bandit */
    {PLACE, "{ }Location: {path}:{line}:{column}"},
};

/* Bundlers print a module's name and then what is wrong with it, or the other way round. */
static const struct rule bundlers[] = {
    {NOISE, "webpack {any} compiled with {any}"},
    {CAUSE, "ERROR in {path} {line}:{number}-{number}", PARAGRAPH},
    {CAUSE, "ERROR in {path} {line}:{number}", PARAGRAPH},
    {CAUSE, "ERROR in {path}({line},{column})", PARAGRAPH},
    {CAUSE, "ERROR in {path}:{line}:{column}", PARAGRAPH},
    {CAUSE, "ERROR in {path}", PARAGRAPH, NO_LINE},
    {CAUSE, "✘ [ERROR] {message}", INDENTED, CARET}, /* esbuild */
    {CAUSE, "X [ERROR] {message}", INDENTED, CARET},
    {PLACE, "    {path}:{line}:{number}:"},
    {CAUSE, "[!] {message}", INDENTED}, /* Rollup */
    {PLACE, "{path} ({line}:{column})"},
    {CAUSE, "{exception}Error: {path}: {message} ({line}:{number})", INDENTED, CARET}, /* Babel */
    {CAUSE, "{exception}Error: {message} in {path} on line {line}, column {column}:", SOURCE},
};

static const struct rule idl[] = {
    {CAUSE, "[{severity}:{path}:{line}] {any}", PARAGRAPH},                        /* Thrift */
    {CAUSE, "STATIC ERROR: {path}:{line}:{column}-{number}: {message}", INDENTED}, /* Jsonnet */
    {CAUSE, "STATIC ERROR: {path}:{line}:{column}: {message}", INDENTED},
    {CAUSE, "RUNTIME ERROR: {message}", INDENTED},
    {PLACE, "{ }{path}:{line}:{column}-{number}{any}"},
};

const struct family families_linter[] = {
    FAMILY("glog", glog, DIAG_UNKNOWN),
    FAMILY("eslint", eslint, DIAG_COMPILATION),
    FAMILY("swc", swc, DIAG_COMPILATION),
    FAMILY("ruff", ruff, DIAG_COMPILATION),
    FAMILY("pyright", pyright, DIAG_COMPILATION),
    FAMILY("shellcheck", shellcheck, DIAG_COMPILATION),
    FAMILY("formatters", formatters, DIAG_COMPILATION),
    FAMILY("other-linters", other_linters, DIAG_COMPILATION),
    FAMILY("bundlers", bundlers, DIAG_COMPILATION),
    FAMILY("idl", idl, DIAG_COMPILATION),
    {.name = NULL},
};
