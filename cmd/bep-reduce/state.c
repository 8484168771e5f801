#include "cmd/bep-reduce/state.h"

#include <stdlib.h>
#include <string.h>

#include "common/text/utf8.h"

#define SCRATCH_MAX                                                                                \
    (16UL * 1024 * 1024) /* one unpacked event; prune.h keeps what is unpacked under 4 MiB */
#define LABEL_MAX 4096
#define NEVER     (-1)

static void begin_lists(struct state *s)
{
    s->targets_tail = &s->targets;
    s->tests_tail = &s->tests;
    s->actions_tail = &s->actions;
    s->aborted_tail = &s->aborted;
    s->artifacts_tail = &s->artifacts;
    s->lcovs_tail = &s->lcovs;
    s->build.exit_code = NEVER;
    s->metrics.critical_path_ms = NEVER;
}

void state_init(struct state *s, struct redact *redact)
{
    *s = (struct state){.memory = ARENA_INIT(STATE_MAX_BYTES), .scratch = ARENA_INIT(SCRATCH_MAX)};
    s->superseded_exit = NEVER;
    s->redact = redact;
    filesets_init(&s->filesets, STATE_MAX_BYTES);
    screen_init(&s->console_out, CONSOLE_MAX_BYTES);
    screen_init(&s->console_err, CONSOLE_MAX_BYTES);
    begin_lists(s);
}

void state_release(struct state *s)
{
    table_release(&s->target_index);
    table_release(&s->test_index);
    filesets_release(&s->filesets);
    screen_release(&s->console_out);
    screen_release(&s->console_err);
    arena_release(&s->memory);
    arena_release(&s->scratch);
}

void state_restart(struct state *s)
{
    struct arena memory = s->memory, scratch = s->scratch;
    struct screen out = s->console_out, err = s->console_err;
    struct filesets filesets = s->filesets;
    uint64_t events = s->counts.events, bytes = s->counts.bytes;
    uint32_t attempts = s->attempts;
    struct redact *redact = s->redact;
    int exit_code = s->build.exit_code;

    table_release(&s->target_index);
    table_release(&s->test_index);
    filesets_release(&filesets);
    screen_clear(&out);
    screen_clear(&err);
    arena_reset(&memory);
    *s = (struct state){.memory = memory, .scratch = scratch, .filesets = filesets};
    s->console_out = out;
    s->console_err = err;
    s->counts.events = events;
    s->counts.bytes = bytes;
    s->attempts = attempts;
    s->redact = redact;
    s->superseded_exit = exit_code;
    begin_lists(s);
}

/* One bound for rows and file sets together: whoever grows takes from the other. */
static void before_growth(struct state *s)
{
    s->memory.cap = STATE_MAX_BYTES - s->filesets.memory;
}

static void after_growth(struct state *s)
{
    s->filesets.max = STATE_MAX_BYTES - s->memory.used;
}

static void *take_row(struct state *s, size_t size, uint64_t *left_out)
{
    void *row;

    before_growth(s);
    row = arena_alloc(&s->memory, size);
    after_growth(s);
    if (!row) {
        ++*left_out;
        return NULL;
    }
    return memset(row, 0, size);
}

static const char *keep_plain(struct state *s, const char *text, size_t len)
{
    const char *copy;

    before_growth(s);
    copy = arena_strndup(&s->memory, text, len);
    after_growth(s);
    return copy;
}

/* Every text that is kept comes through here. */
static const char *keep(struct state *s, const char *text, size_t len)
{
    struct buf clean = BUF_INIT;
    const char *copy;

    if (!s->redact)
        return keep_plain(s, text, len);
    copy = redact_text(s->redact, text, len, &clean) == BUF_OK
               ? keep_plain(s, clean.data, clean.len)
               : NULL;
    buf_release(&clean);
    return copy;
}

const char *state_text(struct state *s, struct bytes bytes)
{
    struct buf clean = BUF_INIT;
    const char *copy = NULL;

    if (bytes.len == 0)
        return NULL;
    if (utf8_is_clean(bytes.at, bytes.len))
        return keep(s, (const char *)bytes.at, bytes.len);
    if (utf8_clean(&clean, bytes.at, bytes.len) == BUF_OK)
        copy = keep(s, clean.data, clean.len);
    buf_release(&clean);
    return copy;
}

/*
 * Undoes one layer of UTF-8 where every character is a Latin-1 letter and the letters are UTF-8 again. Returns false
 * where that is not so.
 */
static bool decode_twice(struct bytes bytes, uint8_t *out, size_t *len)
{
    bool wide = false;

    *len = 0;
    for (size_t i = 0; i < bytes.len; i++) {
        uint8_t c = bytes.at[i];

        if (c >= 0x80) {
            if ((c != 0xc2 && c != 0xc3) || i + 1 == bytes.len || (bytes.at[i + 1] & 0xc0) != 0x80)
                return false;
            c = (uint8_t)((c & 3) << 6 | (bytes.at[++i] & 0x3f));
            wide = true;
        }
        out[(*len)++] = c;
    }
    return wide && utf8_is_clean(out, *len);
}

const char *state_name(struct state *s, struct bytes bytes)
{
    uint8_t once[LABEL_MAX];
    size_t len;

    if (bytes.len > sizeof(once))
        bytes.len = utf8_cut((const char *)bytes.at, bytes.len, sizeof(once));
    if (decode_twice(bytes, once, &len))
        return state_text(s, (struct bytes){.at = once, .len = len});
    return state_text(s, bytes);
}

