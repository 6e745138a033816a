/* test_redis_batch.c - calls that are counted in one turn of a loop go to Redis as one command, and each is answered as if it
 * had gone alone. */
#define _GNU_SOURCE
#include <uv.h>

#include "store/redis_case.h"
#include "store/redis_liar.h"

/* ---- a turn of a loop ---- */

enum { TAKES = 200 };

struct take {
    haft_store_request request;
    haft_store_op op;
    char group[32];
    size_t order; /* of its answer, from 1 */
};

static struct turn {
    uv_loop_t loop;
    uv_timer_t keep; /* the store's handles do not keep a loop running */
    struct take takes[TAKES];
    size_t answered;
} turn;

static void turn_done(haft_store_request *request)
{
    struct take *take = request->context;

    take->order = ++turn.answered;
}

static void turn_keep(uv_timer_t *timer)
{
    (void)timer;
}

static void turn_begin(haft_store *store)
{
    assert_int_equal(uv_loop_init(&turn.loop), 0);
    uv_timer_init(&turn.loop, &turn.keep);
    uv_timer_start(&turn.keep, turn_keep, 10, 10);
    assert_int_equal(haft_store_attach(store, &turn.loop), 0);
}

static void turn_end(haft_store *store)
{
    haft_store_detach(store, &turn.loop);
    uv_close((uv_handle_t *)&turn.keep, NULL);
    uv_run(&turn.loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&turn.loop), 0);
    haft_store_free(store);
}

/* Submits the first takes in one turn: take I counts a call of client I modulo `clients`. */
static void turn_submit(haft_store *store, size_t n, size_t clients, haft_rate rate)
{
    turn.answered = 0;
    for (size_t i = 0; i < n; i++) {
        struct take *take = &turn.takes[i];

        *take = (struct take){.op = {.kind = HAFT_STORE_TAKE, .key = S("t"), .rate = rate}};
        snprintf(take->group, sizeof take->group, "c%zu", i % clients);
        take->request = (haft_store_request){.space = "s",
                                             .group = HAFT_SLICE(take->group),
                                             .ops = &take->op,
                                             .n_ops = 1,
                                             .done = turn_done,
                                             .context = take};
        assert_int_equal(haft_store_submit(store, &take->request), HAFT_PENDING);
    }
}

static void turn_run(haft_store *store, size_t n, size_t clients, haft_rate rate)
{
    turn_submit(store, n, clients, rate);
    for (int64_t since = case_now(); turn.answered < n && case_now() - since < 30000;)
        uv_run(&turn.loop, UV_RUN_ONCE);
    assert_int_equal(turn.answered, n);
}

/* Connects: takes before that wait for the connection. */
static void turn_warm(haft_store *store)
{
    turn_run(store, 1, 1, (haft_rate){1000, 60000});
    case_ask("FLUSHALL");
    case_ask("CONFIG RESETSTAT");
}

/* How often the server has executed a command. */
static unsigned long turn_commands(const char *name)
{
    const char *stat = strstr(case_ask("INFO commandstats"), name);

    return stat ? strtoul(stat + strlen(name), NULL, 10) : 0;
}

/* ---- exact ---- */

/* Of each client the first calls pass, and every answer comes in its turn. */
static void turn_check(size_t n, size_t clients, unsigned calls)
{
    for (size_t i = 0; i < n; i++) {
        const struct take *take = &turn.takes[i];
        int passes = i / clients < calls;

        assert_int_equal(take->request.status, passes);
        assert_int_equal(take->op.status, passes);
        assert_false(take->request.is_unknown);
        assert_true(passes ? !take->op.ret_wait_ms
                           : take->op.ret_wait_ms > 0 && take->op.ret_wait_ms <= 60000);
        assert_int_equal(take->order, i + 1);
    }
}

static void counts_each_call(void **state)
{
    static const struct {
        size_t clients;
        haft_rate rate;
    } rows[] = {
        {1, {5, 60000}},   {10, {5, 60000}},    {TAKES, {5, 60000}},
        {7, {1, 60000}},   {3, {10000, 60000}}, {5, {20000, 60000}}, /* slices */
        {10, {20, 60000}}, {10, {19, 60000}},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_store *store = case_store(NULL);

        turn_begin(store);
        turn_warm(store);
        turn_run(store, TAKES, rows[i].clients, rows[i].rate);
        turn_check(TAKES, rows[i].clients, rows[i].rate.calls);
        assert_int_equal(turn_commands("cmdstat_evalsha:calls="), 4); /* up to 64 in each */
        turn_end(store);
        case_ask("FLUSHALL");
    }
}

