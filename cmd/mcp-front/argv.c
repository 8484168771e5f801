#include "cmd/mcp-front/argv.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Takes `text`. */
static void take(struct argv *a, char *text)
{
    size_t cap = a->cap ? 2 * a->cap : 16;
    char **grown;

    if (text && a->count + 1 >= a->cap) {
        grown = realloc(a->items, cap * sizeof(*grown));
        if (grown) {
            a->items = grown;
            a->cap = cap;
        }
    }
    if (!text || a->count + 1 >= a->cap) {
        free(text);
        a->failed = true;
        return;
    }
    a->items[a->count++] = text;
    a->items[a->count] = NULL;
}

void argv_add(struct argv *a, const char *text)
{
    take(a, strdup(text));
}

void argv_addf(struct argv *a, const char *format, ...)
{
    char *text = NULL;
    va_list args;

    va_start(args, format);
    if (vasprintf(&text, format, args) < 0)
        text = NULL;
    va_end(args);
    take(a, text);
}

void argv_add_all(struct argv *a, char *const *list)
{
    for (; list && *list; list++)
        argv_add(a, *list);
}

void argv_release(struct argv *a)
{
    for (size_t i = 0; i < a->count; i++)
        free(a->items[i]);
    free(a->items);
    *a = (struct argv)ARGV_INIT;
}
