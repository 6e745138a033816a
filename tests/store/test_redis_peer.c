/* The store on Redis and who is at the other end: URLs, logins, Unix sockets, a server that lies, another node of a
 * cluster, and sentinels. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/redis_case.h"

/* ---- URLs ---- */

static void reads_urls(void **state)
{
    static const struct {
        const char *url, *why; /* NULL: it is right */
    } rows[] = {
        {"redis://localhost", NULL},
        {"redis://user:pass%40word@[::1]:6380/15", NULL},
        {"redis://:secret@10.0.0.1/", NULL},
        {"redis+unix:///run/redis.sock", NULL},
        {"redis+unix:///run/redis.sock?db=3", NULL},
        {"redis+sentinel://a,b:1,[::1]:2/mymaster", NULL},
        {"redis+sentinel://u:p@a/mymaster/2", NULL},
        {"", "begins with none of"},
        {"http://localhost", "begins with none of"},
        {"redis://", "a host or a port"},
        {"redis://host:0", "a host or a port"},
        {"redis://host:65536", "a host or a port"},
        {"redis://host:", "a host or a port"},
        {"redis://[::1", "a host or a port"},
        {"redis://[::1]x", "a host or a port"},
        {"redis://a%00b", "a host or a port"},
        {"redis://host/x", "database"},
        {"redis://host/99999", "database"},
        {"redis://secret%zz@host", "percent-encoded"},
        {"redis+unix://run/redis.sock", "path"},
        {"redis+unix:///a?x=1", "?db=NUMBER"},
        {"redis+sentinel://a", "name of the master"},
        {"redis+sentinel://a,/m", "a host or a port"},
        {"redis+sentinel://a,a,a,a,a,a,a,a,a/m", "more than 8"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_reason reason = {0};
        haft_store *store = haft_redis_store_new(rows[i].url, NULL, &reason);

        if (!store != !!rows[i].why || (rows[i].why && !strstr(reason.text, rows[i].why)))
            fail_msg("%s: %s", rows[i].url, reason.text);
        assert_null(strstr(reason.text, "secret"));
        if (rows[i].why)
            assert_int_equal(reason.code, HAFT_EINVAL);
        haft_store_free(store);
    }
}

static void checks_options(void **state)
{
    static const haft_redis_options rows[] = {
        HAFT_INIT(haft_redis_options, .prefix = "a{b"),
        HAFT_INIT(haft_redis_options, .prefix = ""),
        HAFT_INIT(haft_redis_options, .durability = (haft_redis_durability)9),
        HAFT_INIT(haft_redis_options, .password_file = "/nowhere/password"),
        HAFT_INIT(haft_redis_options, .password_env = "HAFT_NO_SUCH_VARIABLE"),
        {.struct_size = 0},
    };
    haft_reason reason;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        reason = (haft_reason){0};
        assert_null(haft_redis_store_new("redis://localhost", &rows[i], &reason));
        assert_int_equal(reason.code, HAFT_EINVAL);
        assert_true(reason.text[0]);
    }
    assert_null(haft_redis_store_new(NULL, NULL, &reason));
    assert_null(haft_redis_store_new("nonsense", NULL, NULL));
}

/* ---- logins ---- */

static int try_put(const char *url, const haft_redis_options *options, haft_store_status *status)
{
    haft_store *store = haft_redis_store_new(url, options, NULL);
    int result;

    assert_non_null(store);
    result = case_put(store, "x");
    haft_store_get_status(store, status);
    haft_store_free(store);
    return result;
}

static void logs_in(void **state)
{
    static const char *const arguments[] = {"--requirepass", "hunter2", "--unixsocket", "s", NULL};
    struct redis_server first = redis;
    haft_store_status status = HAFT_INIT(haft_store_status, .waiting = 0);
    char file[128], url[256];
    FILE *password;

    (void)state;
    assert_true(redis_server_start(&redis, arguments));
#define BRIEF .command_ms = 300, .max_reconnect_ms = 60000, .min_reconnect_ms = 60000
    assert_true(try_put(redis.url, HAFT_WITH(haft_redis_options, BRIEF), &status) < 0);
    assert_non_null(strstr(status.error, "NOAUTH"));
    assert_true(
        try_put(redis.url, HAFT_WITH(haft_redis_options, BRIEF, .password = "wrong"), &status) < 0);
    assert_non_null(strstr(status.error, "WRONGPASS"));
    assert_null(strstr(status.error, "wrong"));
    assert_int_equal(try_put(redis.url,
                             HAFT_WITH(haft_redis_options, CASE_PATIENT, .user = "default",
                                       .password = "hunter2"),
                             &status),
                     1);
    snprintf(file, sizeof file, "%s/password", redis.directory);
    password = fopen(file, "w");
    assert_true(fputs("hunter2\n", password) > 0 && !fclose(password));
    assert_int_equal(try_put(redis.url,
                             HAFT_WITH(haft_redis_options, CASE_PATIENT, .password_file = file),
                             &status),
                     1);
    setenv("HAFT_TEST_REDIS", "hunter2", 1);
    assert_int_equal(
        try_put(redis.url,
                HAFT_WITH(haft_redis_options, CASE_PATIENT, .password_env = "HAFT_TEST_REDIS"),
                &status),
        1);
    snprintf(url, sizeof url, "redis://:hunter2@localhost:%d/5", redis.port); /* and a name */
    assert_int_equal(try_put(url, HAFT_WITH(haft_redis_options, CASE_PATIENT), &status), 1);
    snprintf(url, sizeof url, "redis+unix://%s/s?db=5", redis.directory);
    assert_int_equal(
        try_put(url, HAFT_WITH(haft_redis_options, CASE_PATIENT, .password = "hunter2"), &status),
        1);
    assert_non_null(
        strstr(case_ask("AUTH hunter2\r\nSELECT 5\r\nEXISTS haft:{s:g}:k\r\nQUIT"), "+OK"));
    redis_server_remove(&redis);
    redis = first;
}