/* What a row's key looks like before it is cleaned: rows are found by the bytes of their event id. */
static uint64_t target_hash(const struct event_id *id)
{
    uint64_t hash = table_hash(table_seed(), id->label.at, id->label.len);

    return table_hash(hash, id->aspect.at, id->aspect.len);
}

const struct target *state_target_of(const struct state *s, const char *label)
{
    struct event_id id = {.label = {(const uint8_t *)label, strlen(label)}};

    return table_find(&s->target_index, target_hash(&id));
}

static uint64_t test_hash(const struct event_id *id)
{
    uint64_t hash = table_hash(table_seed(), id->label.at, id->label.len);

    return table_hash(hash, id->configuration.at, id->configuration.len);
}

struct target *state_target(struct state *s, const struct event_id *id)
{
    uint64_t hash = target_hash(id);
    struct target *t = table_find(&s->target_index, hash);

    if (t)
        return t;
    t = take_row(s, sizeof(*t), &s->left_out.targets);
    if (!t)
        return NULL;
    t->row.hash = hash;
    t->label = state_name(s, id->label);
    t->aspect = state_name(s, id->aspect);
    if (!t->label || !table_add(&s->target_index, &t->row)) {
        s->left_out.targets++;
        return NULL;
    }
    *s->targets_tail = t;
    s->targets_tail = &t->next;
    return t;
}

struct test *state_test(struct state *s, const struct event_id *id)
{
    uint64_t hash = test_hash(id);
    struct test *t = table_find(&s->test_index, hash);

    if (t)
        return t;
    t = take_row(s, sizeof(*t), &s->left_out.tests);
    if (!t)
        return NULL;
    t->row.hash = hash;
    t->label = state_name(s, id->label);
    t->configuration = state_text(s, id->configuration);
    t->summary = t->aborted = NEVER;
    t->duration_ms = NEVER;
    t->tail = &t->list;
    if (!t->label || !table_add(&s->test_index, &t->row)) {
        s->left_out.tests++;
        return NULL;
    }
    *s->tests_tail = t;
    s->tests_tail = &t->next;
    return t;
}

struct attempt *state_attempt(struct state *s, struct test *test)
{
    struct attempt *a = take_row(s, sizeof(*a), &s->left_out.attempts);

    if (!a)
        return NULL;
    *test->tail = a;
    test->tail = &a->next;
    return a;
}

struct action *state_action(struct state *s)
{
    struct action *a = take_row(s, sizeof(*a), &s->left_out.actions);

    if (!a)
        return NULL;
    *s->actions_tail = a;
    s->actions_tail = &a->next;
    return a;
}

struct aborted *state_aborted(struct state *s)
{
    struct aborted *a = take_row(s, sizeof(*a), &s->left_out.aborted);

    if (!a)
        return NULL;
    *s->aborted_tail = a;
    s->aborted_tail = &a->next;
    return a;
}

struct artifact *state_artifact(struct state *s)
{
    struct artifact *a;

    if (s->artifact_count == ARTIFACTS_MAX) {
        s->left_out.artifacts++;
        return NULL;
    }
    a = take_row(s, sizeof(*a), &s->left_out.artifacts);
    if (!a)
        return NULL;
    s->artifact_count++;
    *s->artifacts_tail = a;
    s->artifacts_tail = &a->next;
    return a;
}

struct lcov *state_lcov(struct state *s)
{
    struct lcov *l = take_row(s, sizeof(*l), &s->left_out.texts);

    if (!l)
        return NULL;
    *s->lcovs_tail = l;
    s->lcovs_tail = &l->next;
    return l;
}

size_t state_output_room(const struct state *s)
{
    size_t left = s->texts < TEXTS_MAX_BYTES ? TEXTS_MAX_BYTES - s->texts : 0;

    if (left < OUTPUT_MIN_BYTES)
        return left;
    return left / 4 > OUTPUT_MIN_BYTES ? left / 4 : OUTPUT_MIN_BYTES;
}

const char *state_output(struct state *s, const void *bytes, size_t *len)
{
    struct buf clean = BUF_INIT;
    const char *copy;

    if (!s->redact)
        return keep_plain(s, bytes, *len);
    if (redact_text(s->redact, bytes, *len, &clean) != BUF_OK)
        return NULL;
    *len = clean.len;
    copy = keep_plain(s, clean.data, clean.len);
    buf_release(&clean);
    return copy;
}

/* The worst of the attempts; a pass behind a failure of the same run and shard is flaky. */
static enum test_status status_of_attempts(const struct test *t)
{
    enum test_status worst = t->list ? TEST_NO_STATUS : TEST_PASSED;

    for (const struct attempt *a = t->list; a; a = a->next)
        worst = a->status;
    return t->list && t->passed > 0 && t->runs <= 1 && t->shards <= 1 ? TEST_FLAKY : worst;
}

enum test_status test_status_of(const struct test *t)
{
    if (t->summary > TEST_NO_STATUS)
        return (enum test_status)t->summary;
    if (t->results > 0)
        return status_of_attempts(t);
    return t->failed_to_build ? TEST_FAILED_TO_BUILD : TEST_NO_STATUS;
}

bool test_is_cached(const struct test *t)
{
    return t->results > 0 && t->results == t->cached_locally + t->cached_remotely;
}

const char **state_pointers(struct state *s, size_t count)
{
    uint64_t unused = 0;

    return take_row(s, count * sizeof(char *), &unused);
}
