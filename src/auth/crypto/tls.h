/* auth/crypto/tls.h - TLS 1.2 and 1.3 for servers, on OpenSSL, in the optional part libhaft-crypto.
 *
 * There are no sockets here: the caller passes in the bytes that it has received, gets plaintext, and
 * sends the records that it is given, in their order. A context may be used on several threads at
 * once; a connection on one at a time, which need not always be the same. */
#ifndef HAFT_SRC_TLS_H
#define HAFT_SRC_TLS_H

#include <haft/base.h>

/* Certificates and settings of a server. A connection keeps its context alive. */
typedef struct tls_context tls_context;
typedef struct tls_connection tls_connection;

enum {
    TLS_RECORD = 16 << 10,   /* plaintext of the largest record */
    TLS_OVERHEAD = 256,      /* upper bound of what a record adds to it */
    TLS_OUTPUT = 128 << 10,  /* room for what one call to `receive` or `finish` may send */
    TLS_FINGERPRINT = 43 + 1 /* SHA-256 in base64url, with the NUL */
};

struct tls_options {
    /* PEM files, each a certificate with its chain, up to a NULL; at least one. The first is for
     * clients that name no server, or an unknown one. */
    const char *const *certificates;
    /* The private keys, in the same order. NULL, also as an element after which nothing follows: in
     * the files of the certificates. */
    const char *const *keys;
    const char *client_ca; /* PEM file of the authorities of client certificates; NULL: none */
    bool client_optional;  /* clients may have no certificate */
    /* Called for a certificate that is loaded but not valid now; may be NULL. */
    void (*warn)(void *context, const char *text);
    void *warn_context;
};

enum tls_state {
    TLS_SHAKING, /* the handshake is not complete */
    TLS_OPEN,
    TLS_ENDED, /* the peer has sent close_notify: it sends nothing more, and may still read */
    TLS_FAILED,
    TLS_PLAIN /* the peer does not use TLS, but perhaps HTTP */
};

/* Memory of the caller, and how much of it is used. */
struct tls_output {
    char *to;
    size_t size, room;
};

struct tls_functions {
    /* Reads the files. Returns NULL with the reason, whose path is the file. */
    tls_context *(*create)(const struct tls_options *options, haft_reason *reterr_reason);
    /* Adds a reference, on any thread; and drops one. NULL is ignored. */
    void (*keep)(tls_context *context);
    void (*release)(tls_context *context);

    /* Returns NULL without memory. */
    tls_connection *(*open)(tls_context *context);
    void (*close)(tls_connection *connection); /* frees it; NULL is ignored */

    /* Takes all of the received bytes. Plaintext is added to `plain`, which needs as much room as
     * there are bytes, and TLS_RECORD more; records to be sent to `sealed`, which needs TLS_OUTPUT.
     * Returns the state, which may have changed after the plaintext. */
    enum tls_state (*receive)(tls_connection *connection, const char *bytes, size_t size,
                              struct tls_output *plain, struct tls_output *sealed);
    /* Adds the records of plaintext to `sealed`, which needs TLS_OVERHEAD of room in addition for each
     * TLS_RECORD or part of one, and one time more. Returns 0, or HAFT_EFAIL. */
    int (*seal)(tls_connection *connection, const char *bytes, size_t size,
                struct tls_output *sealed);
    /* Adds close_notify to `sealed`, unless it was sent before. */
    void (*finish)(tls_connection *connection, struct tls_output *sealed);

    enum tls_state (*state)(const tls_connection *connection);
    /* The fingerprint of the client's certificate; NULL if there is none. Lives as long as the
     * connection. */
    const char *(*certificate)(const tls_connection *connection);
    const char *(*failure)(const tls_connection *connection); /* why it failed, a constant */
};

#endif
