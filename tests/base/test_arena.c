/* test_arena.c - memory of one lifetime: its limit, its reuse, its alignment. */
#include "base/base.h"

#include <string.h>

#include "support/failing.h"
#include "support/test.h"

static void allocates_aligned_and_apart(void **state)
{
    static const size_t sizes[] = {1, 0, 15, 16, 17, 100, 4095, 4096, 4097, 70000, 3, 1};
    haft_arena *arena = haft_arena_new(NULL, 1 << 20);
    char *blocks[COUNT_OF(sizes)];

    (void)state;
    assert_non_null(arena);
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        blocks[i] = haft_arena_alloc(arena, sizes[i]);
        assert_non_null(blocks[i]);
        assert_int_equal((uintptr_t)blocks[i] % 16, 0);
        memset(blocks[i], (int)i, sizes[i]);
    }
    for (size_t i = 0; i < COUNT_OF(sizes); i++)
        for (size_t k = 0; k < sizes[i]; k++)
            assert_int_equal(blocks[i][k], (char)i);
    haft_arena_free(arena);
    haft_arena_free(NULL);
}

static void holds_no_more_than_its_limit(void **state)
{
    static const struct {
        size_t limit, size, fit; /* how many of the size fit */
    } rows[] = {
        {0, 1, 0},
        {0, 0, 1},
        {16, 1, 1},
        {17, 16, 1},
        {160, 16, 10},
        {160, 10, 10},
        {4096, 4096, 1},
        {4096, 4097, 0},
        {5000, 16, 312},
        {5000, 5000, 0},
        {5008, 5000, 1},
        {10000, 4096, 2},
        {1 << 20, 64, 16384},
        {1 << 20, 1 << 20, 1},
        {100000, SIZE_MAX, 0},
        {SIZE_MAX, SIZE_MAX, 0},
        {SIZE_MAX, SIZE_MAX / 2 + 1, 0},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct failing memory;
        haft_arena *arena;
        size_t n = 0;

        failing_init(&memory, 0);
        arena = haft_arena_new(&memory.allocator, rows[i].limit);
        while (n < rows[i].fit && haft_arena_alloc(arena, rows[i].size))
            n++;
        if (n != rows[i].fit || (rows[i].size && haft_arena_alloc(arena, rows[i].size)))
            fail_msg("limit %zu, size %zu: %zu fitted", rows[i].limit, rows[i].size, n);
        assert_true(haft_arena_used(arena) <= rows[i].limit);
        haft_arena_free(arena);
        failing_check(&memory);
    }
}

static void reset_reuses_without_asking(void **state)
{
    static const size_t sizes[] = {10, 5000, 1, 40000, 16, 3000, 3000, 3000, 100000, 8};
    struct failing memory;
    haft_arena *arena;
    size_t calls = 0;

    (void)state;
    failing_init(&memory, 0);
    arena = haft_arena_new(&memory.allocator, 1 << 20);
    for (int round = 0; round < 5; round++) {
        for (size_t i = 0; i < COUNT_OF(sizes); i++)
            assert_non_null(haft_arena_alloc(arena, sizes[i]));
        if (round == 0)
            calls = memory.calls;
        assert_int_equal(memory.calls, calls);
        assert_true(haft_arena_used(arena) > 154000);
        haft_arena_reset(arena);
        assert_int_equal(haft_arena_used(arena), 0);
    }
    haft_arena_free(arena);
    failing_check(&memory);
}

/* Blocks that are kept for later must not make what fits the limit fail. */
static void idle_memory_does_not_count(void **state)
{
    struct failing memory;
    haft_arena *arena;

    (void)state;
    failing_init(&memory, 0);
    arena = haft_arena_new(&memory.allocator, 1 << 20);
    for (size_t size = 1000; size <= 1 << 20; size += 50000) {
        if (!haft_arena_alloc(arena, size))
            fail_msg("%zu of %d did not fit", size, 1 << 20);
        haft_arena_reset(arena);
        assert_true(memory.live_bytes <= (1 << 20) + 4096);
    }
    assert_non_null(haft_arena_alloc(arena, 1 << 20));
    haft_arena_free(arena);
    failing_check(&memory);
}

/* A large block made once is found again, even behind smaller ones. */
static void a_large_block_is_found_again(void **state)
{
    struct failing memory;
    haft_arena *arena;
    size_t calls;

    (void)state;
    failing_init(&memory, 0);
    arena = haft_arena_new(&memory.allocator, 10 << 20);
    for (int i = 0; i < 20; i++)
        assert_non_null(haft_arena_alloc(arena, 3000));
    assert_non_null(haft_arena_alloc(arena, 2 << 20));
    calls = memory.calls;
    haft_arena_reset(arena);
    assert_non_null(haft_arena_alloc(arena, 2 << 20));
    for (int i = 0; i < 20; i++)
        assert_non_null(haft_arena_alloc(arena, 3000));
    assert_int_equal(memory.calls, calls);
    haft_arena_free(arena);
    failing_check(&memory);
}

