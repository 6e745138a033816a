/* The store in memory: each operation, groups of them that are applied whole or not at all, limits, walking,
 * channels, threads, and no memory. */
#include <haft/store.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/failing.h"
#include "support/test.h"

#define ARENA (1 << 20)
#define S(text)                                                                                    \
    {                                                                                              \
        (text), sizeof(text) - 1                                                                   \
    }

/* ---- a script of requests ---- */

struct row {
    int64_t at;
    const char *group;
    haft_store_op ops[4]; /* up to the first without a key */
    int status;           /* of the request */
    int op_status[4];
    const char *value; /* of the first operation; a log's records with commas between them */
};

#define GET(k)                                                                                     \
    {                                                                                              \
        .kind = HAFT_STORE_GET, .key = S(k)                                                        \
    }
#define PUT(k, v)                                                                                  \
    {                                                                                              \
        .kind = HAFT_STORE_PUT, .key = S(k), .value = S(v)                                         \
    }
#define PUT_IF(k, v, n)                                                                            \
    {                                                                                              \
        .kind = HAFT_STORE_PUT, .key = S(k), .value = S(v), .if_version = true, .version = (n)     \
    }
#define PUT_FOR(k, v, ms)                                                                          \
    {                                                                                              \
        .kind = HAFT_STORE_PUT, .key = S(k), .value = S(v), .expires_ms = (ms)                     \
    }
#define DELETE(k)                                                                                  \
    {                                                                                              \
        .kind = HAFT_STORE_DELETE, .key = S(k)                                                     \
    }
#define DELETE_IF(k, n)                                                                            \
    {                                                                                              \
        .kind = HAFT_STORE_DELETE, .key = S(k), .if_version = true, .version = (n)                 \
    }
#define EXPIRE(k, ms)                                                                              \
    {                                                                                              \
        .kind = HAFT_STORE_EXPIRE, .key = S(k), .expires_ms = (ms)                                 \
    }
#define TAKE(k, n, ms)                                                                             \
    {                                                                                              \
        .kind = HAFT_STORE_TAKE, .key = S(k), .rate = {(n), (ms) }                                 \
    }
#define APPEND(k, v)                                                                               \
    {                                                                                              \
        .kind = HAFT_STORE_APPEND, .key = S(k), .value = S(v), .max_records = 3, .max_bytes = 10   \
    }
#define RANGE(k, n)                                                                                \
    {                                                                                              \
        .kind = HAFT_STORE_RANGE, .key = S(k), .after = (n)                                        \
    }