/* What is wrong with one entry is the answer of its call alone. */
static void answers_each_call(void **state)
{
    haft_store *store = case_store(NULL);

    (void)state;
    turn_begin(store);
    turn_warm(store);
    assert_int_equal(*case_ask("SET haft:{s:c1}:t 15:value"), '+');
    assert_int_equal(*case_ask("SET haft:{s:c2}:t unknown"), '+');
    turn_run(store, 60, 4, (haft_rate){10, 60000});
    for (size_t i = 0; i < 60; i++) {
        static const int errors[] = {1, HAFT_EINVAL, HAFT_EPROTOCOL, 1};
        int expected = errors[i % 4] == 1 ? i / 4 < 10 : errors[i % 4];

        assert_int_equal(turn.takes[i].request.status, expected);
        assert_int_equal(turn.takes[i].op.status, expected);
        assert_false(turn.takes[i].request.is_unknown);
    }
    turn_end(store);
}

/* ---- servers that do not execute it ---- */

static void sends_scripts_again(void **state)
{
    haft_store *store = case_store(NULL);

    (void)state;
    turn_begin(store);
    turn_warm(store);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(*case_ask("SCRIPT FLUSH"), '+');
        turn_run(store, TAKES, 50, (haft_rate){3, 60000});
        for (size_t at = 0, passed = 0; at < TAKES; at++) {
            assert_in_range(turn.takes[at].request.status, 0, 1);
            passed += turn.takes[at].request.status == 1;
            assert_true(at + 1 < TAKES || passed == (i ? 0 : 150));
        }
    }
    turn_end(store);
}

static void is_refused_with_its_server(void **state)
{
    haft_store *store = case_store(NULL);

    (void)state;
    turn_begin(store);
    turn_warm(store);
    case_ask("CONFIG SET maxmemory 1");
    turn_run(store, TAKES, 50, (haft_rate){3, 60000});
    case_ask("CONFIG SET maxmemory 0");
    for (size_t i = 0; i < TAKES; i++) {
        assert_int_equal(turn.takes[i].request.status, HAFT_ETOOBIG);
        assert_false(turn.takes[i].request.is_unknown);
    }
    turn_run(store, TAKES, 50, (haft_rate){3, 60000}); /* nothing was counted */
    turn_check(TAKES, 50, 3);
    turn_end(store);
}

/* A cluster refuses commands with keys of several nodes. */
static void goes_alone_in_a_cluster(void **state)
{
    static const char *const arguments[] = {"--cluster-enabled", "yes", NULL};
    struct redis_server first = redis;
    haft_store *store;

    (void)state;
    assert_true(redis_server_start(&redis, arguments));
    if (*case_ask("CLUSTER ADDSLOTSRANGE 0 16383") == '+') {
        while (!strstr(case_ask("CLUSTER INFO"), "cluster_state:ok"))
            case_sleep(50);
        store = case_store(NULL);
        turn_begin(store);
        turn_warm(store);
        for (size_t i = 0; i < 3; i++) {
            case_ask("FLUSHALL");
            turn_run(store, TAKES, 40, (haft_rate){3, 60000});
            turn_check(TAKES, 40, 3);
        }
        turn_end(store);
    }
    redis_server_remove(&redis);
    redis = first;
}

/* ---- servers that answer otherwise ---- */

static void ends_every_call(void **state)
{
    static const struct {
        const char *lie;
        size_t size;
        int status;
        bool unknown;
    } rows[] = {
        {TEXT("*4\r\n:1\r\n:1\r\n:0\r\n:-5\r\n"), 2, false}, /* one passes, one does not */
        {TEXT("*2\r\n:1\r\n:1\r\n"), HAFT_EPROTOCOL, true},
        {TEXT("*5\r\n:1\r\n:1\r\n:1\r\n:1\r\n:1\r\n"), HAFT_EPROTOCOL, true},
        {TEXT("*4\r\n+a\r\n+b\r\n+c\r\n+d\r\n"), HAFT_EPROTOCOL, true},
        {TEXT("*4\r\n$-1\r\n$-1\r\n$-1\r\n$-1\r\n"), HAFT_EPROTOCOL, true},
        {TEXT("*-1\r\n"), HAFT_EPROTOCOL, true},
        {TEXT("$-1\r\n"), HAFT_EPROTOCOL, true},
        {TEXT(":1\r\n"), HAFT_EPROTOCOL, true},
        {TEXT("-ERR no\r\n"), HAFT_EFAIL, true},
        {TEXT("-LOADING wait\r\n"), HAFT_EBUSY, false},
        {TEXT("-CROSSSLOT no\r\n"), 0, false}, /* and the same for each alone */
        {TEXT("-NOSCRIPT again\r\n"), HAFT_EFAIL, false},
        {TEXT("*4\r\n:1\r\n"), HAFT_ETIMEOUT, true},
        {NULL, 0, HAFT_ECLOSED, true},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct liar liar;
        char url[64];
        haft_store *store;

        liar_begin(&liar, rows[i].lie, rows[i].size);
        snprintf(url, sizeof url, "redis://127.0.0.1:%d", liar.port);
        store = haft_redis_store_new(
            url, HAFT_WITH(haft_redis_options, .take_ms = 500, .command_ms = 5000), NULL);
        turn_begin(store);
        while (!case_is_available(store))
            uv_run(&turn.loop, UV_RUN_ONCE);
        turn_run(store, 2, 2, (haft_rate){3, 60000});
        for (size_t at = 0; at < 2 && rows[i].status; at++) {
            const haft_store_request *request = &turn.takes[at].request;
            int expected = rows[i].status == 2 ? !at : rows[i].status;

            if (request->status != expected || request->is_unknown != rows[i].unknown)
                fail_msg("row %zu: %d, %d", i, request->status, request->is_unknown);
        }
        turn_end(store);
        liar_end(&liar);
    }
}

