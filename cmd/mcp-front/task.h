/*
 * Tasks in both dialects: those of revision 2025-11-25, which the client asks for, and the extension
 * io.modelcontextprotocol/tasks, where we decide and the client says that it can. A task is an
 * invocation; its id is the invocation's. What it promises is kept in the store, so that the next server
 * can still give it. A build that failed is a completed task: a failed build is an answer.
 */
#ifndef MCP_FRONT_TASK_H
#define MCP_FRONT_TASK_H

#include "cmd/mcp-front/invoke.h"
#include "cmd/mcp-front/request.h"

enum task_dialect { TASK_NONE, TASK_LEGACY, TASK_EXTENSION };

/*
 * Which kind of task a call of bazel.run is to become, from the policy, the revision and what the client
 * said. False: the policy refuses the call, and the request has been answered.
 */
bool task_wanted(struct request *, struct json_object *params, enum task_dialect *,
                 int64_t *ttl_ms);

/* Answers the request with a handle once the store knows the task. */
void task_create(struct request *, struct invocation *, enum task_dialect, int64_t ttl_ms);

/* The result of a call belongs to a task: says so in its _meta. */
void task_mark_result(struct json_object *result, const char *id);

/* The methods tasks/…; each knows its dialect from the request. */
void task_get(struct request *, struct json_object *params);
void task_result(struct request *, struct json_object *params);
void task_list(struct request *, struct json_object *params);
void task_cancel(struct request *, struct json_object *params);
void task_update(struct request *, struct json_object *params);

#endif