/* ---- a server that lies ---- */

struct liar {
    int fd, port;
    pthread_t thread;
    const char *lie; /* NULL: closes the connection */
    size_t size;
    atomic_int connections;
};

#define LIAR_SHA "$40\r\naaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n"

/* Greets as a server does, and answers every command with the same. */
static void liar_serve(struct liar *liar, int client)
{
    static const char greeting[] = LIAR_SHA LIAR_SHA LIAR_SHA "+PONG\r\n";
    static char bytes[1 << 16];
    size_t n = 0;
    ssize_t got;

    while ((got = recv(client, bytes + n, sizeof bytes - n, 0)) > 0) {
        n += (size_t)got;
        if (memmem(bytes, n, "PING\r\n", 6))
            break;
    }
    send(client, greeting, sizeof greeting - 1, MSG_NOSIGNAL);
    while (recv(client, bytes, sizeof bytes, 0) > 0 && liar->lie)
        send(client, liar->lie, liar->size, MSG_NOSIGNAL);
    close(client);
}

static void *liar_run(void *argument)
{
    struct liar *liar = argument;
    int client;

    while ((client = accept(liar->fd, NULL, NULL)) >= 0) {
        struct timeval limit = {.tv_sec = 20};

        setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
        liar->connections++;
        liar_serve(liar, client);
    }
    return NULL;
}

static void liar_begin(struct liar *liar, const char *lie, size_t size)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t room = sizeof address;

    *liar = (struct liar){.lie = lie, .size = size};
    liar->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(liar->fd, (struct sockaddr *)&address, room), 0);
    assert_int_equal(listen(liar->fd, 8), 0);
    assert_int_equal(getsockname(liar->fd, (struct sockaddr *)&address, &room), 0);
    liar->port = ntohs(address.sin_port);
    assert_int_equal(pthread_create(&liar->thread, NULL, liar_run, liar), 0);
}

static void liar_end(struct liar *liar)
{
    shutdown(liar->fd, SHUT_RDWR);
    pthread_join(liar->thread, NULL);
    close(liar->fd);
}

static void is_not_harmed_by_lies(void **state)
{
    static const struct {
        const char *lie;
        size_t size;
    } rows[] = {
        {TEXT("$-1\r\n")},
        {TEXT("*-1\r\n")},
        {TEXT(":1\r\n")},
        {TEXT("+OK\r\n")},
        {TEXT("-ERR no\r\n")},
        {TEXT("-\r\n")},
        {TEXT("$5\r\nhello\r\n")},
        {TEXT("*0\r\n")},
        {TEXT("*1\r\n:2\r\n")},
        {TEXT("*2\r\n:1\r\n$-1\r\n")},
        {TEXT("*2\r\n:1\r\n*1\r\n:1\r\n")},
        {TEXT("*2\r\n:-2\r\n:77\r\n")},
        {TEXT("*2\r\n:1\r\n:-9223372036854775808\r\n")},
        {TEXT("*3\r\n:1\r\n:1\r\n:1\r\n")},
        {TEXT("*2\r\n:1\r\n*4\r\n:0\r\n:1\r\n$1\r\nx\r\n:2\r\n")},
        {TEXT("*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n")},
        {TEXT("*2147483647\r\n")},
        {TEXT("$2147483647\r\nabc")},
        {TEXT("$99999999999999999999\r\n")},
        {TEXT("-NOSCRIPT again\r\n")},
        {TEXT("-MOVED nowhere\r\n")},
        {TEXT("-MOVED 1 :99999\r\n")},
        {TEXT("HTTP/1.1 400 Bad Request\r\n\r\n")},
        {TEXT("\0\0\0\0")},
        {TEXT(":1\r\n:1\r\n:1\r\n:1\r\n")},
        {NULL, 0},
    };
    static const haft_store_op ops[] = {PUT("k", "v"), GET("k"), TAKE("k", 1, 1), RANGE("k", 0),
                                        APPEND("k", "v")};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct liar liar;
        char url[64];
        haft_store *store;
        haft_arena *arena = haft_arena_new(NULL, CASE_ARENA);
        haft_store_scan scan = {.space = "s", .prefix = S(""), .arena = arena};

        liar_begin(&liar, rows[i].lie, rows[i].size);
        snprintf(url, sizeof url, "redis://127.0.0.1:%d", liar.port);
        store = haft_redis_store_new(url,
                                     HAFT_WITH(haft_redis_options, .take_ms = 150,
                                               .command_ms = 150, .max_reconnect_ms = 50),
                                     NULL);
        for (size_t op = 0; op < COUNT_OF(ops); op++) {
            haft_store_op own = ops[op];
            haft_store_request request;

            case_one(store, &own, &request);
            assert_true(request.status <= 1);
            assert_true(own.n_records <= 2);
        }
        store_scan(store, &scan);
        haft_arena_free(arena);
        haft_store_free(store);
        liar_end(&liar);
    }
}

