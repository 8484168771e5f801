#include "cmd/mcp-front/filter.h"

#include <string.h>
#include <strings.h>

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);

    return n >= m && !strcmp(text + n - m, end);
}

void filter_init(struct filter *filter, const char *text)
{
    filter->text = text && *text ? text : NULL;
    filter->pattern = filter->text && (strchr(text, '*') || ends_with(text, "/...") ||
                                       ends_with(text, "/...:all") || ends_with(text, ":all"));
}

/* '*' stands for any characters. Goes back to the last '*' only, which is enough. */
static bool glob(const char *pattern, size_t len, const char *text)
{
    const char *end = pattern + len, *star = NULL, *from = NULL;

    while (*text) {
        if (pattern < end && *pattern == '*') {
            star = pattern++;
            from = text;
        } else if (pattern < end && *pattern == *text) {
            pattern++;
            text++;
        } else if (star) {
            pattern = star + 1;
            text = ++from;
        } else {
            return false;
        }
    }
    while (pattern < end && *pattern == '*')
        pattern++;
    return pattern == end;
}

/* "//foo/..." stands for the package foo and all below it. */
static bool below(const char *pattern, size_t len, const char *label)
{
    if (strncmp(pattern, label, len))
        return false;
    return !label[len] || label[len] == '/' || label[len] == ':' ||
           (len && pattern[len - 1] == '/');
}

bool filter_label(const char *pattern, const char *label)
{
    size_t len = strlen(pattern);

    if (ends_with(pattern, "/...:all"))
        len -= 4;
    if (len >= 4 && !strncmp(pattern + len - 4, "/...", 4)) {
        size_t front = len - 4;
        return below(pattern, front + (front > 0 && pattern[front - 1] == '/'), label);
    }
    if (ends_with(pattern, ":all"))
        return !strncmp(pattern, label, len - 3);
    return glob(pattern, len, label);
}

static bool contains(const char *text, size_t len, const char *part)
{
    size_t n = strlen(part);
    char first[3] = {*part, *part, '\0'};

    if (*part >= 'a' && *part <= 'z')
        first[1] = (char)(*part - 'a' + 'A');
    else if (*part >= 'A' && *part <= 'Z')
        first[1] = (char)(*part - 'A' + 'a');
    for (size_t i = 0; i + n <= len; i++)
        if ((text[i] == first[0] || text[i] == first[1]) && !strncasecmp(text + i, part, n))
            return true;
    return false;
}

bool filter_name(const struct filter *filter, const char *name)
{
    if (!filter->text)
        return true;
    if (!name)
        return false;
    return filter->pattern ? filter_label(filter->text, name)
                           : contains(name, strlen(name), filter->text);
}

bool filter_text(const struct filter *filter, const char *text, size_t len)
{
    if (!filter->text)
        return true;
    return text && !filter->pattern && contains(text, len, filter->text);
}