/* Versions are counted by namespace, from 2 on, one for each write. */
static const struct row rows[] = {
    {0, "g", {GET("a")}, 1, {0}, NULL},
    {0, "g", {PUT("a", "one")}, 1, {1}, NULL},
    {0, "g", {GET("a")}, 1, {1}, "one"},
    {0, "h", {GET("a")}, 1, {0}, NULL},
    {0, "g", {PUT_IF("a", "two", 2)}, 1, {1}, NULL},
    {0, "g", {PUT_IF("a", "three", 2)}, 0, {0}, NULL},
    {0, "g", {PUT_IF("a", "three", 0)}, 0, {0}, NULL},
    {0, "g", {GET("a")}, 1, {1}, "two"},
    {0, "g", {DELETE_IF("a", 2)}, 0, {0}, NULL},
    {0, "g", {DELETE_IF("a", 3)}, 1, {1}, NULL},
    {0, "g", {DELETE("a")}, 1, {0}, NULL},
    {0, "g", {PUT_IF("a", "", 0)}, 1, {1}, NULL},
    {0, "g", {GET("a")}, 1, {1}, ""},
    /* together or not at all */
    {0, "g", {PUT("b", "x"), PUT_IF("a", "y", 77), PUT("c", "z")}, 0, {1, 0}, NULL},
    {0, "g", {GET("b")}, 1, {0}, NULL},
    {0, "g", {PUT("b", "x"), PUT_IF("a", "y", 4), PUT("c", "z")}, 1, {1, 1, 1}, NULL},
    {0, "g", {GET("c"), GET("b"), GET("a")}, 1, {1, 1, 1}, "z"},
    {0, "g", {GET("c"), PUT("c", "later")}, 1, {1, 1}, "z"},
    {0, "g", {GET("c"), DELETE("c")}, 1, {1, 1}, "later"},
    {0, "g", {GET("c")}, 1, {0}, NULL},
    /* two writes of one entry */
    {0, "g", {PUT("c", "1"), DELETE("c")}, HAFT_EINVAL, {0, 0}, NULL},
    {0, "g", {TAKE("t", 1, 10), TAKE("t", 1, 10)}, HAFT_EINVAL, {0, 0}, NULL},
    /* the end of entries */
    {100, "g", {PUT_FOR("e", "soon", 50)}, 1, {1}, NULL},
    {149, "g", {GET("e")}, 1, {1}, "soon"},
    {150, "g", {GET("e")}, 1, {0}, NULL},
    {150, "g", {EXPIRE("e", 10)}, 1, {0}, NULL},
    {150, "g", {EXPIRE("a", 10)}, 1, {1}, NULL},
    {159, "g", {EXPIRE("a", 0)}, 1, {1}, NULL},
    {200, "g", {GET("a")}, 1, {1}, "y"},
    {200, "g", {PUT_FOR("e", "soon", 50)}, 1, {1}, NULL},
    {210, "g", {PUT("e", "for ever")}, 1, {1}, NULL},
    {300, "g", {GET("e")}, 1, {1}, "for ever"},
    /* rates: a call that one limit refuses counts against none */
    {1000, "who", {TAKE("all", 3, 1000), TAKE("tool", 1, 1000)}, 1, {1, 1}, NULL},
    {1001, "who", {TAKE("all", 3, 1000), TAKE("tool", 1, 1000)}, 0, {1, 0}, NULL},
    {1001, "who", {TAKE("all", 3, 1000)}, 1, {1}, NULL},
    {1002, "who", {TAKE("all", 3, 1000)}, 1, {1}, NULL},
    {1003, "who", {TAKE("all", 3, 1000)}, 0, {0}, NULL},
    {1003, "else", {TAKE("all", 3, 1000)}, 1, {1}, NULL},
    {2000, "who", {TAKE("all", 3, 1000), TAKE("tool", 1, 1000)}, 1, {1, 1}, NULL},
    /* logs */
    {2000, "s", {RANGE("log", 0)}, 1, {0}, NULL},
    {2000, "s", {APPEND("log", "one")}, 1, {1}, NULL},
    {2000, "s", {APPEND("log", "two")}, 1, {1}, NULL},
    {2000, "s", {RANGE("log", 0)}, 1, {1}, "1=one,2=two"},
    {2000, "s", {RANGE("log", 1)}, 1, {1}, "2=two"},
    {2000, "s", {RANGE("log", 2)}, 1, {1}, ""},
    {2000, "s", {APPEND("log", "a")}, 1, {1}, NULL},
    {2000, "s", {APPEND("log", "b")}, 1, {1}, NULL},
    {2000, "s", {RANGE("log", 0)}, 1, {1}, "gap,2=two,3=a,4=b"},
    {2000, "s", {RANGE("log", 1)}, 1, {1}, "2=two,3=a,4=b"},
    {2000, "s", {APPEND("log", "1234567")}, 1, {1}, NULL},
    {2000, "s", {RANGE("log", 3)}, 1, {1}, "4=b,5=1234567"},
    {2000, "s", {APPEND("log", "12345678901")}, HAFT_ETOOBIG, {HAFT_ETOOBIG}, NULL},
    {2000, "s", {APPEND("log", "1234567890")}, 1, {1}, NULL},
    {2000, "s", {RANGE("log", 4)}, 1, {1}, "gap,6=1234567890"},
    /* an entry is one thing */
    {2000, "s", {GET("log")}, HAFT_EINVAL, {HAFT_EINVAL}, NULL},
    {2000, "s", {TAKE("log", 1, 1)}, HAFT_EINVAL, {HAFT_EINVAL}, NULL},
    {2000, "g", {APPEND("a", "x")}, HAFT_EINVAL, {HAFT_EINVAL}, NULL},
    {2000, "g", {RANGE("a", 0)}, HAFT_EINVAL, {HAFT_EINVAL}, NULL},
    {2000, "s", {DELETE("log")}, 1, {1}, NULL},
    {2000, "s", {RANGE("log", 0)}, 1, {0}, NULL},
};

