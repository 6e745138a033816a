/* test_tls.c - TLS without sockets: a client of OpenSSL talks to a connection through memory. */
#define _DEFAULT_SOURCE
#include <sys/stat.h>

#include "http/authority.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <string.h>

#include <haft/part.h>

#include "auth/crypto/tls.h"
#include "part/crypto.h"

enum { BYTES = 256 << 10 };

static const struct tls_functions *tls;
static struct authority authority, stranger;

static int tls_begin(void **state)
{
    static const struct leaf leaves[] = {
        {.file = "a", .name = "a.test"},
        {.file = "b", .name = "b.test"},
        {.file = "c", .name = "client"},
        {.file = "old", .name = "client", .from = -10, .until = -1},
        {.file = "rsa", .name = "rsa.test", .bits = 2048},
        {.file = "weak", .name = "weak.test", .bits = 1024}};
    haft_reason reason = {0};

    (void)state;
    haft_part_register(&haft_crypto_part);
    tls = hf_crypto_open("this test", &reason)->tls;
    authority_init(&authority, "test authority");
    authority_init(&stranger, "another authority");
    for (size_t i = 0; i < COUNT_OF(leaves); i++)
        authority_issue(&authority, &leaves[i]);
    authority_issue(&stranger, &(struct leaf){.file = "c", .name = "client"});
    return 0;
}

static int tls_end(void **state)
{
    (void)state;
    authority_finish(&authority);
    authority_finish(&stranger);
    return 0;
}

/* ---- contexts ---- */

static void write_file(const char *name, const char *text)
{
    char path[AUTHORITY_PATH];
    FILE *file = fopen(authority_file(&authority, name, path), "w");

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

struct warnings {
    unsigned expired, readable;
};

static void count_warning(void *context, const char *text)
{
    struct warnings *warnings = context;

    warnings->expired += strstr(text, "old.pem has expired") != NULL;
    warnings->readable +=
        strstr(text, "mode 0644 lets other users read or change the private key in ") != NULL;
}

static void files_that_cannot_be_used(void **state)
{
    static const struct {
        const char *certificate, *key, *client_ca, *path, *text;
    } rows[] = {
        {"missing.pem", NULL, NULL, "missing.pem",
         "cannot read the certificate: No such file or directory"},
        {"a.pem", "missing.key", NULL, "missing.key",
         "cannot read the private key: No such file or directory"},
        {"a.pem", NULL, NULL, "a.pem",
         "cannot use the private key: the file contains no private key in PEM"},
        {"a.pem", "b.key", NULL, "b.key",
         "cannot use the private key: it does not belong to the certificate"},
        {"a.pem", "rsa.key", NULL, "rsa.key",
         "cannot use the private key: it does not belong to the certificate"},
        {"a.key", "a.key", NULL, "a.key",
         "cannot use the certificate: the file contains no certificate in PEM"},
        {"x.pem", "a.key", NULL, "x.pem", "cannot read the certificate: the file is empty"},
        {"weak.pem", "weak.key", NULL, "weak.pem", "cannot use the certificate: ee key too small"},
        {"a.pem", "a.key", "missing.pem", "missing.pem",
         "cannot use the authorities of client certificates: No such file or directory"},
        {"a.pem", "a.key", "a.key", "a.key",
         "cannot use the authorities of client certificates: the file contains no certificate in "
         "PEM"},
        {"a.pem", "x.key", NULL, "x.key",
         "cannot use the private key: it is encrypted with a password"},
    };
    char path[AUTHORITY_PATH];
    FILE *file;

    (void)state;
    write_file("x.pem", "");
    file = fopen(authority_file(&authority, "x.key", path), "w");
    assert_non_null(file);
    PEM_write_PKCS8PrivateKey(file, authority.key, EVP_aes_256_cbc(), "secret", 6, NULL, NULL);
    fclose(file);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char certificate[AUTHORITY_PATH], key[AUTHORITY_PATH], ca[AUTHORITY_PATH];
        haft_reason reason = {0};
        struct tls_options options = {
            .certificates =
                (const char *[]){authority_file(&authority, rows[i].certificate, certificate),
                                 NULL},
            .keys =
                (const char *[]){rows[i].key ? authority_file(&authority, rows[i].key, key) : NULL,
                                 NULL},
            .client_ca =
                rows[i].client_ca ? authority_file(&authority, rows[i].client_ca, ca) : NULL};

        assert_null(tls->create(&options, &reason));
        assert_string_equal(reason.text, rows[i].text);
        assert_string_equal(strrchr(reason.path, '/') + 1, rows[i].path);
        assert_int_equal(reason.code, HAFT_EINVAL);
        assert_int_equal(ERR_peek_error(), 0);
    }
}

