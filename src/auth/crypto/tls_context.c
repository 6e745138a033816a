/* tls_context.c - certificates of a server and the settings of TLS: versions 1.2 and 1.3, ciphers with
 * forward secrecy and authentication, HTTP/1.1 as the only protocol, no renegotiation, no compression,
 * no early data.
 *
 * Every certificate has its own SSL_CTX, all with the same settings; the first accepts connections,
 * and the name that a client asks for may choose another. Tickets belong to the first, so that a
 * session can be resumed whatever its name, and end with it: new files make old sessions void. */
#include <errno.h>
#include <openssl/err.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "auth/crypto/tls_room.h"

enum {
    TLS_TICKET_SECONDS = 3600,
    TLS_SECURITY = 2,          /* of OpenSSL: keys as strong as 112 bits, such as RSA with 2048 */
    TLS_MAX_CHAIN = 64 << 10,  /* so that a handshake fits into TLS_OUTPUT */
    TLS_MAX_CLIENT = 32 << 10, /* of the certificates that a client sends */
    TLS_MAX_CERTIFICATES = 256
};

/* ---- errors ---- */

/* Fills in the reason; `why` may be NULL: the reason of OpenSSL. */
static int tls_context_refuse(haft_reason *reason, const char *path, const char *what,
                              const char *why)
{
    unsigned long code = ERR_peek_error();
    const char *known =
        ERR_GET_REASON(code) == ERR_R_MALLOC_FAILURE ? NULL : ERR_reason_error_string(code);
    bool no_memory = !why && !known;

    if (reason) {
        *reason = (haft_reason){.code = no_memory ? HAFT_ENOMEM : HAFT_EINVAL};
        snprintf(reason->path, sizeof reason->path, "%s", path);
        snprintf(reason->text, sizeof reason->text, "%s%s%s", no_memory ? "out of memory" : what,
                 no_memory ? "" : ": ",
                 no_memory ? ""
                 : why     ? why
                           : known);
    }
    ERR_clear_error();
    return HAFT_EINVAL;
}

/* OpenSSL's own words for a file that is absent are about its internals. */
static int tls_context_check_file(const char *path, const char *what, haft_reason *reason)
{
    FILE *file = fopen(path, "re");
    int first = file ? getc(file) : 0, error = errno;

    if (file)
        fclose(file);
    if (file && first != EOF)
        return 0;
    return tls_context_refuse(reason, path, what, file ? "the file is empty" : strerror(error));
}

/* ---- certificates ---- */

/* Without this OpenSSL would ask for a password on the terminal. */
static int tls_context_no_password(char *buffer, int size, int writing, void *context)
{
    (void)buffer, (void)size, (void)writing;
    *(bool *)context = true;
    return -1;
}

static void tls_context_check_dates(const struct tls_options *options, SSL_CTX *ctx,
                                    const char *path)
{
    const X509 *leaf = SSL_CTX_get0_certificate(ctx);
    bool early = X509_cmp_current_time(X509_get0_notBefore(leaf)) > 0;
    bool late = X509_cmp_current_time(X509_get0_notAfter(leaf)) < 0;
    char text[512];

    if (!options->warn || (!early && !late))
        return;
    snprintf(text, sizeof text, "the TLS certificate in %s %s", path,
             late ? "has expired" : "is not valid yet");
    options->warn(options->warn_context, text);
}

/* A group may be what lets the service read it. */
static void tls_context_check_mode(const struct tls_options *options, const char *key)
{
    struct stat file;
    char text[512];

    if (!options->warn || stat(key, &file) || !S_ISREG(file.st_mode) ||
        !(file.st_mode & (S_IWGRP | S_IRWXO)))
        return;
    snprintf(text, sizeof text, "mode %04o lets other users read or change the private key in %s",
             (unsigned)(file.st_mode & 07777), key);
    options->warn(options->warn_context, text);
}

static int tls_context_check_size(SSL_CTX *ctx, const char *path, haft_reason *reason)
{
    STACK_OF(X509) *chain = NULL;
    int size = i2d_X509(SSL_CTX_get0_certificate(ctx), NULL);

    SSL_CTX_get0_chain_certs(ctx, &chain);
    for (int i = 0; i < sk_X509_num(chain) && size <= TLS_MAX_CHAIN; i++)
        size += i2d_X509(sk_X509_value(chain, i), NULL);
    return size <= TLS_MAX_CHAIN ? 0
                                 : tls_context_refuse(reason, path, "cannot use the certificate",
                                                      "its chain is larger than 64 KiB");
}

