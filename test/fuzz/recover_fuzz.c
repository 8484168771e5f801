// with: cmd/bep-durable/recover.c
// with: cmd/bep-durable/scan.c
/*
 * What bep-durable --append finds in a FILE: the same frames as the reader that keeps them in memory,
 * in pieces of any size; and a torn tail is cut off and kept, byte for byte.
 */
#include "cmd/bep-durable/recover.h"
#include "cmd/bep-durable/scan.h"
#include "common/base/err.h"
#include "common/io/fd.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_FRAME 4096

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static char path[64], torn[80];
static int null, words; /* /dev/null and stderr: recover's words are not for us, the fuzzer's are */

static void need(bool condition)
{
    if (!condition)
        abort();
}

static void remove_files(void)
{
    unlink(path);
    unlink(torn);
}

static void prepare(void)
{
    snprintf(path, sizeof(path), "/tmp/recover_fuzz.%d", (int)getpid());
    snprintf(torn, sizeof(torn), "%s.torn", path);
    err_set_verbosity(-1);
    null = fd_open_null(O_WRONLY);
    words = dup(STDERR_FILENO);
    atexit(remove_files);
}

static void read_whole(struct stream *s, const uint8_t *bytes, size_t len)
{
    size_t room;

    stream_init(s, MAX_FRAME);
    for (size_t at = 0; at < len && s->fault == FRAME_OK;) {
        void *to = stream_room(s, &room);
        size_t n = len - at < room ? len - at : room;
        memcpy(to, bytes + at, n);
        stream_added(s, n);
        at += n;
    }
}

static void scan_pieces(struct scan *s, const uint8_t *bytes, size_t len)
{
    size_t piece = len ? 1 + bytes[len - 1] % 64 : 1;

    scan_init(s, MAX_FRAME);
    for (size_t at = 0; at < len; at += piece)
        scan_bytes(s, bytes + at, len - at < piece ? len - at : piece);
}

static size_t read_back(const char *name, uint8_t *out, size_t size)
{
    int fd = open(name, O_RDONLY | O_CLOEXEC);
    ssize_t n;

    need(fd >= 0);
    n = fd_read_full(fd, out, size);
    need(n >= 0);
    fd_close(fd);
    return (size_t)n;
}

static void check_recovery(const struct stream *s, const uint8_t *bytes, size_t len)
{
    size_t whole = (size_t)s->reader.offset;
    uint8_t *back = malloc(len + 1);
    uint64_t end, frames;
    int fd, status;

    remove_files();
    fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    need(back && fd >= 0 && !fd_write_full(fd, bytes, len));
    dup2(null, STDERR_FILENO);
    status = recover(fd, path, MAX_FRAME, &end, &frames);
    dup2(words, STDERR_FILENO);
    fd_close(fd);
    if (s->fault != FRAME_OK) {
        need(status == EX_DATAERR);
        need(read_back(path, back, len + 1) == len && !memcmp(back, bytes, len));
    } else {
        need(status == EX_OK && end == whole && frames == s->reader.frames);
        need(read_back(path, back, len + 1) == whole && !memcmp(back, bytes, whole));
        if (whole < len)
            need(read_back(torn, back, len + 1) == len - whole &&
                 !memcmp(back, bytes + whole, len - whole));
        else
            need(access(torn, F_OK) != 0);
    }
    free(back);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct stream whole;
    struct scan pieces;

    if (!path[0])
        prepare();
    read_whole(&whole, bytes, len);
    scan_pieces(&pieces, bytes, len);
    need(pieces.whole == whole.reader.offset && pieces.frames == whole.reader.frames);
    need(pieces.last == whole.last && scan_end(&pieces) == stream_end(&whole));
    check_recovery(&whole, bytes, len);
    stream_release(&whole);
    return 0;
}
