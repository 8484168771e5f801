/*
 * stdin as lines (MCP, stdio transport): one message a line, CR LF taken, a BOM and empty lines skipped.
 * A last line without its newline counts. A line over INPUT_MAX_LINE is told once and skipped.
 */
#ifndef MCP_FRONT_INPUT_H
#define MCP_FRONT_INPUT_H

#include "cmd/mcp-front/watch.h"
#include "common/base/buf.h"

/* No message of a client comes near: the arguments of one bazel.run have at most 2 MiB (policy.h). */
#define INPUT_MAX_LINE (4UL * 1024 * 1024)

struct input_handler {
    void (*line)(void *data, const char *text, size_t len);
    void (*too_long)(void *data);
    void (*end)(void *data); /* the other side has closed, or reading failed; nothing comes after */
    void *data;
};

struct input {
    struct watch watch;
    struct buf buf;
    size_t searched; /* bytes of buf that hold no newline */
    int fd;
    bool skipping; /* inside a line that is too long */
    bool paused;
    bool ended;
    struct input_handler handler;
};

/* Starts reading. `fd` stays the caller's. 0, or -1 and errno. */
int input_open(struct input *, uv_loop_t *, int fd, const struct input_handler *);
/* Takes no more from the client until it goes on: it has to read our answers first. */
void input_pause(struct input *, bool paused);
void input_close(struct input *);

#endif