static int tls_context_load(SSL_CTX *ctx, const struct tls_options *options,
                            const char *certificate, const char *key, haft_reason *reason)
{
    bool has_password = false;
    const char *wrong = "cannot use the private key";

    if (tls_context_check_file(certificate, "cannot read the certificate", reason) ||
        tls_context_check_file(key, "cannot read the private key", reason))
        return HAFT_EINVAL;
    SSL_CTX_set_default_passwd_cb(ctx, tls_context_no_password);
    SSL_CTX_set_default_passwd_cb_userdata(ctx, &has_password);
    if (SSL_CTX_use_certificate_chain_file(ctx, certificate) != 1)
        return tls_context_refuse(reason, certificate, "cannot use the certificate",
                                  ERR_GET_REASON(ERR_peek_error()) == PEM_R_NO_START_LINE
                                      ? "the file contains no certificate in PEM"
                                      : NULL);
    if (SSL_CTX_use_PrivateKey_file(ctx, key, SSL_FILETYPE_PEM) != 1) {
        int why = ERR_GET_REASON(ERR_peek_last_error()), first = ERR_GET_REASON(ERR_peek_error());

        return tls_context_refuse(reason, key, wrong,
                                  has_password ? "it is encrypted with a password"
                                  : why == X509_R_KEY_VALUES_MISMATCH ||
                                          why == X509_R_KEY_TYPE_MISMATCH
                                      ? "it does not belong to the certificate"
                                  : first == PEM_R_NO_START_LINE || first == ERR_R_UNSUPPORTED
                                      ? "the file contains no private key in PEM"
                                      : NULL);
    }
    if (SSL_CTX_check_private_key(ctx) != 1)
        return tls_context_refuse(reason, key, wrong, "it does not belong to the certificate");
    SSL_CTX_set_default_passwd_cb_userdata(ctx, NULL);
    SSL_CTX_set_default_passwd_cb(ctx, NULL);
    tls_context_check_dates(options, ctx, certificate);
    tls_context_check_mode(options, key);
    return tls_context_check_size(ctx, certificate, reason);
}

static int tls_context_load_authorities(SSL_CTX *ctx, const struct tls_options *options,
                                        haft_reason *reason)
{
    static const char what[] = "cannot use the authorities of client certificates";
    STACK_OF(X509_NAME) * names;

    if (tls_context_check_file(options->client_ca, what, reason))
        return HAFT_EINVAL;
    names = SSL_load_client_CA_file(options->client_ca);
    if (!names || SSL_CTX_load_verify_file(ctx, options->client_ca) != 1) {
        bool empty = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;

        sk_X509_NAME_pop_free(names, X509_NAME_free);
        return tls_context_refuse(reason, options->client_ca, what,
                                  empty ? "the file contains no certificate in PEM" : NULL);
    }
    SSL_CTX_set_client_CA_list(ctx, names);
    SSL_CTX_set_verify(
        ctx, SSL_VERIFY_PEER | (options->client_optional ? 0 : SSL_VERIFY_FAIL_IF_NO_PEER_CERT),
        NULL);
    return 0;
}

/* ---- settings ---- */

/* A client that offers protocols, and HTTP/1.1 is not among them, is refused: it would take the
 * answer for something else. */
static int tls_context_on_protocols(SSL *ssl, const unsigned char **ret_name,
                                    unsigned char *ret_size, const unsigned char *offered,
                                    unsigned int size, void *context)
{
    static const unsigned char name[] = "http/1.1";

    (void)ssl, (void)context;
    for (unsigned i = 0; i < size; i += offered[i] + 1u) {
        if (offered[i] != sizeof name - 1 || i + offered[i] >= size ||
            memcmp(offered + i + 1, name, sizeof name - 1) != 0)
            continue;
        *ret_name = name;
        *ret_size = sizeof name - 1;
        return SSL_TLSEXT_ERR_OK;
    }
    return SSL_TLSEXT_ERR_ALERT_FATAL;
}

static int tls_context_on_name(SSL *ssl, int *alert, void *data)
{
    const tls_context *context = data;
    const char *name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name);

    (void)alert;
    for (size_t i = 0; name && i < context->n_certificates; i++) {
        X509 *leaf = SSL_CTX_get0_certificate(context->certificates[i]);

        if (X509_check_host(leaf, name, 0, 0, NULL) == 1)
            return SSL_set_SSL_CTX(ssl, context->certificates[i]) ? SSL_TLSEXT_ERR_OK
                                                                  : SSL_TLSEXT_ERR_ALERT_FATAL;
    }
    return SSL_TLSEXT_ERR_OK;
}

/* Session ids of a server that asks for certificates must not be accepted by another one. */
static bool tls_context_name_sessions(SSL_CTX *ctx, const unsigned char *name, unsigned size)
{
    return SSL_CTX_set_session_id_context(ctx, name, size) == 1;
}

