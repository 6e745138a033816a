/* test_reserve.c - a loop has room for what will be watched there, and nothing stays open for it. */
#define _DEFAULT_SOURCE
#include <dirent.h>

#include "loop/reserve.h"
#include "support/failing.h"
#include "support/test.h"

static size_t descriptors(void)
{
    DIR *directory = opendir("/proc/self/fd");
    size_t n = 0;

    assert_non_null(directory);
    while (readdir(directory))
        n++;
    closedir(directory);
    return n;
}

static void reserves(void **state)
{
    static const struct {
        size_t asked, least; /* room that there is then */
    } rows[] = {{0, 0}, {100, 100}, {500, 500}, {(size_t)1 << 40, 500}};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct failing failing;
        uv_loop_t loop;
        size_t before;

        failing_init(&failing, 0);
        assert_int_equal(uv_loop_init(&loop), 0);
        before = descriptors();
        hf_loop_reserve(&loop, &failing.allocator, rows[i].asked);
        uv_run(&loop, UV_RUN_DEFAULT);
        assert_true(loop.nwatchers >= rows[i].least);
        assert_int_equal(descriptors(), before);
        assert_int_equal(uv_loop_close(&loop), 0);
        failing_check(&failing);
    }
}

static void goes_on_without_memory(void **state)
{
    struct failing failing;
    uv_loop_t loop;

    (void)state;
    failing_init(&failing, 1);
    assert_int_equal(uv_loop_init(&loop), 0);
    hf_loop_reserve(&loop, &failing.allocator, 100);
    assert_int_equal(uv_loop_close(&loop), 0);
    failing_check(&failing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reserves),
        cmocka_unit_test(goes_on_without_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
