#include "cmd/mcp-front/config_table.h"

#include <stdlib.h>
#include <string.h>

struct key {
    const char *text; /* with its quotes, as written */
    size_t len;
};

struct walk {
    const char *at, *end;
    int depth;
};

static void skip_comment(struct walk *w)
{
    const char *stop = w->at[1] == '/' ? memchr(w->at, '\n', (size_t)(w->end - w->at))
                                       : memmem(w->at + 2, (size_t)(w->end - w->at) - 2, "*/", 2);

    w->at = stop ? stop + 1 : w->end;
}

static struct key take_string(struct walk *w)
{
    struct key key = {.text = w->at};

    for (w->at++; w->at < w->end && *w->at != '"'; w->at++)
        w->at += *w->at == '\\' && w->at + 1 < w->end;
    w->at += w->at < w->end;
    key.len = (size_t)(w->at - key.text);
    return key;
}

/* The next member of the outermost object. The text has been found to be well-formed. */
static bool next_key(struct walk *w, struct key *key)
{
    *key = (struct key){0};
    while (w->at < w->end) {
        if (*w->at == '"') {
            *key = take_string(w);
            continue;
        }
        if (*w->at == '/' && w->end - w->at > 1) {
            skip_comment(w);
            continue;
        }
        w->depth += *w->at == '{' || *w->at == '[';
        w->depth -= *w->at == '}' || *w->at == ']';
        if (*w->at++ == ':' && w->depth == 1)
            return true;
    }
    return false;
}

static size_t line_of(const char *text, const char *at)
{
    size_t line = 1;

    for (; text < at; text++)
        line += *text == '\n';
    return line;
}

size_t config_duplicate(const char *text, size_t len, char *name, size_t size)
{
    struct walk w = {.at = text, .end = text + len};
    struct key *keys = NULL, key;
    size_t count = 0, line = 0;

    while (!line && next_key(&w, &key)) {
        struct key *more = realloc(keys, (count + 1) * sizeof(*keys));
        if (!more)
            break;
        keys = more;
        keys[count] = key;
        for (size_t i = 0; i < count && !line; i++)
            if (keys[i].len == key.len && !memcmp(keys[i].text, key.text, key.len))
                line = line_of(text, key.text);
        count++;
    }
    if (line && size > key.len) {
        memcpy(name, key.text + 1, key.len - 2);
        name[key.len - 2] = '\0';
    }
    free(keys);
    return line;
}
