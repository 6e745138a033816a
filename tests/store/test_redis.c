/* The store on Redis: what every store does, with the clock of the server; scanning, channels, loops, threads,
 * processes. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>
#include <uv.h>

#include "store/redis_case.h"

/* ---- a script of requests ---- */

enum { OLD = 1, LATEST = 2, NONE = 0 };

/* A version is OLD (the one before the latest of the key "a"), LATEST or NONE; a number of a log counts from 1. */
struct row {
    int sleep_ms; /* before the request */
    const char *group;
    haft_store_op ops[4]; /* up to the first without a key */
    int status;           /* of the request */
    int op_status[4];
    const char *value; /* of the first operation; a log's records with commas between them */
};

static const struct row rows[] = {
    {0, "g", {GET("a")}, 1, {0}, NULL},
    {0, "g", {PUT("a", "one")}, 1, {1}, NULL},
    {0, "g", {GET("a")}, 1, {1}, "one"},
    {0, "h", {GET("a")}, 1, {0}, NULL},
    {0, "g", {PUT_IF("a", "two", LATEST)}, 1, {1}, NULL},
    {0, "g", {PUT_IF("a", "three", OLD)}, 0, {0}, NULL},
    {0, "g", {PUT_IF("a", "three", NONE)}, 0, {0}, NULL},
    {0, "g", {GET("a")}, 1, {1}, "two"},
    {0, "g", {DELETE_IF("a", OLD)}, 0, {0}, NULL},
    {0, "g", {DELETE_IF("a", LATEST)}, 1, {1}, NULL},
    {0, "g", {DELETE("a")}, 1, {0}, NULL},
    {0, "g", {PUT_IF("a", "x", LATEST)}, 0, {0}, NULL}, /* it is gone */
    {0, "g", {PUT_IF("a", "", NONE)}, 1, {1}, NULL},
    {0, "g", {GET("a")}, 1, {1}, ""},
    /* together or not at all */
    {0, "g", {PUT("b", "x"), PUT_IF("a", "y", OLD), PUT("c", "z")}, 0, {1, 0}, NULL},
    {0, "g", {GET("b")}, 1, {0}, NULL},
    {0, "g", {PUT_IF("a", "y", LATEST), PUT("b", "x"), PUT("c", "z")}, 1, {1, 1, 1}, NULL},
    {0, "g", {GET("c"), GET("b"), GET("a")}, 1, {1, 1, 1}, "z"},
    {0, "g", {GET("c"), PUT("c", "later")}, 1, {1, 1}, "z"},
    {0, "g", {GET("c"), DELETE("c")}, 1, {1, 1}, "later"},
    {0, "g", {GET("c"), GET("nothing")}, 1, {0, 0}, NULL},
    {0, "g", {PUT("c", "1"), DELETE("c")}, HAFT_EINVAL, {0, 0}, NULL},
    /* the end of entries */
    {0, "g", {PUT_FOR("e", "soon", 600), GET("e")}, 1, {1, 0}, NULL},
    {0, "g", {GET("e")}, 1, {1}, "soon"},
    {650, "g", {GET("e")}, 1, {0}, NULL},
    {0, "g", {EXPIRE("e", 10)}, 1, {0}, NULL},
    {0, "g", {EXPIRE("a", 500)}, 1, {1}, NULL},
    {0, "g", {EXPIRE("a", 0)}, 1, {1}, NULL},
    {0, "g", {PUT_FOR("e", "soon", 500)}, 1, {1}, NULL},
    {0, "g", {PUT("e", "for ever")}, 1, {1}, NULL},
    {0, "g", {EXPIRE("b", 300)}, 1, {1}, NULL},
    {550, "g", {GET("e"), GET("a"), GET("b")}, 1, {1, 1, 0}, "for ever"},
    /* rates: a call that one limit refuses counts against none */
    {0, "who", {TAKE("all", 3, 2000), TAKE("tool", 1, 2000)}, 1, {1, 1}, NULL},
    {0, "who", {TAKE("all", 3, 2000), TAKE("tool", 1, 2000)}, 0, {1, 0}, NULL},
    {0, "who", {TAKE("all", 3, 2000)}, 1, {1}, NULL},
    {0, "who", {TAKE("all", 3, 2000)}, 1, {1}, NULL},
    {0, "who", {TAKE("all", 3, 2000)}, 0, {0}, NULL},
    {0, "else", {TAKE("all", 3, 2000), PUT("a", "x")}, 1, {1, 1}, NULL},
    {0, "who", {TAKE("none", 0, 50)}, 0, {0}, NULL},
    {2050, "who", {TAKE("all", 3, 2000), TAKE("tool", 1, 2000)}, 1, {1, 1}, NULL},
    {0, "who", {TAKE("all", 2, 2000)}, 1, {1}, NULL}, /* another limit begins anew */
    /* logs */
    {0, "s", {RANGE("log", 0)}, 1, {0}, NULL},
    {0, "s", {APPEND("log", "one")}, 1, {1}, NULL},
    {0, "s", {APPEND("log", "two")}, 1, {1}, NULL},
    {0, "s", {RANGE("log", 0)}, 1, {1}, "1=one,2=two"},
    {0, "s", {RANGE("log", 1)}, 1, {1}, "2=two"},
    {0, "s", {RANGE("log", 2)}, 1, {1}, ""},
    {0, "s", {RANGE("log", 3)}, 1, {1}, "gap"}, /* of an earlier log */
    {0, "s", {APPEND("log", "a")}, 1, {1}, NULL},
    {0, "s", {APPEND("log", "b")}, 1, {1}, NULL},
    {0, "s", {RANGE("log", 0)}, 1, {1}, "gap,2=two,3=a,4=b"},
    {0, "s", {RANGE("log", 1)}, 1, {1}, "2=two,3=a,4=b"},
    {0, "s", {APPEND("log", "1234567")}, 1, {1}, NULL},
    {0, "s", {RANGE("log", 3)}, 1, {1}, "4=b,5=1234567"},
    {0, "s", {APPEND("log", "12345678901")}, HAFT_ETOOBIG, {HAFT_ETOOBIG}, NULL},
    {0, "s", {APPEND("log", "1234567890")}, 1, {1}, NULL},
    {0, "s", {RANGE("log", 4)}, 1, {1}, "gap,6=1234567890"},
    /* an entry is one thing */
    {0, "s", {GET("log")}, HAFT_EINVAL, {HAFT_EINVAL}, NULL},
    {0, "s", {PUT("x", "1"), GET("log")}, HAFT_EINVAL, {1, HAFT_EINVAL}, NULL},
    {0, "s", {TAKE("log", 1, 1)}, HAFT_EINVAL, {HAFT_EINVAL}, NULL},
    {0, "g", {APPEND("a", "x")}, HAFT_EINVAL, {HAFT_EINVAL}, NULL},
    {0, "g", {RANGE("a", 0)}, HAFT_EINVAL, {HAFT_EINVAL}, NULL},
    {0, "who", {GET("all")}, HAFT_EINVAL, {HAFT_EINVAL}, NULL},
    {0, "who", {PUT("all", "a value now"), DELETE("tool")}, 1, {1, 1}, NULL},
    {0, "who", {GET("all")}, 1, {1}, "a value now"},
    {0, "s", {DELETE("log")}, 1, {1}, NULL},
    {0, "s", {RANGE("log", 0)}, 1, {0}, NULL},
    /* names with anything in them */
    {0, "a}b%{c:", {PUT("}:{%", "odd")}, 1, {1}, NULL},
    {0, "a}b%{c:", {GET("}:{%")}, 1, {1}, "odd"},
    {0, "", {PUT("", "empty")}, 1, {1}, NULL},
    {0, "", {GET("")}, 1, {1}, "empty"},
};

