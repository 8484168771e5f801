/* The tools: one table with their names, texts, parameters and functions. */
#ifndef MCP_FRONT_TOOLS_H
#define MCP_FRONT_TOOLS_H

#include "cmd/mcp-front/params.h"
#include "cmd/mcp-front/request.h"

enum task_support {
    TASK_FORBIDDEN,
    TASK_OPTIONAL,
};

struct tool {
    const char *dotted, *underscored; /* names; both are always understood */
    const char *title;
    const char *description;
    const struct param *params;
    bool read_only, destructive, idempotent;
    enum task_support tasks;
    /* `args` has been checked against `params`; `call` are the whole parameters of tools/call. */
    void (*handle)(struct request *, struct json_object *args, struct json_object *call);
    struct json_object *(*output_schema)(void); /* NULL: its results vary too much */
};

/* The array for tools/list; the caller's. */
struct json_object *tools_list(const struct request *);
/* The method tools/call. */
void tools_call(struct request *, struct json_object *params);

/* The tools, one a file. */
extern const struct param run_params[], inspect_params[], cancel_params[];
void run_handle(struct request *, struct json_object *args, struct json_object *call);
void inspect_handle(struct request *, struct json_object *args, struct json_object *call);
void cancel_handle(struct request *, struct json_object *args, struct json_object *call);

struct call;
/* tool_run.c: starts or joins the run, as a task where that is wanted. Takes what is in `call`. */
void run_start(struct request *, struct call *, struct json_object *args,
               struct json_object *params);

/* A result that says in words what went wrong; ends the request. */
void tool_error(struct request *, const char *text);

#endif
