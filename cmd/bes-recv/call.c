#include "cmd/bes-recv/call.h"
#include "common/base/err.h"
#include "common/base/limits.h"
#include "common/frame/varint.h"

#include <stdlib.h>
#include <string.h>

/* PublishBuildToolEventStreamResponse: stream_id = 1, sequence_number = 2. */
#define ANSWER_STREAM_ID_TAG 0x0a
#define ANSWER_NUMBER_TAG    0x10

static void start(struct call *c, enum operation_kind kind, const grpc_op *ops, size_t count)
{
    struct operation *operation = &c->operations[kind];

    *operation = (struct operation){.call = c, .kind = kind};
    c->under_way++;
    if (grpc_call_start_batch(c->grpc, ops, count, operation, NULL) != GRPC_CALL_OK)
        err_bug("gRPC refused an operation");
}

static void start_receive(struct call *c)
{
    grpc_op op = {.op = GRPC_OP_RECV_MESSAGE};

    op.data.recv_message.recv_message = &c->received;
    start(c, OPERATION_RECEIVE, &op, 1);
}

void call_open(struct server *s, grpc_call *grpc, enum call_kind kind)
{
    grpc_op op = {.op = GRPC_OP_RECV_CLOSE_ON_SERVER};
    struct call *c = calloc(1, sizeof(*c));

    if (!c)
        err_die_memory();
    c->server = s;
    c->grpc = grpc;
    c->kind = kind;
    c->stream_id = grpc_empty_slice();
    s->open_calls++;
    op.data.recv_close_on_server.cancelled = &c->cancelled;
    start(c, OPERATION_CLOSE, &op, 1);
    if (kind == CALL_STREAM)
        c->upload = s->handler->opened(s->handler->self, c);
    if (kind == CALL_UNKNOWN)
        call_end(c, CALL_UNIMPLEMENTED,
                 "only google.devtools.build.v1.PublishBuildEvent is served");
    else
        start_receive(c);
}

static void take_off_unsent(struct call *c)
{
    struct call **link = &c->server->unsent;

    if (!c->in_unsent)
        return;
    while (*link != c)
        link = &(*link)->next_unsent;
    *link = c->next_unsent;
}

static void free_call(struct call *c)
{
    take_off_unsent(c);
    if (c->upload)
        c->server->handler->closed(c->upload);
    c->server->open_calls--;
    grpc_byte_buffer_destroy(c->answer);
    grpc_slice_unref(c->stream_id);
    grpc_call_unref(c->grpc);
    free(c->ranges);
    free(c);
}

void call_next(struct call *c)
{
    start_receive(c);
}

void call_set_stream_id(struct call *c, const uint8_t *bytes, size_t len)
{
    uint8_t head[1 + VARINT_MAX_BYTES] = {ANSWER_STREAM_ID_TAG};
    size_t head_len = 1 + varint_write(head + 1, len);
    grpc_slice field = grpc_slice_malloc(head_len + len);

    memcpy(GRPC_SLICE_START_PTR(field), head, head_len);
    memcpy(GRPC_SLICE_START_PTR(field) + head_len, bytes, len);
    grpc_slice_unref(c->stream_id);
    c->stream_id = field;
}

static void put_on_unsent(struct call *c)
{
    if (c->in_unsent || c->sending)
        return;
    c->in_unsent = true;
    c->next_unsent = c->server->unsent;
    c->server->unsent = c;
}

static void add_range(struct call *c, uint64_t number)
{
    if (c->range_first + c->range_count == c->range_room && c->range_first) {
        memmove(c->ranges, c->ranges + c->range_first, c->range_count * sizeof(*c->ranges));
        c->range_first = 0;
    }
    if (c->range_count == c->range_room) {
        c->range_room = c->range_room ? 2 * c->range_room : 4;
        c->ranges = realloc(c->ranges, c->range_room * sizeof(*c->ranges));
        if (!c->ranges)
            err_die_memory();
    }
    c->ranges[c->range_first + c->range_count++] = (struct ack_range){number, number};
}

void call_acknowledge(struct call *c, uint64_t number)
{
    struct ack_range *newest = NULL;

    if (c->closed || c->ended)
        return;
    if (c->range_count)
        newest = c->ranges + c->range_first + c->range_count - 1;
    if (newest && newest->last + 1 == number)
        newest->last = number;
    else
        add_range(c, number);
    put_on_unsent(c);
}

