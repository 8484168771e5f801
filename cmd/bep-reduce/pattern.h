/*
 * The small language in which the rules say what a line looks like:
 *
 *     {path}:{line}:{column}: {severity}: {message}
 *
 * Everything outside braces is literal; a pattern is about the whole line. Fields that are kept:
 *
 *     {path}      the name of a file (paths_plausible); {path.go}: one that ends in .go
 *     {line}      a number from 1 to 99,999,999
 *     {column}    a number
 *     {severity}  error, fatal error, warning, note, … (pattern.c has the list)
 *     {message}   one character or more, without blanks around it; {message:undefined } one that begins so
 *     {name}      likewise: of a test case, a symbol, a thread
 *     {label}     a target: //a:b, @r//a:b, without quotes or blanks
 *
 * and those that only have to be there:
 *
 *     {exception} a class name, maybe qualified: java.io.IOException; may be empty before more letters
 *     {code}      letters, digits and _ - . @ / (an error code, the name of a lint)
 *     {lint}      upper-case letters and then digits: F401
 *     {word}      no blanks
 *     {number}    decimal digits
 *     {hex}       hexadecimal digits
 *     {any}       anything, nothing too
 *     { }         blanks, none too
 *
 * A text field ends where what follows it first matches. Matching is bounded by a number of steps, so that a
 * hostile line costs no more than a long one.
 */
#ifndef BEP_REDUCE_PATTERN_H
#define BEP_REDUCE_PATTERN_H

#include <stdint.h>

#include "cmd/bep-reduce/slice.h"

#define PATTERN_ELEMENTS_MAX 24

enum pattern_severity {
    PATTERN_NO_SEVERITY,
    PATTERN_ERROR,
    PATTERN_WARNING,
    PATTERN_NOTE,
};

/* What a match kept; text points into the line. */
struct captures {
    struct slice path;
    struct slice message;
    struct slice name;
    struct slice label;
    uint32_t line;
    uint32_t column;
    enum pattern_severity severity;
};

struct pattern_element {
    uint8_t kind; /* private */
    struct slice literal;
};

struct pattern {
    struct pattern_element elements[PATTERN_ELEMENTS_MAX];
    uint8_t count;
    struct slice
        anchor; /* the longest literal or extension: a line without it cannot match; maybe empty */
};

/* False: `source` is no pattern (an unknown field, too long). `source` must outlive the pattern. */
bool pattern_compile(struct pattern *, const char *source);
/* Whether the whole line matches; `captures` are then set, those without a field empty or 0. */
bool pattern_match(const struct pattern *, struct slice line, struct captures *);

#endif
