/* A store of its own for each test, and calls that wait for their callbacks. */
#ifndef STORE_FIXTURE_H
#define STORE_FIXTURE_H

#include "cmd/mcp-front/db.h"
#include "cmd/mcp-front/policy_parts.h"
#include "cmd/mcp-front/record.h"
#include "cmd/mcp-front/retain.h"
#include "cmd/mcp-front/store.h"
#include "common/base/clock.h"
#include "common/io/file.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define DAY_MS (24LL * 60 * 60 * 1000)

extern char root[64];
extern struct config config;

struct answer {
    int calls;
    enum store_status status;
    char words[512];
    char folder[256];
    struct store_record record;
    char headline[256], summary[4096];
    size_t tasks;
};

void note(struct answer *a, enum store_status status, const char *words);
void on_plain(void *data, enum store_status status, const char *words);
void on_begin(void *data, enum store_status status, const char *folder, const char *words);
void on_record(void *data, enum store_status status, const struct store_record *record,
               const char *words);
void on_tasks(void *data, enum store_status status, const struct store_task *tasks, size_t count,
              const char *words);
void on_closed(void *data);
struct store *open_store(uv_loop_t *loop);
void close_store(uv_loop_t *loop, struct store *store);
struct answer begin(uv_loop_t *loop, struct store *store, const char *id, int64_t at);
struct answer finish(uv_loop_t *loop, struct store *store, const char *id, enum store_state state,
                     int64_t at);
struct answer find(uv_loop_t *loop, struct store *store, const char *id);
void write_text(const char *folder, const char *name, const char *text);
bool exists(const char *folder, const char *name);
int set_up(void **state);
int tear_down(void **state);

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