static void an_expired_certificate_and_a_readable_key_are_reported(void **state)
{
    char certificate[AUTHORITY_PATH], key[AUTHORITY_PATH];
    struct warnings warnings = {0, 0};
    struct tls_options options = {
        .certificates = (const char *[]){authority_file(&authority, "old.pem", certificate), NULL},
        .keys = (const char *[]){authority_file(&authority, "old.key", key), NULL},
        .warn = count_warning,
        .warn_context = &warnings};
    static const mode_t modes[] = {0600, 0640, 0644};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(modes); i++) {
        tls_context *context;

        assert_int_equal(chmod(key, modes[i]), 0);
        context = tls->create(&options, NULL);
        assert_non_null(context);
        assert_int_equal(warnings.expired, i + 1);
        assert_int_equal(warnings.readable, modes[i] == 0644);
        tls->release(context);
    }
    tls->release(NULL);
    assert_null(tls->create(&(struct tls_options){0}, NULL));
}

/* ---- a client ---- */

struct pair {
    SSL_CTX *ctx;
    SSL *ssl;
    BIO *to_client, *to_server;
    tls_connection *server;
    char heard[BYTES]; /* plaintext at the server */
    size_t n_heard;
};

/* How a client and its server are set up, and what becomes of them. */
struct meeting {
    const char *name;       /* that the client asks for */
    const char *protocols;  /* in the form of ALPN */
    const char *ca;         /* of client certificates */
    const char *own;        /* certificate of the client */
    bool foreign, optional; /* it is of another authority; it may be absent */
    int version;            /* the only one of the client */
    const char *ciphers;    /* of TLS 1.2 */
    const char *subject;    /* common name of the server; NULL: the handshake fails */
    const char *failure;    /* at the server */
};

static tls_context *context_of(const struct meeting *meeting)
{
    char a[AUTHORITY_PATH], b[AUTHORITY_PATH], a_key[AUTHORITY_PATH], b_key[AUTHORITY_PATH],
        ca[AUTHORITY_PATH], r[AUTHORITY_PATH], r_key[AUTHORITY_PATH];
    haft_reason reason = {0};
    tls_context *context = tls->create(
        &(struct tls_options){
            .certificates = (const char *[]){authority_file(&authority, "a.pem", a),
                                             authority_file(&authority, "b.pem", b),
                                             authority_file(&authority, "rsa.pem", r), NULL},
            .keys = (const char *[]){authority_file(&authority, "a.key", a_key),
                                     authority_file(&authority, "b.key", b_key),
                                     authority_file(&authority, "rsa.key", r_key), NULL},
            .client_ca = meeting->ca ? authority_file(&authority, meeting->ca, ca) : NULL,
            .client_optional = meeting->optional},
        &reason);

    if (!context)
        fail_msg("%s: %s", reason.path, reason.text);
    return context;
}

static void pair_open(struct pair *pair, const struct meeting *meeting, tls_context *context)
{
    char path[AUTHORITY_PATH], name[32];

    *pair = (struct pair){.ctx = SSL_CTX_new(TLS_client_method())};
    SSL_CTX_set_security_level(pair->ctx, 0);
    if (meeting->version) {
        SSL_CTX_set_min_proto_version(pair->ctx, meeting->version);
        SSL_CTX_set_max_proto_version(pair->ctx, meeting->version);
    }
    if (meeting->ciphers)
        assert_int_equal(SSL_CTX_set_cipher_list(pair->ctx, meeting->ciphers), 1);
    if (meeting->own) {
        const struct authority *from = meeting->foreign ? &stranger : &authority;

        snprintf(name, sizeof name, "%s.pem", meeting->own);
        SSL_CTX_use_certificate_chain_file(pair->ctx, authority_file(from, name, path));
        snprintf(name, sizeof name, "%s.key", meeting->own);
        SSL_CTX_use_PrivateKey_file(pair->ctx, authority_file(from, name, path), SSL_FILETYPE_PEM);
    }
    SSL_CTX_load_verify_file(pair->ctx, authority_file(&authority, "ca.pem", path));
    SSL_CTX_set_verify(pair->ctx, SSL_VERIFY_PEER, NULL);
    pair->ssl = SSL_new(pair->ctx);
    pair->to_client = BIO_new(BIO_s_mem());
    pair->to_server = BIO_new(BIO_s_mem());
    SSL_set_bio(pair->ssl, pair->to_client, pair->to_server);
    SSL_set_connect_state(pair->ssl);
    if (meeting->name)
        SSL_set_tlsext_host_name(pair->ssl, meeting->name);
    if (meeting->protocols)
        SSL_set_alpn_protos(pair->ssl, (const unsigned char *)meeting->protocols,
                            (unsigned)strlen(meeting->protocols));
    pair->server = tls->open(context);
    assert_non_null(pair->server);
}

