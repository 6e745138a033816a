/* test_struct.c - structs that begin with their size are read as far as they go. */
#include "base/struct.h"

#include "support/test.h"

struct first {
    size_t struct_size;
    int a;
};

struct second {
    size_t struct_size;
    int a;
    const char *b;
    double c;
};

static void reads_as_much_as_there_is(void **state)
{
    const struct {
        size_t size;
        bool read;
        const char *b;
        double c;
    } rows[] = {
        {sizeof(struct second), true, "b", 4},
        {sizeof(struct first), true, NULL, 0},
        {offsetof(struct second, c), true, "b", 0},
        {sizeof(struct second) + 64, true, "b", 4}, /* of a later version */
        {0, false, NULL, 0},
        {sizeof(size_t), false, NULL, 0},
        {sizeof(struct second) - 1, false, NULL, 0},
        {(size_t)-8, false, NULL, 0},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct second given = {.struct_size = rows[i].size, .a = 3, .b = "b", .c = 4}, own;

        memset(&own, 0xAA, sizeof own);
        assert_int_equal(hf_struct_read(&own, sizeof own, &given), rows[i].read);
        if (!rows[i].read)
            continue;
        assert_int_equal(own.struct_size, sizeof own);
        assert_int_equal(own.a, 3);
        assert_ptr_equal(own.b, rows[i].b);
        assert_true(own.c >= rows[i].c && own.c <= rows[i].c);
    }
}

static void reads_nothing_as_zeros(void **state)
{
    struct second own, zeros = {.struct_size = sizeof own};

    (void)state;
    assert_true(hf_struct_read(&own, sizeof own, NULL));
    assert_memory_equal(&own, &zeros, sizeof own);
}

static void copies_only_what_is_shorter(void **state)
{
    haft_arena *arena = haft_arena_new(NULL, 1 << 16);
    struct second full = HAFT_INIT(struct second, .a = 3, .b = "b");
    struct first shorter = HAFT_INIT(struct first, .a = 5), wrong = {.a = 1};
    const struct second *view;
    const void *at = NULL;

    (void)state;
    assert_int_equal(hf_struct_view(&full, sizeof full, arena, &at), 0);
    assert_ptr_equal(at, &full);
    assert_int_equal(hf_struct_view(&shorter, sizeof full, arena, &at), 0);
    view = at;
    assert_int_equal(view->a, 5);
    assert_null(view->b);
    assert_int_equal(hf_struct_view(&wrong, sizeof full, arena, &at), HAFT_EINVAL);
    haft_arena_free(arena);
    arena = haft_arena_new(NULL, 8);
    assert_int_equal(hf_struct_view(&shorter, sizeof full, arena, &at), HAFT_ENOMEM);
    haft_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_as_much_as_there_is),
        cmocka_unit_test(reads_nothing_as_zeros),
        cmocka_unit_test(copies_only_what_is_shorter),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
