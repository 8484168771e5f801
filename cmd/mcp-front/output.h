/*
 * stdout: one JSON message a line, whole and in order, never waiting for a slow reader and never making
 * the descriptor non-blocking, since it is shared.
 */
#ifndef MCP_FRONT_OUTPUT_H
#define MCP_FRONT_OUTPUT_H

#include "cmd/mcp-front/watch.h"
#include "common/base/buf.h"

#include <json-c/json.h>

/* When more than this waits for the client to read, its requests wait, too. */
#define OUTPUT_HIGH_WATER (8UL * 1024 * 1024)

struct output {
    struct watch watch;
    struct buf queue;
    size_t sent; /* bytes of the queue that are out */
    int fd;
    bool broken;                 /* the reader is gone: everything is dropped */
    void (*changed)(void *data); /* it broke, or the queue has become empty */
    void *data;
};

/* `fd` stays the caller's. 0, or -1 and errno. */
int output_open(struct output *, uv_loop_t *, int fd, void (*changed)(void *data), void *data);
/* Does not take the message. */
void output_message(struct output *, struct json_object *message);
size_t output_waiting(const struct output *);
/* Waits at most `timeout_ms` for what is left. */
void output_flush(struct output *, int timeout_ms);
void output_close(struct output *);

#endif
