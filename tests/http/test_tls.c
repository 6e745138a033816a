/* test_tls.c - the HTTP server with TLS, over sockets. */
#define _DEFAULT_SOURCE
#include "http/tls_client.h"

#include <haft/part.h>

static struct authority authority, stranger;
static char certificate[AUTHORITY_PATH], key[AUTHORITY_PATH], ca[AUTHORITY_PATH],
    other[AUTHORITY_PATH], other_key[AUTHORITY_PATH];
static const char *const certificates[] = {certificate, NULL}, *const keys[] = {key, NULL};
static char text[ROOM];

static int group_begin(void **state)
{
    (void)state;
    haft_part_register(&haft_crypto_part);
    authority_init(&authority, "test authority");
    authority_init(&stranger, "another authority");
    authority_issue(&authority, &(struct leaf){.file = "a", .name = "localhost"});
    authority_issue(&authority, &(struct leaf){.file = "b", .name = "b.test"});
    authority_issue(&authority, &(struct leaf){.file = "c", .name = "client"});
    authority_issue(&stranger, &(struct leaf){.file = "c", .name = "client"});
    authority_file(&authority, "a.pem", certificate);
    authority_file(&authority, "a.key", key);
    authority_file(&authority, "b.pem", other);
    authority_file(&authority, "b.key", other_key);
    authority_file(&authority, "ca.pem", ca);
    return 0;
}

static int group_end(void **state)
{
    (void)state;
    authority_finish(&authority);
    authority_finish(&stranger);
    return 0;
}

#define SECURE(...)                                                                                \
    ((haft_http_options)HAFT_INIT(haft_http_options, .tls_certificates = certificates,             \
                                  .tls_keys = keys, __VA_ARGS__))

/* ---- requests ---- */

static void requests_are_answered(void **state)
{
    struct site *site = site_open(SECURE(.threads = 1));
    struct secret client = secret_dial(site, &authority, NULL, NULL);

    (void)state;
    assert_int_equal(strncmp(haft_http_url(site->http), "https://127.0.0.1:", 18), 0);
    secret_say(&client, ASK(1), sizeof ASK(1) - 1);
    secret_hear(&client, text, sizeof text, PONG(1), 1);
    /* Several in one record, and one in many. */
    secret_say(&client, ASK(2) ASK(3), sizeof(ASK(2) ASK(3)) - 1);
    secret_hear(&client, text, sizeof text, "\"result\":{}}", 2);
    for (size_t i = 0; i < sizeof ASK(4) - 1; i++)
        secret_say(&client, &ASK(4)[i], 1);
    secret_hear(&client, text, sizeof text, PONG(4), 1);
    secret_close(&client);
    site_close(site);
}

/* A long response comes whole, also to a client that reads late, and others are served meanwhile. */
static void long_responses_are_written_in_pieces(void **state)
{
    enum { LONG = 3000000, LONG_ROOM = LONG + 4096 };
    static const char call[] = CALL(1, "big", 3000000);
    struct site *site = site_open(SECURE(.threads = 1));
    struct secret slow = secret_dial(site, &authority, NULL, NULL),
                  quick = secret_dial(site, &authority, NULL, NULL);
    char *all = malloc(LONG_ROOM), head[512];
    size_t size;
    int n = snprintf(head, sizeof head, HEAD "Connection: close\r\nContent-Length: %zu\r\n\r\n%s",
                     sizeof call - 1, call);

    (void)state;
    assert_non_null(all);
    secret_say(&slow, head, (size_t)n);
    secret_say(&quick, ASK(1), sizeof ASK(1) - 1);
    secret_hear(&quick, text, sizeof text, PONG(1), 1);
    size = secret_hear(&slow, all, LONG_ROOM, NULL, 0);
    assert_true(size > LONG);
    assert_non_null(strstr(all + size - 64, "}"));
    free(all);
    secret_close(&slow);
    secret_close(&quick);
    site_close(site);
}

static void a_long_request_is_read(void **state)
{
    enum { LONG = 700 << 10 };
    struct site *site = site_open(SECURE(.threads = 1));
    struct secret client = secret_dial(site, &authority, NULL, NULL);
    char *body = malloc(LONG + 256), head[256];
    int n, size;

    (void)state;
    assert_non_null(body);
    size = snprintf(body, 256, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"x\":\"");
    memset(body + size, 'x', LONG);
    memcpy(body + size + LONG, "\"}", 2);
    size += LONG + 2;
    n = snprintf(head, sizeof head, HEAD "Content-Length: %d\r\n\r\n", size);
    secret_say(&client, head, (size_t)n);
    secret_say(&client, body, (size_t)size);
    secret_hear(&client, text, sizeof text, PONG(1), 1);
    free(body);
    secret_close(&client);
    site_close(site);
}

/* ---- the end ---- */