static uint64_t take_number(struct call *c)
{
    struct ack_range *oldest = c->ranges + c->range_first;
    uint64_t number = oldest->first++;

    if (number == oldest->last) {
        c->range_first++;
        c->range_count--;
    }
    return number;
}

/* Our headers go in front of the first thing that is sent. */
static size_t add_headers(struct call *c, grpc_op *op)
{
    if (c->metadata_sent)
        return 0;
    c->metadata_sent = true;
    *op = (grpc_op){.op = GRPC_OP_SEND_INITIAL_METADATA};
    return 1;
}

static grpc_byte_buffer *make_answer(struct call *c, uint64_t number)
{
    uint8_t field[1 + VARINT_MAX_BYTES] = {ANSWER_NUMBER_TAG};
    size_t len = number ? 1 + varint_write(field + 1, number) : 0;
    grpc_slice_buffer *pieces;

    if (!c->answer)
        c->answer = grpc_raw_byte_buffer_create(NULL, 0);
    pieces = &c->answer->data.raw.slice_buffer;
    grpc_slice_buffer_reset_and_unref(pieces);
    grpc_slice_buffer_add(pieces, grpc_slice_ref(c->stream_id));
    grpc_slice_buffer_add(pieces, grpc_slice_from_copied_buffer((const char *)field, len));
    return c->answer;
}

static void send_acknowledgement(struct call *c)
{
    grpc_op ops[2];
    size_t count = add_headers(c, ops);
    uint64_t number = take_number(c);

    ops[count] = (grpc_op){.op = GRPC_OP_SEND_MESSAGE};
    ops[count].data.send_message.send_message = make_answer(c, number);
    /* The last one takes the others along. Headers would wait for it, and it for them. */
    if (c->range_count && !count)
        ops[count].flags = GRPC_WRITE_BUFFER_HINT;
    c->sending = true;
    start(c, OPERATION_SEND, ops, count + 1);
}

static void send_status(struct call *c)
{
    grpc_slice text = grpc_slice_from_static_string(c->status_text);
    grpc_op ops[2];
    size_t count = add_headers(c, ops);

    ops[count] = (grpc_op){.op = GRPC_OP_SEND_STATUS_FROM_SERVER};
    ops[count].data.send_status_from_server.status = (grpc_status_code)c->status;
    ops[count].data.send_status_from_server.status_details = &text;
    c->ended = true;
    start(c, OPERATION_STATUS, ops, count + 1);
}

void call_send(struct call *c)
{
    if (c->sending || c->closed || c->ended)
        return;
    if (c->range_count)
        send_acknowledgement(c);
    else if (c->ending)
        send_status(c);
}

void call_end(struct call *c, enum call_status status, const char *text)
{
    if (c->ending)
        return;
    c->ending = true;
    c->status = status;
    c->status_text = text;
    put_on_unsent(c);
}

static void answer_lifecycle(struct call *c)
{
    grpc_op ops[2];
    size_t count = add_headers(c, ops);

    c->answer = grpc_raw_byte_buffer_create(NULL, 0); /* google.protobuf.Empty */
    ops[count] = (grpc_op){.op = GRPC_OP_SEND_MESSAGE};
    ops[count].data.send_message.send_message = c->answer;
    c->sending = true;
    start(c, OPERATION_SEND, ops, count + 1);
    call_end(c, CALL_OK, "");
}

static void received(struct call *c)
{
    const struct server_handler *h = c->server->handler;
    struct message *message = c->received ? message_take(c->received) : NULL;

    c->received = NULL;
    if (c->kind == CALL_LIFECYCLE) {
        if (message) {
            h->lifecycle(h->self, message);
            message_release(message);
        }
        answer_lifecycle(c);
    } else if (message) {
        h->message(c->upload, message);
    } else if (!grpc_call_failed_before_recv_message(c->grpc)) {
        h->half_closed(c->upload);
    }
}

void call_done(struct operation *operation, bool ok)
{
    struct call *c = operation->call;

    c->under_way--;
    switch (operation->kind) {
    case OPERATION_CLOSE:
        c->closed = true;
        break;
    case OPERATION_RECEIVE:
        if (ok || c->received)
            received(c);
        break;
    case OPERATION_SEND:
        c->sending = false;
        if (ok)
            call_send(c);
        break;
    case OPERATION_STATUS:
    case OPERATION_KINDS:
        break;
    }
    if (c->closed && !c->under_way)
        free_call(c);
}
