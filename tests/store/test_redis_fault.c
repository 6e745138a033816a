/* The store on Redis when the server is away, slow, full, another one, or someone else's: requests end within their
 * timeouts and say whether they may have been applied; afterwards everything goes on. */
#define _GNU_SOURCE
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/redis_case.h"
#include "support/failing.h"

/* Short times, so that the tests are short; SLACK is what a busy machine may add. */
#define QUICK .take_ms = 100, .command_ms = 600, .connect_ms = 600, .max_reconnect_ms = 200
enum { SLACK = 3000 };

static haft_store *quick_store(void)
{
    return case_store(HAFT_WITH(haft_redis_options, QUICK));
}

static int quick_take(haft_store *store, haft_store_request *ret_request)
{
    return case_one(store,
                    &(haft_store_op){.kind = HAFT_STORE_TAKE, .key = S("t"), .rate = {1000, 60000}},
                    ret_request);
}

/* ---- watching ---- */

struct watching {
    haft_store_watcher watcher;
    atomic_int ups, downs;
};

static void watching_changed(haft_store_watcher *watcher, const haft_store_status *status)
{
    struct watching *watching = watcher->context;

    watching->ups += status->available;
    watching->downs += !status->available;
    if (!status->available)
        assert_true(status->error[0]);
}

static void watching_begin(struct watching *watching, haft_store *store)
{
    *watching = (struct watching){.watcher = {.changed = watching_changed}};
    watching->watcher.context = watching;
    haft_store_watch(store, &watching->watcher);
}

static uint64_t reconnects(haft_store *store)
{
    haft_store_status status = HAFT_INIT(haft_store_status, .waiting = 0);

    haft_store_get_status(store, &status);
    return status.reconnects;
}

/* ---- a server that is away ---- */

static void waits_for_a_server(void **state)
{
    haft_store *store;
    haft_store_status status = HAFT_INIT(haft_store_status, .waiting = 0);
    haft_store_request request;
    int64_t since = case_now();

    (void)state;
    redis_server_signal(&redis, SIGKILL);
    store = quick_store();
    assert_int_equal(case_put(store, "x"), HAFT_ETIMEOUT);
    assert_in_range(case_now() - since, 500, 600 + SLACK);
    assert_int_equal(haft_store_get_status(store, &status), 0);
    assert_false(status.available);
    assert_non_null(strstr(status.error, "refused"));
    /* A limit does not wait for a server that cannot be reached. */
    assert_int_equal(quick_take(store, &request), HAFT_ECLOSED);
    assert_false(request.is_unknown);
    assert_true(redis_server_restart(&redis));
    case_await(store, true);
    assert_int_equal(case_put(store, "x"), 1);
    haft_store_free(store);
}

/* Versions are not used again, although the server has forgotten everything. */
static void survives_a_server_that_forgets(void **state)
{
    haft_store *store = quick_store();
    haft_store_op put = PUT("k", "one"), again = PUT_IF("k", "two", 0);
    struct watching watching;

    (void)state;
    watching_begin(&watching, store);
    case_await(store, true);
    assert_int_equal(case_one(store, &put, NULL), 1);
    redis_server_signal(&redis, SIGKILL);
    case_await(store, false);
    assert_true(case_put(store, "lost") < 0);
    assert_true(redis_server_restart(&redis));
    case_await(store, true);
    assert_int_equal(case_get(store), 0);
    assert_int_equal(case_one(store, &again, NULL), 1);
    assert_true(again.ret_version > put.ret_version);
    assert_true(reconnects(store) >= 1);
    assert_int_equal(watching.ups, 2);
    assert_int_equal(watching.downs, 1);
    haft_store_unwatch(store, &watching.watcher);
    case_ask("FLUSHALL");
    again.version = 0;
    put.ret_version = again.ret_version;
    assert_int_equal(case_one(store, &again, NULL), 1);
    assert_true(again.ret_version > put.ret_version);
    haft_store_free(store);
}