static void put_records(const haft_store_op *op, char *text, size_t room)
{
    size_t n = (size_t)snprintf(text, room, "%s", op->ret_gap ? "gap" : "");

    for (size_t i = 0; i < op->n_records; i++)
        n += (size_t)snprintf(text + n, room - n, "%s%llu=%.*s", n ? "," : "",
                              (unsigned long long)op->ret_records[i].sequence,
                              (int)op->ret_records[i].value.size, op->ret_records[i].value.data);
}

static void does_what_it_is_asked(void **state)
{
    haft_store *store = haft_store_memory_new(NULL);
    haft_arena *arena = haft_arena_new(NULL, ARENA);

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct row *row = &rows[i];
        haft_store_op ops[4];
        haft_store_request request = {.space = "test",
                                      .group = HAFT_SLICE(row->group),
                                      .ops = ops,
                                      .now = row->at,
                                      .arena = arena};
        char text[128];
        int status;

        memcpy(ops, row->ops, sizeof ops);
        while (request.n_ops < 4 && ops[request.n_ops].key.data)
            request.n_ops++;
        haft_arena_reset(arena);
        status = haft_store_submit(store, &request);
        if (request.status != row->status || status != (row->status < 0 ? row->status : 0))
            fail_msg("row %zu: the status is %d (%d)", i, request.status, status);
        assert_false(request.is_durable);
        for (size_t op = 0; op < request.n_ops; op++)
            if (ops[op].status != row->op_status[op])
                fail_msg("row %zu, operation %zu: the status is %d", i, op, ops[op].status);
        if (ops[0].kind == HAFT_STORE_RANGE && row->value) {
            put_records(&ops[0], text, sizeof text);
            assert_string_equal(text, row->value);
        } else if (row->value) {
            assert_int_equal(ops[0].ret_value.size, strlen(row->value));
            assert_memory_equal(ops[0].ret_value.data, row->value, strlen(row->value));
        }
    }
    haft_arena_free(arena);
    haft_store_free(store);
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

/* ---- limits ---- */

static int put(haft_store *store, const char *space, const char *group, size_t size, int64_t now,
               int64_t expires_ms)
{
    char *bytes = calloc(1, size + 1);
    haft_store_op op = {
        .kind = HAFT_STORE_PUT, .key = S("k"), .value = {bytes, size}, .expires_ms = expires_ms};
    haft_store_request request = {
        .space = space, .group = HAFT_SLICE(group), .ops = &op, .n_ops = 1, .now = now};
    int status = haft_store_submit(store, &request);

    free(bytes);
    return status;
}

static bool has(haft_store *store, const char *space, const char *group, int64_t now)
{
    haft_arena *arena = haft_arena_new(NULL, ARENA);
    haft_store_op op = GET("k");
    haft_store_request request = {.space = space,
                                  .group = HAFT_SLICE(group),
                                  .ops = &op,
                                  .n_ops = 1,
                                  .now = now,
                                  .arena = arena};

    haft_store_submit(store, &request);
    haft_arena_free(arena);
    return op.status == 1;
}

