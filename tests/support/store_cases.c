/* store_cases.c - the cases, and requests that wait for their answers. */
#define _POSIX_C_SOURCE 200809L
#include "support/store_cases.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/test.h"

#define ARENA (1 << 20)

/* ---- waiting ---- */

struct waiting {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool over;
};

static void waiting_end(struct waiting *waiting)
{
    pthread_mutex_lock(&waiting->lock);
    waiting->over = true;
    pthread_cond_signal(&waiting->changed);
    pthread_mutex_unlock(&waiting->lock);
}

static void waiting_wait(struct waiting *waiting)
{
    pthread_mutex_lock(&waiting->lock);
    while (!waiting->over)
        pthread_cond_wait(&waiting->changed, &waiting->lock);
    pthread_mutex_unlock(&waiting->lock);
}

static void on_request(haft_store_request *request)
{
    waiting_end(request->context);
}

static void on_scan(haft_store_scan *scan)
{
    waiting_end(scan->context);
}

int store_submit(haft_store *store, haft_store_request *request)
{
    struct waiting waiting = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false};
    int status;

    request->done = on_request;
    request->context = &waiting;
    status = haft_store_submit(store, request);
    if (status != HAFT_PENDING)
        return status;
    waiting_wait(&waiting);
    return request->status < 0 ? request->status : 0;
}

int store_scan(haft_store *store, haft_store_scan *scan)
{
    struct waiting waiting = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false};
    int status;

    scan->done = on_scan;
    scan->context = &waiting;
    status = haft_store_scan_step(store, scan);
    if (status != HAFT_PENDING)
        return status;
    waiting_wait(&waiting);
    return scan->status;
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

void store_case_script(haft_store *store)
{
    haft_arena *arena = haft_arena_new(NULL, ARENA);

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
        status = store_submit(store, &request);
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
}

/* ---- limits ---- */

int store_put(haft_store *store, const char *space, const char *group, size_t size, int64_t now,
              int64_t expires_ms)
{
    char *bytes = calloc(1, size + 1);
    haft_store_op op = {
        .kind = HAFT_STORE_PUT, .key = S("k"), .value = {bytes, size}, .expires_ms = expires_ms};
    haft_store_request request = {
        .space = space, .group = HAFT_SLICE(group), .ops = &op, .n_ops = 1, .now = now};
    int status = store_submit(store, &request);

    free(bytes);
    return status;
}

bool store_has(haft_store *store, const char *space, const char *group, int64_t now)
{
    haft_arena *arena = haft_arena_new(NULL, ARENA);
    haft_store_op op = GET("k");
    haft_store_request request = {.space = space,
                                  .group = HAFT_SLICE(group),
                                  .ops = &op,
                                  .n_ops = 1,
                                  .now = now,
                                  .arena = arena};

    store_submit(store, &request);
    haft_arena_free(arena);
    return op.status == 1;
}

void store_case_limits(store_maker *make)
{
    static const haft_store_space spaces[] = {
        {.name = "few", .max_entries = 2},
        {.name = "lru", .max_entries = 2, .evicts = true},
        {.name = "small", .max_bytes = 2000, .evicts = true},
        {.max_entries = 1},
    };
    haft_store *store = make(spaces, COUNT_OF(spaces));

    assert_int_equal(store_put(store, "few", "a", 1, 0, 10), 0);
    assert_int_equal(store_put(store, "few", "b", 1, 0, 0), 0);
    assert_int_equal(store_put(store, "few", "c", 1, 9, 0), HAFT_ETOOBIG);
    assert_int_equal(store_put(store, "few", "b", 5, 9, 0), 0);  /* it is there already */
    assert_int_equal(store_put(store, "few", "c", 1, 10, 0), 0); /* a has ended */

    assert_int_equal(store_put(store, "lru", "a", 1, 0, 0), 0);
    assert_int_equal(store_put(store, "lru", "b", 1, 0, 0), 0);
    assert_true(store_has(store, "lru", "a", 0));
    assert_int_equal(store_put(store, "lru", "c", 1, 0, 0), 0);
    assert_false(store_has(store, "lru", "b", 0)); /* which was used longest ago */
    assert_true(store_has(store, "lru", "a", 0) && store_has(store, "lru", "c", 0));

    assert_int_equal(store_put(store, "small", "a", 1000, 0, 0), 0);
    assert_int_equal(store_put(store, "small", "b", 1000, 0, 0), 0);
    assert_false(store_has(store, "small", "a", 0));
    assert_int_equal(store_put(store, "small", "c", 2000, 0, 0), HAFT_ETOOBIG);
    assert_false(store_has(store, "small", "c", 0));

    assert_int_equal(store_put(store, "other", "a", 1, 0, 0), 0);
    assert_int_equal(store_put(store, "other", "b", 1, 0, 0), HAFT_ETOOBIG);
    haft_store_free(store);
}

/* ---- walking ---- */

void store_case_scan(store_maker *make)
{
    haft_store *store = make(NULL, 0);
    haft_arena *arena = haft_arena_new(NULL, ARENA);
    char group[32], seen[500] = {0};
    haft_store_scan scan = {
        .space = "s", .prefix = S("task:"), .limit = 7, .now = 5, .arena = arena};
    size_t steps = 0, n = 0;

    for (int i = 0; i < 500; i++) {
        snprintf(group, sizeof group, "%s:%d", i % 2 ? "task" : "lock", i);
        store_put(store, "s", group, 3, 0, i % 5 ? 0 : 5);
    }
    do {
        assert_int_equal(store_scan(store, &scan), 0);
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
    assert_int_equal(store_scan(store, &scan), HAFT_EINVAL);
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

    assert_int_equal(store_submit(store, &request), 0);
}

void store_case_channels(store_maker *make)
{
    haft_store *store = make(NULL, 0);
    struct listener one = {.subscriber = {.space = "s", .channel = S("a"), .message = hear}};
    struct listener all = {.subscriber = {.space = "s", .channel = S(""), .message = hear}};
    struct listener bad = {.subscriber = {.space = "s", .channel = S("")}};

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

enum { THREADS = 4, ALLOWED = 500 };

struct crowd {
    haft_store *store;
    int tries;
    atomic_int allowed, stored;
};

static void *call_often(void *argument)
{
    struct crowd *crowd = argument;

    for (int i = 0; i < crowd->tries; i++) {
        haft_store_op op = {.kind = HAFT_STORE_TAKE, .key = S("t"), .rate = {ALLOWED, 1000}};
        haft_store_op once = PUT_IF("once", "x", 0);
        char group[32];
        haft_store_request request = {.space = "rate", .group = S("who"), .ops = &op, .n_ops = 1};

        store_submit(crowd->store, &request);
        crowd->allowed += request.status == 1;
        snprintf(group, sizeof group, "jti %d", i);
        request = (haft_store_request){
            .space = "jti", .group = HAFT_SLICE(group), .ops = &once, .n_ops = 1};
        store_submit(crowd->store, &request);
        crowd->stored += request.status == 1;
    }
    return NULL;
}

void store_case_threads(store_maker *make, int tries)
{
    struct crowd crowd = {.store = make(NULL, 0), .tries = tries};
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, call_often, &crowd), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(crowd.allowed, ALLOWED);
    assert_int_equal(crowd.stored, tries);
    haft_store_free(crowd.store);
}
