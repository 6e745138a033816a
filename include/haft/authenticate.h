/* haft/authenticate.h - how a server over HTTP establishes who its clients are: OAuth access tokens
 * and API keys.
 *
 *     haft_authenticator *authenticator = haft_authenticator_new(
 *         HAFT_WITH(haft_authenticator_options, .resource = "https://tools.example.org/mcp",
 *                   .issuers = &(haft_issuer)HAFT_INIT(haft_issuer, .url = "https://login.example.org"),
 *                   .n_issuers = 1),
 *         &reason);
 *     haft_http_serve(server, HAFT_WITH(haft_http_options, .authenticator = authenticator), &reason);
 *     haft_authenticator_free(authenticator);
 *
 * An authenticator belongs to no loop: one may serve several HTTP servers and endpoints.  A thread of
 * its own, started on first use, fetches keys and asks issuers about tokens. */
#ifndef HAFT_AUTHENTICATE_H
#define HAFT_AUTHENTICATE_H

#include <haft/http.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An authorization server whose access tokens are accepted.  Zero means the default in each
 * description. */
typedef struct haft_issuer {
    size_t struct_size; /* set by HAFT_INIT or HAFT_WITH */
    const char *url;    /* its identifier, exactly as in its tokens: "https://login.example.org" */
    const char *jwks_uri; /* URL of its public keys; NULL: as in its metadata */
    /* Where to ask about tokens that are not JWTs: a URL, or "" for that in its metadata; NULL: such
     * tokens are refused. */
    const char *introspection;
    const char *client_id;     /* of this server, for introspection */
    const char *client_secret; /* of this server, for introspection; or: */
    const char *client_key;    /* its private key, as PEM text */
    const char *algorithms;    /* "RS256 PS256 ES256 EdDSA" */
    bool any_type;       /* also accept JWTs whose type is "JWT" or not stated, not only "at+jwt" */
    const char *ca_file; /* certificates that it is trusted by; NULL: those of the system */
} haft_issuer;

/* Whether tokens that are bound to a key (DPoP, RFC 9449) are accepted. */
typedef enum haft_dpop {
    HAFT_DPOP_ACCEPTED, /* with a proof of the key */
    HAFT_DPOP_REFUSED,  /* never */
    HAFT_DPOP_REQUIRED  /* only such tokens are */
} haft_dpop;

/* Options of an authenticator.  Zero means the default in each description. */
typedef struct haft_authenticator_options {
    size_t struct_size; /* set by HAFT_INIT or HAFT_WITH */
    /* The URL of the endpoint, which tokens must be issued for; required with issuers.  Without a
     * path, each endpoint has the identifier of this URL and its own path; with one, the authenticator
     * can serve a single endpoint, and others refuse it. */
    const char *resource;
    const char *const *audiences; /* further values of `aud` to accept; ends with NULL */
    const char *resource_name;    /* name for people; NULL for that of the endpoint's server */
    const char *scopes;           /* scopes that every request requires, separated by spaces */
    /* Scopes that include others, as in haft_access: a client may have one that includes those that
     * every request requires.  Ends with NULL. */
    const char *const *includes;
    const haft_issuer *issuers; /* authorization servers */
    size_t n_issuers;           /* number of issuers */
    const char *key_file;       /* API keys, as `haft keys` writes them; NULL for none */
    haft_dpop dpop;             /* tokens that are bound to a key */
    bool dpop_nonce;            /* proofs must contain a nonce of the server */
    /* Header of a trusted proxy with the client's certificate, such as "Client-Cert" (RFC 9440) or
     * one with percent-encoded PEM, for tokens that are bound to it (RFC 8705). */
    const char *certificate_header;
    unsigned skew_s;        /* tolerated difference of clocks in seconds: 60 */
    size_t max_cached;      /* verified tokens to remember: 10,000; SIZE_MAX: none */
    unsigned cache_ms;      /* how long, at most: 60,000 */
    haft_log_function *log; /* receives what concerns operators; NULL: nothing */
    void *log_context;      /* first argument of log */
    /* Where used DPoP proofs are remembered, so that servers with the same store accept each of them
     * once; it must outlive the authenticator.  NULL: in this process. */
    haft_store *store;
    haft_store_away store_replay; /* while the store does not answer: HAFT_AWAY_CLOSED, with 503 */
} haft_authenticator_options;

/* Creates an authenticator.  Everything is copied.  Returns NULL with the reason in *reterr_reason
 * (which may be NULL). */
haft_authenticator *haft_authenticator_new(const haft_authenticator_options *options,
                                           haft_reason *reterr_reason);
/* Frees an authenticator that no server uses any more.  Accepts NULL. */
void haft_authenticator_free(haft_authenticator *authenticator);

/* Forgets the verified tokens, fetches the keys of the issuers again (those that it has are used until
 * they arrive), and reads the file of API keys again.  Returns 0, or an error with the reason: the
 * earlier API keys remain then.  May be called from any thread. */
int haft_authenticator_reload(haft_authenticator *authenticator, haft_reason *reterr_reason);

#ifdef __cplusplus
}
#endif
#endif