static void pair_close(struct pair *pair)
{
    SSL_set_shutdown(pair->ssl, SSL_SENT_SHUTDOWN); /* or its session could not be resumed */
    SSL_free(pair->ssl);
    SSL_CTX_free(pair->ctx);
    tls->close(pair->server);
    ERR_clear_error();
}

/* Passes what the client has sent to the server, in pieces of that size, and its answers back. */
static void pair_pass(struct pair *pair, size_t piece)
{
    static char sealed[TLS_OUTPUT];
    char bytes[4096];
    int n;

    piece = piece && piece < sizeof bytes ? piece : sizeof bytes;
    while ((n = BIO_read(pair->to_server, bytes, (int)piece)) > 0) {
        struct tls_output plain = {.to = pair->heard + pair->n_heard,
                                   .room = sizeof pair->heard - pair->n_heard};
        struct tls_output out = {.to = sealed, .room = sizeof sealed};

        tls->receive(pair->server, bytes, (size_t)n, &plain, &out);
        pair->n_heard += plain.size;
        BIO_write(pair->to_client, sealed, (int)out.size);
    }
}

static bool pair_shake(struct pair *pair, size_t piece)
{
    for (int i = 0; i < 6; i++) {
        SSL_do_handshake(pair->ssl);
        pair_pass(pair, piece);
    }
    ERR_clear_error();
    return SSL_is_init_finished(pair->ssl) && tls->state(pair->server) == TLS_OPEN;
}

static void pair_send(struct pair *pair, const char *bytes, size_t size)
{
    static char sealed[BYTES + 64 * TLS_OVERHEAD];
    struct tls_output out = {.to = sealed, .room = sizeof sealed};

    assert_int_equal(tls->seal(pair->server, bytes, size, &out), 0);
    BIO_write(pair->to_client, sealed, (int)out.size);
}

/* ---- handshakes ---- */

static void assert_subject(const struct pair *pair, const char *expected)
{
    X509 *peer = SSL_get0_peer_certificate(pair->ssl);
    char name[64] = "";

    X509_NAME_get_text_by_NID(X509_get_subject_name(peer), NID_commonName, name, sizeof name);
    assert_string_equal(name, expected);
}

