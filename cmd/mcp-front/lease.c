#include "cmd/mcp-front/lease.h"
#include "cmd/mcp-front/store.h"
#include "common/base/clock.h"
#include "common/io/fd.h"
#include "common/io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <unistd.h>

bool lease_name(char name[LEASE_NAME_SIZE])
{
    uint64_t random[2];

    if (getrandom(random, sizeof(random), 0) != sizeof(random))
        return false;
    snprintf(name, LEASE_NAME_SIZE, "%016" PRIx64 "%016" PRIx64, random[0], random[1]);
    return true;
}

static bool lease_path(const char *root, const char *name, char *path, size_t size)
{
    return snprintf(path, size, "%s/owners%s%s%s", root, *name ? "/" : "", name,
                    *name ? ".lock" : "") < (int)size;
}

int lease_take(const char *root, const char *name)
{
    char path[4096];
    int fd;

    if (!lease_path(root, "", path, sizeof(path)) || file_make_folders(path))
        return -1;
    lease_path(root, name, path, sizeof(path));
    fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd >= 0)
        flock(fd, LOCK_EX | LOCK_NB);
    return fd;
}

void lease_drop(const char *root, const char *name, int fd)
{
    char path[4096];

    if (fd < 0)
        return;
    if (lease_path(root, name, path, sizeof(path)))
        unlink(path);
    fd_close(fd);
}

/* Whether its lease is free. One that cannot be looked at counts as living. */
static bool owner_is_gone(const struct db *db, const char *owner)
{
    char path[4096];
    bool gone;
    int fd;

    if (!lease_path(db->root, owner, path, sizeof(path)))
        return false;
    fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return errno == ENOENT;
    gone = !flock(fd, LOCK_EX | LOCK_NB);
    if (gone)
        unlink(path);
    fd_close(fd);
    return gone;
}

static void interrupt_records(struct db *db, const char *owner)
{
    int result = db_begin(db, true);

    if (result == SQLITE_OK)
        result =
            db_run(db,
                   "UPDATE invocations SET state = ?, finished_ms = ?, outcome = 'interrupted',"
                   " headline = 'Interrupted: the server that ran it ended before Bazel did'"
                   " WHERE owner = ? AND state < 3",
                   "iit", (int64_t)STATE_INTERRUPTED, clock_wall_ms(), owner);
    db_end(db, result);
}

void lease_recover(struct db *db)
{
    sqlite3_stmt *rows;
    char *gone[16];
    size_t count = 0;

    if (db->read_only)
        return;
    rows = db_query(db,
                    "SELECT DISTINCT owner FROM invocations INDEXED BY invocations_alive"
                    " WHERE state < 3 AND owner <> ?",
                    "t", db->owner);
    while (rows && count < 16 && sqlite3_step(rows) == SQLITE_ROW)
        if (owner_is_gone(db, db_text(rows, 0)) && (gone[count] = strdup(db_text(rows, 0))))
            count++;
    sqlite3_finalize(rows);
    while (count) {
        interrupt_records(db, gone[--count]);
        free(gone[count]);
    }
}
