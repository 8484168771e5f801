/* Linkers: GNU ld, gold, lld. */
#include "cmd/bep-reduce/rules.h"

static const struct rule ld[] = {
    {NOISE, "collect2: error: ld returned {any}"},
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
    {PLACE, ">>> referenced by {any} ({path}:{line})"},
    {PLACE, ">>> referenced by {path}:{line}"},
    {PLACE, ">>> referenced by {path}", 0, NO_LINE},
    {PLACE, ">>> defined at {any} ({path}:{line})"},
    {PLACE, ">>> defined at {path}:{line}"},
    {DETAIL, ">>> {any}"},
    {CAUSE, "{any}ld.lld: error: {message}", 0, ONCE},
    {CAUSE, "{any}ld.lld: warning: {message}", 0, ONCE, 0, DIAG_WARNING},

    /* GNU ld: source:(.section+offset): …; with debug information: source:line: … */
    {CAUSE, "{word}: {word}:{path}:{line}: {message:multiple definition of }", 0, ONCE},
    {CAUSE, "{word}: {path}:{line}: {message:multiple definition of }", 0, ONCE},
    {CAUSE, "{path}:{line}: {message:multiple definition of }", 0, ONCE},
    {CAUSE, "{word}: {path}:{line}: {message:undefined reference to }", 0, ONCE},
    {CAUSE, "{path}:{line}: {message:undefined reference to }", 0, ONCE},
    {CAUSE, "{word}: {word}:{path}:(.{word}+0x{hex}): {message}", 0, NO_LINE | ONCE},
    {CAUSE, "{word}: {path}:(.{word}+0x{hex}): {message}", 0, NO_LINE | ONCE},
    {CAUSE, "{word}.o:{path}:(.{word}+0x{hex}): {message}", 0, NO_LINE | ONCE},
    {CAUSE, "{path}:(.{word}+0x{hex}): {message}", 0, NO_LINE | ONCE},
    {CAUSE, "{any}ld: warning: {message}", 0, ONCE, 0, DIAG_WARNING},
    {CAUSE, "{any}/ld: {message}", 0, ONCE},
    {CAUSE, "{any}/ld.bfd: {message}", 0, ONCE},
};

static const struct rule apple_ld[] = {
    {NAME, "Undefined symbols for architecture {name}:", 0, WHOLE},
    {END, "ld: symbol(s) not found for architecture {any}"},
    {CAUSE, "  \"{any}\", referenced from:", MESSAGE, WHOLE | NAMED},
};

const struct family families_linker[] = {
    FAMILY("apple-ld", apple_ld, DIAG_LINK),
    FAMILY("ld", ld, DIAG_LINK),
    {.name = NULL},
};
