/* Linkers: GNU ld, gold, lld. */
#include "cmd/bep-reduce/rules.h"

static const struct rule ld[] = {
    {NOISE, "{ }collect2: error: ld returned {any}"},
    {NOISE, "collect2: fatal error: {any}"},
    {NOISE, "{any}: error: linker command failed with exit code {any}"},
    {NOISE, "{word}: {word}: in function `{any}':"},
    {DETAIL, "{word}: {word}: previous definition here"},

    /* gold: object:source:function NAME: error: …; with debug information: source:line: error: … */
    {CAUSE, "{word}.o:{path}:function {any}: error: {message}", 0, NO_LINE | ONCE},
    {CAUSE, "{word}.a({word}):{path}:function {any}: error: {message}", 0, NO_LINE | ONCE},
    {CAUSE, "{path}:{line}: error: {message:undefined reference to }", 0, ONCE},
    {CAUSE, "{word}.o:function {any}: error: {message}", 0, ONCE},
    {CAUSE, "{any}ld.gold: error: {message}", 0, ONCE},

    /* lld */
    {PLACE, "{ }>>> referenced by {any} ({path}:{line})"},
    {PLACE, "{ }>>> referenced by {path}:{line}"},
    {PLACE, "{ }>>> referenced by {path}", 0, NO_LINE},
    {PLACE, "{ }>>> defined at {any} ({path}:{line})"},
    {PLACE, "{ }>>> defined at {path}:{line}"},
    {DETAIL, "{ }>>> {any}"},
    {CAUSE, "{any}lld: error: {message}", 0, ONCE},
    {CAUSE, "{any}lld: warning: {message}", 0, ONCE, 0, DIAG_WARNING},

    /* GNU ld: source:(.section+offset): …; with debug information: source:line: … */
    {CAUSE, "{word}: {word}:{path}:{line}: {message:multiple definition of }", 0, ONCE},
    {CAUSE, "{word}: {path}:{line}: {message:multiple definition of }", 0, ONCE},
    {CAUSE, "{path}:{line}: {message:multiple definition of }", 0, ONCE},
    {CAUSE, "{word}: {path}:{line}: {message:undefined reference to }", 0, ONCE},
    {CAUSE, "{ }{path}:{line}: {message:undefined reference to }", 0, ONCE},
    {CAUSE, "{word}:{number}: {message:undefined reference to }", 0, ONCE},
    {CAUSE, "{word}: {word}:{path}:(.{word}+0x{hex}): {message}", 0, NO_LINE | ONCE},
    {CAUSE, "{word}: {path}:(.{word}+0x{hex}): {message}", 0, NO_LINE | ONCE},
    {CAUSE, "{word}.o:{path}:(.{word}+0x{hex}): {message}", 0, NO_LINE | ONCE},
    {CAUSE, "{ }{path}:(.{word}+0x{hex}): {message}", 0, NO_LINE | ONCE},
    {CAUSE, "{any}ld: warning: {message}", 0, ONCE, 0, DIAG_WARNING},
    {CAUSE, "{any}/ld: {message}", 0, ONCE},
    {CAUSE, "{any}/ld.bfd: {message}", 0, ONCE},
    {CAUSE, "{any}/mold: error: {message}", 0, ONCE},
    {CAUSE, "mold: error: {message}", 0, ONCE},
    {CAUSE, "mold: fatal: {message}", 0, ONCE},
    {CAUSE, "ld: warning: {message}", 0, ONCE, 0, DIAG_WARNING},
    {CAUSE, "ld: {message}", 0, ONCE},
};

/* What calls a linker says only that it failed. */
static const struct rule linking[] = {
    {CAUSE, "error: linking with {any} failed: {any}", 0, WEAK | WHOLE},
    {NOISE, "{ }= note: some arguments are omitted{any}"},
    {NOISE, "{ }= note: use `-l` flag to specify native libraries to link{any}"},
    {NOISE, "{ }= note: some `extern` functions couldn't be found{any}"},
    {NOISE, "{any}/link: running {word} failed: {any}"},
    {NOISE, "{word}: error running subcommand {any}"},
    {CAUSE, "{word}: {message:relocation target }"},
    {CAUSE, "{any}.obj : error {code}: {message}", 0, ONCE},
    {CAUSE, "{word}.lib : error {code}: {message}", 0, ONCE},
    {CAUSE, "LINK : fatal error {code}: {message}", 0, ONCE},
    {CAUSE, "{any} : fatal error {code}: {message}", 0, WEAK},
};

static const struct rule apple_ld[] = {
    {NAME, "Undefined symbols for architecture {name}:", 0, WHOLE},
    {END, "ld: symbol(s) not found for architecture {any}"},
    {CAUSE, "{message:duplicate symbol '} in:", INDENTED},
    {NOISE, "ld: {number} duplicate symbol{any}"},
    {CAUSE, "  \"{any}\", referenced from:", MESSAGE, WHOLE | NAMED},
};

const struct family families_linker[] = {
    FAMILY("apple-ld", apple_ld, DIAG_LINK),
    FAMILY("linking", linking, DIAG_LINK),
    FAMILY("ld", ld, DIAG_LINK),
    {.name = NULL},
};
