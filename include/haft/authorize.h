/* haft/authorize.h - how a client obtains access to a server over HTTP: a fixed token, or OAuth 2.1
 * as the protocol describes it.
 *
 *     haft_authorizer *authorizer =
 *         haft_oauth_new(HAFT_WITH(haft_oauth_options, .open_url = show_url), &reason);
 *
 *     client = haft_client_connect(
 *         HAFT_WITH(haft_target, .url = url, .authorizer = authorizer), NULL, &reason);
 *     haft_client_free(client);
 *     haft_authorizer_free(authorizer);
 *
 * When the server answers 401, or 403 with `insufficient_scope`, the authorizer finds the
 * authorization server, identifies the client there, asks a person or uses credentials, and the
 * request is sent again.  Tokens are sent only to the origin that they were issued for, and are in
 * no log, no error text and no watched message.
 *
 * An authorizer may be used by several clients of one thread, one loop at a time, and must outlive them. */
#ifndef HAFT_AUTHORIZE_H
#define HAFT_AUTHORIZE_H

#include <haft/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An authorizer. */
typedef struct haft_authorizer haft_authorizer;

/* Creates an authorizer that sends the same bearer token with every request, to the origin of the
 * first client that uses it: over https, or over http to this machine; nowhere else.  Returns NULL if
 * memory runs out or the token is not valid in a header. */
haft_authorizer *haft_bearer_new(const char *token);

/* How an OAuth client obtains a token. */
typedef enum haft_grant {
    HAFT_GRANT_CODE,        /* a person logs in: authorization code with PKCE */
    HAFT_GRANT_CREDENTIALS, /* client credentials, with a secret or a private key */
    HAFT_GRANT_JWT_BEARER,  /* an assertion of a workload identity */
    HAFT_GRANT_ID_JAG /* enterprise-managed: an ID token is exchanged at the identity provider */
} haft_grant;

/* Options of haft_oauth_new.  Zero means the default in each description. */
typedef struct haft_oauth_options {
    size_t struct_size; /* set by HAFT_INIT or HAFT_WITH */
    haft_grant grant;   /* HAFT_GRANT_CODE */
    /* Credentials that the authorization server `issuer` has given: none.  They, and `assertion`, are
     * used there only; without an issuer, at the first authorization server that an MCP server names. */
    const char *client_id, *client_secret, *issuer;
    /* Private key in PEM, without a password, which authenticates the client with signed assertions:
     * EC on P-256 (ES256), RSA (RS256) or Ed25519 (EdDSA).  Default: none. */
    const char *private_key;
    /* https URL of a document that identifies the client, where authorization servers support it:
     * none. */
    const char *client_metadata_url;
    bool no_registration;    /* do not register at authorization servers (RFC 7591) */
    const char *client_name; /* name in registrations: "haft" */
    const char *scopes;      /* separated by spaces, besides those that servers ask for: none */
    bool no_refresh;         /* do not ask for refresh tokens (offline_access) */
    bool dpop;               /* bind tokens to a key (RFC 9449) */
    /* For servers of revision 2025-03-26: without resource metadata, the origin of the server is the
     * authorization server. */
    bool trust_origin;
    unsigned max_attempts; /* authorizations for one operation in a row: 3 */
    unsigned login_ms;     /* time for a person to log in: 300,000 */

    /* Of HAFT_GRANT_CODE: where the browser goes at the end of a login.  The client listens there, on a
     * free port if it is 0; "localhost" is 127.0.0.1 and ::1.  Default: http://127.0.0.1:0/callback. */
    const char *redirect_uri;
    /* Of HAFT_GRANT_CODE: shows the URL of a login to a person, usually in a browser.  Called on the
     * client's thread; must not block.  Returns 0, or an error that ends the login.  Default: prints
     * the URL on standard error. */
    int (*open_url)(void *context, const char *url);
    /* Of HAFT_GRANT_CODE: the client does not listen, and the program calls haft_oauth_redirected.
     * redirect_uri must then be set. */
    bool manual_redirect;

    /* The assertion of HAFT_GRANT_JWT_BEARER, or the ID token of HAFT_GRANT_ID_JAG. */
    const char *assertion;
    /* Of HAFT_GRANT_ID_JAG: token endpoint of the identity provider, and the client id there. */
    const char *idp_token_endpoint, *idp_client_id;

    /* Keeps tokens and registrations: a file, which haft creates with mode 0600 and which several
     * programs may share; or functions.  Default: in memory.  Keys are text without line ends that
     * names issuers and URLs, values are JSON with secrets; a value of NULL removes the key.  The functions must
     * not block; they return 0, HAFT_ENOTFOUND, or another error. */
    const char *token_file;
    int (*load)(void *context, const char *key, haft_buffer *ret_value);
    int (*save)(void *context, const char *key, const char *value, size_t size);
    void *context;       /* first argument of the functions above */
    const char *ca_file; /* certificates to trust at authorization servers: those of the system */
    /* Of HAFT_GRANT_CODE: decides whether a person is asked to log in, before the client registers and
     * listens.  `doubt` is NULL, or says why the login may be a trap: without `issuer`, if the login's
     * page and the token endpoint have different origins and the answer will not name its issuer.
     * Returns 0, or an error that ends the authorization.  Default: every login is allowed. */
    int (*allow_login)(void *context, const char *server, const char *issuer, const char *doubt);
} haft_oauth_options;

/* Creates an OAuth client.  The options are copied, with their strings.  Returns NULL with the reason:
 * also if token_file is accessible to other users, or if the package libhaft-crypto is missing, which private_key
 * and dpop need. */
haft_authorizer *haft_oauth_new(const haft_oauth_options *options, haft_reason *reterr_reason);

/* Passes the URL that the authorization server has redirected the browser to (manual_redirect).  Must
 * be called on the client's thread; may be called from open_url.  Returns 0, HAFT_EINVAL if no login
 * waits for this URL, or HAFT_ENOMEM. */
int haft_oauth_redirected(haft_authorizer *authorizer, const char *url);

/* Revokes (RFC 7009, where it is offered) and forgets the tokens for an MCP server with this URL.
 * Blocks until the end; each request takes at most 30 seconds.  Returns 0, HAFT_ENOTFOUND if there are none, HAFT_EBUSY
 * while an authorization for the server is running, or another error if the tokens have been
 * forgotten, but not revoked. */
int haft_oauth_forget(haft_authorizer *authorizer, const char *url, haft_reason *reterr_reason);

/* Whether requests to this URL carry a token. */
bool haft_authorizer_has_token(const haft_authorizer *authorizer, const char *url);

/* Frees it, and overwrites its secrets.  NULL is ignored.  Its clients must have been freed. */
void haft_authorizer_free(haft_authorizer *authorizer);

#ifdef __cplusplus
}
#endif
#endif
