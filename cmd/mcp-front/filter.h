/*
 * What a view leaves out. A label pattern (//foo/..., //foo:all, //foo:*, or anything with a '*') is
 * matched against labels and paths as a whole; anything else is a substring of any text, letters' case
 * aside (ASCII).
 */
#ifndef MCP_FRONT_FILTER_H
#define MCP_FRONT_FILTER_H

#include <stdbool.h>
#include <stddef.h>

struct filter {
    const char *text; /* NULL: everything passes */
    bool pattern;
};

void filter_init(struct filter *, const char *text);

/* A label or a path. NULL passes only where everything does. */
bool filter_name(const struct filter *, const char *name);
/* Any text. Patterns do not match text. */
bool filter_text(const struct filter *, const char *text, size_t len);

/* Whether `pattern` matches `label` as a whole. */
bool filter_label(const char *pattern, const char *label);

#endif