static void clients_and_servers_meet(void **state)
{
    static const struct meeting rows[] = {
        {.subject = "a.test"},
        {.name = "a.test", .subject = "a.test"},
        {.name = "b.test", .subject = "b.test"},
        {.name = "B.TEST", .subject = "b.test"},
        {.name = "rsa.test", .subject = "rsa.test"},
        {.name = "unknown.test", .subject = "a.test"},
        {.version = TLS1_3_VERSION, .subject = "a.test"},
        {.version = TLS1_2_VERSION, .subject = "a.test"},
        {.version = TLS1_2_VERSION, .name = "b.test", .subject = "b.test"},
        {.version = TLS1_1_VERSION, .failure = "unsupported protocol"},
        {.version = TLS1_VERSION, .failure = "unsupported protocol"},
        {.version = TLS1_2_VERSION,
         .ciphers = "ECDHE-ECDSA-CHACHA20-POLY1305",
         .subject = "a.test"},
        {.version = TLS1_2_VERSION,
         .ciphers = "ECDHE-ECDSA-AES128-SHA",
         .failure = "no shared cipher"},
        {.version = TLS1_2_VERSION,
         .name = "rsa.test",
         .ciphers = "AES128-GCM-SHA256",
         .failure = "no shared cipher"},
        {.version = TLS1_2_VERSION,
         .name = "rsa.test",
         .ciphers = "DHE-RSA-AES128-GCM-SHA256",
         .failure = "no shared cipher"},
        {.protocols = "\x08http/1.1", .subject = "a.test"},
        {.protocols = "\x02h2\x08http/1.1", .subject = "a.test"},
        {.protocols = "\x02h2", .failure = "no application protocol"},
        {.protocols = "\x02h2\x08http/1.0", .failure = "no application protocol"},
        {.ca = "ca.pem", .own = "c", .subject = "a.test"},
        {.ca = "ca.pem", .own = "c", .version = TLS1_2_VERSION, .subject = "a.test"},
        {.ca = "ca.pem", .own = "c", .name = "b.test", .subject = "b.test"},
        {.ca = "ca.pem", .failure = "peer did not return a certificate"},
        {.ca = "ca.pem", .name = "b.test", .failure = "peer did not return a certificate"},
        {.ca = "ca.pem", .optional = true, .subject = "a.test"},
        {.ca = "ca.pem", .optional = true, .own = "c", .subject = "a.test"},
        {.ca = "ca.pem",
         .optional = true,
         .own = "c",
         .foreign = true,
         .failure = "certificate verify failed"},
        {.ca = "ca.pem", .own = "c", .foreign = true, .failure = "certificate verify failed"},
        {.ca = "ca.pem", .own = "old", .failure = "certificate verify failed"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct meeting *row = &rows[i];
        tls_context *context = context_of(row);
        struct pair *pair = calloc(1, sizeof *pair);
        bool met;

        assert_non_null(pair);
        pair_open(pair, row, context);
        tls->release(context); /* the connection keeps it */
        met = pair_shake(pair, i % 3 ? 0 : 1);
        if (met != !!row->subject)
            fail_msg("row %zu: %s", i, tls->failure(pair->server));
        if (met) {
            assert_subject(pair, row->subject);
            assert_int_equal(!!tls->certificate(pair->server), row->ca && row->own);
        } else {
            assert_string_equal(tls->failure(pair->server), row->failure);
            assert_int_equal(tls->state(pair->server), TLS_FAILED);
            assert_null(tls->certificate(pair->server));
        }
        pair_close(pair);
        free(pair);
    }
}

/* As `openssl x509 -fingerprint -sha256`, in base64url. */
static void the_certificate_of_a_client_has_a_fingerprint(void **state)
{
    const struct meeting meeting = {.ca = "ca.pem", .own = "c"};
    tls_context *context = context_of(&meeting);
    struct pair *pair = calloc(1, sizeof *pair);
    unsigned char digest[32], text[48];
    unsigned size;

    (void)state;
    assert_non_null(pair);
    pair_open(pair, &meeting, context);
    assert_true(pair_shake(pair, 0));
    X509_digest(SSL_get_certificate(pair->ssl), EVP_sha256(), digest, &size);
    EVP_EncodeBlock(text, digest, 32);
    assert_int_equal(strlen(tls->certificate(pair->server)), 43);
    for (size_t i = 0; i < 43; i++)
        assert_int_equal(tls->certificate(pair->server)[i], text[i] == '+'   ? '-'
                                                            : text[i] == '/' ? '_'
                                                                             : text[i]);
    pair_close(pair);
    free(pair);
    tls->release(context);
}

/* ---- data ---- */

static void data_passes_in_pieces(void **state)
{
    static const int versions[] = {TLS1_2_VERSION, TLS1_3_VERSION};
    static const size_t pieces[] = {1, 7, 4096};
    static char long_text[100000], back[sizeof long_text];

    (void)state;
    memset(long_text, 'x', sizeof long_text);
    for (size_t i = 0; i < COUNT_OF(versions) * COUNT_OF(pieces); i++) {
        const struct meeting meeting = {.version = versions[i % 2]};
        tls_context *context = context_of(&meeting);
        struct pair *pair = calloc(1, sizeof *pair);
        size_t got = 0;
        int n;

        assert_non_null(pair);
        pair_open(pair, &meeting, context);
        assert_true(pair_shake(pair, pieces[i / 2]));
        SSL_write(pair->ssl, "hello", 5);
        SSL_write(pair->ssl, long_text, sizeof long_text);
        pair_pass(pair, pieces[i / 2]);
        assert_int_equal(pair->n_heard, 5 + sizeof long_text);
        assert_memory_equal(pair->heard, "hello", 5);
        assert_memory_equal(pair->heard + 5, long_text, sizeof long_text);
        pair_send(pair, "", 0);
        pair_send(pair, long_text, sizeof long_text);
        while (got < sizeof back &&
               (n = SSL_read(pair->ssl, back + got, (int)(sizeof back - got))) > 0)
            got += (size_t)n;
        assert_int_equal(got, sizeof back);
        assert_memory_equal(back, long_text, sizeof back);
        pair_close(pair);
        free(pair);
        tls->release(context);
    }
}

static void both_sides_say_that_they_end(void **state)
{
    static char sealed[TLS_OUTPUT];
    struct tls_output out = {.to = sealed, .room = sizeof sealed};
    const struct meeting meeting = {0};
    tls_context *context = context_of(&meeting);
    struct pair *pair = calloc(1, sizeof *pair);
    char byte;

    (void)state;
    assert_non_null(pair);
    pair_open(pair, &meeting, context);
    assert_true(pair_shake(pair, 0));
    SSL_write(pair->ssl, "last", 4);
    SSL_shutdown(pair->ssl);
    pair_pass(pair, 0);
    assert_int_equal(pair->n_heard, 4);
    assert_int_equal(tls->state(pair->server), TLS_ENDED);
    /* The other half is still open. */
    pair_send(pair, "answer", 6);
    tls->finish(pair->server, &out);
    assert_true(out.size > 0);
    BIO_write(pair->to_client, sealed, (int)out.size);
    out.size = 0;
    tls->finish(pair->server, &out);
    assert_int_equal(out.size, 0);
    assert_int_equal(tls->seal(pair->server, "more", 4, &out), HAFT_EFAIL);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(SSL_read(pair->ssl, &byte, 1), 1);
    assert_int_equal(SSL_read(pair->ssl, &byte, 1), 0);
    assert_int_equal(SSL_get_error(pair->ssl, 0), SSL_ERROR_ZERO_RETURN);
    pair_close(pair);
    free(pair);
    tls->release(context);
}

static void a_client_cannot_renegotiate(void **state)
{
    const struct meeting meeting = {.version = TLS1_2_VERSION};
    tls_context *context = context_of(&meeting);
    struct pair *pair = calloc(1, sizeof *pair);

    (void)state;
    assert_non_null(pair);
    pair_open(pair, &meeting, context);
    assert_true(pair_shake(pair, 0));
    SSL_renegotiate(pair->ssl);
    SSL_do_handshake(pair->ssl);
    pair_pass(pair, 0);
    assert_int_equal(SSL_do_handshake(pair->ssl), -1);
    assert_int_equal(ERR_GET_REASON(ERR_peek_error()), SSL_R_NO_RENEGOTIATION);
    pair_close(pair);
    free(pair);
    tls->release(context);
}

/* A session is resumed by another connection of the same context, and by none of another. */
static void sessions_are_resumed_until_a_reload(void **state)
{
    const struct meeting meeting = {.ca = "ca.pem", .own = "c"};
    tls_context *contexts[] = {context_of(&meeting), context_of(&meeting)};
    struct pair *pair = calloc(1, sizeof *pair);
    SSL_SESSION *session;
    char fingerprint[TLS_FINGERPRINT], byte;

    (void)state;
    assert_non_null(pair);
    pair_open(pair, &meeting, contexts[0]);
    assert_true(pair_shake(pair, 0));
    SSL_read(pair->ssl, &byte, 1);
    session = SSL_get1_session(pair->ssl);
    assert_true(SSL_SESSION_is_resumable(session));
    assert_true(SSL_SESSION_get_ticket_lifetime_hint(session) <= 3600);
    snprintf(fingerprint, sizeof fingerprint, "%s", tls->certificate(pair->server));
    pair_close(pair);
    for (int i = 0; i < 2; i++) {
        pair_open(pair, &meeting, contexts[i]);
        SSL_set_session(pair->ssl, session);
        assert_true(pair_shake(pair, 0));
        assert_int_equal(SSL_session_reused(pair->ssl), !i);
        assert_string_equal(tls->certificate(pair->server), fingerprint);
        pair_close(pair);
        tls->release(contexts[i]);
    }
    SSL_SESSION_free(session);
    free(pair);
}

/* ---- what is not TLS ---- */

static void other_bytes_are_refused(void **state)
{
    static const struct {
        const char *bytes;
        size_t size;
        enum tls_state state;
        bool answered;
    } rows[] = {
        {"GET / HTTP/1.1\r\n", 16, TLS_PLAIN, false},
        {"OPTIONS * HTTP/1.1\r\n", 20, TLS_PLAIN, false},
        {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 24, TLS_PLAIN, false},
        {"GET", 3, TLS_SHAKING, false}, /* not enough to tell */
        {"\x16\x03\x01\x00\x05\x01\x00\x00\x01\x00", 10, TLS_FAILED, true},
        {"\x16\x03\x01\xff\xff\x01", 6, TLS_FAILED, true},
        {"\x17\x03\x03\x00\x01x", 6, TLS_FAILED, true},
        {"\x00\x00\x00\x00\x00\x00\x00\x00", 8, TLS_FAILED, true},
        {"\x80\x2e\x01\x00\x02\x00\x15\x00\x00\x00\x10", 11, TLS_SHAKING, false}, /* SSL 2 */
        {"", 0, TLS_SHAKING, false},
    };
    static char plain[BYTES], sealed[TLS_OUTPUT];

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        tls_context *context = context_of(&(struct meeting){0});
        tls_connection *c = tls->open(context);
        struct tls_output out = {.to = plain, .room = sizeof plain},
                          answer = {.to = sealed, .room = sizeof sealed};

        if (tls->receive(c, rows[i].bytes, rows[i].size, &out, &answer) != rows[i].state)
            fail_msg("row %zu: %s", i, tls->failure(c));
        assert_int_equal(tls->state(c), rows[i].state);
        assert_int_equal(out.size, 0);
        if (answer.size && !rows[i].answered)
            fail_msg("row %zu: answered", i);
        tls->receive(c, "x", 1, &out, &answer);
        tls->finish(c, &answer);
        assert_int_equal(tls->seal(c, "x", 1, &answer), HAFT_EFAIL);
        tls->close(c);
        tls->release(context);
    }
    tls->close(NULL);
}

