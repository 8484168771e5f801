/* A store of its own for each test, and views of it. */
#ifndef VIEW_FIXTURE_H
#define VIEW_FIXTURE_H

#include "cmd/mcp-front/member.h"
#include "cmd/mcp-front/view.h"
#include "common/base/clock.h"
#include "common/io/file.h"
#include "common/json/print.h"
#include "common/json/toon.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

extern char root[64];
extern struct config config;
extern uv_loop_t loop;
extern struct store *store;
extern char folder[512];

struct reply {
    int calls;
    struct json_object *answer;
    char error[512];
};

typedef void (*each_item)(struct json_object *item, size_t number);

/* How pages are asked for. */
struct shape {
    unsigned limit, bytes;
    size_t (*measure)(struct json_object *);
};

#define SHAPES 8
extern const struct shape shapes[SHAPES];

#define DIAGNOSTICS 400

size_t measure_json(struct json_object *answer);
size_t measure_toon(struct json_object *answer);
void on_begin(void *data, enum store_status status, const char *path, const char *words);
void on_plain(void *data, enum store_status status, const char *words);
void on_closed(void *data);
void on_view(void *data, struct json_object *answer, const char *error);
void begin(const char *id, int64_t at);
void finish(const char *id, enum store_state state, int64_t at);
FILE *open_file(const char *name);
void write_text(const char *name, const char *text);
struct reply ask(struct view_request request);
struct json_object *item(struct reply *r, size_t i);
size_t item_count(struct reply *r);
/* Pages through a view; every page is within its bytes, and none is empty and has a cursor. */
size_t page_through(struct view_request request, each_item each);
unsigned number_below(unsigned n);
void is_diagnostic(struct json_object *diagnostic, size_t i);
void write_diagnostics(void);
int set_up(void **state);
int tear_down(void **state);

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
