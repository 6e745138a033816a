/* The store in memory at its edges: what just fits, what just does not, and what is left behind. */
#include <haft/store.h>
#include <stdio.h>
#include <string.h>

#include "store/window.h"
#include "support/store_cases.h"
#include "support/test.h"

static haft_store *memory_make(const haft_store_space *spaces, size_t n_spaces)
{
    return haft_store_memory_new(
        HAFT_WITH(haft_store_memory_options, .spaces = spaces, .n_spaces = n_spaces));
}

static void fits_or_not(void **state)
{
    (void)state;
    store_case_edges(memory_make);
}

/* What the library keeps in a namespace of its own makes room for itself. */
static void rates_are_forgotten_in_time(void **state)
{
    haft_store *store = haft_store_memory_new(NULL);
    char key[16];

    (void)state;
    for (int i = 0; i <= 10000; i++) {
        snprintf(key, sizeof key, "%d", i);
        assert_int_equal(store_put(store, "rate", key, 1, 1000, 0), 0);
        assert_int_equal(store_put(store, "other", key, 1, 1000, 0), i < 10000 ? 0 : HAFT_ETOOBIG);
    }
    haft_store_free(store);
}

/* A call that is given back is gone from its slice, too. */
static void gives_calls_back(void **state)
{
    const haft_allocator *allocator = hf_allocator_or_default(NULL);
    haft_rate rate = {WINDOW_EXACT + 1, 1000};
    struct window window = {.rate = rate};
    int64_t wait = 0;
    size_t bytes = 0;

    (void)state;
    assert_true(hf_window_allows(&window, 5000, &wait));
    assert_int_equal(hf_window_reserve(&window, allocator, &bytes), 0);
    hf_window_count(&window, 5000);
    hf_window_give_back(&window);
    assert_int_equal(window.counted, 0);
    assert_true(hf_window_allows(&window, 9000, &wait));
    assert_int_equal(window.counted, 0);
    hf_window_finish(&window, allocator);
}

/* A store in this process is always available, and needs no loop. */
static void is_always_available(void **state)
{
    haft_store *store = haft_store_memory_new(NULL);
    haft_store_status status = HAFT_INIT(haft_store_status, .waiting = 1), unsized = {0};
    haft_store_watcher watcher = {0};
    int loop = 0;

    (void)state;
    assert_int_equal(haft_store_get_status(store, &status), 0);
    assert_true(status.available && !*status.error && !status.waiting && !status.reconnects);
    assert_int_equal(haft_store_get_status(store, &unsized), HAFT_EINVAL);
    assert_int_equal(haft_store_get_status(store, NULL), HAFT_EINVAL);
    assert_int_equal(haft_store_attach(store, &loop), 0);
    assert_int_equal(haft_store_attach(store, NULL), HAFT_EINVAL);
    haft_store_detach(store, &loop);
    haft_store_watch(store, &watcher);
    haft_store_unwatch(store, &watcher);
    haft_store_free(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fits_or_not),
        cmocka_unit_test(rates_are_forgotten_in_time),
        cmocka_unit_test(gives_calls_back),
        cmocka_unit_test(is_always_available),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
