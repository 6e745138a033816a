/* The store in memory at its edges: what just fits, what just does not, and what is left behind. */
#include <haft/store.h>
#include <stdio.h>
#include <string.h>

#include "store/window.h"
#include "support/test.h"

static haft_slice slice(const char *text)
{
    return (haft_slice){text, strlen(text)};
}

/* One operation, by itself; its status, or that of the request where it was not applied. */
static int one(haft_store *store, const char *space, const char *group, int64_t now,
               haft_store_op *op, haft_arena *arena)
{
    haft_store_request request = {
        .space = space, .group = slice(group), .ops = op, .n_ops = 1, .now = now, .arena = arena};

    haft_store_submit(store, &request);
    return request.status < 0 ? request.status : op->status;
}

static int put(haft_store *store, const char *space, const char *group, const char *key,
               const char *value, int64_t expires)
{
    return one(store, space, group, 1000,
               &(haft_store_op){.kind = HAFT_STORE_PUT,
                                .key = slice(key),
                                .value = slice(value),
                                .expires_ms = expires},
               NULL);
}

static int append(haft_store *store, int64_t now, const char *value, int64_t expires)
{
    return one(store, "s", "g", now,
               &(haft_store_op){.kind = HAFT_STORE_APPEND,
                                .key = slice("log"),
                                .value = slice(value),
                                .expires_ms = expires},
               NULL);
}

static size_t range(haft_store *store, int64_t now, size_t max_bytes)
{
    haft_arena *arena = haft_arena_new(NULL, 1 << 20);
    haft_store_op op = {.kind = HAFT_STORE_RANGE, .key = slice("log"), .max_bytes = max_bytes};

    one(store, "s", "g", now, &op, arena);
    haft_arena_free(arena);
    return op.n_records;
}

static size_t scan(haft_store *store, const char *space, const char *prefix)
{
    haft_arena *arena = haft_arena_new(NULL, 1 << 20);
    haft_store_scan step = {.space = space, .prefix = slice(prefix), .now = 1000, .arena = arena};
    size_t n = 0;

    do {
        assert_int_equal(haft_store_scan_step(store, &step), 0);
        n += step.n_found;
    } while (step.cursor);
    haft_arena_free(arena);
    return n;
}

static void reads_as_many_bytes_as_asked(void **state)
{
    haft_store *store = haft_store_memory_new(NULL);

    (void)state;
    assert_int_equal(append(store, 1000, "12345", 0), 1);
    assert_int_equal(append(store, 1000, "67890", 0), 1);
    assert_int_equal(range(store, 1000, 4), 0);
    assert_int_equal(range(store, 1000, 9), 1);
    assert_int_equal(range(store, 1000, 10), 2);
    haft_store_free(store);
}

static void keeps_the_end_of_a_log(void **state)
{
    haft_store *store = haft_store_memory_new(NULL);

    (void)state;
    assert_int_equal(append(store, 1000, "a", 100), 1);
    assert_int_equal(append(store, 1050, "b", 0), 1);
    assert_int_equal(range(store, 1099, 0), 2);
    assert_int_equal(range(store, 1100, 0), 0);
    haft_store_free(store);
}

static void never_is_far_away(void **state)
{
    haft_arena *arena = haft_arena_new(NULL, 1 << 16);
    haft_store *store = haft_store_memory_new(NULL);
    haft_store_op get = {.kind = HAFT_STORE_GET, .key = slice("a")};

    (void)state;
    assert_int_equal(put(store, "s", "g", "a", "x", INT64_MAX), 1);
    assert_int_equal(one(store, "s", "g", 1000, &get, arena), 1);
    haft_store_free(store);
    haft_arena_free(arena);
}

