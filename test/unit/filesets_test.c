// with: cmd/bep-reduce/filesets.c
// with: cmd/bep-reduce/table.c
#include "test/unit/unit.h"
#include "cmd/bep-reduce/filesets.h"
#include "common/base/buf.h"
#include "common/frame/varint.h"

#include <stdio.h>
#include <string.h>

static struct bytes bytes_of(const char *text)
{
    return (struct bytes){(const uint8_t *)text, strlen(text)};
}

static void put_field(struct buf *out, unsigned number, const void *bytes, size_t len)
{
    uint8_t varint[10];

    buf_add_char(out, (char)(number << 3 | 2));
    buf_add(out, varint, varint_write(varint, len));
    buf_add(out, bytes, len);
}

/* A NamedSetOfFiles: `files` files of 10 bytes, and the sets in `children`, separated by blanks. */
static void add_set(struct filesets *f, const char *id, unsigned files, const char *children)
{
    struct buf payload = BUF_INIT, child = BUF_INIT;
    size_t len;

    for (unsigned i = 0; i < files; i++)
        put_field(&payload, 1, "\x0a\x01x\x30\x0a", 5); /* name "x", length 10 */
    for (; *children; children += len + (children[len] == ' ')) {
        len = strcspn(children, " ");
        buf_clear(&child);
        put_field(&child, 1, children, len);
        put_field(&payload, 2, child.data, child.len);
    }
    filesets_add(f, bytes_of(id), (struct bytes){(const uint8_t *)payload.data, payload.len}, NULL,
                 NULL);
    buf_release(&payload);
    buf_release(&child);
}

static struct fileset_total visit(struct filesets *f, const char *id)
{
    struct fileset_total total = {0};
    uint32_t root;

    assert_true(filesets_root(f, bytes_of(id), &root));
    filesets_visit(f, root, 1, &total);
    return total;
}

static void adds_up_what_is_reached_once(void **state)
{
    struct filesets f;
    struct fileset_total total;

    (void)state;
    filesets_init(&f, 0);
    add_set(&f, "0", 2, "1 2");
    add_set(&f, "1", 1, "3");
    add_set(&f, "2", 1, "3");
    add_set(&f, "3", 4, "");
    add_set(&f, "3", 9, ""); /* told again: ignored */
    add_set(&f, "other", 5, "");
    total = visit(&f, "0");
    assert_int_equal(total.files, 8);
    assert_int_equal(total.bytes, 80);
    assert_int_equal(total.missing, 0);
    assert_int_equal(visit(&f, "0").files, 0); /* no second time */
    filesets_release(&f);
}

static void copes_with_any_graph(void **state)
{
    struct filesets f;
    struct fileset_total total;

    (void)state;
    filesets_init(&f, 0);
    assert_int_equal(visit(&f, "never").missing, 1);
    add_set(&f, "self", 1, "self");
    assert_int_equal(visit(&f, "self").files, 1);
    add_set(&f, "a", 1, "b"); /* before b is known */
    add_set(&f, "b", 1, "a gone");
    total = visit(&f, "a");
    assert_int_equal(total.files, 2);
    assert_int_equal(total.missing, 1);
    filesets_release(&f);
}

/* 40 levels of two sets, each with both of the next level: 2^40 paths. */
static void visits_a_diamond_in_linear_time(void **state)
{
    struct filesets f;
    char id[16], children[32];

    (void)state;
    filesets_init(&f, 0);
    for (int level = 0; level < 40; level++) {
        snprintf(children, sizeof(children), "l%d r%d", level + 1, level + 1);
        snprintf(id, sizeof(id), "l%d", level);
        add_set(&f, id, 1, children);
        snprintf(id, sizeof(id), "r%d", level);
        add_set(&f, id, 1, children);
    }
    assert_int_equal(visit(&f, "l0").files, 79);
    filesets_release(&f);
}

static void visits_a_deep_chain_without_a_stack(void **state)
{
    struct filesets f;
    char id[16], child[16];

    (void)state;
    filesets_init(&f, 0);
    for (int i = 0; i < 200000; i++) {
        snprintf(id, sizeof(id), "%d", i);
        snprintf(child, sizeof(child), "%d", i + 1);
        add_set(&f, id, 1, child);
    }
    assert_int_equal(visit(&f, "0").files, 200000);
    filesets_release(&f);
}

static void counts_what_found_no_room(void **state)
{
    struct fileset_total total = {0};
    struct filesets f;
    uint32_t root;
    char id[16];

    (void)state;
    filesets_init(&f, 256 * 1024);
    assert_true(filesets_root(&f, bytes_of("0"), &root));
    for (int i = 0; i < 100000; i++) {
        snprintf(id, sizeof(id), "%d", i);
        add_set(&f, id, 1, "0");
    }
    assert_true(f.memory <= 256 * 1024);
    assert_true(f.left_out > 0);
    filesets_visit(&f, root, 1, &total);
    assert_int_equal(total.files, 1);
    filesets_release(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adds_up_what_is_reached_once),
        cmocka_unit_test(copes_with_any_graph),
        cmocka_unit_test(visits_a_diamond_in_linear_time),
        cmocka_unit_test(visits_a_deep_chain_without_a_stack),
        cmocka_unit_test(counts_what_found_no_room),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
