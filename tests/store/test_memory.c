/* The store in memory: what every store does, bad requests, namespaces, and no memory. */
#include <haft/store.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/failing.h"
#include "support/late_store.h"
#include "support/store_cases.h"
#include "support/test.h"

#define ARENA (1 << 20)

/* ---- what every store does ---- */

static haft_store *memory_make(const haft_store_space *spaces, size_t n_spaces)
{
    return haft_store_memory_new(
        HAFT_WITH(haft_store_memory_options, .spaces = spaces, .n_spaces = n_spaces));
}

static void does_what_it_is_asked(void **state)
{
    haft_store *store = haft_store_memory_new(NULL);

    (void)state;
    store_case_script(store);
    haft_store_free(store);
}

static void does_it_later(void **state)
{
    haft_store *store = haft_store_memory_new(NULL);
    struct late_store *late = late_store_new(store, LATE_DELAYED, 1);

    (void)state;
    store_case_script(late_store_of(late));
    late_store_free(late);
    haft_store_free(store);
}

static void stays_within_its_limits(void **state)
{
    (void)state;
    store_case_limits(memory_make);
}

static void walks_by_steps(void **state)
{
    (void)state;
    store_case_scan(memory_make);
}

static void tells_subscribers(void **state)
{
    (void)state;
    store_case_channels(memory_make);
}

static void is_exact_with_threads(void **state)
{
    (void)state;
    store_case_threads(memory_make, 3000);
}

/* ---- requests that are none ---- */

static void refuses_bad_requests(void **state)
{
    char long_key[1100];
    haft_store_op get = GET("a"), take = {.kind = HAFT_STORE_TAKE, .key = S("a"), .rate = {1, 0}};
    haft_store_op odd = {.kind = HAFT_STORE_OP_COUNT_, .key = S("a")}, many[65];
    haft_store_op wide = {.kind = HAFT_STORE_DELETE, .key = {long_key, sizeof long_key}};
    haft_store_op past = {.kind = HAFT_STORE_EXPIRE, .key = S("a"), .expires_ms = -1};
    haft_store *store = haft_store_memory_new(NULL);
    haft_arena *arena = haft_arena_new(NULL, ARENA);
    haft_store_request requests[] = {
        {.space = NULL, .group = S("g"), .ops = &get, .n_ops = 1, .arena = arena},
        {.space = "", .group = S("g"), .ops = &get, .n_ops = 1, .arena = arena},
        {.space = "s", .group = {NULL, 0}, .ops = &get, .n_ops = 1, .arena = arena},
        {.space = "s", .group = S("g"), .ops = &get, .n_ops = 0, .arena = arena},
        {.space = "s", .group = S("g"), .ops = NULL, .n_ops = 1, .arena = arena},
        {.space = "s", .group = S("g"), .ops = &get, .n_ops = 1},
        {.space = "s", .group = S("g"), .ops = &get, .n_ops = 1, .arena = arena, .now = -1},
        {.space = "s", .group = S("g"), .ops = &take, .n_ops = 1},
        {.space = "s", .group = S("g"), .ops = &odd, .n_ops = 1},
        {.space = "s", .group = S("g"), .ops = &wide, .n_ops = 1},
        {.space = "s", .group = S("g"), .ops = &past, .n_ops = 1},
        {.space = "s", .group = S("g"), .ops = many, .n_ops = COUNT_OF(many), .arena = arena},
    };

    (void)state;
    memset(long_key, 'k', sizeof long_key);
    for (size_t i = 0; i < COUNT_OF(many); i++)
        many[i] = get;
    for (size_t i = 0; i < COUNT_OF(requests); i++)
        assert_int_equal(haft_store_submit(store, &requests[i]), HAFT_EINVAL);
    assert_int_equal(haft_store_submit(NULL, &requests[0]), HAFT_EINVAL);
    assert_int_equal(haft_store_submit(store, NULL), HAFT_EINVAL);
    assert_string_equal(haft_store_op_name(HAFT_STORE_PUBLISH), "publish");
    assert_string_equal(haft_store_op_name(HAFT_STORE_OP_COUNT_), "unknown");
    haft_arena_free(arena);
    haft_store_free(store);
    haft_store_free(NULL);
}

