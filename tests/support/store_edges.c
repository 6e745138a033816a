/* store_edges.c - stores at their edges: what just fits, what just does not, and what is left behind. */
#include <string.h>

#include "support/store_cases.h"
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

    store_submit(store, &request);
    return request.status < 0 ? request.status : op->status;
}

static int put_text(haft_store *store, const char *space, const char *group, const char *key,
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
        assert_int_equal(store_scan(store, &step), 0);
        n += step.n_found;
    } while (step.cursor);
    haft_arena_free(arena);
    return n;
}

static void reads_as_many_bytes_as_asked(store_maker *make)
{
    haft_store *store = make(NULL, 0);

    assert_int_equal(append(store, 1000, "12345", 0), 1);
    assert_int_equal(append(store, 1000, "67890", 0), 1);
    assert_int_equal(range(store, 1000, 4), 0);
    assert_int_equal(range(store, 1000, 9), 1);
    assert_int_equal(range(store, 1000, 10), 2);
    haft_store_free(store);
}

static void keeps_the_end_of_a_log(store_maker *make)
{
    haft_store *store = make(NULL, 0);

    assert_int_equal(append(store, 1000, "a", 100), 1);
    assert_int_equal(append(store, 1050, "b", 0), 1);
    assert_int_equal(range(store, 1099, 0), 2);
    assert_int_equal(range(store, 1100, 0), 0);
    haft_store_free(store);
}

static void never_is_far_away(store_maker *make)
{
    haft_arena *arena = haft_arena_new(NULL, 1 << 16);
    haft_store *store = make(NULL, 0);
    haft_store_op get = {.kind = HAFT_STORE_GET, .key = slice("a")};

    assert_int_equal(put_text(store, "s", "g", "a", "x", INT64_MAX), 1);
    assert_int_equal(one(store, "s", "g", 1000, &get, arena), 1);
    haft_store_free(store);
    haft_arena_free(arena);
}

/* A request that was not applied leaves nothing, not even an entry without a value. */
static void leaves_nothing_behind(store_maker *make)
{
    haft_store *store = make(NULL, 0);
    haft_store_op ops[] = {{.kind = HAFT_STORE_PUT, .key = slice("new"), .value = slice("x")},
                           {.kind = HAFT_STORE_PUT,
                            .key = slice("old"),
                            .value = slice("y"),
                            .if_version = true,
                            .version = 7}};
    haft_store_request request = {
        .space = "s", .group = slice("g"), .ops = ops, .n_ops = 2, .now = 1000};

    assert_int_equal(store_submit(store, &request), 0);
    assert_int_equal(request.status, 0);
    assert_int_equal(scan(store, "s", ""), 0);
    haft_store_free(store);
}

static void names_have_limits(store_maker *make)
{
    static const char name[] = "a234567890b234567890c234567890d2";
    haft_store *store = make(NULL, 0);

    assert_int_equal(strlen(name), 32);
    assert_int_equal(put_text(store, name, "g", "a", "x", 0), HAFT_ETOOBIG);
    assert_int_equal(put_text(store, name + 1, "g", "a", "x", 0), 1);
    haft_store_free(store);
}

/* A prefix is one of groups, and does not reach into keys. */
static void scans_by_group(store_maker *make)
{
    haft_store *store = make(NULL, 0);

    assert_int_equal(put_text(store, "s", "ab", "cd", "x", 0), 1);
    assert_int_equal(scan(store, "s", "ab"), 1);
    assert_int_equal(scan(store, "s", "abc"), 0);
    haft_store_free(store);
}

/* Room is not made out of the group that asks for it. */
static void spares_the_group_that_asks(store_maker *make)
{
    static const haft_store_space spaces[] = {{.name = "s", .max_entries = 2, .evicts = true}};
    haft_store *store = make(spaces, 1);

    assert_int_equal(put_text(store, "s", "g", "a", "x", 0), 1);
    assert_int_equal(put_text(store, "s", "g", "b", "x", 0), 1);
    assert_int_equal(put_text(store, "s", "g", "c", "x", 0), HAFT_ETOOBIG);
    assert_int_equal(scan(store, "s", "g"), 2);
    assert_int_equal(put_text(store, "s", "h", "c", "x", 0), 1);
    haft_store_free(store);
}

/* What is gone does not count. */
static void gives_bytes_back(store_maker *make)
{
    static const haft_store_space spaces[] = {{.name = "s", .max_bytes = 1000}};
    haft_store *store = make(spaces, 1);

    for (int i = 0; i < 100; i++) {
        haft_store_op gone = {.kind = HAFT_STORE_DELETE, .key = slice("a")};

        assert_int_equal(put_text(store, "s", "g", "a", "some bytes", 0), 1);
        assert_int_equal(one(store, "s", "g", 1000, &gone, NULL), 1);
    }
    haft_store_free(store);
}

void store_case_edges(store_maker *make)
{
    reads_as_many_bytes_as_asked(make);
    keeps_the_end_of_a_log(make);
    never_is_far_away(make);
    leaves_nothing_behind(make);
    names_have_limits(make);
    scans_by_group(make);
    spares_the_group_that_asks(make);
    gives_bytes_back(make);
}
