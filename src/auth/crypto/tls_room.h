/* auth/crypto/tls_room.h - what contexts and connections of TLS know about each other. */
#ifndef HAFT_SRC_TLS_ROOM_H
#define HAFT_SRC_TLS_ROOM_H

#include <openssl/ssl.h>
#include <stdatomic.h>

#include "auth/crypto/tls.h"

struct tls_context {
    atomic_uint references;
    BIO_METHOD *method;    /* of connections */
    size_t n_certificates; /* at least one */
    SSL_CTX *certificates[];
};

extern const struct tls_functions hf_tls_functions;

tls_context *hf_tls_context_create(const struct tls_options *options, haft_reason *reterr_reason);
void hf_tls_context_keep(tls_context *context);
void hf_tls_context_release(tls_context *context);

/* The methods of a BIO that reads and writes the memory of a tls_connection; NULL without memory. */
BIO_METHOD *hf_tls_make_method(void);

#endif