static void is_durable_in_an_append_file(void **state)
{
    static const char *const arguments[] = {"--appendonly", "yes", "--appendfsync", "always", NULL};
    struct redis_server first = redis;
    haft_store_op put = PUT("k", "kept"), get = GET("k");
    haft_store_request request;
    haft_store *store;

    (void)state;
    store = case_store(HAFT_WITH(haft_redis_options, QUICK, .durability = HAFT_REDIS_APPEND_FILE));
    assert_int_equal(case_one(store, &put, &request), 1);
    assert_false(request.is_durable); /* this server has none */
    haft_store_free(store);

    assert_true(redis_server_start(&redis, arguments));
    store = case_store(HAFT_WITH(haft_redis_options, QUICK, .durability = HAFT_REDIS_APPEND_FILE));
    assert_int_equal(case_one(store, &put, &request), 1);
    assert_true(request.is_durable);
    redis_server_signal(&redis, SIGKILL);
    assert_true(redis_server_restart(&redis));
    case_await(store, true);
    assert_int_equal(case_one(store, &get, NULL), 1);
    assert_int_equal(get.ret_version, put.ret_version);
    haft_store_free(store);
    redis_server_remove(&redis);
    redis = first;
}

/* ---- a server that is slow ---- */

static void gives_up_on_a_server_that_stands_still(void **state)
{
    haft_store *store = quick_store();
    haft_store_op put = PUT("k", "x"), get = GET("k");
    haft_store_request request;
    int64_t since;

    (void)state;
    assert_int_equal(case_put(store, "before"), 1);
    redis_server_signal(&redis, SIGSTOP);
    since = case_now();
    assert_int_equal(quick_take(store, &request), HAFT_ETIMEOUT);
    assert_true(request.is_unknown);
    assert_in_range(case_now() - since, 90, 100 + SLACK);
    since = case_now();
    assert_true(case_one(store, &put, &request) < 0);
    assert_true(request.is_unknown); /* the answer never came */
    assert_in_range(case_now() - since, 100, 600 + SLACK);
    assert_true(case_one(store, &get, &request) < 0);
    assert_false(request.is_unknown); /* it would have changed nothing */
    case_await(store, false);
    case_sleep(1000);
    redis_server_signal(&redis, SIGCONT);
    case_await(store, true);
    assert_int_equal(case_put(store, "after"), 1);
    haft_store_free(store);
}

static void waits_while_a_server_sleeps(void **state)
{
    static const char *const arguments[] = {"--enable-debug-command", "yes", NULL};
    struct redis_server first = redis;
    haft_store_request request;
    haft_store *store;
    char answer[64];
    pid_t child;

    (void)state;
    assert_true(redis_server_start(&redis, arguments));
    store = case_store(HAFT_WITH(haft_redis_options, .take_ms = 100, .command_ms = 8000));
    assert_int_equal(case_put(store, "x"), 1);
    child = fork();
    if (!child) {
        redis_server_ask(&redis, answer, sizeof answer, "DEBUG SLEEP 1");
        _exit(0);
    }
    case_sleep(200);
    assert_int_equal(quick_take(store, &request), HAFT_ETIMEOUT);
    assert_int_equal(case_put(store, "x"), 1); /* on the same connection, in order */
    assert_int_equal(quick_take(store, &request), 1);
    assert_int_equal(reconnects(store), 0);
    haft_store_free(store);
    redis_server_remove(&redis);
    redis = first;
}

static atomic_int bound_done;

static void bound_on_done(haft_store_request *request)
{
    (void)request;
    bound_done++;
}

/* What is submitted to a server that stands still has a bound, ends in time, and does not occupy its place for ever. */
static void has_a_bound(void **state)
{
    enum { BOUND = 20 };
    static const haft_store_op rows[] = {PUT("k", "v"), TAKE("t", 1000, 60000)};

    (void)state;
    for (size_t row = 0; row < COUNT_OF(rows); row++) {
        haft_store *store = case_store(HAFT_WITH(haft_redis_options, QUICK, .max_waiting = BOUND));
        haft_store_op ops[BOUND + 1];
        haft_store_request requests[BOUND + 1];
        haft_store_status status = HAFT_INIT(haft_store_status, .waiting = 0);

        assert_int_equal(case_put(store, "x"), 1);
        redis_server_signal(&redis, SIGSTOP);
        bound_done = 0;
        for (int i = 0; i <= BOUND; i++) {
            ops[i] = rows[row];
            requests[i] = (haft_store_request){
                .space = "s", .group = S("g"), .ops = &ops[i], .n_ops = 1, .done = bound_on_done};
            assert_int_equal(haft_store_submit(store, &requests[i]),
                             i < BOUND ? HAFT_PENDING : HAFT_EBUSY);
        }
        haft_store_get_status(store, &status);
        assert_int_equal(status.waiting, BOUND);
        for (int i = 0; i < 1000 && bound_done < BOUND; i++)
            case_sleep(10);
        assert_int_equal(bound_done, BOUND);
        case_await(store, false);
        redis_server_signal(&redis, SIGCONT);
        case_await(store, true);
        assert_int_equal(case_put(store, "x"), 1);
        haft_store_free(store);
    }
}

