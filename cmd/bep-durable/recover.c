#include "cmd/bep-durable/recover.h"
#include "cmd/bep-durable/scan.h"
#include "common/base/err.h"
#include "common/io/fd.h"
#include "common/io/disk.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define PIECE (256UL * 1024)

static uint8_t piece[PIECE];

static int find_end(int fd, const char *path, struct scan *scan)
{
    uint64_t at = 0;
    ssize_t n;

    while ((n = fd_pread_full(fd, piece, sizeof(piece), (off_t)at)) > 0) {
        scan_bytes(scan, piece, (size_t)n);
        at += (size_t)n;
        if (scan->fault != FRAME_OK) {
            err_say("%s: is no stream of frames: at byte %llu one %s; it was left as it is", path,
                    (unsigned long long)scan->whole,
                    scan->fault == FRAME_TOO_BIG ? "is longer than --max-frame allows"
                                                 : "has no length");
            return EX_DATAERR;
        }
    }
    if (!n)
        return EX_OK;
    err_say_errno("%s: read", path);
    return EX_IOERR;
}

/* 0, or -1 and errno. */
static int copy_range(int from, uint64_t at, uint64_t len, int to)
{
    while (len) {
        size_t want = len < sizeof(piece) ? (size_t)len : sizeof(piece);
        ssize_t n = fd_pread_full(from, piece, want, (off_t)at);
        if (n <= 0 || fd_write_full(to, piece, (size_t)n))
            return -1;
        at += (size_t)n;
        len -= (size_t)n;
    }
    return 0;
}

static int keep_tail(int fd, const char *torn, const struct scan *scan)
{
    struct disk_replacement r;

    if (disk_replace_begin(&r, torn))
        return -1;
    if (copy_range(fd, scan->whole, scan->tail, r.fd)) {
        disk_replace_abandon(&r);
        return -1;
    }
    return disk_replace_commit(&r);
}

static int cut_tail(int fd, const char *path, const struct scan *scan)
{
    int status = EX_OK;
    char *torn;

    if (asprintf(&torn, "%s.torn", path) < 0)
        err_die_memory();
    if (keep_tail(fd, torn, scan)) {
        err_say_errno("%s", torn);
        status = EX_IOERR;
    } else if (disk_cut(fd, scan->whole)) {
        err_say_errno("%s: cut at byte %llu", path, (unsigned long long)scan->whole);
        status = EX_IOERR;
    } else {
        err_note("%s: the frame at byte %llu was torn; its %llu bytes are in %s now", path,
                 (unsigned long long)scan->whole, (unsigned long long)scan->tail, torn);
    }
    free(torn);
    return status;
}

int recover(int fd, const char *path, uint64_t max_frame, uint64_t *end, uint64_t *frames)
{
    struct scan scan;
    int status;

    scan_init(&scan, max_frame);
    status = find_end(fd, path, &scan);
    if (!status && scan.tail)
        status = cut_tail(fd, path, &scan);
    *end = scan.whole;
    *frames = scan.frames;
    return status;
}
