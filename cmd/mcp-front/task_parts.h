/* Task objects as the two dialects write them. All give objects of the caller's. */
#ifndef MCP_FRONT_TASK_PARTS_H
#define MCP_FRONT_TASK_PARTS_H

#include "cmd/mcp-front/server.h"
#include "cmd/mcp-front/store.h"
#include "cmd/mcp-front/tools.h"
#include "cmd/mcp-front/waiter.h"

#define TASK_DIALECT_LEGACY    "2025-11-25"
#define TASK_DIALECT_EXTENSION "extension"

#define TASK_PAGE 100 /* tasks on one page of tasks/list */

struct json_object *task_created_legacy(const struct server *, const struct store_task *);
struct json_object *task_created_extension(const struct server *, const struct store_task *);
struct json_object *task_state_legacy(const struct server *, const struct store_task *);
/* With the result, where it has ended with one. */
struct json_object *task_state_extension(const struct server *, const struct store_task *);

/* The kept result of the call; NULL: there is none. */
struct json_object *task_parse_result(const struct store_task *);

/* {tasks[], nextCursor?} of up to TASK_PAGE + 1 tasks, of which the last one only says that more come. */
struct json_object *task_page(const struct server *, const struct store_task *, size_t count);
bool task_read_cursor(struct json_object *cursor, int64_t *before_ms, char id[STORE_ID_SIZE]);

#endif
