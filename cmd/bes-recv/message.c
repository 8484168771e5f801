#include "cmd/bes-recv/call.h"
#include "common/base/err.h"

#include <stdlib.h>
#include <string.h>

/* Messages are as many as a batch holds, again and again: kept, not freed. Owned by the one thread. */
#define POOL_MAX 256

struct slice_message {
    struct message message;
    grpc_slice slice; /* a short slice holds its bytes itself, so it must not move */
    struct slice_message *next;
};

static struct slice_message *pool;
static unsigned pool_count;

static struct slice_message *new_message(void)
{
    struct slice_message *m = pool;

    if (!m) {
        m = malloc(sizeof(*m));
        if (!m)
            err_die_memory();
        return m;
    }
    pool = m->next;
    pool_count--;
    return m;
}

/* Frees each piece as soon as it is copied: a message of 100 MB is not held twice. */
static grpc_slice join(grpc_slice_buffer *pieces)
{
    grpc_slice whole = grpc_slice_malloc(pieces->length);
    uint8_t *at = GRPC_SLICE_START_PTR(whole);

    while (pieces->count) {
        grpc_slice piece = grpc_slice_buffer_take_first(pieces);

        memcpy(at, GRPC_SLICE_START_PTR(piece), GRPC_SLICE_LENGTH(piece));
        at += GRPC_SLICE_LENGTH(piece);
        grpc_slice_unref(piece);
    }
    return whole;
}

struct message *message_take(grpc_byte_buffer *buffer)
{
    grpc_slice_buffer *pieces = &buffer->data.raw.slice_buffer;
    struct slice_message *m = new_message();

    m->slice = pieces->count == 1 ? grpc_slice_buffer_take_first(pieces) : join(pieces);
    m->message.bytes = GRPC_SLICE_START_PTR(m->slice);
    m->message.len = GRPC_SLICE_LENGTH(m->slice);
    grpc_byte_buffer_destroy(buffer);
    return &m->message;
}

void message_release(struct message *message)
{
    struct slice_message *m = (struct slice_message *)message;

    grpc_slice_unref(m->slice);
    if (pool_count == POOL_MAX) {
        free(m);
        return;
    }
    m->next = pool;
    pool = m;
    pool_count++;
}

void message_free_kept(void)
{
    while (pool) {
        struct slice_message *m = pool;

        pool = m->next;
        free(m);
    }
    pool_count = 0;
}