struct script {
    uint64_t versions[3]; /* of the key "a": none, old, latest */
    uint64_t first;       /* number of the first record of the log */
};

static void script_prepare(const struct script *script, haft_store_op *op)
{
    if (op->if_version)
        op->version = script->versions[op->version];
    if (op->kind == HAFT_STORE_RANGE && op->after)
        op->after += script->first - 1;
}

static void script_learn(struct script *script, const haft_store_request *request)
{
    const haft_store_op *op = request->ops;

    if (request->status != 1 || !op->status)
        return;
    if (op->kind == HAFT_STORE_PUT && op->key.size == 1 && *op->key.data == 'a') {
        assert_true(op->ret_version > script->versions[LATEST]);
        script->versions[OLD] = script->versions[LATEST];
        script->versions[LATEST] = op->ret_version;
    }
    if (op->kind == HAFT_STORE_APPEND && !script->first)
        script->first = op->ret_version;
}

static void script_print(const struct script *script, const haft_store_op *op, char *text,
                         size_t room)
{
    size_t n = (size_t)snprintf(text, room, "%s", op->ret_gap ? "gap" : "");

    for (size_t i = 0; i < op->n_records; i++)
        n += (size_t)snprintf(text + n, room - n, "%s%llu=%.*s", n ? "," : "",
                              (unsigned long long)(op->ret_records[i].sequence - script->first + 1),
                              (int)op->ret_records[i].value.size, op->ret_records[i].value.data);
}