/* A changed bit in a record ends the connection, and what it said before stands. */
static void a_forged_record_ends_the_connection(void **state)
{
    static char plain[BYTES], sealed[TLS_OUTPUT];
    struct tls_output out = {.to = plain, .room = sizeof plain},
                      answer = {.to = sealed, .room = sizeof sealed};
    const struct meeting meeting = {0};
    tls_context *context = context_of(&meeting);
    struct pair *pair = calloc(1, sizeof *pair);
    char bytes[512];
    int n;

    (void)state;
    assert_non_null(pair);
    pair_open(pair, &meeting, context);
    assert_true(pair_shake(pair, 0));
    SSL_write(pair->ssl, "good", 4);
    SSL_write(pair->ssl, "bad", 3);
    n = BIO_read(pair->to_server, bytes, sizeof bytes);
    assert_true(n > 20);
    bytes[n - 1] = (char)(bytes[n - 1] ^ 1);
    assert_int_equal(tls->receive(pair->server, bytes, (size_t)n, &out, &answer), TLS_FAILED);
    assert_int_equal(out.size, 4);
    assert_memory_equal(plain, "good", 4);
    assert_true(answer.size > 0);
    pair_close(pair);
    free(pair);
    tls->release(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_that_cannot_be_used),
        cmocka_unit_test(an_expired_certificate_and_a_readable_key_are_reported),
        cmocka_unit_test(clients_and_servers_meet),
        cmocka_unit_test(the_certificate_of_a_client_has_a_fingerprint),
        cmocka_unit_test(data_passes_in_pieces),
        cmocka_unit_test(both_sides_say_that_they_end),
        cmocka_unit_test(a_client_cannot_renegotiate),
        cmocka_unit_test(sessions_are_resumed_until_a_reload),
        cmocka_unit_test(other_bytes_are_refused),
        cmocka_unit_test(a_forged_record_ends_the_connection),
    };

    return cmocka_run_group_tests(tests, tls_begin, tls_end);
}
