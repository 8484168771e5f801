/*
 * Files that events name by URI: action output, test logs, coverage reports. Only what lies under the build's own
 * folders is read, or under the folders that the user gave instead (--testlogs, --action-logs).
 */
#ifndef BEP_REDUCE_FILES_H
#define BEP_REDUCE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/bep-reduce/event.h"
#include "common/base/buf.h"

struct files {
    const char *testlogs;    /* --testlogs, NULL: none */
    const char *action_logs; /* --action-logs, NULL: none */
    /* Where a file: URI may point to: absolute, NULL where unknown. Set as the events tell. */
    const char *workspace, *output_base, *exec_root;
};

/*
 * Puts the local path that `uri` means into `path`: percent-decoded once (RFC 2396), mapped to --testlogs or
 * --action-logs, confined. Returns NULL, or why there is none, a constant: "remote", "outside of the build's
 * folders", …
 */
const char *files_path(const struct files *, struct bytes uri, struct buf *path);

/*
 * Appends at most `max` bytes of the file: all of it, or the excerpt of excerpt.h. Returns NULL, or why it could not be read, a constant.
 */
const char *files_read(const char *path, size_t max, struct buf *out);

/* What events say of a file that may have been overwritten since, as test logs are by the next run. */
struct files_expected {
    int64_t length; /* bytes; 0: unknown */
    int64_t
        written_ms; /* since the epoch: by when it was complete; 0: unknown, or a length tells more */
};

/*
 * Why the file at `path`, which files_path or files_test_output gave, is not the one that events speak of, a constant, or NULL.
 * Files of --testlogs and --action-logs always are.
 */
const char *files_changed(const struct files *, const char *path, const struct files_expected *);

/* Which execution of which test a log is of; 0 where Bazel says nothing. */
struct test_place {
    const char *label;
    int run, shard, attempt;
    int64_t written_ms; /* as in files_expected */
};

/*
 * The same for a test's output whose URI names no local file (remote execution): where Bazel puts it when it is
 * downloaded, below --testlogs or the workspace's bazel-testlogs. `name` is "test.log" or "test.xml".
 */
const char *files_test_output(const struct files *, const struct test_place *, const char *name,
                              struct buf *path);

/* What lies behind the last "/testlogs/" of a path or URI, NULL where there is no such part. */
const char *files_testlogs_part(const char *path);

#endif