/* ---- lost connections and scripts ---- */

static void goes_on_after_losses(void **state)
{
    static const char *const commands[] = {"SCRIPT FLUSH", "CLIENT KILL TYPE normal SKIPME yes",
                                           "FLUSHALL", "SCRIPT FLUSH"};
    haft_store *store = case_store(NULL);
    haft_store_op range = RANGE("l", 5), append = APPEND("l", "r");
    struct watching watching;
    int64_t since;

    (void)state;
    case_await(store, true);
    watching_begin(&watching, store);
    for (size_t i = 0; i < COUNT_OF(commands); i++) {
        assert_int_equal(case_put(store, "x"), 1);
        assert_int_equal(case_one(store, &append, NULL), 1);
        assert_true(strchr("+:", *case_ask(commands[i])));
        since = case_now();
        while (case_put(store, "y") != 1 || quick_take(store, NULL) != 1)
            assert_true(case_now() - since < SLACK);
    }
    assert_int_equal(reconnects(store), 1);
    assert_int_equal(watching.ups + watching.downs, 0); /* it was back at once */
    /* A log that has begun anew says so. */
    range.after = append.ret_version;
    case_ask("FLUSHALL");
    assert_int_equal(case_one(store, &append, NULL), 1);
    assert_int_equal(case_one(store, &range, NULL), 1);
    assert_true(range.ret_gap);
    haft_store_unwatch(store, &watching.watcher);
    haft_store_free(store);
}

/* The longest times are longer than any test. */
static void may_wait_for_ever(void **state)
{
    haft_store *store = case_store(HAFT_WITH(
        haft_redis_options, .take_ms = UINT_MAX, .command_ms = UINT_MAX, .connect_ms = UINT_MAX,
        .replica_ms = UINT_MAX, .max_reconnect_ms = 1, .min_reconnect_ms = UINT_MAX));

    (void)state;
    assert_int_equal(case_put(store, "x"), 1);
    case_sleep(50);
    assert_int_equal(*case_ask("CLIENT KILL TYPE normal SKIPME yes"), ':');
    for (int i = 0; i < 1000 && !reconnects(store); i++)
        case_sleep(10);
    assert_int_equal(case_put(store, "x"), 1);
    haft_store_free(store);
}

/* ---- servers that refuse ---- */

static void says_what_a_server_refuses(void **state)
{
    haft_store *store = case_store(NULL);
    haft_store_op put = PUT("k", "x");
    haft_store_request request;

    (void)state;
    assert_int_equal(case_put(store, "before"), 1);
    case_ask("CONFIG SET maxmemory 1");
    assert_int_equal(case_one(store, &put, &request), HAFT_ETOOBIG);
    assert_false(request.is_unknown);
    assert_int_equal(quick_take(store, NULL), HAFT_ETOOBIG);
    assert_int_equal(case_get(store), 1);
    case_ask("CONFIG SET maxmemory 0");
    case_ask("REPLICAOF 127.0.0.1 1");
    assert_int_equal(case_one(store, &put, &request), HAFT_EFAIL);
    assert_false(request.is_unknown);
    assert_int_equal(case_get(store), 1);
    case_ask("REPLICAOF NO ONE");
    assert_int_equal(case_put(store, "after"), 1);
    case_ask("ACL SETUSER default -script -eval -evalsha");
    assert_int_equal(case_put(store, "after"), HAFT_EDENIED);
    case_ask("ACL SETUSER default +@all");
    assert_int_equal(case_put(store, "after"), 1);
    haft_store_free(store);
}

static atomic_int refused_gaps;

static void refused_on_gap(haft_store_subscriber *subscriber)
{
    (void)subscriber;
    refused_gaps++;
}

static void refused_on_message(haft_store_subscriber *subscriber, haft_slice channel,
                               haft_slice value)
{
    (void)subscriber, (void)channel, (void)value;
}

static long connections(void)
{
    static const char name[] = "total_connections_received:";
    const char *found = strstr(case_ask("INFO stats"), name);

    assert_non_null(found);
    return strtol(found + strlen(name), NULL, 10);
}

