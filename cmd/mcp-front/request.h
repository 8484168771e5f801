/*
 * One request of the client, from its arrival until it is answered, refused or cancelled. Exactly one of
 * request_reply, request_fail and request_drop ends it; it is freed then.
 */
#ifndef MCP_FRONT_REQUEST_H
#define MCP_FRONT_REQUEST_H

#include "cmd/mcp-front/output.h"

#include <json-c/json.h>
#include <stdbool.h>

/* In the order of their dates; the last one is the stateless era. */
enum revision {
    REV_2024_11_05,
    REV_2025_03_26,
    REV_2025_06_18,
    REV_2025_11_25,
    REV_2026_07_28,
    REV_COUNT,
};

extern const char *const revision_names[REV_COUNT];
/* REV_COUNT: unknown. */
enum revision revision_parse(const char *name);

/* More requests at once are a client that has lost count. */
#define REQUESTS_MAX 4096

struct server;
struct request;

/* An array of messages (2025-03-26 only): the answers go out together. */
struct batch {
    struct json_object *answers;
    size_t open; /* requests without an answer, and one while it is being read */
};

struct requests {
    struct request *first;
    size_t count;
};

struct request {
    struct request *next, **link;
    struct server *server;
    struct json_object *id;
    struct json_object *progress_token; /* NULL: none */
    double progress;                    /* the last one sent; rises strictly */
    struct batch *batch;                /* NULL: alone */
    enum revision revision;
    bool takes_tasks;  /* extension: this request's client can handle a task */
    bool dotted_names; /* what tools/list gives this client */

    /*
     * Who works on it hears that it was cancelled; the request is freed after the call. NULL: nobody is
     * interested.
     */
    void (*cancelled)(struct request *, void *data);
    void *data;
};

/* Takes a reference of `id`. NULL: there are too many. */
struct request *request_new(struct server *, struct json_object *id);
struct request *request_find(struct server *, struct json_object *id);

bool request_is_modern(const struct request *);

/* `result` is taken: the members that the revision demands are added. */
void request_reply(struct request *, struct json_object *result);
/* `data` is taken; NULL: none. */
void request_fail(struct request *, int code, const char *message, struct json_object *data);
/* Tells who works on it, and answers nothing: what a cancelled request gets. */
void request_cancel(struct request *);
/* Answers nothing. */
void request_drop(struct request *);

/*
 * One progress notification, where a token was given. `total` and `message`: 0 and NULL where unknown.
 * `done` that does not rise is raised a little, as the protocol wants.
 */
void request_progress(struct request *, double done, double total, const char *message);

/* A batch begins with one open place, that of its reader. */
struct batch *batch_new(void);
/* `answer` is taken; NULL closes a place without an answer. With the last place the batch goes out. */
void batch_close_place(struct batch *, struct server *, struct json_object *answer);

#endif