static void the_server_says_that_it_ends(void **state)
{
    static const char bye[] = HEAD "Connection: close\r\nContent-Length: 40\r\n\r\n" PING(1);
    static const char bad[] = "NONSENSE\r\n\r\n";
    struct site *site = site_open(SECURE(.threads = 1));
    struct secret client = secret_dial(site, &authority, NULL, NULL);

    (void)state;
    secret_say(&client, bye, sizeof bye - 1);
    secret_hear(&client, text, sizeof text, NULL, 0);
    assert_non_null(strstr(text, PONG(1)));
    secret_close(&client);
    client = secret_dial(site, &authority, NULL, NULL);
    secret_say(&client, bad, sizeof bad - 1);
    secret_hear(&client, text, sizeof text, NULL, 0);
    assert_non_null(strstr(text, "HTTP/1.1 400 "));
    secret_close(&client);
    /* A client that ends after its request still gets the answer. */
    client = secret_dial(site, &authority, NULL, NULL);
    secret_say(&client, ASK(1), sizeof ASK(1) - 1);
    SSL_shutdown(client.ssl);
    secret_hear(&client, text, sizeof text, NULL, 0);
    assert_non_null(strstr(text, PONG(1)));
    secret_close(&client);
    site_close(site);
}

/* A request that was cut off is not executed; and the call of a client that was cut off is
 * cancelled. */
static void what_is_cut_off_is_not_executed(void **state)
{
    static const char part[] = HEAD "Content-Length: 1000\r\n\r\n" CALL(1, "slow", 600000);
    static const char call[] = CALL(1, "slow", 600000);
    struct site *site = site_open(SECURE(.threads = 1));
    struct secret client = secret_dial(site, &authority, NULL, NULL);
    char head[512];
    int n =
        snprintf(head, sizeof head, HEAD "Content-Length: %zu\r\n\r\n%s", sizeof call - 1, call);

    (void)state;
    secret_say(&client, part, sizeof part - 1);
    shutdown(client.fd, SHUT_WR);
    assert_true(hear_all(client.fd, text, sizeof text));
    secret_close(&client);
    assert_int_equal(atomic_load(begun), 0);
    client = secret_dial(site, &authority, NULL, NULL);
    secret_say(&client, head, (size_t)n);
    wait_until_begun(1);
    shutdown(client.fd, SHUT_WR); /* without close_notify */
    assert_true(hear_all(client.fd, text, sizeof text));
    secret_close(&client);
    site_close(site);
}

/* ---- what is not TLS ---- */

static void plain_http_is_told(void **state)
{
    static const char *const requests[] = {"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
                                           "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", ASK(1)};
    struct site *site = site_open(SECURE(.threads = 1));

    (void)state;
    for (size_t i = 0; i < COUNT_OF(requests); i++) {
        int fd = dial(site);

        say(fd, requests[i], strlen(requests[i]));
        assert_true(hear_all(fd, text, sizeof text));
        assert_int_equal(strncmp(text, "HTTP/1.1 400 Bad Request\r\n", 26), 0);
        assert_non_null(strstr(text, "plain HTTP was sent to an HTTPS port"));
        close(fd);
    }
    site_close(site);
}

static void garbage_is_closed(void **state)
{
    static const char hello[] = "\x16\x03\x01\x00\x05\x01\x00\x00\x01\x00";
    static const char zeros[4096];
    static const struct {
        const char *bytes;
        size_t size;
    } rows[] = {{hello, sizeof hello - 1}, {zeros, sizeof zeros}, {"\x17\x03\x03\x00\x01x", 6}};
    struct site *site = site_open(SECURE(.threads = 1));
    struct secret client;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        int fd = dial(site);

        say(fd, rows[i].bytes, rows[i].size);
        assert_true(hear_all(fd, text, sizeof text));
        assert_null(strstr(text, "HTTP"));
        close(fd);
    }
    /* In the midst of a connection. */
    client = secret_dial(site, &authority, NULL, NULL);
    secret_say(&client, ASK(1), sizeof ASK(1) - 1);
    secret_hear(&client, text, sizeof text, PONG(1), 1);
    say(client.fd, zeros, sizeof zeros);
    assert_true(hear_all(client.fd, text, sizeof text));
    secret_close(&client);
    site_close(site);
}

/* The time for headers is that for the handshake, however much trickles in. */
static void a_slow_handshake_ends(void **state)
{
    static const char hello[] = "\x16\x03\x01\x02\x00\x01\x00\x01\xfc";
    struct site *site = site_open(SECURE(.threads = 1, .header_ms = 2000, .idle_ms = 600000));
    int silent = dial(site), slow = dial(site);
    struct secret client = secret_dial(site, &authority, NULL, NULL);

    (void)state;
    say(slow, hello, sizeof hello - 1);
    while (!is_readable(slow, 20))
        if (send(slow, "", 1, MSG_NOSIGNAL) < 0)
            break;
    hear_all(slow, text, sizeof text);
    assert_true(hear_all(silent, text, sizeof text));
    close(silent);
    close(slow);
    /* One that is done has the time of an idle connection. */
    secret_say(&client, ASK(1), sizeof ASK(1) - 1);
    secret_hear(&client, text, sizeof text, PONG(1), 1);
    secret_close(&client);
    site_close(site);
}