/* A server that accepts the login and refuses a subscription is asked again later and later. */
static void waits_after_a_refused_subscription(void **state)
{
    haft_store *store = case_store(NULL);
    haft_store_status status = HAFT_INIT(haft_store_status, .waiting = 0);
    haft_store_subscriber subscriber = {
        .space = "s", .channel = S("c"), .message = refused_on_message, .gap = refused_on_gap};
    long before;

    (void)state;
    refused_gaps = 0;
    assert_int_equal(*case_ask("ACL SETUSER default resetchannels"), '+');
    before = connections();
    assert_int_equal(haft_store_subscribe(store, &subscriber), 0);
    case_sleep(1500);
    assert_in_range(connections() - before, 2, 10);
    haft_store_get_status(store, &status);
    assert_non_null(strstr(status.error, "refused a subscription: NOPERM"));
    assert_int_equal(refused_gaps, 0);
    assert_int_equal(*case_ask("ACL SETUSER default allchannels"), '+');
    for (int i = 0; i < 1000 && !refused_gaps; i++)
        case_sleep(10);
    assert_int_equal(refused_gaps, 1);
    haft_store_unsubscribe(store, &subscriber);
    haft_store_free(store);
}

/* Entries of another version of haft, and of others, are left alone. */
static void leaves_alone_what_it_does_not_know(void **state)
{
    static const struct {
        const char *command;
        int get; /* status of a get */
    } rows[] = {{"SET haft:{s:g}:k plain", HAFT_EPROTOCOL},
                {"SET haft:{s:g}:k 217949668337:value", HAFT_EPROTOCOL},
                {"SET haft:{s:g}:k 1:value", HAFT_EPROTOCOL},
                {"SET haft:{s:g}:k \"\"", HAFT_EPROTOCOL},
                {"RPUSH haft:{s:g}:k 2w3/1000 17", HAFT_EINVAL},
                {"HSET haft:{s:g}:k h 2s v 7", HAFT_EINVAL},
                {"ZADD haft:{s:g}:k 1 x", HAFT_EINVAL},
                {"SADD haft:{s:g}:k x", HAFT_EINVAL},
                {"XADD haft:{s:g}:k 1-1 2 x c 1 v 1 s 1", HAFT_EINVAL}};
    haft_store *store = case_store(NULL);
    haft_store_op ops[] = {PUT("k", "x"),   DELETE("k"),      EXPIRE("k", 1),
                           TAKE("k", 1, 1), APPEND("k", "x"), RANGE("k", 0)};
    haft_arena *arena = haft_arena_new(NULL, CASE_ARENA);
    haft_store_scan scan = {.space = "s", .prefix = S(""), .arena = arena, .limit = 1000};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        case_ask("FLUSHALL");
        assert_true(strchr("+:$", *case_ask(rows[i].command)));
        assert_int_equal(case_get(store), rows[i].get);
        for (size_t op = 0; op < COUNT_OF(ops); op++) {
            haft_store_op own = ops[op];
            haft_store_request request;

            if (case_one(store, &own, &request) != HAFT_EPROTOCOL)
                fail_msg("%s: %s: %d", rows[i].command, haft_store_op_name(own.kind),
                         request.status);
            assert_false(request.is_unknown);
        }
        scan.cursor = 0;
        assert_int_equal(store_scan(store, &scan), 0);
        assert_int_equal(scan.n_found, 0);
        assert_string_equal(case_ask("EXISTS haft:{s:g}:k"), ":1\r\n");
    }
    haft_arena_free(arena);
    haft_store_free(store);
}

/* ---- replicas ---- */