static void stays_within_its_limits(void **state)
{
    static const haft_store_space spaces[] = {
        {.name = "few", .max_entries = 2},
        {.name = "lru", .max_entries = 2, .evicts = true},
        {.name = "small", .max_bytes = 2000, .evicts = true},
        {.max_entries = 1},
    };
    haft_store *store = haft_store_memory_new(
        HAFT_WITH(haft_store_memory_options, .spaces = spaces, .n_spaces = COUNT_OF(spaces)));

    (void)state;
    assert_int_equal(put(store, "few", "a", 1, 0, 10), 0);
    assert_int_equal(put(store, "few", "b", 1, 0, 0), 0);
    assert_int_equal(put(store, "few", "c", 1, 9, 0), HAFT_ETOOBIG);
    assert_int_equal(put(store, "few", "b", 5, 9, 0), 0);  /* it is there already */
    assert_int_equal(put(store, "few", "c", 1, 10, 0), 0); /* a has ended */

    assert_int_equal(put(store, "lru", "a", 1, 0, 0), 0);
    assert_int_equal(put(store, "lru", "b", 1, 0, 0), 0);
    assert_true(has(store, "lru", "a", 0));
    assert_int_equal(put(store, "lru", "c", 1, 0, 0), 0);
    assert_false(has(store, "lru", "b", 0)); /* which was used longest ago */
    assert_true(has(store, "lru", "a", 0) && has(store, "lru", "c", 0));

    assert_int_equal(put(store, "small", "a", 1000, 0, 0), 0);
    assert_int_equal(put(store, "small", "b", 1000, 0, 0), 0);
    assert_false(has(store, "small", "a", 0));
    assert_int_equal(put(store, "small", "c", 2000, 0, 0), HAFT_ETOOBIG);
    assert_false(has(store, "small", "c", 0));

    assert_int_equal(put(store, "other", "a", 1, 0, 0), 0);
    assert_int_equal(put(store, "other", "b", 1, 0, 0), HAFT_ETOOBIG);
    haft_store_free(store);
}

static void has_a_number_of_namespaces(void **state)
{
    haft_store *store = haft_store_memory_new(NULL);
    char name[64];
    int made = 0;

    (void)state;
    for (int i = 0; i < 100; i++) {
        snprintf(name, sizeof name, "space-%d", i);
        made += !put(store, name, "g", 1, 0, 0);
    }
    assert_int_equal(made, 64);
    assert_int_equal(put(store, "space-0", "h", 1, 0, 0), 0);
    memset(name, 'n', 40);
    name[40] = '\0';
    assert_int_equal(put(store, name, "g", 1, 0, 0), HAFT_ETOOBIG);
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
        put(store, "s", group, 1000, 0, 100);
    }
    full = failing.live_bytes;
    for (int i = 0; i < 2000; i++)
        has(store, "s", "nobody", 100);
    assert_true(failing.live_bytes < full / 20);
    haft_store_free(store);
    failing_check(&failing);
}

/* ---- walking ---- */

static void walks_by_steps(void **state)
{
    haft_store *store = haft_store_memory_new(NULL);
    haft_arena *arena = haft_arena_new(NULL, ARENA);
    char group[32], seen[500] = {0};
    haft_store_scan scan = {
        .space = "s", .prefix = S("task:"), .limit = 7, .now = 5, .arena = arena};
    size_t steps = 0, n = 0;

    (void)state;
    for (int i = 0; i < 500; i++) {
        snprintf(group, sizeof group, "%s:%d", i % 2 ? "task" : "lock", i);
        put(store, "s", group, 3, 0, i % 5 ? 0 : 5);
    }
    do {
        assert_int_equal(haft_store_scan_step(store, &scan), 0);
        for (size_t i = 0; i < scan.n_found; i++) {
            const haft_store_found *found = &scan.ret_found[i];
            int number = atoi(found->group.data + strlen("task:"));

            assert_memory_equal(found->group.data, "task:", 5);
            assert_true(found->key.size == 1 && found->key.data[0] == 'k');
            assert_int_equal(found->value.size, 3);
            assert_true(found->version);
            assert_true(number % 2 && number % 5 && !seen[number]);
            seen[number] = 1;
            n++;
        }
        haft_arena_reset(arena);
        steps++;
    } while (scan.cursor);
    assert_int_equal(n, 200);
    assert_true(steps > 20);
    scan.arena = NULL;
    assert_int_equal(haft_store_scan_step(store, &scan), HAFT_EINVAL);
    haft_arena_free(arena);
    haft_store_free(store);
}

