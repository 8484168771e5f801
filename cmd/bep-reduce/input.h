/* Where the events come from: frames, or the JSON lines of --build_event_json_file, told apart by their first bytes. */
#ifndef BEP_REDUCE_INPUT_H
#define BEP_REDUCE_INPUT_H

#include <stdint.h>

#include "cmd/bep-reduce/reduce.h"

struct input {
    int fd;
    const char *name; /* for messages */
    uint64_t max_frame;
    /* Told of each frame's body before the reducer is, and after each read; NULL: nobody listens. */
    void (*on_frame)(void *context, const void *body, size_t len);
    void (*on_read)(void *context);
    void *context;
    const char *foreign; /* private: what the beginning looks like, where that is no frame */
};

/*
 * Reads to the end. Gives EX_OK for a complete stream, else EX_DATAERR or EX_IOERR, with one line on stderr that names the
 * offset.
 */
int input_read(struct input *, struct reducer *);

#endif
