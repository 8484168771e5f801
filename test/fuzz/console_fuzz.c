/*
 * Console text, test logs and action output of any bytes: read to the end in linear time; every diagnostic is clean,
 * within its bounds, and at a place that can exist. The first byte chooses who reads.
 */
// with: cmd/bep-reduce/anchors.c cmd/bep-reduce/cause.c cmd/bep-reduce/complaint.c cmd/bep-reduce/consequence.c
// with: cmd/bep-reduce/console.c cmd/bep-reduce/console_header.c cmd/bep-reduce/diag.c
// with: cmd/bep-reduce/diag_finish.c cmd/bep-reduce/fallback.c cmd/bep-reduce/jvm.c cmd/bep-reduce/lines.c
// with: cmd/bep-reduce/paths.c cmd/bep-reduce/pattern.c cmd/bep-reduce/recognise.c
// with: cmd/bep-reduce/recognise_bazel.c cmd/bep-reduce/rulebook.c cmd/bep-reduce/scan.c cmd/bep-reduce/starlark.c
// with: cmd/bep-reduce/rules_*.c
#include "cmd/bep-reduce/console.h"
#include "cmd/bep-reduce/recognise.h"
#include "common/text/utf8.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct paths paths = {.workspace = "/home/dev/ws"};

static void require(bool condition)
{
    if (!condition)
        abort();
}

static void check(const struct diag *d)
{
    size_t message = strlen(d->message);
    require(message > 0 && message <= DIAG_MESSAGE_MAX && utf8_is_clean(d->message, message));
    require(!strchr(d->message, '\n'));
    if (d->detail) {
        int lines = 1;
        for (const char *at = d->detail; (at = strchr(at, '\n')); at++)
            lines++;
        require(strlen(d->detail) <= DIAG_DETAIL_MAX && lines <= DIAG_DETAIL_LINES_MAX);
        require(utf8_is_clean(d->detail, strlen(d->detail)));
    }
    if (d->place.path) {
        require(d->place.path[0] && d->place.path[0] != '/');
        require(strncmp(d->place.path, "../", 3) != 0 && !strstr(d->place.path, "/../"));
    }
    require(d->place.line || !d->place.column);
    require(d->repetition_count > 0);
}

static void read_text(struct slice text, enum evidence_kind kind, struct diag_list *list)
{
    struct evidence evidence = {
        .text = text.text,
        .len = text.len,
        .kind = kind,
        .target = "//pkg:target",
        .exit_code = 1,
        .rule = {"pkg/BUILD", 1, 1},
        .paths = &paths,
    };
    if (recognise(&evidence, list) == 0)
        recognise_fallback(&evidence, NULL, list);
}

static bool is_within(struct slice part, struct slice whole)
{
    return !part.len || (part.text >= whole.text && part.text + part.len <= whole.text + whole.len);
}

static void read_console(struct slice text, struct diag_list *list)
{
    static struct console console;
    struct console_block block;
    console_init(&console, text.text, text.len);
    while (console_next(&console, &block)) {
        require(is_within(block.body, text));
        read_text(block.body, block.kind == CONSOLE_ACTION ? EVIDENCE_ACTION : EVIDENCE_CONSOLE,
                  list);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diag_list list;
    if (!size)
        return 0;
    struct slice text = {(const char *)data + 1, size - 1};
    diag_list_init(&list, 4UL * 1024 * 1024);
    if (data[0] % 4 == 0)
        read_console(text, &list);
    else
        read_text(text,
                  data[0] % 4 == 1   ? EVIDENCE_TEST
                  : data[0] % 4 == 2 ? EVIDENCE_ACTION
                                     : EVIDENCE_FAILURE,
                  &list);
    diag_list_finish(&list);
    for (size_t i = 0; i < list.count; i++)
        check(list.items[i]);
    diag_list_release(&list);
    return 0;
}
