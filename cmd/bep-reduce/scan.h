/* The state of one piece of evidence while its lines pass by, and what becomes of a cause that is complete. */
#ifndef BEP_REDUCE_SCAN_H
#define BEP_REDUCE_SCAN_H

#include "cmd/bep-reduce/cause.h"
#include "cmd/bep-reduce/consequence.h"

/* Frames of a traceback that are shown: a few lines. */
#define CALLERS_BYTES_MAX 400
/* Causes of one test, or warnings of one tool, that are kept back; more of them a person does not read. */
#define SHELF_MAX 8

/* Causes that are complete, until it is known what they are worth. */
struct shelf {
    struct cause *items; /* SHELF_MAX of them, malloc'ed when the first one comes; or NULL */
    size_t count;
};

struct scan {
    const struct evidence *evidence;
    struct diag_list *list;
    size_t errors;

    struct cause open; /* open.family NULL: none */
    struct cause weak; /* the first weak one */
    struct consequences earlier;

    struct spot before; /* BEFORE: frames of the cause that comes */
    struct spot within; /* WITHIN */
    struct buf file;    /* FILE_OF, as printed */
    uint32_t file_line; /* its line; 0: none */
    struct buf name;    /* NAME */
    struct buf chained; /* the message of what the cause that comes was raised from */
    struct spot origin; /* its place */
    struct buf callers; /* the frames in the workspace outside `before`, innermost first */
    bool in_trace;
    bool in_group; /* Python shows an exception group: every line has a prefix */
    bool holding;  /* HELD causes wait for what is said of their test */
    struct shelf held;
    struct shelf doubtful;      /* warnings: they may be taken as errors */
    const struct family *named; /* whose NAME was the last line with text, or NULL */
};

static inline struct slice scan_text(const struct buf *b)
{
    return (struct slice){b->data, b->len};
}

void scan_init(struct scan *, const struct evidence *, struct diag_list *);
void scan_release(struct scan *);
/* What BEFORE, WITHIN, TRACE and CHAIN lines said is not about what comes. */
void scan_forget_pending(struct scan *);
/* The open cause is complete. */
void scan_finish(struct scan *);
/* The test of the HELD causes has failed, or (!`counts`) they were only words. */
void scan_release_held(struct scan *, bool counts);
/* The text is at its end: what was kept back is told. */
void scan_end(struct scan *);

#endif