static void script_check(const struct script *script, size_t i, const haft_store_request *request)
{
    const struct row *row = &rows[i];
    const haft_store_op *ops = request->ops;
    char text[128];

    if (request->status != row->status)
        fail_msg("row %zu: the status is %d", i, request->status);
    for (size_t op = 0; op < request->n_ops; op++)
        if (request->status >= 0 && ops[op].status != row->op_status[op])
            fail_msg("row %zu, operation %zu: the status is %d", i, op, ops[op].status);
    if (!row->value)
        return;
    snprintf(text, sizeof text, "%.*s", (int)ops[0].ret_value.size,
             ops[0].ret_value.data ? ops[0].ret_value.data : "");
    if (ops[0].kind == HAFT_STORE_RANGE)
        script_print(script, ops, text, sizeof text);
    if (strcmp(text, row->value) != 0)
        fail_msg("row %zu: \"%s\"", i, text);
}

static void does_what_it_is_asked(void **state)
{
    haft_store *store = case_store(NULL);
    haft_arena *arena = haft_arena_new(NULL, CASE_ARENA);
    struct script script = {.first = 0};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_store_op ops[4];
        haft_store_request request = {
            .space = "te:st", .group = HAFT_SLICE(rows[i].group), .ops = ops, .arena = arena};

        memcpy(ops, rows[i].ops, sizeof ops);
        for (; request.n_ops < 4 && ops[request.n_ops].key.data; request.n_ops++)
            script_prepare(&script, &ops[request.n_ops]);
        case_sleep(rows[i].sleep_ms);
        haft_arena_reset(arena);
        store_submit(store, &request);
        assert_false(request.is_durable || (request.status >= 0 && request.is_unknown));
        script_check(&script, i, &request);
        script_learn(&script, &request);
    }
    haft_arena_free(arena);
    haft_store_free(store);
}

static void refuses_what_is_too_big(void **state)
{
    enum { TOO_BIG = (64 << 20) + 1 };
    haft_store *store = case_store(NULL);
    char *bytes = calloc(1, TOO_BIG);
    haft_store_op put = {.kind = HAFT_STORE_PUT, .key = S("k"), .value = {bytes, TOO_BIG}};

    (void)state;
    assert_non_null(bytes);
    assert_int_equal(case_one(store, &put, NULL), HAFT_ETOOBIG);
    free(bytes);
    haft_store_free(store);
}

/* ---- windows ---- */

