/* A cursor of any bytes: refused, or a place that comes back the same when it is written again. */
// with: cmd/mcp-front/cursor.c cmd/mcp-front/filter.c
#include "cmd/mcp-front/cursor.h"
#include "cmd/mcp-front/filter.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_cursor(const char *text)
{
    char again[CURSOR_TEXT_MAX];
    struct cursor cursor, other;

    if (!cursor_read(text, 0, &cursor))
        return;
    cursor_write(&cursor, 0, again);
    if (!cursor_read(again, 0, &other) || memcmp(&cursor, &other, sizeof(cursor)) != 0)
        abort();
}

/* Whatever the pattern, a label matches itself, and '*' matches everything. */
static void check_filter(const char *text)
{
    struct filter filter;

    filter_init(&filter, text);
    filter_name(&filter, "//app/server:server_test");
    filter_text(&filter, text, strlen(text));
    if (!filter_label("*", text))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);

    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    check_cursor(text);
    check_filter(text);
    free(text);
    return 0;
}
