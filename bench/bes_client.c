// link: grpc
/*
 * A Build Event Service client on gRPC's C core, for bench/bes-transport: sends a BEP file as one
 * stream, reads every acknowledgement, and prints how long that took. All messages are made and the
 * connection stands before the clock starts.
 *
 * usage: bes_client ENDPOINT FILE REPETITIONS
 *
 * ENDPOINT as bes-recv says it. FILE is sent REPETITIONS times as one stream of frames. Prints
 * {"events":N,"bytes":N,"acknowledgements":N,"status":N,"ms":X}; exits 0 when status is 0 and every
 * number was acknowledged in order.
 */
#include "common/base/buf.h"
#include "common/base/err.h"
#include "common/base/num.h"
#include "common/frame/reader.h"
#include "common/frame/varint.h"
#include "common/frame/wire.h"
#include "common/io/fd.h"

#include <fcntl.h>
#include <grpc/byte_buffer.h>
#include <grpc/byte_buffer_reader.h>
#include <grpc/grpc.h>
#include <grpc/grpc_security.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define METHOD   "/google.devtools.build.v1.PublishBuildEvent/PublishBuildToolEventStream"
#define TYPE_URL "type.googleapis.com/build_event_stream.BuildEvent"

static struct buf stream_id = BUF_INIT;
static grpc_byte_buffer **messages; /* one a sequence number */
static size_t message_count, message_room;
static uint64_t frame_bytes;

static char tag_send, tag_receive, tag_status, tag_ready;

static void add_varint(struct buf *b, uint64_t value)
{
    uint8_t text[10];

    buf_add(b, text, varint_write(text, value));
}

static void add_bytes(struct buf *b, unsigned number, const void *bytes, size_t len)
{
    add_varint(b, number << 3 | WIRE_BYTES);
    add_varint(b, len);
    buf_add(b, bytes, len);
}

static void add_number(struct buf *b, unsigned number, uint64_t value)
{
    add_varint(b, number << 3 | WIRE_VARINT);
    add_varint(b, value);
}

static void make_stream_id(void)
{
    char text[64];
    int len = snprintf(text, sizeof(text), "bench-%d", (int)getpid());

    add_bytes(&stream_id, 1, text, (size_t)len); /* build_id */
    add_number(&stream_id, 3, 3);                /* component: TOOL */
    add_bytes(&stream_id, 6, text, (size_t)len); /* invocation_id */
}

/* `event` is a BuildEvent of google.devtools.build.v1. */
static void add_message(const struct buf *event)
{
    struct buf ordered = BUF_INIT, request = BUF_INIT;
    grpc_slice slice;

    add_bytes(&ordered, 1, stream_id.data, stream_id.len);
    add_number(&ordered, 2, message_count + 1);
    add_bytes(&ordered, 3, event->data, event->len);
    add_bytes(&request, 4, ordered.data, ordered.len);
    if (message_count == message_room) {
        message_room = message_room ? 2 * message_room : 1024;
        messages = realloc(messages, message_room * sizeof(*messages));
        if (!messages)
            err_die_memory();
    }
    slice = grpc_slice_from_copied_buffer(request.data, request.len);
    messages[message_count++] = grpc_raw_byte_buffer_create(&slice, 1);
    grpc_slice_unref(slice);
    buf_release(&ordered);
    buf_release(&request);
}

static void add_frame(const struct frame *frame)
{
    struct buf any = BUF_INIT, event = BUF_INIT;

    add_bytes(&any, 1, TYPE_URL, strlen(TYPE_URL));
    add_bytes(&any, 2, frame->body, frame->body_len);
    add_bytes(&event, 60, any.data, any.len);
    add_message(&event);
    frame_bytes += frame->whole_len;
    buf_release(&any);
    buf_release(&event);
}

static void add_finish(void)
{
    struct buf finished = BUF_INIT, event = BUF_INIT;

    add_number(&finished, 1, 1); /* type: FINISHED */
    add_bytes(&event, 59, finished.data, finished.len);
    add_message(&event);
    buf_release(&finished);
    buf_release(&event);
}

static void add_file(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct frame_reader reader;
    struct frame frame;
    ssize_t n;
    size_t room;

    if (fd < 0)
        err_die_errno(EX_NOINPUT, "%s", path);
    frame_reader_init(&reader, 1UL << 30);
    for (;;) {
        void *into = frame_reader_room(&reader, &room);

        if (!into)
            err_die_memory();
        n = fd_read(fd, into, room);
        if (n <= 0)
            break;
        frame_reader_added(&reader, (size_t)n);
        while (frame_next(&reader, &frame) == FRAME_OK)
            add_frame(&frame);
    }
    if (n < 0 || frame_reader_tail(&reader))
        err_die(EX_DATAERR, "%s: not whole frames", path);
    frame_reader_release(&reader);
    fd_drop(&fd);
}

static grpc_event next_event(grpc_completion_queue *queue)
{
    return grpc_completion_queue_next(queue, gpr_inf_future(GPR_CLOCK_MONOTONIC), NULL);
}