static void has_a_number_of_namespaces(void **state)
{
    haft_store *store = haft_store_memory_new(NULL);
    char name[64];
    int made = 0;

    (void)state;
    for (int i = 0; i < 100; i++) {
        snprintf(name, sizeof name, "space-%d", i);
        made += !store_put(store, name, "g", 1, 0, 0);
    }
    assert_int_equal(made, 64);
    assert_int_equal(store_put(store, "space-0", "h", 1, 0, 0), 0);
    memset(name, 'n', 40);
    name[40] = '\0';
    assert_int_equal(store_put(store, name, "g", 1, 0, 0), HAFT_ETOOBIG);
    haft_store_free(store);
}

/* Entries that have ended are given back although nobody asks for them. */
static void gives_back_what_has_ended(void **state)
{
    struct failing failing;
    haft_store *store;
    size_t full;
    char group[32];

    (void)state;
    failing_init(&failing, 0);
    store = haft_store_memory_new(
        HAFT_WITH(haft_store_memory_options, .allocator = &failing.allocator));
    for (int i = 0; i < 1000; i++) {
        snprintf(group, sizeof group, "group %d", i);
        store_put(store, "s", group, 1000, 0, 100);
    }
    full = failing.live_bytes;
    for (int i = 0; i < 2000; i++)
        store_has(store, "s", "nobody", 100);
    assert_true(failing.live_bytes < full / 20);
    haft_store_free(store);
    failing_check(&failing);
}

/* ---- no memory ---- */

static void use_everything(const haft_allocator *allocator)
{
    static const haft_store_space space = {.name = "x", .max_entries = 100};
    haft_store *store = haft_store_memory_new(HAFT_WITH(
        haft_store_memory_options, .allocator = allocator, .spaces = &space, .n_spaces = 1));
    haft_arena *arena = haft_arena_new(allocator, ARENA);
    haft_store_op ops[] = {PUT("a", "1"), TAKE("t", 20, 10), APPEND("l", "r"), GET("g"),
                           RANGE("m", 0)};
    haft_store_op look[] = {GET("a"), RANGE("l", 0)};
    haft_store_request write = {
        .space = "x", .group = S("g"), .ops = ops, .n_ops = COUNT_OF(ops), .arena = arena};
    haft_store_request read = {
        .space = "x", .group = S("g"), .ops = look, .n_ops = COUNT_OF(look), .arena = arena};
    haft_store_scan scan = {.space = "x", .prefix = S(""), .arena = arena};

    for (int i = 0; store && arena && i < 12; i++) {
        uint64_t before =
            look[1].status == 1 ? look[1].ret_records[look[1].n_records - 1].sequence : 0;
        int status = haft_store_submit(store, &write);

        assert_true(status == 0 || status == HAFT_ENOMEM);
        if (haft_store_submit(store, &read))
            break;
        /* all of it, or nothing */
        if (look[1].status == 1)
            assert_int_equal(look[1].ret_records[look[1].n_records - 1].sequence,
                             before + (status == 0));
        status = haft_store_scan_step(store, &scan);
        assert_true(status == 0 || status == HAFT_ENOMEM);
    }
    haft_arena_free(arena);
    haft_store_free(store);
}

static void loses_nothing_without_memory(void **state)
{
    (void)state;
    for (size_t nth = 1;; nth++) {
        struct failing failing;

        failing_init(&failing, nth);
        use_everything(&failing.allocator);
        failing_check(&failing);
        if (!failing.failures)
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(does_what_it_is_asked),
        cmocka_unit_test(does_it_later),
        cmocka_unit_test(refuses_bad_requests),
        cmocka_unit_test(stays_within_its_limits),
        cmocka_unit_test(has_a_number_of_namespaces),
        cmocka_unit_test(gives_back_what_has_ended),
        cmocka_unit_test(walks_by_steps),
        cmocka_unit_test(tells_subscribers),
        cmocka_unit_test(is_exact_with_threads),
        cmocka_unit_test(loses_nothing_without_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