static void zalloc_clears_and_refuses_overflow(void **state)
{
    static const struct {
        size_t count, size;
        bool fits;
    } rows[] = {
        {10, 10, true},
        {0, 8, true},
        {8, 0, true},
        {SIZE_MAX, 2, false},
        {2, SIZE_MAX, false},
        {SIZE_MAX / 2, 3, false},
        {(size_t)1 << 32, (size_t)1 << 32, false},
    };
    struct failing memory;
    haft_arena *arena;

    (void)state;
    failing_init(&memory, 0);
    arena = haft_arena_new(&memory.allocator, 1 << 20);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char *zeros = haft_arena_zalloc(arena, rows[i].count, rows[i].size);

        assert_int_equal(zeros != NULL, rows[i].fits);
        for (size_t k = 0; zeros && k < rows[i].count * rows[i].size; k++)
            assert_int_equal(zeros[k], 0);
    }
    haft_arena_free(arena);
    failing_check(&memory);
}

static void resize_grows_in_place_at_the_end(void **state)
{
    haft_arena *arena = haft_arena_new(NULL, 1 << 20);
    char *first = hf_arena_resize(arena, NULL, 0, 100), *second, *moved;

    (void)state;
    memset(first, 'a', 100);
    assert_ptr_equal(hf_arena_resize(arena, first, 100, 1000), first);
    assert_int_equal(haft_arena_used(arena), 1008);
    assert_ptr_equal(hf_arena_resize(arena, first, 1000, 50), first);
    assert_int_equal(haft_arena_used(arena), 64);
    second = haft_arena_alloc(arena, 10);
    memset(second, 'b', 10);
    assert_ptr_equal(hf_arena_resize(arena, first, 50, 40), first);
    moved = hf_arena_resize(arena, first, 50, 200);
    assert_ptr_not_equal(moved, first);
    for (int i = 0; i < 50; i++)
        assert_int_equal(moved[i], 'a');
    assert_int_equal(second[9], 'b');
    assert_ptr_not_equal(hf_arena_resize(arena, moved, 200, 9000), moved);
    assert_null(hf_arena_resize(arena, moved, 200, SIZE_MAX));
    assert_null(hf_arena_resize(arena, moved, 200, SIZE_MAX - 3));
    assert_null(hf_arena_resize(arena, moved, 200, 2 << 20));
    haft_arena_free(arena);
}

static void rewind_gives_back(void **state)
{
    haft_arena *arena = haft_arena_new(NULL, 1 << 20);
    arena_mark empty = hf_arena_save(arena), mark;
    char *first, *second;

    (void)state;
    first = haft_arena_alloc(arena, 100);
    mark = hf_arena_save(arena);
    second = haft_arena_alloc(arena, 10);
    for (int i = 0; i < 100; i++)
        assert_non_null(haft_arena_alloc(arena, 1000));
    hf_arena_rewind(arena, mark);
    assert_int_equal(haft_arena_used(arena), 112);
    assert_ptr_equal(haft_arena_alloc(arena, 10), second);
    hf_arena_rewind(arena, empty);
    assert_int_equal(haft_arena_used(arena), 0);
    assert_ptr_equal(haft_arena_alloc(arena, 100), first);
    haft_arena_free(arena);
}

static void copies_and_prints(void **state)
{
    haft_arena *arena = haft_arena_new(NULL, 4096);

    (void)state;
    assert_string_equal(haft_arena_copy(arena, "abcdef", 3), "abc");
    assert_string_equal(haft_arena_copy(arena, NULL, 0), "");
    assert_string_equal(haft_arena_printf(arena, "%s-%d", "x", 42), "x-42");
    assert_string_equal(haft_arena_printf(arena, "%s", ""), "");
    assert_null(haft_arena_printf(arena, "%5000d", 1));
    assert_null(haft_arena_copy(arena, "", SIZE_MAX));
    haft_arena_free(arena);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    for (size_t nth = 1;; nth++) {
        struct failing memory;
        haft_arena *arena;

        failing_init(&memory, nth);
        arena = haft_arena_new(&memory.allocator, 1 << 20);
        if (arena) {
            char *before = haft_arena_copy(arena, "kept", 4);

            haft_arena_alloc(arena, 10000);
            haft_arena_printf(arena, "%20000d", 1);
            if (before)
                assert_string_equal(before, "kept");
        }
        haft_arena_free(arena);
        failing_check(&memory);
        if (!memory.failures)
            break;
        assert_true(nth < 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allocates_aligned_and_apart),
        cmocka_unit_test(holds_no_more_than_its_limit),
        cmocka_unit_test(reset_reuses_without_asking),
        cmocka_unit_test(idle_memory_does_not_count),
        cmocka_unit_test(a_large_block_is_found_again),
        cmocka_unit_test(zalloc_clears_and_refuses_overflow),
        cmocka_unit_test(resize_grows_in_place_at_the_end),
        cmocka_unit_test(rewind_gives_back),
        cmocka_unit_test(copies_and_prints),
        cmocka_unit_test(every_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
