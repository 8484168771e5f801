/* Any text: a planted secret does not come out, and what is redacted once stays as it is. */
// link: pcre2
#include "common/text/redact.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define PLANTED "ghp_0123456789abcdefghijABCDEFGHIJ012345"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void redacted(struct redact *redact, const struct buf *text, struct buf *out)
{
    buf_clear(out);
    if (redact_text(redact, text->data, text->len, out) != BUF_OK)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct redact *redact;
    struct buf text = BUF_INIT, once = BUF_INIT, twice = BUF_INIT;

    if (!redact)
        redact = redact_new();
    buf_add(&text, data, size / 2);
    buf_add_str(&text, " " PLANTED " ");
    buf_add(&text, data + size / 2, size - size / 2);
    redacted(redact, &text, &once);
    if (memmem(once.data, once.len, PLANTED, strlen(PLANTED)))
        abort();
    redacted(redact, &once, &twice);
    if (memmem(twice.data, twice.len, PLANTED, strlen(PLANTED)))
        abort();
    buf_release(&text);
    buf_release(&once);
    buf_release(&twice);
    return 0;
}
