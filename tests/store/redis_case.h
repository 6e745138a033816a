/* store/redis_case.h - what the tests of the store on Redis share. */
#ifndef HAFT_TESTS_REDIS_CASE_H
#define HAFT_TESTS_REDIS_CASE_H

#include <haft/redis.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "support/redis_server.h"
#include "support/store_cases.h"
#include "support/test.h"

#define CASE_ARENA (1 << 20)

static struct redis_server redis; /* of the test */

static inline void case_sleep(int ms)
{
    poll(NULL, 0, ms);
}

static inline int64_t case_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* On a busy machine an answer may take long, which is not what most tests are about. */
#define CASE_PATIENT .take_ms = 10000, .command_ms = 10000

static inline haft_store *case_store(const haft_redis_options *options)
{
    haft_reason reason = {0};
    haft_store *store = haft_redis_store_new(
        redis.url, options ? options : HAFT_WITH(haft_redis_options, CASE_PATIENT), &reason);

    if (!store)
        fail_msg("no store: %s: %s", reason.path, reason.text);
    return store;
}

/* One operation on the group "g"; the status of the operation, or of a request that failed. */
static inline int case_one(haft_store *store, haft_store_op *op, haft_store_request *ret_request)
{
    haft_arena *arena = haft_arena_new(NULL, CASE_ARENA);
    haft_store_request request = {
        .space = "s", .group = S("g"), .ops = op, .n_ops = 1, .arena = arena};

    store_submit(store, &request);
    if (ret_request)
        *ret_request = request;
    haft_arena_free(arena);
    return request.status < 0 ? request.status : op->status;
}

static inline int case_put(haft_store *store, const char *value)
{
    return case_one(
        store, &(haft_store_op){.kind = HAFT_STORE_PUT, .key = S("k"), .value = HAFT_SLICE(value)},
        NULL);
}

static inline int case_get(haft_store *store)
{
    return case_one(store, &(haft_store_op)GET("k"), NULL);
}

static inline const char *case_ask(const char *command)
{
    static char answer[4096];

    return redis_server_ask(&redis, answer, sizeof answer, command);
}

static inline bool case_is_available(haft_store *store)
{
    haft_store_status status = HAFT_INIT(haft_store_status, .waiting = 0);

    assert_int_equal(haft_store_get_status(store, &status), 0);
    return status.available;
}

/* Waits until the store is available, or is not. */
static inline void case_await(haft_store *store, bool available)
{
    for (int i = 0; i < 1500 && case_is_available(store) != available; i++)
        case_sleep(10);
    assert_int_equal(case_is_available(store), available);
}

/* For cmocka's groups. */
static inline int case_begin(void **state)
{
    (void)state;
    return redis_server_start(&redis, NULL) ? 0 : -1;
}

static inline int case_flush(void **state)
{
    (void)state;
    redis_server_signal(&redis, SIGCONT);
    if (!redis.pid && !redis_server_restart(&redis))
        return -1;
    case_ask("FLUSHALL");
    return 0;
}

static inline int case_end(void **state)
{
    (void)state;
    redis_server_remove(&redis);
    return 0;
}

#define CASE_TEST(function) cmocka_unit_test_setup(function, case_flush)

#define CASE_SKIP_WITHOUT_REDIS()                                                                  \
    do                                                                                             \
        if (!redis_server_is_installed()) {                                                        \
            puts("redis-server is not installed");                                                 \
            return 77;                                                                             \
        }                                                                                          \
    while (0)

#endif
