/* test_redis_tls.c - the store on Redis over TLS, if hiredis has it. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>
#include <uv.h>

#include "store/redis_case.h"

static char folder[] = "/tmp/haft-redis-tls-XXXXXX";
static char port[16];

/* ---- a server with certificates ---- */

static const char *tls_file(const char *name)
{
    static char paths[8][64];
    static size_t next;
    char *path = paths[next++ % 8];

    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static bool tls_start(const char *certificate, const char *key, const char *clients)
{
    static const char *arguments[13];
    const char *const given[] = {"--tls-port",
                                 port,
                                 "--tls-cert-file",
                                 tls_file(certificate),
                                 "--tls-key-file",
                                 tls_file(key),
                                 "--tls-ca-cert-file",
                                 tls_file("authority.pem"),
                                 "--tls-auth-clients",
                                 clients,
                                 NULL};

    memcpy(arguments, given, sizeof given);
    snprintf(port, sizeof port, "%d", redis_free_port());
    return redis_server_start(&redis, arguments);
}

static haft_store *tls_store(const char *host, const haft_redis_options *options)
{
    char url[64];
    haft_reason reason = {0};
    haft_store *store;

    snprintf(url, sizeof url, "rediss://%s:%s", host, port);
    store = haft_redis_store_new(url, options, &reason);
    if (!store)
        fail_msg("no store: %s: %s", reason.path, reason.text);
    return store;
}

/* ---- who is trusted ---- */

static void trusts_whom_it_should(void **state)
{
    static const struct {
        const char *certificate, *key, *authority, *host, *clients;
        bool shows;      /* its own certificate */
        const char *why; /* NULL: it works */
    } rows[] = {
        {"here.pem", "here.key", "authority.pem", "127.0.0.1", "no", false, NULL},
        {"here.pem", "here.key", "authority.pem", "localhost", "no", false, NULL},
        {"here.pem", "here.key", "stranger.pem", "127.0.0.1", "no", false, "signed certificate"},
        {"elsewhere.pem", "elsewhere.key", "authority.pem", "127.0.0.1", "no", false,
         "IP address mismatch"},
        {"elsewhere.pem", "elsewhere.key", "authority.pem", "localhost", "no", false,
         "hostname mismatch"},
        {"expired.pem", "expired.key", "authority.pem", "127.0.0.1", "no", false, "expired"},
        {"here.pem", "here.key", "authority.pem", "127.0.0.1", "yes", false,
         ""}, /* reset, or told */
        {"here.pem", "here.key", "authority.pem", "127.0.0.1", "yes", true, NULL},
    };
    haft_store_status about = HAFT_INIT(haft_store_status, .waiting = 0);

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_redis_options options =
            HAFT_INIT(haft_redis_options, .ca_file = tls_file(rows[i].authority), CASE_PATIENT);
        haft_store *store;
        int status;

        if (rows[i].shows) {
            options.certificate = tls_file("visitor.pem");
            options.key = tls_file("visitor.key");
        }
        if (rows[i].why)
            options.command_ms = 300; /* it would wait for a connection */
        assert_true(tls_start(rows[i].certificate, rows[i].key, rows[i].clients));
        store = tls_store(rows[i].host, &options);
        status = case_put(store, "value");
        haft_store_get_status(store, &about);
        assert_null(strstr(about.error, "Success"));
        if (rows[i].why ? status >= 0 || !strstr(about.error, rows[i].why) : status != 1)
            fail_msg("row %zu: %d: %s", i, status, about.error);
        haft_store_free(store);
        redis_server_remove(&redis);
    }
}

static void refuses_files(void **state)
{
    static const struct {
        const char *authority, *certificate, *key, *why;
    } rows[] = {
        {"nothing.pem", NULL, NULL, "trusted certificates of Redis: /"},
        {"here.key", NULL, NULL, "trusted certificates of Redis: /"},
        {"authority.pem", "nothing.pem", "visitor.key", "client certificate for Redis: /"},
        {"authority.pem", "visitor.pem", "nothing.key", "private key for Redis"},
        {"authority.pem", "visitor.pem", "here.key", "does not belong to the certificate: /"},
        {"authority.pem", "visitor.pem", NULL, "are needed together"},
        {"authority.pem", NULL, "visitor.key", "are needed together"},
        {NULL, "visitor.pem", "visitor.key", NULL},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_redis_options options = HAFT_INIT(haft_redis_options, .prefix = NULL);
        haft_reason reason = {0};
        haft_store *store;

        options.ca_file = rows[i].authority ? tls_file(rows[i].authority) : NULL;
        options.certificate = rows[i].certificate ? tls_file(rows[i].certificate) : NULL;
        options.key = rows[i].key ? tls_file(rows[i].key) : NULL;
        store = haft_redis_store_new("rediss://127.0.0.1", &options, &reason);
        if (!store != !!rows[i].why || (rows[i].why && !strstr(reason.text, rows[i].why)))
            fail_msg("row %zu: %s", i, reason.text);
        haft_store_free(store);
    }
}

/* ---- what is sent ---- */

