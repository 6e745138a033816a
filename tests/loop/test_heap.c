/* test_heap.c - that a large block is gone when it is freed, however large those before it were. */
#define _DEFAULT_SOURCE
#include "loop/heap.h"

#include <malloc.h>
#include <stdbool.h>
#include <stdlib.h>

#include "support/test.h"

enum { SMALL = 64 << 10, LARGE = 256 << 10, LARGER = 4 << 20 };

/* Blocks that are mapped by themselves while one of `size` is there. */
static size_t mapped_with(size_t size)
{
    char *volatile block = malloc(size);
    size_t n = mallinfo2().hblks;

    assert_non_null(block);
    free(block);
    return n;
}

/* A sanitizer's malloc is another one, which says nothing here. */
static bool is_glibc_malloc(void)
{
    void *volatile block = malloc(SMALL);
    bool knows = mallinfo2().uordblks >= SMALL;

    free(block);
    return knows;
}

static void maps_large_blocks(void **state)
{
    static const struct {
        size_t size, mapped;
    } rows[] = {{SMALL, 0}, {LARGE, 1}, {LARGER, 1}, {LARGE, 1}, {SMALL, 0}};
    size_t before;

    (void)state;
    hf_heap_settle();
    before = mallinfo2().hblks;
    for (size_t i = 0; i < COUNT_OF(rows) && is_glibc_malloc(); i++)
        assert_int_equal(mapped_with(rows[i].size) - before, rows[i].mapped);
    hf_heap_trim();
}

/* Whoever started the process has the say. */
static void leaves_the_environment_its_say(void **state)
{
    static const struct {
        const char *name, *value;
    } rows[] = {{"MALLOC_MMAP_THRESHOLD_", "1000000"},
                {"GLIBC_TUNABLES", "glibc.malloc.mmap_threshold=1000000"}};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows) && is_glibc_malloc(); i++) {
        size_t before = mallinfo2().hblks;

        mallopt(M_MMAP_THRESHOLD, 1000000); /* as if it had been read when the process began */
        assert_int_equal(setenv(rows[i].name, rows[i].value, 1), 0);
        hf_heap_settle();
        assert_int_equal(mapped_with(LARGE) - before, 0);
        assert_int_equal(mapped_with(LARGER) - before, 1);
        unsetenv(rows[i].name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maps_large_blocks),
        cmocka_unit_test(leaves_the_environment_its_say),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