static bool tls_context_set(SSL_CTX *ctx, tls_context *context)
{
    static const char ciphers[] =
        "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:"
        "ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305";
    static const char suites[] =
        "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256";

    if (SSL_CTX_get_security_level(ctx) < TLS_SECURITY)
        SSL_CTX_set_security_level(ctx, TLS_SECURITY);
    SSL_CTX_set_options(ctx, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
    SSL_CTX_clear_options(ctx, SSL_OP_NO_TICKET | SSL_OP_LEGACY_SERVER_CONNECT |
                                   SSL_OP_ALLOW_UNSAFE_LEGACY_RENEGOTIATION);
    /* The memory of buffers is freed while a connection is idle. */
    SSL_CTX_set_mode(ctx, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_timeout(ctx, TLS_TICKET_SECONDS);
    SSL_CTX_set_num_tickets(ctx, 1);
    SSL_CTX_set_max_early_data(ctx, 0);
    SSL_CTX_set_max_cert_list(ctx, TLS_MAX_CLIENT);
    SSL_CTX_set_alpn_select_cb(ctx, tls_context_on_protocols, NULL);
    SSL_CTX_set_tlsext_servername_callback(ctx, tls_context_on_name);
    SSL_CTX_set_tlsext_servername_arg(ctx, context);
    return SSL_CTX_set_min_proto_version(ctx, TLS1_2_VERSION) == 1 &&
           SSL_CTX_set_max_proto_version(ctx, TLS1_3_VERSION) == 1 &&
           SSL_CTX_set_cipher_list(ctx, ciphers) == 1 && SSL_CTX_set_ciphersuites(ctx, suites) == 1;
}

/* ---- life ---- */

static int tls_context_add(tls_context *context, const struct tls_options *options,
                           const char *certificate, const char *key, const unsigned char *name,
                           haft_reason *reason)
{
    SSL_CTX *ctx = SSL_CTX_new(TLS_server_method());
    int status;

    if (!ctx)
        return tls_context_refuse(reason, certificate, "cannot set up TLS", NULL);
    context->certificates[context->n_certificates++] = ctx;
    if (!tls_context_set(ctx, context) ||
        !tls_context_name_sessions(ctx, name, SSL_MAX_SID_CTX_LENGTH))
        return tls_context_refuse(reason, certificate, "cannot set up TLS", NULL);
    status = tls_context_load(ctx, options, certificate, key, reason);
    return status || !options->client_ca ? status
                                         : tls_context_load_authorities(ctx, options, reason);
}

static tls_context *tls_context_allocate(size_t n)
{
    tls_context *context = calloc(1, sizeof *context + n * sizeof *context->certificates);

    if (!context)
        return NULL;
    atomic_init(&context->references, 1);
    context->method = hf_tls_make_method();
    if (context->method)
        return context;
    free(context);
    return NULL;
}

tls_context *hf_tls_context_create(const struct tls_options *options, haft_reason *reterr_reason)
{
    unsigned char name[SSL_MAX_SID_CTX_LENGTH];
    tls_context *context;
    size_t n = 0;

    while (options->certificates && options->certificates[n] && n <= TLS_MAX_CERTIFICATES)
        n++;
    if (!n || n > TLS_MAX_CERTIFICATES) {
        tls_context_refuse(reterr_reason, "", "cannot set up TLS",
                           n ? "more than 256 certificates" : "no certificate");
        return NULL;
    }
    context = tls_context_allocate(n);
    if (!context || RAND_bytes(name, sizeof name) != 1) {
        tls_context_refuse(reterr_reason, options->certificates[0], "cannot set up TLS", NULL);
        hf_tls_context_release(context);
        return NULL;
    }
    for (size_t i = 0, n_keys = 0; i < n; i++) {
        bool has_key = options->keys && n_keys == i && options->keys[i];
        const char *key = has_key ? options->keys[i] : options->certificates[i];

        n_keys += has_key;
        if (tls_context_add(context, options, options->certificates[i], key, name, reterr_reason)) {
            hf_tls_context_release(context);
            return NULL;
        }
    }
    ERR_clear_error();
    return context;
}

void hf_tls_context_keep(tls_context *context)
{
    atomic_fetch_add_explicit(&context->references, 1, memory_order_relaxed);
}

void hf_tls_context_release(tls_context *context)
{
    if (!context || atomic_fetch_sub_explicit(&context->references, 1, memory_order_acq_rel) != 1)
        return;
    for (size_t i = 0; i < context->n_certificates; i++)
        SSL_CTX_free(context->certificates[i]);
    BIO_meth_free(context->method);
    free(context);
}
