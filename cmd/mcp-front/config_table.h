/* Private to config*.c: the table of all keys. */
#ifndef MCP_FRONT_CONFIG_TABLE_H
#define MCP_FRONT_CONFIG_TABLE_H

#include "cmd/mcp-front/config.h"

enum config_type {
    CONFIG_NUMBER, /* uint64_t */
    CONFIG_BOOL,   /* bool */
    CONFIG_PATH,   /* char *: relative to the working folder; "" is refused */
    CONFIG_PATHS,  /* struct config_list: each must exist */
    CONFIG_NAMES,  /* struct config_list: a set of non-empty strings */
    CONFIG_CHOICE, /* int: an index into `choices` */
};

struct config_key {
    const char *name;
    enum config_type type;
    size_t offset;   /* in struct config */
    uint64_t number; /* default of a number, a bool or a choice */
    uint64_t min, max;
    const char *const *choices;
    const char *const *names; /* default of CONFIG_NAMES */
    const char *doc;
};

extern const struct config_key config_keys[];
extern const size_t config_key_count;

/* A key that others have and we refuse, with what to say; NULL: simply unknown. */
const char *config_refused(const char *name);

/*
 * The line of the first member of the outermost object that stands there twice, and its name; 0 where
 * there is none. The text is otherwise valid JSON with comments. `name` begins as an empty string.
 */
size_t config_duplicate(const char *text, size_t len, char *name, size_t size);

#endif