static int take(haft_store *store, unsigned calls, unsigned per_ms, int64_t *ret_wait)
{
    haft_store_op op = {.kind = HAFT_STORE_TAKE, .key = S("t"), .rate = {calls, per_ms}};
    int status = case_one(store, &op, NULL);

    *ret_wait = op.ret_wait_ms;
    return status;
}

/* Exact, and in slices: no more than allowed, a wait that is enough, and no wait that is far too long. */
static void counts_in_windows(void **state)
{
    static const struct {
        unsigned calls, per_ms, batch;
    } rates[] = {{20, 400, 20}, {1, 100, 1}};
    haft_store *store = case_store(NULL);
    int64_t wait;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rates); i++)
        for (int round = 0; round < 3; round++) {
            for (unsigned n = 0; n < rates[i].batch; n++)
                assert_int_equal(take(store, rates[i].calls, rates[i].per_ms, &wait), 1);
            while (take(store, rates[i].calls, rates[i].per_ms, &wait) == 0) {
                assert_in_range(wait, 1, rates[i].per_ms);
                case_sleep((int)wait);
                if (round == 2 || rates[i].calls > 1)
                    break;
            }
            case_sleep((int)rates[i].per_ms);
        }
    haft_store_free(store);
}

/* Lists with calls of some ages, which are the arguments of the script; the limit is 3 in 100 seconds. */
static void counts_what_is_in_the_window(void **state)
{
    static const struct {
        const char *ages; /* in seconds, the oldest first */
        int status;
        unsigned wait_s;  /* at most, and at least one second less */
        const char *left; /* number of elements, with the head */
    } windows[] = {
        {"20", 1, 0, ":3"},
        {"40 20", 1, 0, ":4"},
        {"60 40 20", 0, 40, ":4"},
        {"98 96 95", 0, 2, ":4"},
        {"101 98 20", 1, 0, ":4"},
        {"150 60 40 20", 0, 40, ":5"}, /* what refuses removes nothing */
        {"400 300 200 120", 1, 0, ":2"},
        {"160 159 158 157 156 155 154 153 152 151 150 149 148 147 146 145 144 143 20", 1, 0, ":3"},
        {"160 159 158 157 156 155 154 153 152 151 150 149 148 147 146 20", 1, 0, ":3"},
        {"20 -120", 1, 0, ":2"}, /* the clock was set back by more than a window */
    };
    haft_store *store = case_store(NULL);
    char command[512];
    int64_t wait;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(windows); i++) {
        snprintf(
            command, sizeof command,
            "EVAL \"local now = redis.call('TIME')[1] redis.call('RPUSH', KEYS[1], '1w3/100000') for i = 1, "
            "#ARGV do redis.call('RPUSH', KEYS[1], (now - ARGV[i]) .. '000000') end\" 1 "
            "haft:{s:g}:t %s",
            windows[i].ages);
        case_ask("FLUSHALL");
        case_ask(command);
        assert_int_equal(take(store, 3, 100000, &wait), windows[i].status);
        if (windows[i].wait_s)
            assert_in_range(wait, (windows[i].wait_s - 1) * 1000, windows[i].wait_s * 1000);
        assert_int_equal(strncmp(case_ask("LLEN haft:{s:g}:t"), windows[i].left, 2), 0);
        if (windows[i].status)
            assert_in_range(atoll(case_ask("PTTL haft:{s:g}:t") + 1), 100000, 112501);
    }
    haft_store_free(store);
}

