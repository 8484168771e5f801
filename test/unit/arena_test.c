#include "test/unit/unit.h"
#include "common/base/arena.h"

#include <stdalign.h>
#include <string.h>

static void gives_aligned_memory_of_its_own(void **state)
{
    struct arena a = ARENA_INIT(0);
    char *before = NULL;

    (void)state;
    for (size_t size = 1; size < 2000; size++) {
        char *p = arena_alloc(&a, size);
        assert_non_null(p);
        assert_int_equal((uintptr_t)p % alignof(max_align_t), 0);
        memset(p, (int)size, size);
        if (before)
            assert_int_equal((unsigned char)before[size - 2], (unsigned char)(size - 1));
        before = p;
        assert_string_equal(arena_strndup(&a, "x", 1),
                            "x"); /* moves the next one off its alignment */
    }
    arena_release(&a);
}

static void cap_is_exact(void **state)
{
    struct arena a = ARENA_INIT(1024);

    (void)state;
    for (int round = 0; round < 3; round++) {
        assert_null(arena_alloc(&a, 1025));
        assert_non_null(arena_alloc(&a, 1024));
        assert_null(arena_alloc(&a, 1));
        arena_reset(&a);
    }
    assert_null(arena_alloc(&a, SIZE_MAX));
    assert_null(arena_alloc(&a, SIZE_MAX - 8));
    arena_release(&a);
}

static void reset_keeps_one_ordinary_block(void **state)
{
    struct arena a = ARENA_INIT(0);
    void *first = arena_alloc(&a, 100);

    (void)state;
    assert_non_null(arena_alloc(&a, 1 << 20));
    arena_reset(&a);
    assert_int_equal(a.used, 0);
    assert_ptr_equal(arena_alloc(&a, 100), first);
    arena_release(&a);
    assert_null(a.blocks);
}

static void copies_strings(void **state)
{
    struct arena a = ARENA_INIT(16);

    (void)state;
    assert_string_equal(arena_strndup(&a, "abcdef", 3), "abc");
    assert_non_null(arena_strndup(&a, "abcdefghijk", 11)); /* packed: 4 and 12 bytes */
    assert_null(arena_strndup(&a, "", 0));
    arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_aligned_memory_of_its_own),
        cmocka_unit_test(cap_is_exact),
        cmocka_unit_test(reset_keeps_one_ordinary_block),
        cmocka_unit_test(copies_strings),
    };
    return cmocka_run_group_tests_name("arena", tests, NULL, NULL);
}
