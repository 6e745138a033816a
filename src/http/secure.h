/* http/secure.h - connections of the HTTP server that use TLS.
 *
 * The loops of a server share their certificates, which can be replaced at any time; a connection
 * keeps those it began with. TLS itself is in an optional part (auth/crypto/tls.h): a server
 * without certificates does not load it. */
#ifndef HAFT_SRC_HTTP_SECURE_H
#define HAFT_SRC_HTTP_SECURE_H

#include "auth/crypto/tls.h"
#include "http/http.h"

enum {
    /* Received bytes that are decrypted at once: with a record of which a part came before, the
     * plaintext is at most READ_SIZE. */
    SECURE_READ = READ_SIZE - TLS_RECORD - TLS_OVERHEAD,
    SECURE_SEALED = PIECE + (PIECE / TLS_RECORD + 2) * TLS_OVERHEAD
};

/* ---- certificates ---- */

/* Whether the options ask for TLS. */
bool hf_secure_is_wanted(const haft_http_options *options);

/* Loads the certificates of the options, whose strings must outlive the source. *ret_source is NULL if
 * they have none. Returns 0, or an error with the reason. */
int hf_secure_source_new(haft_server *server, const haft_http_options *options,
                         struct secure_source **ret_source, haft_reason *reterr_reason);
void hf_secure_source_free(struct secure_source *source);
/* Reads the files again, for connections that begin later. Returns 0, or an error with the reason:
 * the certificates stay as they were. Callable on any thread. */
int hf_secure_source_reload(struct secure_source *source, haft_reason *reterr_reason);

/* ---- a loop ---- */

/* Buffers of a loop, which the connections of one loop share. */
struct secure {
    struct secure_source *source;
    char plain[READ_SIZE];
    char gathered[TLS_RECORD];
    char sealed[SECURE_SEALED];
};

/* Returns NULL without memory. */
struct secure *hf_secure_new(const haft_allocator *allocator, struct secure_source *source);
void hf_secure_free(const haft_allocator *allocator, struct secure *secure);

/* ---- connections ---- */

struct secure_input {
    const char *bytes; /* plaintext, in a buffer of the loop */
    size_t size;
    struct tls_output sealed; /* records to be sent, in another; perhaps none */
    enum tls_state state;
};

/* Makes an accepted connection one with TLS; returns false without memory. */
bool hf_secure_start(struct connection *connection);
/* Frees the TLS of the connection, if it has any. */
void hf_secure_drop(struct connection *connection);
/* Decrypts received bytes, at most SECURE_READ. */
struct secure_input hf_secure_receive(struct connection *connection, const char *bytes,
                                      size_t size);
/* Encrypts data, at most PIECE bytes, to `sealed`, which has room for SECURE_SEALED. */
int hf_secure_seal(struct connection *connection, const uv_buf_t *bufs, unsigned n,
                   struct tls_output *sealed);
/* Returns a close_notify to be sent, or nothing if there was one. */
struct tls_output hf_secure_end(struct connection *connection);

bool hf_secure_is_shaking(const struct connection *connection);
/* The error for the end of input: UV_EOF after a close_notify; otherwise UV_ECONNRESET, since what the
 * client sent may have been cut off. */
int hf_secure_end_of_input(const struct connection *connection);
/* Of a connection with TLS: the thumbprint of the client's certificate, or NULL. */
const char *hf_secure_certificate(const struct connection *connection);

#endif
