/* secure.c - between the sockets of the HTTP server and TLS.
 *
 * Received bytes are decrypted as they come, into a buffer of the loop, and then take the way of plain
 * HTTP. Responses are encrypted when the socket is ready for them (write.c). */
#include "http/secure.h"

#include <string.h>

#include "part/crypto.h"

struct secure_source {
    const struct tls_functions *functions;
    haft_server *server;
    struct tls_options options;
    uv_mutex_t lock;
    tls_context *context; /* under the lock */
};

/* ---- certificates ---- */

bool hf_secure_is_wanted(const haft_http_options *options)
{
    return options->tls_certificates && options->tls_certificates[0];
}

static void secure_on_warning(void *context, const char *text)
{
    hf_server_log(context, HAFT_WARNING, "%s", text);
}

static int secure_fill(struct secure_source *source, haft_reason *reason)
{
    const struct crypto_functions *crypto = hf_crypto_open("TLS", reason);

    if (!crypto)
        return HAFT_EINVAL;
    source->functions = crypto->tls;
    source->context = crypto->tls->create(&source->options, reason);
    if (!source->context)
        return HAFT_EINVAL;
    if (!uv_mutex_init(&source->lock))
        return 0;
    crypto->tls->release(source->context);
    return hf_error_set(reason, HAFT_ENOMEM, NULL, "out of memory");
}

int hf_secure_source_new(haft_server *server, const haft_http_options *options,
                         struct secure_source **ret_source, haft_reason *reterr_reason)
{
    const haft_allocator *allocator = server->allocator;
    haft_reason reason = {0};
    struct secure_source *source;

    *ret_source = NULL;
    if (!hf_secure_is_wanted(options))
        return options->tls_client_ca || (options->tls_keys && options->tls_keys[0])
                   ? hf_error_set(reterr_reason, HAFT_EINVAL, "tls_certificates",
                                  "a key or an authority of client certificates is set, but no "
                                  "certificate of the server")
                   : 0;
    source = allocator->alloc(allocator->context, sizeof *source);
    if (!source)
        return hf_error_set(reterr_reason, HAFT_ENOMEM, NULL, "out of memory");
    *source = (struct secure_source){.server = server,
                                     .options = {.certificates = options->tls_certificates,
                                                 .keys = options->tls_keys,
                                                 .client_ca = options->tls_client_ca,
                                                 .client_optional = options->tls_client_optional,
                                                 .warn = secure_on_warning,
                                                 .warn_context = server}};
    if (secure_fill(source, &reason)) {
        allocator->release(allocator->context, source, sizeof *source);
        if (reterr_reason)
            *reterr_reason = reason;
        return reason.code ? reason.code : HAFT_EINVAL;
    }
    *ret_source = source;
    return 0;
}

void hf_secure_source_free(struct secure_source *source)
{
    if (!source)
        return;
    source->functions->release(source->context);
    uv_mutex_destroy(&source->lock);
    source->server->allocator->release(source->server->allocator->context, source, sizeof *source);
}

int hf_secure_source_reload(struct secure_source *source, haft_reason *reterr_reason)
{
    haft_reason reason = {0};
    tls_context *old, *context = source->functions->create(&source->options, &reason);

    if (!context) {
        if (reterr_reason)
            *reterr_reason = reason;
        return reason.code ? reason.code : HAFT_EINVAL;
    }
    uv_mutex_lock(&source->lock);
    old = source->context;
    source->context = context;
    uv_mutex_unlock(&source->lock);
    source->functions->release(old);
    return 0;
}

/* ---- a loop ---- */

struct secure *hf_secure_new(const haft_allocator *allocator, struct secure_source *source)
{
    struct secure *secure = allocator->alloc(allocator->context, sizeof *secure);

    if (secure)
        secure->source = source;
    return secure;
}

void hf_secure_free(const haft_allocator *allocator, struct secure *secure)
{
    if (secure)
        allocator->release(allocator->context, secure, sizeof *secure);
}

/* ---- connections ---- */

static const struct tls_functions *secure_tls(const struct connection *c)
{
    return c->http->secure->source->functions;
}

bool hf_secure_start(struct connection *c)
{
    struct secure_source *source = c->http->secure->source;
    tls_context *context;

    uv_mutex_lock(&source->lock);
    context = source->context;
    source->functions->keep(context);
    uv_mutex_unlock(&source->lock);
    c->tls = source->functions->open(context);
    source->functions->release(context);
    return c->tls;
}

void hf_secure_drop(struct connection *c)
{
    if (!c->tls)
        return;
    secure_tls(c)->close(c->tls);
    c->tls = NULL;
}

struct secure_input hf_secure_receive(struct connection *c, const char *bytes, size_t size)
{
    const struct tls_functions *tls = secure_tls(c);
    struct secure *secure = c->http->secure;
    struct tls_output plain = {.to = secure->plain, .room = sizeof secure->plain};
    struct tls_output sealed = {.to = secure->sealed, .room = sizeof secure->sealed};
    bool shaking = hf_secure_is_shaking(c);
    enum tls_state state = tls->receive(c->tls, bytes, size, &plain, &sealed);

    /* The time limit of the first request starts here. */
    if (shaking && state != TLS_SHAKING)
        c->since = loop_now(&c->http->loop);
    if (state == TLS_FAILED) {
        hf_server_log(c->http->server, HAFT_DEBUG, "TLS with %s failed: %s",
                      *c->peer ? c->peer : "a client", tls->failure(c->tls));
        /* So that the alert arrives. */
        c->lingers = true;
    }
    return (struct secure_input){plain.to, plain.size, sealed, state};
}

/* Small parts share a record; full records are not copied. */
int hf_secure_seal(struct connection *c, const uv_buf_t *bufs, unsigned n,
                   struct tls_output *sealed)
{
    const struct tls_functions *tls = secure_tls(c);
    char *gathered = c->http->secure->gathered;
    size_t held = 0;
    int status = 0;

    for (unsigned i = 0; !status && i < n; i++) {
        const char *bytes = bufs[i].base;
        size_t left = bufs[i].len;

        while (!status && left) {
            size_t whole = held ? 0 : i + 1 == n ? left : left - left % TLS_RECORD;
            size_t part = left < TLS_RECORD - held ? left : TLS_RECORD - held;

            if (whole) {
                status = tls->seal(c->tls, bytes, whole, sealed);
                part = whole;
            } else {
                memcpy(gathered + held, bytes, part);
                held += part;
            }
            if (!status && held == TLS_RECORD) {
                status = tls->seal(c->tls, gathered, held, sealed);
                held = 0;
            }
            bytes += part;
            left -= part;
        }
    }
    return status ? status : tls->seal(c->tls, gathered, held, sealed);
}

struct tls_output hf_secure_end(struct connection *c)
{
    struct secure *secure = c->http->secure;
    struct tls_output sealed = {.to = secure->sealed, .room = sizeof secure->sealed};

    secure_tls(c)->finish(c->tls, &sealed);
    return sealed;
}

bool hf_secure_is_shaking(const struct connection *c)
{
    return secure_tls(c)->state(c->tls) == TLS_SHAKING;
}

int hf_secure_end_of_input(const struct connection *c)
{
    return secure_tls(c)->state(c->tls) == TLS_ENDED ? UV_EOF : UV_ECONNRESET;
}

const char *hf_secure_certificate(const struct connection *c)
{
    return secure_tls(c)->certificate(c->tls);
}
