/* The store on Redis and who is at the other end: URLs, logins, Unix sockets, a server that lies, another node of a
 * cluster, and sentinels. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/stat.h>

#include "base/base.h"
#include "part/part.h"
#include "part/redis.h"
#include "store/redis_case.h"
#include "store/redis_liar.h"

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

/* A password that is too long is refused, not cut off. */
static void reads_password_files(void **state)
{
    static const struct {
        int size;
        const char *end;
        bool works;
    } rows[] = {
        {127, "", true},    {127, "\n", true},  {127, "\r\nmore\n", true}, {128, "", false},
        {128, "\n", false}, {129, "\n", false}, {5000, "\n", false},
    };
    char path[128];

    (void)state;
    snprintf(path, sizeof path, "%s/line", redis.directory);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_reason reason = {0};
        FILE *file = fopen(path, "w");
        haft_store *store;

        assert_true(fprintf(file, "%0*d%s", rows[i].size, 0, rows[i].end) > 0 && !fclose(file));
        store = haft_redis_store_new(redis.url,
                                     HAFT_WITH(haft_redis_options, .password_file = path), &reason);
        if (!store == rows[i].works || (!store && strcmp(reason.path, "password_file") != 0))
            fail_msg("row %zu: %s", i, reason.text);
        haft_store_free(store);
    }
}

/* Programs that this one starts do not inherit connections. */
static void keeps_connections_to_itself(void **state)
{
    haft_store *store = case_store(NULL);
    size_t found = 0;

    (void)state;
    assert_int_equal(case_put(store, "x"), 1);
    for (int fd = 0; fd < 1024; fd++) {
        struct sockaddr_in peer = {.sin_family = AF_UNSPEC};
        socklen_t size = sizeof peer;

        if (getpeername(fd, (struct sockaddr *)&peer, &size) || peer.sin_family != AF_INET ||
            ntohs(peer.sin_port) != redis.port)
            continue;
        found++;
        assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
    }
    assert_int_equal(found, 1);
    haft_store_free(store);
}

/* ---- a name with several addresses ---- */

enum { ADDRESSES = 3 };

static struct names {
    struct sockaddr_in sockets[ADDRESSES];
    struct addrinfo addresses[ADDRESSES]; /* what the name has */
    uv_getaddrinfo_cb resolved;
    size_t freed;
} names;

static void names_set(const char *const hosts[ADDRESSES])
{
    names = (struct names){.freed = 0};
    for (size_t i = 0; i < ADDRESSES && hosts[i]; i++) {
        names.sockets[i].sin_family = AF_INET;
        inet_pton(AF_INET, hosts[i], &names.sockets[i].sin_addr);
        names.addresses[i] = (struct addrinfo){
            .ai_addr = (struct sockaddr *)&names.sockets[i],
            .ai_addrlen = sizeof names.sockets[i],
            .ai_next = i + 1 < ADDRESSES && hosts[i + 1] ? &names.addresses[i + 1] : NULL};
    }
}

static void names_resolved(uv_getaddrinfo_t *request, int status, struct addrinfo *addresses)
{
    uv_freeaddrinfo(addresses);
    names.resolved(request, status, names.addresses);
}

static int names_getaddrinfo(uv_loop_t *loop, uv_getaddrinfo_t *request, uv_getaddrinfo_cb callback,
                             const char *node, const char *service, const struct addrinfo *hints)
{
    (void)node;
    names.resolved = callback;
    return uv_getaddrinfo(loop, request, names_resolved, "127.0.0.1", service, hints);
}

static void names_freeaddrinfo(struct addrinfo *addresses)
{
    names.freed += addresses != NULL;
}

/* A name server that takes its time: longer than a store has for connecting. */
enum { LATE_MS = 1000 };

static struct late {
    uv_timer_t timers[8];
    size_t calls;
} late;

static void late_resolved(uv_timer_t *timer)
{
    names.resolved(timer->data, 0, names.addresses);
    uv_close((uv_handle_t *)timer, NULL);
}

static int late_getaddrinfo(uv_loop_t *loop, uv_getaddrinfo_t *request, uv_getaddrinfo_cb callback,
                            const char *node, const char *service, const struct addrinfo *hints)
{
    uv_timer_t *timer = &late.timers[late.calls];

    (void)node, (void)service, (void)hints;
    if (late.calls == COUNT_OF(late.timers))
        return UV_ENOMEM;
    late.calls++;
    names.resolved = callback;
    uv_timer_init(loop, timer);
    timer->data = request;
    return uv_timer_start(timer, late_resolved, LATE_MS, 0);
}