/* The hash of a window in slices is filled in as if 20,000 calls had been counted. */
static void counts_in_slices(void **state)
{
    haft_store *store = case_store(NULL);
    int64_t wait = 0;

    (void)state;
    assert_int_equal(take(store, 20000, 2000, &wait), 1);
    assert_int_equal(take(store, 20000, 2000, &wait), 1);
    assert_non_null(strstr(case_ask("HGET haft:{s:g}:t c"), "2"));
    /* as many more in the slice of the first call */
    case_ask(
        "EVAL \"local o = redis.call('HGET', KEYS[1], 'o') redis.call('HINCRBY', KEYS[1], o % 1001, 19998) "
        "redis.call('HSET', KEYS[1], 'c', 20000)\" 1 haft:{s:g}:t");
    assert_int_equal(take(store, 20000, 2000, &wait), 0);
    assert_in_range(wait, 1, 2004);
    case_sleep((int)wait + 2);
    assert_int_equal(take(store, 20000, 2000, &wait), 1);
    assert_int_equal(take(store, 30000, 1000, &wait), 1); /* another limit */
    assert_non_null(strstr(case_ask("HGET haft:{s:g}:t c"), "1"));
    assert_int_equal(take(store, 3, 1000, &wait), 1); /* an exact one */
    haft_store_free(store);
}

/* ---- processes: exactly as many calls as are allowed ---- */

enum { PROCESSES = 4, ALLOWED = 300 };

static void is_exact_with_processes(void **state)
{
    pid_t children[PROCESSES];
    int counts[PROCESSES][2], total = 0;

    (void)state;
    for (int i = 0; i < PROCESSES; i++) {
        assert_int_equal(pipe(counts[i]), 0);
        children[i] = fork();
        if (!children[i]) {
            haft_store *store = case_store(NULL);
            int64_t wait;
            int n = 0;

            for (int j = 0; j < ALLOWED / 2; j++)
                n += take(store, ALLOWED, 60000, &wait) == 1;
            haft_store_free(store);
            _exit(write(counts[i][1], &n, sizeof n) != sizeof n);
        }
    }
    for (int i = 0; i < PROCESSES; i++) {
        int n = 0, status = -1;

        assert_int_equal(read(counts[i][0], &n, sizeof n), sizeof n);
        waitpid(children[i], &status, 0);
        assert_int_equal(status, 0);
        total += n;
        close(counts[i][0]);
        close(counts[i][1]);
    }
    assert_int_equal(total, ALLOWED);
}

/* ---- scanning ---- */

static void walks_by_steps(void **state)
{
    haft_store *store = case_store(NULL),
               *other =
                   case_store(HAFT_WITH(haft_redis_options, .prefix = "another*", CASE_PATIENT));
    haft_arena *arena = haft_arena_new(NULL, CASE_ARENA);
    haft_store_scan scan = {.space = "s*", .prefix = S("ta[sk}:"), .limit = 7, .arena = arena};
    char group[32], seen[300] = {0};
    size_t steps = 0, n = 0;

    (void)state;
    for (int i = 0; i < 300; i++) {
        snprintf(group, sizeof group, "%s:%d", i % 2 ? "ta[sk}" : "task}", i);
        assert_int_equal(store_put(i % 3 ? store : other, "s*", group, 3, 0, 0), 0);
    }
    assert_int_equal(store_put(store, "st", "ta[sk}:1", 3, 0, 0), 0); /* another namespace */
    do {
        assert_int_equal(store_scan(store, &scan), 0);
        for (size_t i = 0; i < scan.n_found; i++) {
            const haft_store_found *found = &scan.ret_found[i];
            int number = atoi(found->group.data + strlen("ta[sk}:"));

            assert_memory_equal(found->group.data, "ta[sk}:", 7);
            assert_true(found->key.size == 1 && found->key.data[0] == 'k');
            assert_int_equal(found->value.size, 3);
            assert_true(found->version > 1000);
            assert_true(number % 2 && number % 3);
            n += !seen[number]++;
        }
        haft_arena_reset(arena);
        steps++;
    } while (scan.cursor);
    assert_int_equal(n, 100);
    assert_true(steps > 10);
    haft_arena_free(arena);
    haft_store_free(store);
    haft_store_free(other);
}

/* ---- channels ---- */

struct listener {
    haft_store_subscriber subscriber;
    pthread_mutex_t lock;
    char heard[256];
    int gaps;
};

