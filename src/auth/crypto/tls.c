/* tls.c - connections with TLS. OpenSSL reads what the caller has received, and writes to memory of the
 * caller, both through a BIO without buffers; an incomplete record is all that it keeps. */
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/x509.h>
#include <stdlib.h>
#include <string.h>

#include "auth/crypto/tls_room.h"

struct tls_connection {
    tls_context *context;
    SSL *ssl;
    const char *input; /* bytes that are still to be read, within a call */
    size_t input_size;
    struct tls_output *output; /* records, within a call */
    const char *failure;
    uint8_t state;                     /* enum tls_state */
    bool begun, lettered;              /* a byte has come; the first one was a letter */
    bool finished;                     /* close_notify was sent */
    char certificate[TLS_FINGERPRINT]; /* "" if there is none */
};

/* ---- the BIO ---- */

static int tls_on_read(BIO *bio, char *to, size_t room, size_t *ret_size)
{
    tls_connection *c = BIO_get_data(bio);
    size_t n = room < c->input_size ? room : c->input_size;

    BIO_clear_retry_flags(bio);
    if (!n) {
        BIO_set_retry_read(bio);
        return 0;
    }
    memcpy(to, c->input, n);
    c->input += n;
    c->input_size -= n;
    *ret_size = n;
    return 1;
}

static int tls_on_write(BIO *bio, const char *bytes, size_t size, size_t *ret_size)
{
    const tls_connection *c = BIO_get_data(bio);
    struct tls_output *output = c->output;

    BIO_clear_retry_flags(bio);
    if (!output || output->room - output->size < size)
        return 0;
    memcpy(output->to + output->size, bytes, size);
    output->size += size;
    *ret_size = size;
    return 1;
}

static long tls_on_control(BIO *bio, int command, long number, void *pointer)
{
    (void)bio, (void)number, (void)pointer;
    return command == BIO_CTRL_FLUSH;
}

BIO_METHOD *hf_tls_make_method(void)
{
    BIO_METHOD *method = BIO_meth_new(BIO_TYPE_SOURCE_SINK, "haft");

    if (method && BIO_meth_set_read_ex(method, tls_on_read) == 1 &&
        BIO_meth_set_write_ex(method, tls_on_write) == 1 &&
        BIO_meth_set_ctrl(method, tls_on_control) == 1)
        return method;
    BIO_meth_free(method);
    return NULL;
}

/* ---- life ---- */

static void tls_close(tls_connection *c)
{
    if (!c)
        return;
    SSL_free(c->ssl);
    hf_tls_context_release(c->context);
    free(c);
}

static tls_connection *tls_open(tls_context *context)
{
    tls_connection *c = calloc(1, sizeof *c);
    BIO *bio;

    if (!c)
        return NULL;
    hf_tls_context_keep(context);
    c->context = context;
    c->ssl = SSL_new(context->certificates[0]);
    bio = c->ssl ? BIO_new(context->method) : NULL;
    if (!bio) {
        tls_close(c);
        ERR_clear_error();
        return NULL;
    }
    BIO_set_data(bio, c);
    BIO_set_init(bio, 1);
    SSL_set_bio(c->ssl, bio, bio);
    SSL_set_accept_state(c->ssl);
    return c;
}

/* ---- receiving ---- */

/* A peer that starts with a letter has not sent a record, but perhaps the method of a request; an
 * alert would not help it. */
static void tls_fail(tls_connection *c, size_t sent)
{
    const char *why = ERR_reason_error_string(ERR_peek_error());
    bool plain = c->state == TLS_SHAKING && c->lettered;

    c->failure = why ? why : "out of memory";
    c->state = plain ? TLS_PLAIN : TLS_FAILED;
    if (plain)
        c->output->size = sent;
    ERR_clear_error();
}