/* ---- a busy thread ---- */

enum { LARGE = 50000 }; /* bytes; hiredis reads 16,384 at once */

static void turn_get(haft_store *store, haft_arena *arena)
{
    struct take *get = &turn.takes[0];

    *get = (struct take){.op = GET("k")};
    get->request = (haft_store_request){.space = "s",
                                        .group = S("g"),
                                        .ops = &get->op,
                                        .n_ops = 1,
                                        .arena = arena,
                                        .done = turn_done,
                                        .context = get};
    turn.answered = 0;
    assert_int_equal(haft_store_submit(store, &get->request), HAFT_PENDING);
}

static void turn_await(int ms)
{
    for (int64_t since = case_now(); !turn.answered && case_now() - since < ms;)
        uv_run(&turn.loop, UV_RUN_ONCE);
}

/* Answers that arrived while the loop did not run are read before their requests time out. */
static void reads_before_it_gives_up(void **state)
{
    static const bool rows[] = {false, true}; /* whether another node of a cluster answers */
    static char bytes[LARGE];
    haft_store_op put = {.kind = HAFT_STORE_PUT, .key = S("k"), .value = {bytes, sizeof bytes}};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_arena *arena = haft_arena_new(NULL, CASE_ARENA);
        haft_store *store = case_store(NULL);
        struct liar liar;
        char url[64], lie[64];

        assert_int_equal(case_one(store, &put, NULL), 1);
        haft_store_free(store);
        snprintf(lie, sizeof lie, "-MOVED 7000 127.0.0.1:%d\r\n", redis.port);
        liar_begin(&liar, lie, strlen(lie));
        snprintf(url, sizeof url, "redis://127.0.0.1:%d", rows[i] ? liar.port : redis.port);
        store = haft_redis_store_new(url, HAFT_WITH(haft_redis_options, .command_ms = 2000), NULL);
        turn_begin(store);
        turn_get(store, arena);
        turn_await(5000);
        assert_int_equal(turn.takes[0].request.status, 1);
        redis_server_signal(&redis, SIGSTOP);
        turn_get(store, arena);
        turn_await(200);
        redis_server_signal(&redis, SIGCONT);
        assert_int_equal(turn.answered, 0);
        case_sleep(2500);
        turn_await(5000);
        assert_int_equal(turn.takes[0].request.status, 1);
        assert_int_equal(turn.takes[0].op.ret_value.size, LARGE);
        turn_end(store);
        liar_end(&liar);
        haft_arena_free(arena);
    }
}

/* Those that are cancelled get no answer, and the others their own. */
static void cancels_some(void **state)
{
    haft_store *store = case_store(NULL);
    size_t cancelled = 0;

    (void)state;
    turn_begin(store);
    turn_warm(store);
    turn_submit(store, TAKES, TAKES, (haft_rate){3, 60000});
    for (size_t i = 0; i < TAKES; i += 3)
        cancelled += haft_store_cancel(store, &turn.takes[i].request);
    assert_true(cancelled > 0);
    while (turn.answered < TAKES - cancelled)
        uv_run(&turn.loop, UV_RUN_ONCE);
    for (size_t i = 0; i < TAKES; i++)
        assert_int_equal(turn.takes[i].order > 0, i % 3 > 0);
    turn_submit(store, TAKES, TAKES, (haft_rate){3, 60000});
    turn_end(store); /* with all of them under way */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE_TEST(counts_each_call),         CASE_TEST(answers_each_call),
        CASE_TEST(sends_scripts_again),      CASE_TEST(is_refused_with_its_server),
        CASE_TEST(goes_alone_in_a_cluster),  CASE_TEST(ends_every_call),
        CASE_TEST(reads_before_it_gives_up), CASE_TEST(cancels_some),
    };

    CASE_SKIP_WITHOUT_REDIS();
    return cmocka_run_group_tests(tests, case_begin, case_end);
}