static void listener_hear(haft_store_subscriber *subscriber, haft_slice channel, haft_slice value)
{
    struct listener *listener = subscriber->context;
    size_t n;

    pthread_mutex_lock(&listener->lock);
    n = strlen(listener->heard);
    snprintf(listener->heard + n, sizeof listener->heard - n, "%.*s=%.*s;", (int)channel.size,
             channel.data, (int)value.size, value.data);
    pthread_mutex_unlock(&listener->lock);
}

static void listener_gap(haft_store_subscriber *subscriber)
{
    struct listener *listener = subscriber->context;

    pthread_mutex_lock(&listener->lock);
    listener->gaps++;
    pthread_mutex_unlock(&listener->lock);
}

/* Waits until a listener has heard so much, or has so many gaps. */
static void listener_await(struct listener *listener, const char *heard, int gaps)
{
    bool ok = false;

    for (int i = 0; i < 1000 && !ok; i++) {
        pthread_mutex_lock(&listener->lock);
        ok = listener->gaps >= gaps && (!heard || strlen(listener->heard) >= strlen(heard));
        pthread_mutex_unlock(&listener->lock);
        case_sleep(ok ? 0 : 10);
    }
    assert_true(ok);
    if (heard)
        assert_string_equal(listener->heard, heard);
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

#define LISTENER(channel_)                                                                         \
    {                                                                                              \
        .subscriber = {.space = "s?",                                                              \
                       .channel = S(channel_),                                                     \
                       .message = listener_hear,                                                   \
                       .gap = listener_gap},                                                       \
        .lock = PTHREAD_MUTEX_INITIALIZER                                                          \
    }

static void tells_subscribers(void **state)
{
    haft_store *store = case_store(NULL), *sender = case_store(NULL);
    struct listener one = LISTENER("a"), all = LISTENER(""), same = LISTENER("a");

    (void)state;
    one.subscriber.context = &one;
    all.subscriber.context = &all;
    same.subscriber.context = &same;
    assert_int_equal(haft_store_subscribe(store, &one.subscriber), 0);
    assert_int_equal(haft_store_subscribe(store, &all.subscriber), 0);
    listener_await(&one, NULL, 1);
    listener_await(&all, NULL, 1);
    assert_int_equal(haft_store_subscribe(store, &same.subscriber), 0);
    say(sender, "s?", "a", "1", true);
    say(sender, "s?", "b", "2", true);
    say(sender, "sx", "a", "3", true);
    say(sender, "s?", "a", "4", false); /* what is not applied is not told */
    listener_await(&all, "a=1;b=2;", 1);
    listener_await(&same, "a=1;", 0);
    haft_store_unsubscribe(store, &one.subscriber);
    haft_store_unsubscribe(store, &one.subscriber);
    haft_store_unsubscribe(store, &same.subscriber);
    say(store, "s?", "a", "5", true);
    listener_await(&all, "a=1;b=2;a=5;", 1);
    assert_string_equal(one.heard, "a=1;");
    /* after a lost connection, everything may have changed */
    assert_non_null(strstr(case_ask("CLIENT KILL TYPE pubsub"), ":1"));
    listener_await(&all, NULL, 2);
    say(sender, "s?", "", "6", true);
    listener_await(&all, "a=1;b=2;a=5;=6;", 2);
    haft_store_free(store);
    haft_store_free(sender);
}

/* ---- loops ---- */

struct turn {
    haft_store *store;
    uv_loop_t loop;
    pthread_t thread;
    int left, in_flight, failed;
    uint64_t version;
};

struct turn_request {
    haft_store_request request;
    haft_store_op op;
    struct turn *turn;
};

static void turn_submit(struct turn_request *own);

static void turn_done(haft_store_request *request)
{
    struct turn_request *own = request->context;
    struct turn *turn = own->turn;

    assert_true(pthread_equal(pthread_self(), turn->thread));
    turn->failed += request->status != 1;
    turn->in_flight--;
    if (turn->left > 0)
        turn_submit(own);
    else if (!turn->in_flight)
        haft_store_detach(turn->store, &turn->loop);
}

static void turn_submit(struct turn_request *own)
{
    own->op = (haft_store_op)PUT("k", "value");
    own->request = (haft_store_request){.space = "s",
                                        .group = S("loop"),
                                        .ops = &own->op,
                                        .n_ops = 1,
                                        .done = turn_done,
                                        .context = own};
    own->turn->left--;
    own->turn->in_flight++;
    assert_int_equal(haft_store_submit(own->turn->store, &own->request), HAFT_PENDING);
}

static void turn_keep(uv_timer_t *timer)
{
    (void)timer;
}

static void *turn_run(void *argument)
{
    struct turn *turn = argument;
    struct turn_request requests[16];
    uv_timer_t keep; /* the store's handles do not keep a loop running */

    turn->thread = pthread_self();
    assert_int_equal(uv_loop_init(&turn->loop), 0);
    uv_timer_init(&turn->loop, &keep);
    uv_timer_start(&keep, turn_keep, 1000, 1000);
    assert_int_equal(haft_store_attach(turn->store, &turn->loop), 0);
    assert_int_equal(haft_store_attach(turn->store, &turn->loop), HAFT_EEXISTS);
    for (size_t i = 0; i < COUNT_OF(requests); i++) {
        requests[i].turn = turn;
        turn_submit(&requests[i]);
    }
    while (turn->in_flight)
        uv_run(&turn->loop, UV_RUN_ONCE);
    uv_close((uv_handle_t *)&keep, NULL);
    uv_run(&turn->loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&turn->loop), 0);
    return NULL;
}