static bool tls_identify(tls_connection *c)
{
    X509 *peer = SSL_get0_peer_certificate(c->ssl);
    unsigned char digest[EVP_MAX_MD_SIZE], text[TLS_FINGERPRINT + 1];
    unsigned size;

    if (!peer)
        return true;
    if (X509_digest(peer, EVP_sha256(), digest, &size) != 1)
        return false;
    EVP_EncodeBlock(text, digest, (int)size);
    for (size_t i = 0; i + 1 < TLS_FINGERPRINT; i++)
        c->certificate[i] = text[i] == '+' ? '-' : text[i] == '/' ? '_' : (char)text[i];
    return true;
}

static void tls_shake(tls_connection *c, size_t sent)
{
    int status = SSL_accept(c->ssl);

    if (status == 1 && tls_identify(c))
        c->state = TLS_OPEN;
    else if (status == 1 || SSL_get_error(c->ssl, status) != SSL_ERROR_WANT_READ)
        tls_fail(c, sent);
}

static void tls_read(tls_connection *c, struct tls_output *plain)
{
    size_t n;

    do {
        int status = SSL_read_ex(c->ssl, plain->to + plain->size, plain->room - plain->size, &n);

        if (status == 1) {
            plain->size += n;
            continue;
        }
        switch (SSL_get_error(c->ssl, status)) {
        case SSL_ERROR_WANT_READ:
            return;
        case SSL_ERROR_ZERO_RETURN:
            c->state = TLS_ENDED;
            return;
        default:
            tls_fail(c, 0);
            return;
        }
    } while (c->input_size || SSL_has_pending(c->ssl));
}

static enum tls_state tls_receive(tls_connection *c, const char *bytes, size_t size,
                                  struct tls_output *plain, struct tls_output *sealed)
{
    if (!size || c->state > TLS_OPEN)
        return c->state;
    if (!c->begun)
        c->lettered = bytes[0] >= 'A' && bytes[0] <= 'Z';
    c->begun = true;
    c->input = bytes;
    c->input_size = size;
    c->output = sealed;
    ERR_clear_error();
    if (c->state == TLS_SHAKING)
        tls_shake(c, sealed->size);
    if (c->state == TLS_OPEN)
        tls_read(c, plain);
    c->input = NULL;
    c->input_size = 0;
    c->output = NULL;
    return c->state;
}

/* ---- sending ---- */

static int tls_seal(tls_connection *c, const char *bytes, size_t size, struct tls_output *sealed)
{
    size_t n = 0;
    int status;

    if ((c->state != TLS_OPEN && c->state != TLS_ENDED) || c->finished)
        return HAFT_EFAIL;
    if (!size)
        return 0;
    c->output = sealed;
    ERR_clear_error();
    status = SSL_write_ex(c->ssl, bytes, size, &n);
    if (status != 1 || n != size)
        tls_fail(c, 0);
    c->output = NULL;
    return status == 1 && n == size ? 0 : HAFT_EFAIL;
}

static void tls_finish(tls_connection *c, struct tls_output *sealed)
{
    if (c->finished || (c->state != TLS_OPEN && c->state != TLS_ENDED))
        return;
    c->finished = true;
    c->output = sealed;
    SSL_shutdown(c->ssl);
    c->output = NULL;
    ERR_clear_error();
}

/* ---- asking ---- */

static enum tls_state tls_get_state(const tls_connection *c)
{
    return c->state;
}

static const char *tls_get_certificate(const tls_connection *c)
{
    return *c->certificate ? c->certificate : NULL;
}

static const char *tls_get_failure(const tls_connection *c)
{
    return c->failure ? c->failure : "";
}

const struct tls_functions hf_tls_functions = {
    .create = hf_tls_context_create,
    .keep = hf_tls_context_keep,
    .release = hf_tls_context_release,
    .open = tls_open,
    .close = tls_close,
    .receive = tls_receive,
    .seal = tls_seal,
    .finish = tls_finish,
    .state = tls_get_state,
    .certificate = tls_get_certificate,
    .failure = tls_get_failure,
};
