#include "cmd/bes-recv/ingest.h"
#include "common/base/err.h"

#include <stdlib.h>
#include <string.h>

struct upload {
    struct ingest *ingest;
    struct call *call;   /* NULL: over */
    struct build *build; /* NULL: nobody's */
    uint8_t *stream_id;  /* of its first request; NULL before that */
    size_t stream_id_len;
    unsigned waiting; /* entries in the build's sink */
    bool half_closed;
    bool paused; /* the next message is not asked for yet */
    bool ending;
    enum call_status status;
    const char *status_text;
    struct upload *next, **link; /* on ingest->uploads */
};

static void *opened(void *self, struct call *call)
{
    struct ingest *in = self;
    struct upload *u = calloc(1, sizeof(*u));

    if (!u)
        err_die_memory();
    u->ingest = in;
    u->call = call;
    u->next = in->uploads;
    u->link = &in->uploads;
    if (u->next)
        u->next->link = &u->next;
    in->uploads = u;
    return u;
}

static void free_if_over(struct upload *u)
{
    if (u->call || u->waiting)
        return;
    *u->link = u->next;
    if (u->next)
        u->next->link = u->link;
    free(u->stream_id);
    free(u);
}

static void closed(void *self)
{
    struct upload *u = self;

    u->call = NULL;
    if (u->build)
        u->build->uploads--;
    free_if_over(u);
}

/* The status goes out when nothing waits for acceptance any more. */
static void end_if_settled(struct upload *u)
{
    if (u->call && u->ending && !u->waiting)
        call_end(u->call, u->status, u->status_text);
}

static void end(struct upload *u, enum call_status status, const char *text)
{
    if (u->ending)
        return;
    u->ending = true;
    u->status = status;
    u->status_text = text;
    end_if_settled(u);
}

static void half_closed(void *self)
{
    struct upload *u = self;

    u->half_closed = true;
    end(u, CALL_OK, "");
}

static void go_on(struct upload *u)
{
    if (u->call && !u->ending && !u->half_closed)
        call_next(u->call);
}

/* An entry of this upload has left the sink. */
static void settle(struct upload *u, uint64_t number, bool acknowledge)
{
    u->waiting--;
    if (u->call && acknowledge)
        call_acknowledge(u->call, number);
    end_if_settled(u);
    free_if_over(u);
}

static void fail(struct upload *u)
{
    end(u, CALL_FAILED_PRECONDITION, "the durable writer has failed");
}

static void mark_unpumped(struct build *b)
{
    if (b->in_unpumped)
        return;
    b->in_unpumped = true;
    b->next_unpumped = b->ingest->unpumped;
    b->ingest->unpumped = b;
}

/* Nothing more can be written, ever: what waits is answered, and every call of the build learns it. */
static void lose(struct build *b)
{
    bool drain = b->ingest->drain_on_failure;
    struct accepted a;

    if (b->lost)
        return;
    b->lost = true;
    watch_remove(b->ingest->watches, &b->output);
    watch_remove(b->ingest->watches, &b->back);
    while (sink_take_lost(&b->sink, &a)) {
        struct upload *u = a.upload;

        b->unwritten++;
        settle(u, a.number, drain || u->half_closed);
    }
    for (struct upload *u = b->ingest->uploads; u && !drain; u = u->next)
        if (u->build == b)
            fail(u);
}

static void resume(struct build *b)
{
    for (struct upload *u = b->ingest->uploads; u; u = u->next) {
        if (u->build != b || !u->paused)
            continue;
        u->paused = false;
        go_on(u);
    }
}

static void settle_accepted(struct build *b)
{
    struct accepted a;

    while (sink_take_accepted(&b->sink, &a))
        settle(a.upload, a.number, true);
}

void build_pump(struct build *b)
{
    if (!b->connected && !b->sink.failure)
        return;
    settle_accepted(b); /* first: it makes room for what waits */
    sink_write(&b->sink);
    settle_accepted(b); /* what is accepted by being written, or needs no writing */
    if (b->sink.failure)
        lose(b);
    watch_change(b->ingest->watches, &b->output, b->sink.blocked ? EPOLLOUT : 0);
    if (b->lost || !sink_is_full(&b->sink))
        resume(b);
}

void ingest_pump(struct ingest *in)
{
    while (in->unpumped) {
        struct build *b = in->unpumped;

        in->unpumped = b->next_unpumped;
        b->in_unpumped = false;
        build_pump(b);
    }
}

/* Acknowledged without being written, and nothing before it waits. */
static void drop(struct upload *u, const struct request *r, struct message *message)
{
    call_acknowledge(u->call, r->number);
    message_release(message);
    go_on(u);
}

static void hand_over(struct upload *u, const struct request *r, struct message *message,
                      enum take take)
{
    struct build *b = u->build;
    bool write = take == TAKE_WRITE;

