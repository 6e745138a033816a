/* test_tls_memory.c - TLS while OpenSSL runs out of memory: the nth allocation of a server fails, for
 * the first n and for many later ones. Nothing leaks, and a connection that fails says so. */
#define _DEFAULT_SOURCE
#include "http/authority.h"

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <haft/part.h>

#include "auth/crypto/tls.h"
#include "part/crypto.h"

enum { STRIDE = 12 }; /* a handshake takes thousands of allocations */

static const struct tls_functions *tls;
static struct authority authority;
static char certificate[AUTHORITY_PATH], key[AUTHORITY_PATH], ca[AUTHORITY_PATH];

/* ---- memory of OpenSSL ---- */

static struct {
    bool inside; /* the server allocates */
    size_t nth, count, failures;
} hunger;

static bool is_refused(void)
{
    if (!hunger.inside || ++hunger.count != hunger.nth)
        return false;
    hunger.failures++;
    return true;
}

static void *hungry_malloc(size_t size, const char *file, int line)
{
    (void)file, (void)line;
    return is_refused() ? NULL : malloc(size);
}

static void *hungry_realloc(void *memory, size_t size, const char *file, int line)
{
    (void)file, (void)line;
    if (size)
        return is_refused() ? NULL : realloc(memory, size);
    free(memory);
    return NULL;
}

static void hungry_free(void *memory, const char *file, int line)
{
    (void)file, (void)line;
    free(memory);
}

static void starve(size_t nth)
{
    hunger.nth = nth;
    hunger.count = hunger.failures = 0;
}

/* ---- contexts ---- */

static tls_context *make_context(haft_reason *reason)
{
    tls_context *context;

    hunger.inside = true;
    context = tls->create(&(struct tls_options){.certificates = (const char *[]){certificate, NULL},
                                                .keys = (const char *[]){key, NULL},
                                                .client_ca = ca,
                                                .client_optional = true},
                          reason);
    hunger.inside = false;
    return context;
}

static void contexts_without_memory(void **state)
{
    size_t nth = 1, refused = 0;

    (void)state;
    for (;; nth += 1 + nth / STRIDE) {
        haft_reason reason = {0};
        tls_context *context;

        starve(nth);
        context = make_context(&reason);
        if (!context) {
            refused++;
            assert_true(reason.code && *reason.text);
            assert_int_equal(ERR_peek_error(), 0);
        }
        tls->release(context);
        if (!hunger.failures)
            break;
    }
    assert_true(nth > 100 && refused > 10);
}

/* ---- connections ---- */

static void pass(SSL *client, tls_connection *server, char *plain, size_t *n_plain)
{
    static char sealed[TLS_OUTPUT];
    char bytes[8192];
    int n;

    while ((n = BIO_read(SSL_get_wbio(client), bytes, sizeof bytes)) > 0) {
        struct tls_output out = {.to = plain, .room = 2 * TLS_RECORD};
        struct tls_output answer = {.to = sealed, .room = sizeof sealed};

        hunger.inside = true;
        tls->receive(server, bytes, (size_t)n, &out, &answer);
        hunger.inside = false;
        *n_plain += out.size;
        BIO_write(SSL_get_rbio(client), sealed, (int)answer.size);
    }
}

/* Returns whether everything worked. */
static bool converse(tls_context *context, SSL_CTX *ctx)
{
    static char plain[2 * TLS_RECORD], sealed[TLS_OUTPUT];
    struct tls_output out = {.to = sealed, .room = sizeof sealed};
    SSL *client = SSL_new(ctx);
    tls_connection *server;
    size_t n = 0;
    bool worked = false;

    SSL_set_bio(client, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
    SSL_set_connect_state(client);
    hunger.inside = true;
    server = tls->open(context);
    hunger.inside = false;
    for (int i = 0; server && i < 4; i++) {
        SSL_do_handshake(client);
        pass(client, server, plain, &n);
    }
    if (server && tls->state(server) == TLS_OPEN && SSL_is_init_finished(client)) {
        SSL_write(client, "hello", 5);
        pass(client, server, plain, &n);
        hunger.inside = true;
        worked = !tls->seal(server, "answer", 6, &out) && tls->certificate(server);
        tls->finish(server, &out);
        hunger.inside = false;
        worked = worked && n == 5 && !memcmp(plain, "hello", 5);
    }
    if (server && tls->state(server) == TLS_FAILED)
        assert_true(*tls->failure(server) && !worked);
    tls->close(server);
    SSL_free(client);
    ERR_clear_error();
    return worked;
}

static void connections_without_memory(void **state)
{
    SSL_CTX *ctx = SSL_CTX_new(TLS_client_method());
    tls_context *context;
    size_t nth = 1, refused = 0;
    bool worked;

    (void)state;
    SSL_CTX_use_certificate_chain_file(ctx, certificate);
    SSL_CTX_use_PrivateKey_file(ctx, key, SSL_FILETYPE_PEM);
    starve(0);
    context = make_context(NULL);
    assert_non_null(context);
    assert_true(converse(context, ctx));
    for (;; nth += 1 + nth / STRIDE) {
        starve(nth);
        worked = converse(context, ctx);
        refused += !worked;
        if (!hunger.failures)
            break;
    }
    assert_true(worked);
    assert_true(nth > 100 && refused > 10);
    /* Nothing of it lasts. */
    starve(0);
    assert_true(converse(context, ctx));
    tls->release(context);
    SSL_CTX_free(ctx);
}

static int memory_begin(void **state)
{
    haft_reason reason = {0};
    tls_context *context;

    (void)state;
    if (CRYPTO_set_mem_functions(hungry_malloc, hungry_realloc, hungry_free) != 1)
        return -1;
    haft_part_register(&haft_crypto_part);
    tls = hf_crypto_open("this test", &reason)->tls;
    authority_init(&authority, "test authority");
    authority_issue(&authority, &(struct leaf){.file = "a", .name = "localhost"});
    authority_file(&authority, "a.pem", certificate);
    authority_file(&authority, "a.key", key);
    authority_file(&authority, "ca.pem", ca);
    /* What OpenSSL sets up once stays, and is not part of this. */
    context = make_context(&reason);
    tls->release(context);
    return !context;
}

static int memory_end(void **state)
{
    (void)state;
    authority_finish(&authority);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contexts_without_memory),
        cmocka_unit_test(connections_without_memory),
    };

    return cmocka_run_group_tests(tests, memory_begin, memory_end);
}
