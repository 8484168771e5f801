#include "cmd/mcp-front/excerpt.h"
#include "cmd/mcp-front/page.h"
#include "common/text/redact.h"
#include "common/text/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define LOOK_BYTES 8192  /* of the file */
#define LOOK_BACK  16384 /* before them: a private key may have begun there */
#define LINE_BYTES 512

static void add_redacted(const struct invocation *inv, struct redact_lines *state,
                         const struct page_line *line, struct buf *out)
{
    struct buf clean = BUF_INIT;

    utf8_clean(&clean, line->text, line->len);
    redact_line(inv->engine->redact, state, clean.data, clean.len, out);
    buf_add_char(out, '\n');
    buf_release(&clean);
}

/*
 * Clean and redacted lines of a log: of its beginning, or of its end. True: that is the whole file. Whole lines
 * only: of a secret that is cut, the half could not be recognised.
 */
static bool read_part(const struct invocation *inv, const char *name, bool from_end,
                      struct buf *out)
{
    struct redact_lines state = REDACT_LINES_INIT;
    uint64_t size = 0, from;
    struct page page = {.fd = -1};
    struct page_line line;
    struct stat st;
    char *path = NULL;

    if (!inv->folder || asprintf(&path, "%s/%s", inv->folder, name) < 0)
        return true;
    if (!stat(path, &st))
        size = (uint64_t)st.st_size;
    from = from_end && size > LOOK_BACK + LOOK_BYTES ? size - LOOK_BACK - LOOK_BYTES : 0;
    if (!page_open(&page, path, from)) {
        while (page_next(&page, &line) > 0 && (from_end || line.start < LOOK_BYTES)) {
            if (from_end && line.next + LOOK_BYTES <= size)
                redact_skip_line(&state, line.text, line.len);
            else
                add_redacted(inv, &state, &line, out);
        }
    }
    page_close(&page);
    free(path);
    return size <= LOOK_BYTES;
}

static size_t line_start(const char *text, size_t end)
{
    while (end && text[end - 1] != '\n')
        end--;
    return end;
}

/* From the end to the front: where the last `lines` lines begin that are not blank. */
static size_t tail_start(const char *text, size_t len, int lines)
{
    size_t at = len;

    while (at && lines) {
        size_t start = line_start(text, at - (text[at - 1] == '\n'));

        if (strspn(text + start, " \t\r\n") < at - start)
            lines--;
        at = start;
    }
    return at;
}

static void add_line(struct buf *out, const char *line, size_t len)
{
    if (strspn(line, " \t\r") >= len)
        return;
    if (out->len)
        buf_add_char(out, '\n');
    buf_add(out, line, utf8_cut(line, len, LINE_BYTES));
}

static bool begins_line(const struct buf *text, const char *at)
{
    return at == text->data || at[-1] == '\n';
}

/* What Bazel says around the start of a program. */
static bool is_bazels(const char *line)
{
    static const char *const words[] = {"INFO: Running command line:", "INFO: Build completed",
                                        "INFO: Build Event Protocol files produced",
                                        "INFO: Streaming build results to:"};

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (!strncmp(line, words[i], strlen(words[i])))
            return true;
    return false;
}

/*
 * Where the program's lines begin in stderr. Without Bazel's word that it starts the program all is Bazel's,
 * or, in the end of a long file, the program's.
 */
static size_t program_start(const struct buf *text, bool whole)
{
    static const char starts[] = "INFO: Running command line:";
    const char *at = strstr(text->data, starts);

    while (at && !begins_line(text, at))
        at = strstr(at + 1, starts);
    if (!at)
        return whole ? text->len : 0;
    while (is_bazels(at)) {
        at += strcspn(at, "\n");
        at += *at == '\n';
    }
    return (size_t)(at - text->data);
}

static bool is_blank(const struct buf *text)
{
    return strspn(text->data, " \t\r\n") == text->len;
}

void excerpt_program(const struct invocation *inv, int lines, struct buf *out)
{
    struct buf text = BUF_INIT;
    size_t start = 0, at;
    bool whole;

    read_part(inv, STORE_STDOUT, true, &text);
    if (is_blank(&text)) {
        buf_clear(&text);
        whole = read_part(inv, STORE_STDERR, true, &text);
        start = program_start(&text, whole);
    }
    at = tail_start(text.data, text.len, lines);
    for (size_t n; at < text.len; at += n + 1) {
        n = strcspn(text.data + at, "\n");
        if (at >= start)
            add_line(out, text.data + at, n);
    }
    buf_release(&text);
}

bool excerpt_waits_for_bazel(const struct invocation *inv, int *pid)
{
    struct buf text = BUF_INIT;
    const char *said, *number, *rest;
    bool waits;

    read_part(inv, STORE_STDERR, true, &text);
    said = strstr(text.data, "Another command");
    number = said ? strstr(said, "pid=") : NULL;
    *pid = 0;
    if (number)
        sscanf(number + 4, "%d", pid);
    /* Anything behind that line means that the wait is over. */
    rest = said ? said + strcspn(said, "\n") : "";
    waits = said && strspn(rest, " \r\n") == strlen(rest);
    buf_release(&text);
    return waits;
}

void excerpt_head(const struct invocation *inv, size_t max, struct buf *out)
{
    struct buf text = BUF_INIT;
    size_t len;

    read_part(inv, STORE_STDOUT, false, &text);
    len = utf8_cut(text.data, text.len, max);
    while (len && strchr(" \t\r\n", text.data[len - 1]))
        len--;
    buf_add(out, text.data, len);
    buf_release(&text);
}
