/* test_redis_tls.c - the store on Redis over TLS, if hiredis has it. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

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
        bool shows; /* its own certificate */
        bool works;
    } rows[] = {
        {"here.pem", "here.key", "authority.pem", "127.0.0.1", "no", false, true},
        {"here.pem", "here.key", "authority.pem", "localhost", "no", false, true},
        {"here.pem", "here.key", "stranger.pem", "127.0.0.1", "no", false, false},
        {"elsewhere.pem", "elsewhere.key", "authority.pem", "127.0.0.1", "no", false, false},
        {"elsewhere.pem", "elsewhere.key", "authority.pem", "localhost", "no", false, false},
        {"expired.pem", "expired.key", "authority.pem", "127.0.0.1", "no", false, false},
        {"here.pem", "here.key", "authority.pem", "127.0.0.1", "yes", false, false},
        {"here.pem", "here.key", "authority.pem", "127.0.0.1", "yes", true, true},
    };

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
        if (!rows[i].works)
            options.command_ms = 300; /* it would wait for a connection */
        assert_true(tls_start(rows[i].certificate, rows[i].key, rows[i].clients));
        store = tls_store(rows[i].host, &options);
        status = case_put(store, "value");
        if (rows[i].works ? status != 1 : status >= 0)
            fail_msg("row %zu: %d", i, status);
        haft_store_free(store);
        redis_server_remove(&redis);
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
        cmocka_unit_test(trusts_whom_it_should),
        cmocka_unit_test(sends_large_values),
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
