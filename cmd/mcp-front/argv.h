/* A NULL-terminated list of arguments that grows. A failure to grow is remembered and asked once. */
#ifndef MCP_FRONT_ARGV_H
#define MCP_FRONT_ARGV_H

#include <stdbool.h>
#include <stddef.h>

struct argv {
    char **items; /* NULL before the first one */
    size_t count, cap;
    bool failed;
};

#define ARGV_INIT                                                                                  \
    {                                                                                              \
        0                                                                                          \
    }

void argv_add(struct argv *, const char *text);
void argv_addf(struct argv *, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A NULL-terminated list, which may be NULL. */
void argv_add_all(struct argv *, char *const *list);
void argv_release(struct argv *);

#endif