static void tls_on_a_plain_port_gets_a_hint(void **state)
{
    struct site *site = site_open((haft_http_options)HAFT_INIT(haft_http_options, .threads = 1));
    haft_reason reason = {0};

    (void)state;
    for (int i = 0; i < 3; i++) {
        bool failed;
        struct secret client = secret_dial(site, &authority, NULL, &failed);

        assert_true(failed);
        secret_close(&client);
    }
    assert_int_equal(atomic_load(&site->hints), 1);
    assert_int_equal(haft_http_reload_tls(site->http, &reason), HAFT_EINVAL);
    assert_string_equal(reason.text, "the server was started without TLS");
    site_close(site);
}

/* ---- client certificates ---- */

static char seen[64];

static int remember(void *context, haft_request *request, const haft_responder *responder,
                    void *responder_context)
{
    (void)context, (void)responder, (void)responder_context;
    snprintf(seen, sizeof seen, "%s", request->certificate ? request->certificate : "none");
    return 0;
}

static void certificates_of_clients_are_known(void **state)
{
    static const struct {
        const char *own;
        bool foreign, optional, asked, refused;
        size_t size; /* of what the request says */
    } rows[] = {
        {"c", false, false, true, false, 43}, {"c", true, false, true, true, 0},
        {NULL, false, false, true, true, 0},  {NULL, false, true, true, false, 4},
        {"c", false, true, true, false, 43},  {"c", true, true, true, true, 0},
        {"c", false, false, false, false, 4},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct site *site = site_open(SECURE(.threads = 1, .admit = remember,
                                             .tls_client_ca = rows[i].asked ? ca : NULL,
                                             .tls_client_optional = rows[i].optional));
        bool failed;
        struct secret client =
            secret_dial(site, &authority, rows[i].foreign ? NULL : rows[i].own, &failed);
        size_t n;

        if (rows[i].foreign) {
            secret_close(&client);
            client = secret_dial(site, &stranger, rows[i].own, &failed);
        }
        seen[0] = '\0';
        if (!rows[i].refused) {
            secret_say(&client, ASK(1), sizeof ASK(1) - 1);
            secret_hear(&client, text, sizeof text, PONG(1), 1);
        } else if (!failed) {
            /* With TLS 1.3 the client learns of it later. */
            assert_int_not_equal(SSL_read_ex(client.ssl, text, 1, &n), 1);
        }
        assert_int_equal(strlen(seen), rows[i].size);
        secret_close(&client);
        site_close(site);
    }
}

/* ---- options ---- */

static void options_that_cannot_work(void **state)
{
    static const char *const none[] = {NULL}, *const missing[] = {"/nowhere/x.pem", NULL};
    const struct {
        haft_http_options options;
        const char *path, *text;
    } rows[] = {
        {HAFT_INIT(haft_http_options, .tls_certificates = missing), "/nowhere/x.pem",
         "cannot read the certificate: No such file or directory"},
        {HAFT_INIT(haft_http_options, .tls_certificates = none, .tls_keys = keys),
         "tls_certificates",
         "a key or an authority of client certificates is set, but no certificate of the server"},
        {HAFT_INIT(haft_http_options, .tls_client_ca = ca), "tls_certificates",
         "a key or an authority of client certificates is set, but no certificate of the server"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct site *site = site_open_with(rows[i].options, NULL);

        assert_null(site->http);
        assert_string_equal(site->reason.path, rows[i].path);
        assert_string_equal(site->reason.text, rows[i].text);
        site_close(site);
    }
}

/* ---- memory ---- */

static void without_memory(void **state)
{
    size_t nth = 1;

    (void)state;
    for (;; nth++) {
        struct failing failing;
        struct site *site;
        bool failed = true;

        failing_init(&failing, nth);
        site = site_open_with(SECURE(.threads = 1), &failing.allocator);
        if (site->http) {
            struct secret client = secret_dial(site, &authority, NULL, &failed);
            size_t n;

            if (!failed) {
                SSL_write(client.ssl, ASK(1), sizeof ASK(1) - 1);
                SSL_read_ex(client.ssl, text, sizeof text, &n);
            }
            secret_close(&client);
        }
        site_close(site);
        failing_check(&failing);
        if (!failing.failures)
            break;
    }
    assert_true(nth > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_are_answered),
        cmocka_unit_test(long_responses_are_written_in_pieces),
        cmocka_unit_test(a_long_request_is_read),
        cmocka_unit_test(the_server_says_that_it_ends),
        cmocka_unit_test(what_is_cut_off_is_not_executed),
        cmocka_unit_test(plain_http_is_told),
        cmocka_unit_test(garbage_is_closed),
        cmocka_unit_test(a_slow_handshake_ends),
        cmocka_unit_test(tls_on_a_plain_port_gets_a_hint),
        cmocka_unit_test(certificates_of_clients_are_known),
        cmocka_unit_test(options_that_cannot_work),
        cmocka_unit_test(without_memory),
    };

    return cmocka_run_group_tests(tests, group_begin, group_end);
}
