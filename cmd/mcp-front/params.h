/*
 * The parameters of a tool as a table: it gives the JSON Schema (2020-12) that clients see, and it checks
 * what they send.
 */
#ifndef MCP_FRONT_PARAMS_H
#define MCP_FRONT_PARAMS_H

#include "common/base/buf.h"

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>

enum param_kind {
    PARAM_END,
    PARAM_STRING,
    PARAM_STRINGS, /* an array of strings */
    PARAM_INTEGER,
};

struct param {
    const char *name;
    enum param_kind kind;
    bool required;
    const char *help;           /* NULL: the name says it */
    int64_t min, max;           /* of an integer */
    const char *const *choices; /* of a string: NULL-terminated; NULL: any */
};

/* A schema; the caller's. `command_choices` are those of the parameter "command" (NULL: as in the table). */
struct json_object *params_schema(const struct param *, const char *const *command_choices);

/*
 * Whether `args` (an object or NULL) has only known parameters of the right kinds and all that are
 * required. Otherwise one sentence in `why`. Null counts as absent. Choices are left to who uses them:
 * he can say more about a wrong one.
 */
bool params_check(const struct param *, struct json_object *args, struct buf *why);

#endif