/* Values of many records of TLS, in both directions. */
static void sends_large_values(void **state)
{
    static const size_t sizes[] = {1, 16383, 16384, 16385, 100000, 1000000};
    static char bytes[1000000];
    haft_store *store;

    (void)state;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)('a' + i % 26);
    assert_true(tls_start("here.pem", "here.key", "no"));
    store = tls_store("127.0.0.1", HAFT_WITH(haft_redis_options, CASE_PATIENT,
                                             .ca_file = tls_file("authority.pem")));
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        haft_arena *arena = haft_arena_new(NULL, 4 << 20);
        haft_store_op put = {.kind = HAFT_STORE_PUT, .key = S("k"), .value = {bytes, sizes[i]}};
        haft_store_op get = GET("k");
        haft_store_request request = {
            .space = "s", .group = S("g"), .ops = &get, .n_ops = 1, .arena = arena};

        assert_int_equal(case_one(store, &put, NULL), 1);
        store_submit(store, &request);
        assert_int_equal(request.status, 1);
        assert_int_equal(get.ret_value.size, sizes[i]);
        assert_memory_equal(get.ret_value.data, bytes, sizes[i]);
        haft_arena_free(arena);
    }
    haft_store_free(store);
    redis_server_remove(&redis);
}

/* ---- others on the same thread ---- */

/* Functions of the OpenSSL that the store uses; this program is not linked with it. */
static struct others {
    void (*begin)(void);
    void (*set)(int library, int reason, const char *format, ...);
    bool done;
} others;

/* As somebody does who does not look at the errors of OpenSSL. */
static void others_fail(uv_timer_t *timer)
{
    (void)timer;
    others.begin();
    others.set(20, 1, NULL);
}

static void others_done(haft_store_request *request)
{
    (void)request;
    others.done = true;
}

/* Values that are sent in several steps. */
static void is_not_disturbed_by_others(void **state)
{
    static char bytes[8 << 20];
    haft_store_status status = HAFT_INIT(haft_store_status, .waiting = 0);
    haft_store_op put = {.kind = HAFT_STORE_PUT, .key = S("k"), .value = {bytes, sizeof bytes}};
    haft_store_request request = {
        .space = "s", .group = S("g"), .ops = &put, .n_ops = 1, .done = others_done};
    void *crypto;
    uv_timer_t timer;
    uv_loop_t loop;
    haft_store *store;

    (void)state;
    assert_true(tls_start("here.pem", "here.key", "no"));
    store = tls_store("127.0.0.1", HAFT_WITH(haft_redis_options, CASE_PATIENT,
                                             .ca_file = tls_file("authority.pem")));
    crypto = dlopen("libcrypto.so.3", RTLD_LAZY | RTLD_NOLOAD);
    assert_non_null(crypto);
    *(void **)&others.begin = dlsym(crypto, "ERR_new");
    *(void **)&others.set = dlsym(crypto, "ERR_set_error");
    uv_loop_init(&loop);
    uv_timer_init(&loop, &timer);
    uv_timer_start(&timer, others_fail, 0, 1);
    assert_int_equal(haft_store_attach(store, &loop), 0);
    for (int i = 0; i < 3; i++) {
        others.done = false;
        assert_int_equal(haft_store_submit(store, &request), HAFT_PENDING);
        while (!others.done) {
            others_fail(&timer);
            uv_run(&loop, UV_RUN_ONCE);
        }
        assert_int_equal(request.status, 1);
    }
    haft_store_get_status(store, &status);
    assert_string_equal(status.error, "");
    haft_store_detach(store, &loop);
    uv_close((uv_handle_t *)&timer, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&loop), 0);
    haft_store_free(store);
    dlclose(crypto);
    redis_server_remove(&redis);
}

/* ---- a server that says nothing ---- */

static double tls_processor_ms(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e3 +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e3;
}

/* It waits for the answer without using the processor. */
static void waits_for_a_silent_server(void **state)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    haft_store *store;
    double before;

    (void)state;
    assert_int_equal(bind(fd, (struct sockaddr *)&address, size), 0);
    assert_int_equal(listen(fd, 8), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &size), 0);
    snprintf(port, sizeof port, "%d", ntohs(address.sin_port));
    before = tls_processor_ms();
    store =
        tls_store("127.0.0.1", HAFT_WITH(haft_redis_options, .connect_ms = 5000, .command_ms = 1000,
                                         .ca_file = tls_file("authority.pem")));
    assert_int_equal(case_put(store, "value"), HAFT_ETIMEOUT);
    assert_true(tls_processor_ms() - before < 500);
    haft_store_free(store);
    close(fd);
}

static int tls_begin(void **state)
{
    char command[128];

    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(command, sizeof command, "sh tests/http_client/certificates.sh %s", folder);
    return system(command);
}

static int tls_end(void **state)
{
    char command[128];

    (void)state;
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trusts_whom_it_should),     cmocka_unit_test(refuses_files),
        cmocka_unit_test(sends_large_values),        cmocka_unit_test(is_not_disturbed_by_others),
        cmocka_unit_test(waits_for_a_silent_server),
    };
    haft_store *store = haft_redis_store_new("rediss://127.0.0.1", NULL, NULL);

    CASE_SKIP_WITHOUT_REDIS();
    if (!store) {
        puts("hiredis has no TLS");
        return 77;
    }
    haft_store_free(store);
    return cmocka_run_group_tests(tests, tls_begin, tls_end);
}