/* A request that was not applied leaves nothing, not even an entry without a value. */
static void leaves_nothing_behind(void **state)
{
    haft_store *store = haft_store_memory_new(NULL);
    haft_store_op ops[] = {{.kind = HAFT_STORE_PUT, .key = slice("new"), .value = slice("x")},
                           {.kind = HAFT_STORE_PUT,
                            .key = slice("old"),
                            .value = slice("y"),
                            .if_version = true,
                            .version = 7}};
    haft_store_request request = {
        .space = "s", .group = slice("g"), .ops = ops, .n_ops = 2, .now = 1000};

    (void)state;
    assert_int_equal(haft_store_submit(store, &request), 0);
    assert_int_equal(request.status, 0);
    assert_int_equal(scan(store, "s", ""), 0);
    haft_store_free(store);
}

static void names_have_limits(void **state)
{
    static const char name[] = "a234567890b234567890c234567890d2";
    haft_store *store = haft_store_memory_new(NULL);

    (void)state;
    assert_int_equal(strlen(name), 32);
    assert_int_equal(put(store, name, "g", "a", "x", 0), HAFT_ETOOBIG);
    assert_int_equal(put(store, name + 1, "g", "a", "x", 0), 1);
    haft_store_free(store);
}

/* A prefix is one of groups, and does not reach into keys. */
static void scans_by_group(void **state)
{
    haft_store *store = haft_store_memory_new(NULL);

    (void)state;
    assert_int_equal(put(store, "s", "ab", "cd", "x", 0), 1);
    assert_int_equal(scan(store, "s", "ab"), 1);
    assert_int_equal(scan(store, "s", "abc"), 0);
    haft_store_free(store);
}

/* What the library keeps in a namespace of its own makes room for itself. */
static void rates_are_forgotten_in_time(void **state)
{
    haft_store *store = haft_store_memory_new(NULL);
    char key[16];

    (void)state;
    for (int i = 0; i <= 10000; i++) {
        snprintf(key, sizeof key, "%d", i);
        assert_int_equal(put(store, "rate", key, "k", "x", 0), 1);
        assert_int_equal(put(store, "other", key, "k", "x", 0), i < 10000 ? 1 : HAFT_ETOOBIG);
    }
    haft_store_free(store);
}

/* Room is not made out of the group that asks for it. */
static void spares_the_group_that_asks(void **state)
{
    static const haft_store_space spaces[] = {{.name = "s", .max_entries = 2, .evicts = true}};
    haft_store *store = haft_store_memory_new(
        HAFT_WITH(haft_store_memory_options, .spaces = spaces, .n_spaces = 1));

    (void)state;
    assert_int_equal(put(store, "s", "g", "a", "x", 0), 1);
    assert_int_equal(put(store, "s", "g", "b", "x", 0), 1);
    assert_int_equal(put(store, "s", "g", "c", "x", 0), HAFT_ETOOBIG);
    assert_int_equal(scan(store, "s", "g"), 2);
    assert_int_equal(put(store, "s", "h", "c", "x", 0), 1);
    haft_store_free(store);
}

/* What is gone does not count. */
static void gives_bytes_back(void **state)
{
    static const haft_store_space spaces[] = {{.name = "s", .max_bytes = 1000}};
    haft_store *store = haft_store_memory_new(
        HAFT_WITH(haft_store_memory_options, .spaces = spaces, .n_spaces = 1));

    (void)state;
    for (int i = 0; i < 100; i++) {
        haft_store_op gone = {.kind = HAFT_STORE_DELETE, .key = slice("a")};

        assert_int_equal(put(store, "s", "g", "a", "some bytes", 0), 1);
        assert_int_equal(one(store, "s", "g", 1000, &gone, NULL), 1);
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
        cmocka_unit_test(reads_as_many_bytes_as_asked),
        cmocka_unit_test(keeps_the_end_of_a_log),
        cmocka_unit_test(never_is_far_away),
        cmocka_unit_test(leaves_nothing_behind),
        cmocka_unit_test(names_have_limits),
        cmocka_unit_test(scans_by_group),
        cmocka_unit_test(rates_are_forgotten_in_time),
        cmocka_unit_test(spares_the_group_that_asks),
        cmocka_unit_test(gives_bytes_back),
        cmocka_unit_test(gives_calls_back),
        cmocka_unit_test(is_always_available),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
