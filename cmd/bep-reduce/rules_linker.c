/* Linkers: GNU ld, gold, lld. */
#include "cmd/bep-reduce/rules.h"

static const struct rule ld[] = {
    {NOISE, "collect2: error: ld returned {any}"},
    {NOISE, "collect2: fatal error: {any}"},
    {NOISE, "{any}ld: {path}: in function `{any}':"},
    {NOISE, "{path}: in function `{any}':"},
    {DETAIL, "{any}: first defined here"},
    {DETAIL, "{path}: previous definition here"},

    /* gold: object:source:function NAME: error: …; with debug information: object:source:line */
    {CAUSE, "{word}.o:{path}:function {any}: error: {message}", 0, NO_LINE | ONCE},
    {CAUSE, "{word}.o:{path}:{line}: error: {message}", 0, ONCE},
    {CAUSE, "{path}:{line}: error: {message:undefined reference to }", 0, ONCE},
    {CAUSE, "{word}.a({word}):{path}:function {any}: error: {message}", 0, NO_LINE | ONCE},
    {CAUSE, "{any}ld.gold: error: {message}", 0, ONCE},
    {CAUSE, "{any}gold: error: {message}", 0, ONCE},

    /* lld */
    {PLACE, ">>> referenced by {path}:{line}{any}"},
    {PLACE, ">>> referenced by {path}{any}", 0, NO_LINE},
    {PLACE, ">>> defined at {path}:{line}{any}"},
    {DETAIL, ">>> {any}"},
    {CAUSE, "{any}ld.lld: error: {message}", 0, ONCE},
    {CAUSE, "{any}ld64.lld: error: {message}", 0, ONCE},
    {CAUSE, "{any}ld.lld: warning: {message}", 0, ONCE, 0, DIAG_WARNING},

    /* GNU ld: object:source:(.section+offset): …; with debug information: source:line */
    {CAUSE, "{any}ld: {path}:{line}: {message}", 0, ONCE},
    {CAUSE, "{any}ld: {word}:{path}:(.{word}+0x{hex}): {message}", 0, NO_LINE | ONCE},
    {CAUSE, "{any}ld: {word}:(.{word}+0x{hex}): {message}", 0, ONCE},
    {CAUSE, "{word}.o:{path}:(.{word}+0x{hex}): {message}", 0, NO_LINE | ONCE},
    {CAUSE, "{path}:(.{word}+0x{hex}): {message}", 0, NO_LINE | ONCE},
    {CAUSE, "{path}:{line}: {message:undefined reference to }", 0, ONCE},
    {CAUSE, "{path}:{line}: {message:multiple definition of }", 0, ONCE},
    {CAUSE, "{any}ld: warning: {message}", 0, ONCE, 0, DIAG_WARNING},
    {CAUSE, "{any}ld: {word}.o: {message}", 0, ONCE},
    {CAUSE, "{any}/ld: {message}", 0, ONCE},
    {CAUSE, "ld: {message}", 0, ONCE},
};

const struct family families_linker[] = {
    FAMILY("ld", ld, DIAG_LINK),
    {.name = NULL},
};