/* A socket that does not answer new connections, since its queue is full. */
static void silent_begin(const char *host, int port, int fds[4])
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};

    inet_pton(AF_INET, host, &address.sin_addr);
    for (size_t i = 0; i < 4; i++)
        fds[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    assert_int_equal(bind(fds[0], (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(fds[0], 0), 0);
    for (size_t i = 1; i < 4; i++)
        connect(fds[i], (struct sockaddr *)&address, sizeof address);
}

static void tries_every_address(void **state)
{
    static const struct {
        const char *hosts[ADDRESSES];
        int result;
    } rows[] = {
        {{"127.0.0.1"}, 1},
        {{"127.0.0.2", "127.0.0.1"}, 1},              /* refused */
        {{"127.0.0.2", "127.0.0.2", "127.0.0.1"}, 1}, /* refused twice */
        {{"127.0.0.3", "127.0.0.1"}, 1},              /* silent */
        {{"127.0.0.3", "127.0.0.2", "127.0.0.1"}, 1},
        {{"127.0.0.2", "127.0.0.3"}, HAFT_ETIMEOUT},
        {{"127.0.0.2"}, HAFT_ETIMEOUT},
    };
    const struct redis_functions *functions = hf_part_open(PART_REDIS, "a test", NULL);
    struct redis_host host = *hf_redis_host();
    int fds[4];

    (void)state;
    host.getaddrinfo = names_getaddrinfo;
    host.freeaddrinfo = names_freeaddrinfo;
    silent_begin("127.0.0.3", redis.port, fds);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_redis_options options =
            HAFT_INIT(haft_redis_options, .take_ms = 300, .command_ms = 5000, .connect_ms = 1500,
                      .min_reconnect_ms = 60000, .max_reconnect_ms = 60000,
                      .allocator = hf_allocator_or_default(NULL));
        haft_reason reason = {0};
        haft_store *store;
        char url[64];
        int result;

        if (rows[i].result < 0)
            options.command_ms = 2000;
        names_set(rows[i].hosts);
        snprintf(url, sizeof url, "redis://server.example:%d", redis.port);
        store = functions->create(url, &options, &host, &reason);
        result = case_put(store, "value");
        if (result != rows[i].result)
            fail_msg("row %zu: %d", i, result);
        haft_store_free(store);
        assert_int_equal(names.freed, 1);
    }
    for (size_t i = 0; i < 4; i++)
        close(fds[i]);
}

/* What is known late is used for the next attempt to connect, and nothing is resolved twice at a time. */
static void uses_late_names(void **state)
{
    static const struct {
        unsigned connect_ms, reconnect_ms;
    } rows[] = {{300, 50}, {600, 2000}}; /* known during another attempt, and between two */
    static const char *const hosts[ADDRESSES] = {"127.0.0.1"};
    const struct redis_functions *functions = hf_part_open(PART_REDIS, "a test", NULL);
    struct redis_host host = *hf_redis_host();
    char url[64];

    (void)state;
    host.getaddrinfo = late_getaddrinfo;
    host.freeaddrinfo = names_freeaddrinfo;
    snprintf(url, sizeof url, "redis://server.example:%d", redis.port);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_redis_options options = HAFT_INIT(
            haft_redis_options, CASE_PATIENT, .connect_ms = rows[i].connect_ms,
            .min_reconnect_ms = rows[i].reconnect_ms, .max_reconnect_ms = rows[i].reconnect_ms,
            .allocator = hf_allocator_or_default(NULL));
        haft_reason reason = {0};
        haft_store *store;

        names_set(hosts);
        late.calls = 0;
        store = functions->create(url, &options, &host, &reason);
        assert_int_equal(case_put(store, "value"), 1);
        haft_store_free(store);
        assert_int_equal(late.calls, 1);
        assert_int_equal(names.freed, 1);
    }
}

/* ---- a server that lies ---- */

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

static size_t lie_add(char *lie, size_t size, const char *text, size_t times)
{
    for (size_t n = strlen(text); times; times--, size += n)
        memcpy(lie + size, text, n);
    return size;
}