/* ---- channels ---- */

struct listener {
    haft_store_subscriber subscriber;
    char heard[128];
};

static void hear(haft_store_subscriber *subscriber, haft_slice channel, haft_slice value)
{
    struct listener *listener = subscriber->context;
    size_t n = strlen(listener->heard);

    snprintf(listener->heard + n, sizeof listener->heard - n, "%.*s=%.*s;", (int)channel.size,
             channel.data, (int)value.size, value.data);
}

static void say(haft_store *store, const char *space, const char *channel, const char *value,
                bool allowed)
{
    haft_store_op ops[] = {
        {.kind = HAFT_STORE_PUBLISH, .key = HAFT_SLICE(channel), .value = HAFT_SLICE(value)},
        {.kind = HAFT_STORE_TAKE, .key = S("t"), .rate = {allowed ? 100 : 0, 1}}};
    haft_store_request request = {.space = space, .group = S("g"), .ops = ops, .n_ops = 2};

    assert_int_equal(haft_store_submit(store, &request), 0);
}

static void tells_subscribers(void **state)
{
    haft_store *store = haft_store_memory_new(NULL);
    struct listener one = {.subscriber = {.space = "s", .channel = S("a"), .message = hear}};
    struct listener all = {.subscriber = {.space = "s", .channel = S(""), .message = hear}};
    struct listener bad = {.subscriber = {.space = "s", .channel = S("")}};

    (void)state;
    one.subscriber.context = &one;
    all.subscriber.context = &all;
    assert_int_equal(haft_store_subscribe(store, &one.subscriber), 0);
    assert_int_equal(haft_store_subscribe(store, &all.subscriber), 0);
    assert_int_equal(haft_store_subscribe(store, &bad.subscriber), HAFT_EINVAL);
    say(store, "s", "a", "1", true);
    say(store, "s", "b", "2", true);
    say(store, "other", "a", "3", true);
    say(store, "s", "a", "4", false); /* what is not applied is not told */
    haft_store_unsubscribe(store, &one.subscriber);
    haft_store_unsubscribe(store, &one.subscriber);
    say(store, "s", "a", "5", true);
    assert_string_equal(one.heard, "a=1;");
    assert_string_equal(all.heard, "a=1;b=2;a=5;");
    haft_store_free(store);
}

/* ---- threads ---- */

enum { THREADS = 4, TRIES = 3000, ALLOWED = 500 };

struct crowd {
    haft_store *store;
    atomic_int allowed, stored;
};

static void *call_often(void *argument)
{
    struct crowd *crowd = argument;

    for (int i = 0; i < TRIES; i++) {
        haft_store_op op = {.kind = HAFT_STORE_TAKE, .key = S("t"), .rate = {ALLOWED, 1000}};
        haft_store_op once = PUT_IF("once", "x", 0);
        char group[32];
        haft_store_request request = {.space = "rate", .group = S("who"), .ops = &op, .n_ops = 1};

        haft_store_submit(crowd->store, &request);
        crowd->allowed += request.status == 1;
        snprintf(group, sizeof group, "jti %d", i);
        request = (haft_store_request){
            .space = "jti", .group = HAFT_SLICE(group), .ops = &once, .n_ops = 1};
        haft_store_submit(crowd->store, &request);
        crowd->stored += request.status == 1;
    }
    return NULL;
}

static void is_exact_with_threads(void **state)
{
    struct crowd crowd = {.store = haft_store_memory_new(NULL)};
    pthread_t threads[THREADS];

    (void)state;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, call_often, &crowd), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(crowd.allowed, ALLOWED);
    assert_int_equal(crowd.stored, TRIES);
    haft_store_free(crowd.store);
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