static grpc_channel *connect_to(const char *endpoint, grpc_completion_queue *queue)
{
    static const char scheme[] = "grpc://";
    const char *target =
        strncmp(endpoint, scheme, strlen(scheme)) ? endpoint : endpoint + strlen(scheme);
    grpc_channel_credentials *plaintext = grpc_insecure_credentials_create();
    grpc_arg arg = {.type = GRPC_ARG_INTEGER, .key = (char *)GRPC_ARG_ENABLE_HTTP_PROXY};
    grpc_channel_args args = {.num_args = 1, .args = &arg};
    grpc_channel *channel = grpc_channel_create(target, plaintext, &args);
    grpc_connectivity_state state;

    grpc_channel_credentials_release(plaintext);
    while ((state = grpc_channel_check_connectivity_state(channel, 1)) != GRPC_CHANNEL_READY) {
        if (state == GRPC_CHANNEL_TRANSIENT_FAILURE || state == GRPC_CHANNEL_SHUTDOWN)
            err_die(EX_UNAVAILABLE, "%s: cannot connect", endpoint);
        grpc_channel_watch_connectivity_state(channel, state, gpr_inf_future(GPR_CLOCK_MONOTONIC),
                                              queue, &tag_ready);
        next_event(queue);
    }
    return channel;
}

static uint64_t acknowledged_number(grpc_byte_buffer *answer)
{
    grpc_byte_buffer_reader reader;
    struct wire_reader wire;
    struct wire_field field;
    uint64_t number = 0;
    grpc_slice bytes;

    grpc_byte_buffer_reader_init(&reader, answer);
    bytes = grpc_byte_buffer_reader_readall(&reader);
    wire_init(&wire, GRPC_SLICE_START_PTR(bytes), GRPC_SLICE_LENGTH(bytes));
    while (wire_next(&wire, &field))
        if (field.number == 2)
            number = field.value;
    grpc_slice_unref(bytes);
    grpc_byte_buffer_reader_destroy(&reader);
    grpc_byte_buffer_destroy(answer);
    return number;
}

struct transfer {
    grpc_call *call;
    size_t sent;
    uint64_t acknowledged;
    bool in_order;
    grpc_byte_buffer *answer;
    grpc_metadata_array headers, trailers;
    grpc_status_code status;
    grpc_slice text;
};

static void start(struct transfer *t, const grpc_op *ops, size_t count, void *tag)
{
    if (grpc_call_start_batch(t->call, ops, count, tag, NULL) != GRPC_CALL_OK)
        err_bug("gRPC refused an operation");
}

static void send_next(struct transfer *t)
{
    grpc_op ops[2] = {{.op = GRPC_OP_SEND_MESSAGE}, {.op = GRPC_OP_SEND_CLOSE_FROM_CLIENT}};
    bool last = t->sent + 1 == message_count;

    ops[0].data.send_message.send_message = messages[t->sent++];
    if (!last)
        ops[0].flags = GRPC_WRITE_BUFFER_HINT;
    start(t, ops, last ? 2 : 1, &tag_send);
}

static void receive_next(struct transfer *t)
{
    grpc_op op = {.op = GRPC_OP_RECV_MESSAGE};

    op.data.recv_message.recv_message = &t->answer;
    start(t, &op, 1, &tag_receive);
}

static void begin(struct transfer *t)
{
    grpc_op head[2] = {{.op = GRPC_OP_SEND_INITIAL_METADATA},
                       {.op = GRPC_OP_RECV_INITIAL_METADATA}};
    grpc_op end = {.op = GRPC_OP_RECV_STATUS_ON_CLIENT};

    head[1].data.recv_initial_metadata.recv_initial_metadata = &t->headers;
    end.data.recv_status_on_client.trailing_metadata = &t->trailers;
    end.data.recv_status_on_client.status = &t->status;
    end.data.recv_status_on_client.status_details = &t->text;
    start(t, head, 2, &tag_ready);
    start(t, &end, 1, &tag_status);
    send_next(t);
    receive_next(t);
}

static void run(struct transfer *t, grpc_completion_queue *queue)
{
    bool status = false;

    begin(t);
    while (!status) {
        grpc_event event = next_event(queue);

        if (event.tag == &tag_send && event.success && t->sent < message_count) {
            send_next(t);
        } else if (event.tag == &tag_receive && t->answer) {
            t->in_order &= acknowledged_number(t->answer) == ++t->acknowledged;
            receive_next(t);
        } else if (event.tag == &tag_status) {
            status = true;
        }
    }
}

static double now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

int main(int argc, char **argv)
{
    struct transfer t = {.in_order = true};
    grpc_completion_queue *queue;
    grpc_channel *channel;
    uint64_t repetitions;
    double began;

    err_set_program("bes_client");
    if (argc != 4 || !num_parse_u64(argv[3], &repetitions))
        err_die(EX_USAGE, "usage: bes_client ENDPOINT FILE REPETITIONS");
    grpc_init();
    make_stream_id();
    for (uint64_t i = 0; i < repetitions; i++)
        add_file(argv[2]);
    add_finish();
    queue = grpc_completion_queue_create_for_next(NULL);
    channel = connect_to(argv[1], queue);
    grpc_metadata_array_init(&t.headers);
    grpc_metadata_array_init(&t.trailers);
    t.call =
        grpc_channel_create_call(channel, NULL, 0, queue, grpc_slice_from_static_string(METHOD),
                                 NULL, gpr_inf_future(GPR_CLOCK_MONOTONIC), NULL);
    began = now_ms();
    run(&t, queue);
    printf("{\"events\":%zu,\"bytes\":%llu,\"acknowledgements\":%llu,\"status\":%d,\"ms\":%.3f}\n",
           message_count - 1, (unsigned long long)frame_bytes, (unsigned long long)t.acknowledged,
           (int)t.status, now_ms() - began);
    fflush(stdout);
    /* The process ends here; gRPC's own shutdown would only wait for its threads. */
    _exit(t.status == GRPC_STATUS_OK && t.in_order && t.acknowledged == message_count ? 0 : 1);
}
