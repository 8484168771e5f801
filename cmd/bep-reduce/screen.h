/*
 * A terminal that keeps what a person would still be interested in afterwards: escape sequences, carriage returns
 * and redrawn lines are resolved, Bazel's progress lines dropped. Text may come in pieces that are cut
 * anywhere, inside an escape sequence too.
 *
 * Bounded: beyond the maximum, the first half and the newest half are kept.
 */
#ifndef BEP_REDUCE_SCREEN_H
#define BEP_REDUCE_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buf.h"

struct screen {
    struct buf line;      /* the line that is being written */
    struct buf head;      /* finished lines */
    struct buf tail;      /* finished lines that head had no room for */
    size_t max;           /* of head and tail together */
    uint64_t lines;       /* finished lines that are not empty and were no progress */
    uint64_t dropped;     /* bytes for which there was no room */
    int escape;           /* private: where in an escape sequence we are */
    unsigned parameter;   /* private: its number */
    bool returned;        /* private: a carriage return came, the next text replaces the line */
    unsigned redrawn;     /* private: progress lines dropped since the last line that was kept */
    uint64_t done, total; /* of the last "[done / total]" */
    struct buf activity;  /* what that line says, "Compiling a.cc" */
};

void screen_init(struct screen *, size_t max);
void screen_release(struct screen *);
void screen_clear(struct screen *);
void screen_write(struct screen *, const void *bytes, size_t len);
/* Ends an unfinished line and appends all text to `out`. */
enum buf_status screen_text(struct screen *, struct buf *out);
/* Gives the text's memory back; counts stay. */
void screen_forget_text(struct screen *);

/* Forgets the line that has not ended yet. */
void screen_forget_line(struct screen *);

#endif