static void is_durable_on_replicas(void **state)
{
    char port[16];
    const char *const arguments[] = {"--replicaof", "127.0.0.1", port, NULL};
    struct redis_server replica;
    haft_store *store = case_store(HAFT_WITH(haft_redis_options, CASE_PATIENT,
                                             .durability = HAFT_REDIS_REPLICAS, .replica_ms = 300));
    haft_store_op op = PUT("k", "x");
    haft_arena *arena = haft_arena_new(NULL, CASE_ARENA);
    haft_store_request request = {
        .space = "s", .group = S("g"), .ops = &op, .n_ops = 1, .durable = true, .arena = arena};

    (void)state;
    assert_int_equal(store_submit(store, &request), 0);
    assert_true(request.status == 1 && !request.is_durable); /* applied, and nowhere else */
    snprintf(port, sizeof port, "%d", redis.port);
    assert_true(redis_server_start(&replica, arguments));
    for (int i = 0; i < 100 && !request.is_durable; i++)
        assert_int_equal(store_submit(store, &request), 0);
    assert_true(request.is_durable);
    request.is_durable = false;
    for (int i = 0; i < 20 && !request.is_durable; i++) { /* a busy replica may be late */
        case_ask("SCRIPT FLUSH");
        assert_int_equal(store_submit(store, &request), 0);
    }
    assert_true(request.is_durable);
    request.durable = false;
    assert_int_equal(store_submit(store, &request), 0);
    assert_false(request.is_durable);
    /* A replica that stands still does not delay others. */
    redis_server_signal(&replica, SIGSTOP);
    request.durable = true;
    assert_int_equal(store_submit(store, &request), 0);
    assert_true(request.status == 1 && !request.is_durable);
    redis_server_signal(&replica, SIGCONT);
    redis_server_remove(&replica);
    haft_arena_free(arena);
    haft_store_free(store);
}

/* Requests that come together wait for replicas together. */
static void waits_for_replicas_once(void **state)
{
    enum { REQUESTS = 20 };
    haft_store *store = case_store(HAFT_WITH(haft_redis_options, .command_ms = 2000,
                                             .durability = HAFT_REDIS_REPLICAS, .replica_ms = 300));
    haft_store_op ops[REQUESTS];
    haft_store_request requests[REQUESTS];

    (void)state;
    bound_done = 0;
    for (size_t i = 0; i < REQUESTS; i++) {
        ops[i] = (haft_store_op)PUT("k", "v");
        requests[i] = (haft_store_request){.space = "s",
                                           .group = S("g"),
                                           .ops = &ops[i],
                                           .n_ops = 1,
                                           .durable = true,
                                           .done = bound_on_done};
        assert_int_equal(haft_store_submit(store, &requests[i]), HAFT_PENDING);
    }
    for (int i = 0; i < 1000 && bound_done < REQUESTS; i++)
        case_sleep(10);
    for (size_t i = 0; i < REQUESTS; i++) {
        assert_int_equal(requests[i].status, 1);
        assert_false(requests[i].is_durable);
    }
    case_sleep(500);
    assert_int_equal(reconnects(store), 0);
    haft_store_free(store);
}

/* ---- memory ---- */

static void loses_nothing_without_memory(void **state)
{
    (void)state;
    for (size_t nth = 1; nth < 200; nth++) {
        struct failing failing;
        haft_store *store;
        haft_store_op put = PUT("k", "x"), get = GET("k");
        haft_store_subscriber none = {.space = "s", .channel = S("c")};
        char big[2000] = {0};

        failing_init(&failing, nth);
        (void)none;
        put.value = (haft_slice){big, sizeof big};
        store = haft_redis_store_new(redis.url,
                                     HAFT_WITH(haft_redis_options, .allocator = &failing.allocator,
                                               .take_ms = 10000, .command_ms = 10000,
                                               .max_reconnect_ms = 50),
                                     NULL);
        if (store) {
            int status = case_one(store, &put, NULL);

            assert_true(status == 1 || status == HAFT_ENOMEM);
            status = case_one(store, &get, NULL);
            assert_true(status == 1 || status == 0 || status == HAFT_ENOMEM);
        }
        haft_store_free(store);
        failing_check(&failing);
        if (!failing.failures)
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE_TEST(waits_for_a_server),
        CASE_TEST(survives_a_server_that_forgets),
        CASE_TEST(is_durable_in_an_append_file),
        CASE_TEST(gives_up_on_a_server_that_stands_still),
        CASE_TEST(waits_while_a_server_sleeps),
        CASE_TEST(has_a_bound),
        CASE_TEST(goes_on_after_losses),
        CASE_TEST(may_wait_for_ever),
        CASE_TEST(says_what_a_server_refuses),
        CASE_TEST(waits_after_a_refused_subscription),
        CASE_TEST(leaves_alone_what_it_does_not_know),
        CASE_TEST(is_durable_on_replicas),
        CASE_TEST(waits_for_replicas_once),
        CASE_TEST(loses_nothing_without_memory),
    };

    CASE_SKIP_WITHOUT_REDIS();
    return cmocka_run_group_tests(tests, case_begin, case_end);
}