    u->waiting++;
    sink_add(&b->sink, u, r->number, write ? message : NULL, r->frame);
    if (!write)
        message_release(message);
    u->paused = sink_is_full(&b->sink);
    if (u->paused)
        build_pump(b);
    else
        go_on(u);
    mark_unpumped(b);
}

static void take(struct upload *u, const struct request *r, struct message *message)
{
    struct build *b = u->build;
    enum take take;

    if (b->closed || (b->lost && b->ingest->drain_on_failure)) {
        b->numbers.finished = b->numbers.finished || r->kind == REQUEST_FINISHED;
        b->unwritten += !b->closed;
        drop(u, r, message);
        return;
    }
    take = b->lost ? TAKE_GAP : invocation_take(&b->numbers, r, b->ingest->max_frame);
    if (take != TAKE_GAP) {
        hand_over(u, r, message, take);
        return;
    }
    message_release(message);
    b->unwritten += b->lost;
    if (b->lost)
        fail(u);
    else
        end(u, CALL_UNAVAILABLE, "sequence numbers before this one are missing: send again");
}

static void begin(struct upload *u, const struct request *r)
{
    struct ingest *in = u->ingest;

    u->stream_id = malloc(r->stream_id.len + 1);
    if (!u->stream_id)
        err_die_memory();
    if (r->stream_id.len)
        memcpy(u->stream_id, r->stream_id.bytes, r->stream_id.len);
    u->stream_id_len = r->stream_id.len;
    if (r->stream_id.bytes)
        call_set_stream_id(u->call, r->stream_id.bytes, r->stream_id.len);
    u->build = in->route(in->route_self, r);
    if (u->build)
        u->build->uploads++;
}

static bool same_stream(const struct upload *u, const struct request *r)
{
    return r->stream_id.len == u->stream_id_len &&
           (!u->stream_id_len || !memcmp(r->stream_id.bytes, u->stream_id, u->stream_id_len));
}

static void message(void *self, struct message *message)
{
    struct upload *u = self;
    struct request r;

    if (!unwrap_stream_request(message->bytes, message->len, &r)) {
        if (!r.number) {
            message_release(message);
            end(u, CALL_INVALID_ARGUMENT, "not a PublishBuildToolEventStreamRequest");
            return;
        }
        r.kind = REQUEST_OTHER; /* its number can be acknowledged, its event can't be read */
    }
    if (!u->stream_id)
        begin(u, &r);
    if (u->build && same_stream(u, &r)) {
        u->ingest->data_came = true;
        take(u, &r, message);
    } else {
        u->ingest->foreign++;
        drop(u, &r, message);
    }
}

static void lifecycle(void *self, const struct message *message)
{
    struct ingest *in = self;
    struct request r;

    if (!unwrap_lifecycle_request(message->bytes, message->len, &r))
        return;
    in->lifecycle = true;
    in->build_finished = in->build_finished || r.kind == REQUEST_BUILD_FINISHED;
}

struct server_handler ingest_handler(struct ingest *in)
{
    return (struct server_handler){.opened = opened,
                                   .message = message,
                                   .half_closed = half_closed,
                                   .closed = closed,
                                   .lifecycle = lifecycle,
                                   .self = in};
}

static void output_ready(void *self, uint32_t events)
{
    struct build *b = self;

    if (events & EPOLLERR)
        build_fail(b, SINK_GONE);
    else
        build_pump(b);
}

static void back_ready(void *self, uint32_t events)
{
    struct build *b = self;

    (void)events;
    sink_receive(&b->sink);
    build_pump(b);
}

void build_start(struct build *b, struct ingest *in)
{
    b->ingest = in;
    b->output = (struct watch){.ready = output_ready, .self = b, .fd = -1};
    b->back = (struct watch){.ready = back_ready, .self = b, .fd = -1};
    /* A regular file can't be watched and need not be. */
    watch_add(in->watches, &b->output, b->sink.fd, 0);
}

void build_connected(struct build *b)
{
    b->connected = true;
    if (!b->sink.handoff) {
        sink_connected(&b->sink);
        watch_add(b->ingest->watches, &b->back, b->sink.back.fd, EPOLLIN);
    }
    build_pump(b);
}

void build_fail(struct build *b, enum sink_failure failure)
{
    if (!b->sink.failure)
        b->sink.failure = failure;
    build_pump(b);
}

void build_close(struct build *b)
{
    struct accepted a;

    if (b->closed)
        return;
    b->closed = true;
    watch_remove(b->ingest->watches, &b->output);
    watch_remove(b->ingest->watches, &b->back);
    while (sink_take_lost(&b->sink, &a))
        settle(a.upload, a.number, false);
    sink_release(&b->sink);
}

void build_release(struct build *b)
{
    build_close(b);
    invocation_release(&b->numbers);
}
