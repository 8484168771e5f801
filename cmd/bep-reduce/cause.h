/* A cause while its lines come: what has been said of it so far. Used by the engine (recognise.c). */
#ifndef BEP_REDUCE_CAUSE_H
#define BEP_REDUCE_CAUSE_H

#include "cmd/bep-reduce/pattern.h"
#include "cmd/bep-reduce/recognise.h"
#include "cmd/bep-reduce/rules.h"
#include "common/base/buf.h"

/* How good a place is to be told. */
enum spot_quality {
    SPOT_NONE,    /* nothing in the user's tree */
    SPOT_FILE,    /* a file, no line */
    SPOT_FOREIGN, /* generated, or of another repository */
    SPOT_GUESS,   /* a line of a file that is the user's if its folder is guessed right */
    SPOT_SOURCE,  /* a line of the workspace */
};

struct spot {
    struct buf path;
    uint32_t line;
    uint32_t column;
    enum spot_quality quality;
};

struct cause {
    const struct family *family; /* NULL: no cause is open */
    const struct rule *rule;
    enum diag_severity severity;
    struct buf message;
    struct buf detail;
    unsigned detail_lines;
    unsigned lines_below;   /* lines that came since, of any kind */
    bool dormant;           /* its paragraph is over; only its family's rules still speak of it */
    bool has_frames;        /* a PLACE line came, in the user's tree or not */
    struct spot own;        /* what its own line said */
    struct spot frame;      /* the best PLACE line */
    uint64_t guessed;       /* hash of what names the code that a guessed frame belongs to */
    uint32_t numbered_line; /* the last numbered source line below it */
    uint32_t caret_line;    /* where a caret stood below it; 0: nowhere */
    uint32_t caret_column;
};

void cause_init(struct cause *);
void cause_release(struct cause *);
void cause_clear(struct cause *);

void cause_add_detail(struct cause *, struct slice line);
/* A place that is no file of the source tree, such as a test's runner, is still worth a word of detail. */
void cause_mention_place(struct cause *, struct slice path, uint32_t line);
/* Appends to the message, with a blank or `separator` between. */
void cause_join(struct cause *, struct slice text, const char *separator);
/* A line that belongs to the cause by its rule's `follow`; false where it does not. */
bool cause_follow(struct cause *, struct slice line);

void spot_clear(struct spot *);
/* What a place that a tool printed is worth; replaces `spot` if it is not worse (`later`) or better (!`later`). */
void spot_offer(struct spot *, const struct evidence *, struct slice path, uint32_t line,
                uint32_t column, bool later);
/* Takes the other's place, if it is better. */
void spot_prefer(struct spot *, const struct spot *other);

#endif