static void answers_on_the_loops_that_ask(void **state)
{
    haft_store *store = case_store(NULL);
    struct turn turns[3];
    pthread_t threads[3];

    (void)state;
    for (int i = 0; i < 3; i++) {
        turns[i] = (struct turn){.store = store, .left = 500};
        assert_int_equal(pthread_create(&threads[i], NULL, turn_run, &turns[i]), 0);
    }
    for (int i = 0; i < 50; i++) /* a thread without a loop */
        assert_int_equal(case_put(store, "x"), 1);
    for (int i = 0; i < 3; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(turns[i].failed, 0);
    }
    haft_store_free(store);
}

/* ---- cancelling, from any thread ---- */

static atomic_int cancel_done;

static void cancel_on_done(haft_store_request *request)
{
    (void)request;
    cancel_done++;
}

static void cancels(void **state)
{
    haft_store *store = case_store(NULL);
    int cancelled = 0;

    (void)state;
    cancel_done = 0;
    for (int i = 0; i < 300; i++) {
        haft_store_op op = PUT("k", "v");
        haft_store_request request = {
            .space = "s", .group = S("g"), .ops = &op, .n_ops = 1, .done = cancel_on_done};
        int before = cancel_done;

        assert_int_equal(haft_store_submit(store, &request), HAFT_PENDING);
        if (i % 3)
            case_sleep(i % 2);
        if (haft_store_cancel(store, &request))
            cancelled++;
        else
            while (cancel_done == before)
                case_sleep(0);
        assert_false(haft_store_cancel(store, &request));
    }
    assert_int_equal(cancelled + cancel_done, 300);
    assert_true(cancelled > 0);
    haft_store_free(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE_TEST(does_what_it_is_asked),
        CASE_TEST(refuses_what_is_too_big),
        CASE_TEST(counts_in_windows),
        CASE_TEST(counts_what_is_in_the_window),
        CASE_TEST(counts_in_slices),
        CASE_TEST(is_exact_with_processes),
        CASE_TEST(walks_by_steps),
        CASE_TEST(tells_subscribers),
        CASE_TEST(answers_on_the_loops_that_ask),
        CASE_TEST(cancels),
    };

    CASE_SKIP_WITHOUT_REDIS();
    return cmocka_run_group_tests(tests, case_begin, case_end);
}
