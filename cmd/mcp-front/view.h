/*
 * bazel.inspect: the views of the store, as JSON that fits into a number of bytes. One item is never
 * lost: an answer has at least one item where there is one, the first one cut if it must be, and its
 * cursor always advances. Everything is redacted before it is cut. Nothing is read as a whole: logs and
 * JSON lines are read by byte offset.
 *
 * An answer: {invocation_id?, view, items[], total_count?, filtered_count?, next_cursor?, truncated?}.
 */
#ifndef MCP_FRONT_VIEW_H
#define MCP_FRONT_VIEW_H

#include "cmd/mcp-front/store.h"

#include <json-c/json.h>

#define VIEW_LIMIT_DEFAULT 20
#define VIEW_LIMIT_MAX     100
#define VIEW_BYTES_MIN     512
#define VIEW_BYTES_MAX     8192

enum view_kind {
    VIEW_SUMMARY,
    VIEW_DIAGNOSTICS,
    VIEW_TESTS,
    VIEW_TEST_LOG,
    VIEW_COVERAGE,
    VIEW_ARTIFACTS,
    VIEW_QUERY_RESULTS,
    VIEW_LOG,
    VIEW_METRICS,
    VIEW_INVOCATIONS,
    VIEW_COMPARE,
    VIEW_HISTORY,
    VIEW_EVENTS,
    VIEW_COUNT,
};

/* By kind; the names that clients use. */
extern const char *const view_names[VIEW_COUNT + 1];
bool view_parse(const char *name, enum view_kind *);

/* Members that do not apply are NULL or 0. Where one does not apply and is given, the answer is an error. */
struct view_request {
    enum view_kind view;
    const char *invocation_id; /* all but invocations and history */
    const char *workspace;     /* invocations, history: any path that leads there */
    const char *state;         /* invocations */
    const char *command;       /* invocations */
    const char *filter;        /* a substring, or a label pattern: //foo/..., //foo:all, with '*' */
    const char *status;  /* tests, history, diagnostics (severity), compare (kind of change) */
    const char *against; /* compare: the other invocation; NULL: the previous alike one */
    const char *label;   /* history: of which target or test; events: a label pattern */
    const char *types;   /* events: names with commas */
    const char *cursor;
    unsigned limit;     /* 0: VIEW_LIMIT_DEFAULT; clamped to VIEW_LIMIT_MAX */
    unsigned max_bytes; /* 0: VIEW_BYTES_MAX; clamped */

    /*
     * While it runs: a folder that holds STORE_SUMMARY and STORE_DETAILS of the events so far. NULL: what
     * the invocation's own folder has.
     */
    const char *live_folder;

    /* Bytes that an answer takes in the encoding in use. Called on a thread of the pool, on data of its own. */
    size_t (*measure)(struct json_object *answer);
};

/* `answer` is the callback's to keep (json_object_put); NULL where `error` says why. */
typedef void (*view_cb)(void *data, struct json_object *answer, const char *error);
void view_ask(struct store *, const struct view_request *, view_cb, void *data);

#endif