/* ---- another node of a cluster ---- */

static void follows_one_move(void **state)
{
    struct liar liar;
    char lie[64], url[64];
    haft_store *store;

    (void)state;
    snprintf(lie, sizeof lie, "-MOVED 7000 127.0.0.1:%d\r\n", redis.port);
    liar_begin(&liar, lie, strlen(lie));
    snprintf(url, sizeof url, "redis://127.0.0.1:%d", liar.port);
    store = haft_redis_store_new(url, HAFT_WITH(haft_redis_options, CASE_PATIENT), NULL);
    assert_int_equal(case_put(store, "moved"), 1);
    assert_int_equal(case_get(store), 1);
    assert_non_null(strstr(case_ask("GET haft:{s:g}:k"), "moved"));
    haft_store_free(store);
    liar_end(&liar);
    /* a node that sends it on once more */
    liar_begin(&liar, NULL, 0);
    snprintf(lie, sizeof lie, "-MOVED 7000 127.0.0.1:%d\r\n", liar.port);
    liar.lie = lie;
    liar.size = strlen(lie);
    snprintf(url, sizeof url, "redis://127.0.0.1:%d", liar.port);
    store = haft_redis_store_new(
        url, HAFT_WITH(haft_redis_options, .take_ms = 300, .command_ms = 300), NULL);
    assert_true(case_put(store, "moved") < 0);
    haft_store_free(store);
    liar_end(&liar);
}

/* ---- sentinels ---- */

static void sentinel_configure(struct redis_server *sentinel, int master)
{
    char path[128];
    FILE *file;

    snprintf(path, sizeof path, "%s/sentinel.conf", sentinel->directory);
    file = fopen(path, "w");
    fprintf(file,
            "port %d\nbind 127.0.0.1\nsentinel monitor one 127.0.0.1 %d 1\n"
            "sentinel down-after-milliseconds one 500\nsentinel failover-timeout one 4000\n",
            sentinel->port, master);
    fclose(file);
}

static void follows_a_failover(void **state)
{
    static const char *const as_sentinel[] = {"sentinel", "sentinel.conf", "--sentinel", NULL};
    char port[16], url[96], answer[256];
    const char *const as_replica[] = {"--replicaof", "127.0.0.1", port, NULL};
    struct redis_server first = redis, replica, sentinel = {.arguments = as_sentinel};
    haft_store *store;
    bool back = false;

    (void)state;
    assert_true(redis_server_start(&redis, NULL));
    snprintf(port, sizeof port, "%d", redis.port);
    assert_true(redis_server_start(&replica, as_replica));
    snprintf(sentinel.directory, sizeof sentinel.directory, "/tmp/haft-redis-XXXXXX");
    assert_non_null(mkdtemp(sentinel.directory));
    sentinel.port = redis_free_port();
    sentinel_configure(&sentinel, redis.port);
    assert_true(redis_server_restart(&sentinel));

    snprintf(url, sizeof url, "redis+sentinel://127.0.0.1:1,127.0.0.1:%d/one", sentinel.port);
    store = haft_redis_store_new(
        url, HAFT_WITH(haft_redis_options, .take_ms = 2000, .command_ms = 2000), NULL);
    case_await(store, true);
    assert_int_equal(case_put(store, "before"), 1);
    for (int i = 0; i < 200 && !back; i++) { /* until the sentinel knows the replica */
        redis_server_ask(&sentinel, answer, sizeof answer, "SENTINEL replicas one");
        back = answer[0] == '*' && answer[1] != '0';
        case_sleep(back ? 1500 : 50); /* and has asked it once */
    }
    assert_true(back);
    redis_server_signal(&redis, SIGKILL);
    back = false;
    for (int64_t since = case_now(); !back && case_now() - since < 30000;)
        back = case_put(store, "after") == 1;
    assert_true(back);
    assert_non_null(
        strstr(redis_server_ask(&replica, answer, sizeof answer, "GET haft:{s:g}:k"), "after"));
    haft_store_free(store);
    redis_server_remove(&sentinel);
    redis_server_remove(&replica);
    redis_server_remove(&redis);
    redis = first;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_urls), cmocka_unit_test(checks_options),
        CASE_TEST(logs_in),           CASE_TEST(is_not_harmed_by_lies),
        CASE_TEST(follows_one_move),  CASE_TEST(follows_a_failover),
    };

    CASE_SKIP_WITHOUT_REDIS();
    return cmocka_run_group_tests(tests, case_begin, case_end);
}
