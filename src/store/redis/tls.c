/* tls.c - TLS to the server, where hiredis has it. */
#include "store/redis/room.h"

#if defined REDIS_HAS_TLS
#include <arpa/inet.h>
#include <hiredis/hiredis_ssl.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

/* Reads the files. Returns NULL, or what is wrong with *ret_file. */
static const char *redis_tls_read(SSL_CTX *context, const haft_redis_options *options,
                                  const char **ret_file)
{
    *ret_file = options->ca_file;
    if (*ret_file ? !SSL_CTX_load_verify_locations(context, *ret_file, NULL)
                  : !SSL_CTX_set_default_verify_paths(context))
        return "cannot read the trusted certificates of Redis";
    *ret_file = options->certificate;
    if (*ret_file && !SSL_CTX_use_certificate_chain_file(context, *ret_file))
        return "cannot read the client certificate for Redis";
    *ret_file = options->key;
    if (*ret_file && !SSL_CTX_use_PrivateKey_file(context, *ret_file, SSL_FILETYPE_PEM))
        return "cannot read the private key for Redis, or it does not belong to the certificate";
    if (!options->certificate != !options->key)
        return "a certificate for Redis and its private key are needed together";
    return NULL;
}

int hf_redis_tls_new(const struct redis_url *url, const haft_redis_options *options,
                     const struct redis_host *host, void **ret_tls, haft_reason *reterr_reason)
{
    SSL_CTX *context;
    const char *why, *file;

    *ret_tls = NULL;
    if (!url->tls)
        return 0;
    context = SSL_CTX_new(TLS_client_method());
    if (!context)
        return host->error_set(reterr_reason, HAFT_ENOMEM, "url", "no memory for TLS");
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
    why = redis_tls_read(context, options, &file);
    if (why) {
        SSL_CTX_free(context);
        return host->error_set(reterr_reason, HAFT_EINVAL, "options", "%s%s%.120s", why,
                               file ? ": " : "", file ? file : "");
    }
    *ret_tls = context;
    return 0;
}

void hf_redis_tls_free(void *tls)
{
    SSL_CTX_free(tls);
}

const char *hf_redis_tls_reason(void *connection)
{
    long trust = SSL_get_verify_result((SSL *)connection);
    unsigned long error = ERR_peek_last_error();

    if (trust != X509_V_OK)
        return X509_verify_cert_error_string(trust);
    return error ? ERR_reason_error_string(error) : NULL;
}

/* hiredis itself would not compare the name of the server with its certificate. */
const char *hf_redis_tls_start(void *tls, redisContext *context, const char *host,
                               void **ret_connection)
{
    struct in6_addr address;
    bool is_address =
        inet_pton(AF_INET, host, &address) == 1 || inet_pton(AF_INET6, host, &address) == 1;
    SSL *ssl = SSL_new(tls);
    const char *why;
    bool ok = ssl;

    if (ok && is_address)
        ok = X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host);
    else if (ok)
        ok = SSL_set1_host(ssl, host) && SSL_set_tlsext_host_name(ssl, host);
    if (!ok) {
        SSL_free(ssl);
        return "no memory for TLS";
    }
    if (redisInitiateSSL(context, ssl) != REDIS_OK) {
        why = hf_redis_tls_reason(ssl);
        SSL_free(ssl);
        return why ? why : "cannot start TLS";
    }
    *ret_connection = ssl;
    return NULL;
}

bool hf_redis_tls_wants_read(void *connection)
{
    return SSL_want_read((SSL *)connection);
}

/* hiredis does not do it, and OpenSSL takes an older error of the thread for one of the connection. */
void hf_redis_tls_prepare(void)
{
    ERR_clear_error();
}

#else

int hf_redis_tls_new(const struct redis_url *url, const haft_redis_options *options,
                     const struct redis_host *host, void **ret_tls, haft_reason *reterr_reason)
{
    (void)options;
    *ret_tls = NULL;
    if (!url->tls)
        return 0;
    return host->error_set(reterr_reason, HAFT_EINVAL, "url",
                           "rediss:// needs hiredis 1.0 or later with TLS; this libhaft-redis was "
                           "built without it; use redis:// through stunnel, or a Unix socket");
}

void hf_redis_tls_free(void *tls)
{
    (void)tls;
}

const char *hf_redis_tls_start(void *tls, redisContext *context, const char *host,
                               void **ret_connection)
{
    (void)tls;
    (void)context;
    (void)host;
    (void)ret_connection;
    return "TLS is missing";
}

bool hf_redis_tls_wants_read(void *connection)
{
    (void)connection;
    return false;
}

const char *hf_redis_tls_reason(void *connection)
{
    (void)connection;
    return NULL;
}

void hf_redis_tls_prepare(void)
{
}
#endif
