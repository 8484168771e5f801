/* Private to view_*.c: items out of a JSON lines file in an invocation's folder. */
#ifndef MCP_FRONT_VIEW_ROWS_H
#define MCP_FRONT_VIEW_ROWS_H

#include "cmd/mcp-front/page.h"
#include "cmd/mcp-front/viewer.h"

struct rows {
    const char *file;
    const char *const *names; /* members that are labels or paths */
    const char *const *texts; /* members that a substring is looked for in */
    const char *status;       /* the member that request->status is about; NULL: none */
    /* A row that can be told in parts: how many, and one of them (a new object). NULL: it never is. */
    uint64_t (*parts)(struct json_object *row);
    struct json_object *(*part)(struct json_object *row, uint64_t part);
    /* Leaves out of an item what says nothing. NULL: nothing does. */
    struct json_object *(*slim)(struct json_object *item);
};

void rows_view(struct viewer *, const struct rows *);

/* The path of a file in the folder. False, and the answer is an error, where the folder is gone. */
bool rows_path(struct viewer *, const char *name, char *path, size_t size);
/* Whether events and logs are still there; if not, the answer is an error. */
bool rows_have_evidence(struct viewer *);
/* A line as a redacted object; NULL where it is none. */
struct json_object *rows_parse(struct viewer *, const struct page_line *);

#endif
