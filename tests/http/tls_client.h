/* tls_client.h - a server with TLS on a thread of its own, and a client of OpenSSL. */
#ifndef HAFT_TESTS_TLS_CLIENT_H
#define HAFT_TESTS_TLS_CLIENT_H

#include "http/site.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include "http/authority.h"

struct secret {
    SSL_CTX *ctx;
    SSL *ssl;
    int fd;
};

/* Connects; the handshake is done unless `ret_failed` is given and says otherwise. */
HAFT_MAYBE_UNUSED_ static struct secret secret_dial(const struct site *site,
                                                    const struct authority *authority,
                                                    const char *own, bool *ret_failed)
{
    struct secret secret = {.ctx = SSL_CTX_new(TLS_client_method()), .fd = dial(site)};
    char path[AUTHORITY_PATH], name[32];
    bool shaken;

    SSL_CTX_load_verify_file(secret.ctx, authority_file(authority, "ca.pem", path));
    SSL_CTX_set_verify(secret.ctx, SSL_VERIFY_PEER, NULL);
    if (own) {
        snprintf(name, sizeof name, "%s.pem", own);
        SSL_CTX_use_certificate_chain_file(secret.ctx, authority_file(authority, name, path));
        snprintf(name, sizeof name, "%s.key", own);
        SSL_CTX_use_PrivateKey_file(secret.ctx, authority_file(authority, name, path),
                                    SSL_FILETYPE_PEM);
    }
    secret.ssl = SSL_new(secret.ctx);
    SSL_set_fd(secret.ssl, secret.fd);
    shaken = SSL_connect(secret.ssl) == 1;
    if (ret_failed)
        *ret_failed = !shaken;
    else
        assert_true(shaken);
    return secret;
}

HAFT_MAYBE_UNUSED_ static void secret_close(struct secret *secret)
{
    SSL_set_shutdown(secret->ssl, SSL_SENT_SHUTDOWN);
    SSL_free(secret->ssl);
    SSL_CTX_free(secret->ctx);
    close(secret->fd);
    ERR_clear_error();
}

HAFT_MAYBE_UNUSED_ static void secret_say(struct secret *secret, const char *text, size_t size)
{
    while (size) {
        int n = SSL_write(secret->ssl, text, size > 1 << 20 ? 1 << 20 : (int)size);

        if (n <= 0)
            fail_msg("cannot write: %d", SSL_get_error(secret->ssl, n));
        text += n;
        size -= (size_t)n;
    }
}

/* Reads until `part` has come so many times, or, if it is NULL, until the end, which must be a
 * close_notify. Returns the number of bytes. */
HAFT_MAYBE_UNUSED_ static size_t secret_hear(struct secret *secret, char *text, size_t room,
                                             const char *part, size_t times)
{
    size_t size = 0, n;

    for (text[0] = '\0'; !part || count_of(text, part) < times; size += n, text[size] = '\0') {
        int status = SSL_read_ex(secret->ssl, text + size, room - size - 1, &n);
        int error = SSL_get_error(secret->ssl, status);

        if (!part && error == SSL_ERROR_ZERO_RETURN)
            return size;
        if (status != 1)
            fail_msg("the end (%d) came after: %s", error, text);
    }
    return size;
}

#endif
