#include "cmd/bes-recv/invocation.h"
#include "common/base/err.h"
#include "common/frame/reader.h"

#include <stdlib.h>
#include <string.h>

static char *copy_view(struct view v)
{
    char *text = strndup(v.bytes ? (const char *)v.bytes : "", v.len);

    if (!text)
        err_die_memory();
    return text;
}

static bool view_is(struct view v, const char *text)
{
    return v.len == strlen(text) && (!v.len || !memcmp(v.bytes, text, v.len));
}

void invocation_init(struct invocation *in, const char *invocation_id)
{
    *in = (struct invocation){0};
    if (invocation_id)
        in->invocation_id =
            copy_view((struct view){(const uint8_t *)invocation_id, strlen(invocation_id)});
}

void invocation_release(struct invocation *in)
{
    free(in->build_id);
    free(in->invocation_id);
    *in = (struct invocation){0};
}

bool invocation_is(const struct invocation *in, const struct request *r)
{
    return view_is(r->invocation_id, in->invocation_id) && view_is(r->build_id, in->build_id);
}

static void new_attempt(struct invocation *in)
{
    in->taken = 0;
    in->finished = false;
    in->last = false;
}

/* A retry under another invocation id, as Bazel 8.2 and later do it. */
static void follow_retry(struct invocation *in, const struct request *r)
{
    free(in->invocation_id);
    in->invocation_id = copy_view(r->invocation_id);
    new_attempt(in);
}

bool invocation_owns(struct invocation *in, const struct request *r)
{
    if (!in->invocation_id)
        in->invocation_id = copy_view(r->invocation_id);
    if (view_is(r->invocation_id, in->invocation_id)) {
        if (!in->build_id)
            in->build_id = copy_view(r->build_id);
        return true;
    }
    if (!in->build_id || !*in->build_id || !view_is(r->build_id, in->build_id) || r->number != 1)
        return false;
    follow_retry(in, r);
    return true;
}

/* FNV-1a, 64 bits: tells two first events apart, which differ in times and ids; no attack is meant. */
static uint64_t hash(struct view v)
{
    uint64_t h = 0xcbf29ce484222325ULL;

    for (size_t i = 0; i < v.len; i++)
        h = (h ^ v.bytes[i]) * 0x100000001b3ULL;
    return h;
}

static bool begins_attempt(const struct invocation *in, const struct request *r)
{
    return r->number == 1 && in->finished && r->kind == REQUEST_BAZEL &&
           (r->body.len != in->first_len || hash(r->body) != in->first_hash);
}

static void note_first(struct invocation *in, const struct request *r)
{
    in->attempts++;
    in->first_len = r->body.len;
    in->first_hash = hash(r->body);
}

static enum take take_event(struct invocation *in, const struct request *r, uint64_t max_frame)
{
    struct frame frame = {.body = r->body.bytes, .body_len = r->body.len};

    if (r->body.len > max_frame) {
        in->too_big++;
        return TAKE_ACKNOWLEDGE;
    }
    in->last = in->last || frame_is_last(&frame);
    in->events++;
    in->bytes += r->frame.len;
    return TAKE_WRITE;
}

enum take invocation_take(struct invocation *in, const struct request *r, uint64_t max_frame)
{
    if (begins_attempt(in, r))
        new_attempt(in);
    if (r->number <= in->taken) {
        in->known++;
        return TAKE_ACKNOWLEDGE;
    }
    if (r->number != in->taken + 1)
        return TAKE_GAP;
    in->taken++;
    if (r->number == 1)
        note_first(in, r);
    if (r->kind == REQUEST_BAZEL && !in->finished)
        return take_event(in, r, max_frame);
    if (r->kind == REQUEST_FINISHED && !in->finished)
        in->finished = true;
    else
        in->ignored++;
    return TAKE_ACKNOWLEDGE;
}
