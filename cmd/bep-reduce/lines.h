/*
 * Text from a terminal or a log, line by line as a person would have seen it: without escape sequences and control
 * characters, and of a line that was drawn over with carriage returns only what stood there last.
 */
#ifndef BEP_REDUCE_LINES_H
#define BEP_REDUCE_LINES_H

#include "cmd/bep-reduce/slice.h"

/* What of a longer line is looked at. */
#define LINE_BYTES_MAX 8192

struct lines {
    struct slice rest;
    bool red;                   /* something in the line is drawn in red */
    char clean[LINE_BYTES_MAX]; /* where a line had to be changed */
};

void lines_init(struct lines *, struct slice text);
/* The next line, valid until the call after it; false at the end. */
bool lines_next(struct lines *, struct slice *line);

#endif