/* An answer has a limit as a whole, whatever it consists of. */
static void limits_answers(void **state)
{
    enum { ARRAYS = 16, ELEMENTS = 200000 };
    static const char *const rows[] = {"too large", ""}; /* wide, and deep */
    static char lie[(ARRAYS + 1) * 9 + ARRAYS * ELEMENTS * 4];

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_store_status status = HAFT_INIT(haft_store_status, .waiting = 0);
        haft_store_op op = GET("k");
        size_t size = lie_add(lie, 0, i ? "*1\r\n" : "*200000\r\n", i ? ARRAYS * ELEMENTS : 1);
        struct liar liar;
        haft_store *store;
        char url[64];

        for (size_t n = 0; n < ARRAYS && !i; n++) {
            size = lie_add(lie, size, "*200000\r\n", 1);
            size = lie_add(lie, size, ":0\r\n", ELEMENTS);
        }
        liar_begin(&liar, lie, size);
        snprintf(url, sizeof url, "redis://127.0.0.1:%d", liar.port);
        store =
            haft_redis_store_new(url,
                                 HAFT_WITH(haft_redis_options, CASE_PATIENT,
                                           .min_reconnect_ms = 60000, .max_reconnect_ms = 60000),
                                 NULL);
        assert_int_equal(case_one(store, &op, NULL), HAFT_ECLOSED);
        haft_store_get_status(store, &status);
        assert_non_null(strstr(status.error, rows[i]));
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

/* A lane has links to 8 other nodes: more replace those that nothing uses. */
static void follows_moves_to_many_nodes(void **state)
{
    enum { NODES = 20, SIZE = sizeof "-MOVED 7 localhost:12345\r\n" - 1 };
    char lies[NODES * SIZE + 1], url[64];
    size_t size = 0;
    struct liar liar;
    haft_store *store;

    (void)state;
    for (size_t i = 0; i < NODES; i++) { /* one server with many names */
        int n = snprintf(lies + i * size, sizeof lies - i * size, "-MOVED 7 localhost:%d\r\n",
                         redis.port);

        for (size_t bit = 0; bit < 5; bit++)
            if (i >> bit & 1)
                lies[i * size + sizeof "-MOVED 7 " - 1 + bit] ^= 'a' ^ 'A';
        size = (size_t)n;
    }
    liar_begin_with(&liar, lies, size, NODES);
    snprintf(url, sizeof url, "redis://127.0.0.1:%d", liar.port);
    store = haft_redis_store_new(url, HAFT_WITH(haft_redis_options, CASE_PATIENT), NULL);
    for (size_t i = 0; i < 2 * NODES; i++)
        assert_int_equal(case_put(store, "moved"), 1);
    haft_store_free(store);
    liar_end(&liar);
}

/* A node that is gone is not looked for until something moves to it again. */
static void leaves_a_lost_node_alone(void **state)
{
    struct liar liar, node;
    char lie[64], url[64];
    haft_store *store;

    (void)state;
    liar_begin(&node, NULL, 0);
    snprintf(lie, sizeof lie, "-MOVED 7 127.0.0.1:%d\r\n", node.port);
    liar_begin(&liar, lie, strlen(lie));
    snprintf(url, sizeof url, "redis://127.0.0.1:%d", liar.port);
    store = haft_redis_store_new(url, HAFT_WITH(haft_redis_options, CASE_PATIENT), NULL);
    for (int i = 1; i <= 2; i++) {
        assert_int_equal(case_put(store, "moved"), HAFT_ECLOSED);
        case_sleep(500);
        assert_int_equal(node.connections, i);
    }
    haft_store_free(store);
    liar_end(&liar);
    liar_end(&node);
}

/* The node that has executed a request decides whether it is durable, and another one's answer is not waited for. */
static void is_durable_where_it_moved(void **state)
{
    haft_arena *arena = haft_arena_new(NULL, CASE_ARENA);
    haft_store_op op = PUT("k", "v");
    haft_store_request request = {
        .space = "s", .group = S("g"), .ops = &op, .n_ops = 1, .durable = true, .arena = arena};
    struct liar liar;
    char lie[64], url[64];
    int64_t since = case_now();
    haft_store *store;

    (void)state;
    snprintf(lie, sizeof lie, "-MOVED 7000 127.0.0.1:%d\r\n", redis.port);
    liar_begin(&liar, lie, strlen(lie));
    snprintf(url, sizeof url, "redis://127.0.0.1:%d", liar.port);
    store = haft_redis_store_new(url,
                                 HAFT_WITH(haft_redis_options, CASE_PATIENT, .replica_ms = 100,
                                           .durability = HAFT_REDIS_REPLICAS),
                                 NULL);
    assert_int_equal(store_submit(store, &request), 0);
    assert_int_equal(request.status, 1);
    assert_false(request.is_durable);
    assert_true(case_now() - since < 5000);
    haft_store_free(store);
    liar_end(&liar);
    haft_arena_free(arena);
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
        cmocka_unit_test(reads_urls),
        cmocka_unit_test(checks_options),
        CASE_TEST(logs_in),
        CASE_TEST(reads_password_files),
        CASE_TEST(keeps_connections_to_itself),
        CASE_TEST(tries_every_address),
        CASE_TEST(uses_late_names),
        CASE_TEST(is_not_harmed_by_lies),
        CASE_TEST(limits_answers),
        CASE_TEST(follows_one_move),
        CASE_TEST(follows_moves_to_many_nodes),
        CASE_TEST(leaves_a_lost_node_alone),
        CASE_TEST(is_durable_where_it_moved),
        CASE_TEST(follows_a_failover),
    };

    CASE_SKIP_WITHOUT_REDIS();
    return cmocka_run_group_tests(tests, case_begin, case_end);
}
