// with: cmd/bes-recv/unwrap.c
/*
 * Requests of a Build Event Service: whatever comes, what is given out lies inside the message, and a
 * frame is a length and as many bytes.
 */
#include "cmd/bes-recv/unwrap.h"
#include "common/frame/varint.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int holds)
{
    if (!holds)
        abort();
}

static void inside(struct view v, const uint8_t *data, size_t size)
{
    require(!v.len || (v.bytes >= data && v.bytes + v.len <= data + size));
}

static void check(const struct request *r, const uint8_t *data, size_t size)
{
    uint64_t len;
    size_t used;

    inside(r->stream_id, data, size);
    inside(r->build_id, data, size);
    inside(r->invocation_id, data, size);
    inside(r->body, data, size);
    if (r->kind != REQUEST_BAZEL)
        return;
    require(varint_read(r->frame.bytes, r->frame.len, &len, &used) == VARINT_OK);
    require(len == r->body.len && used + len == r->frame.len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct request r;

    unwrap_stream_request(data, size, &r);
    check(&r, data, size);
    unwrap_lifecycle_request(data, size, &r);
    check(&r, data, size);
    return 0;
}
