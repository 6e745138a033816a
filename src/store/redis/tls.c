/* tls.c - TLS to the server, where hiredis has it. */
#include "store/redis/room.h"

#if defined REDIS_HAS_TLS
#include <arpa/inet.h>
#include <hiredis/hiredis_ssl.h>
#include <openssl/ssl.h>

int hf_redis_tls_new(const struct redis_url *url, const haft_redis_options *options,
                     const struct redis_host *host, void **ret_tls, haft_reason *reterr_reason)
{
    SSL_CTX *context;
    const char *why = NULL;

    *ret_tls = NULL;
    if (!url->tls)
        return 0;
    context = SSL_CTX_new(TLS_client_method());
    if (!context)
        return host->error_set(reterr_reason, HAFT_ENOMEM, "url", "no memory for TLS");
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
    if (options->ca_file ? !SSL_CTX_load_verify_locations(context, options->ca_file, NULL)
                         : !SSL_CTX_set_default_verify_paths(context))
        why = "cannot read the trusted certificates of Redis";
    else if (options->certificate &&
             !SSL_CTX_use_certificate_chain_file(context, options->certificate))
        why = "cannot read the client certificate for Redis";
    else if (options->key && !SSL_CTX_use_PrivateKey_file(context, options->key, SSL_FILETYPE_PEM))
        why = "cannot read the private key for Redis";
    if (why) {
        SSL_CTX_free(context);
        return host->error_set(reterr_reason, HAFT_EINVAL, "options", "%s", why);
    }
    *ret_tls = context;
    return 0;
}

void hf_redis_tls_free(void *tls)
{
    SSL_CTX_free(tls);
}

/* hiredis itself would not compare the name of the server with its certificate. */
int hf_redis_tls_start(void *tls, redisContext *context, const char *host, void **ret_connection)
{
    struct in6_addr address;
    bool is_address =
        inet_pton(AF_INET, host, &address) == 1 || inet_pton(AF_INET6, host, &address) == 1;
    SSL *ssl = SSL_new(tls);
    bool ok = ssl;

    if (ok && is_address)
        ok = X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host);
    else if (ok)
        ok = SSL_set1_host(ssl, host) && SSL_set_tlsext_host_name(ssl, host);
    if (!ok) {
        SSL_free(ssl);
        return HAFT_ENOMEM;
    }
    if (redisInitiateSSL(context, ssl) != REDIS_OK)
        return HAFT_EFAIL;
    *ret_connection = ssl;
    return 0;
}

bool hf_redis_tls_wants_read(void *connection)
{
    return SSL_want_read((SSL *)connection);
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

int hf_redis_tls_start(void *tls, redisContext *context, const char *host, void **ret_connection)
{
    (void)tls;
    (void)context;
    (void)host;
    (void)ret_connection;
    return HAFT_EFAIL;
}

bool hf_redis_tls_wants_read(void *connection)
{
    (void)connection;
    return false;
}
#endif
