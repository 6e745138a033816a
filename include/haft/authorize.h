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
    /* Credentials that the authorization server `issuer` has given: none.  Without an issuer they
     * are used at the first authorization server that the MCP server names. */
    const char *client_id, *client_secret, *issuer;
    const char
        *private_key; /* PEM: authenticates the client by signed assertions (ES256, RS256...) */
    const char
        *client_metadata_url; /* https URL that identifies the client, where it is supported */
    bool no_registration;     /* do not register at authorization servers (RFC 7591) */
    const char *client_name;  /* name in registrations: "haft" */
    const char *scopes;       /* separated by blanks, besides those that the server asks for */
    bool no_refresh;          /* do not ask for refresh tokens (offline_access) */
    bool dpop;                /* bind tokens to a key (RFC 9449) */
    bool
        trust_origin; /* servers of 2025-03-26: without metadata, the server's origin is the issuer */
    unsigned max_attempts; /* authorizations for one request: 3 */
    unsigned login_ms;     /* time for a person to log in: 300,000 */

    /* Of HAFT_GRANT_CODE. */
    /* http://127.0.0.1:0/callback: the client listens on a free port.  With a fixed port it listens there. */
    const char *redirect_uri;
    /* Shows the URL of a login to a person, usually in a browser.  Returns 0, or an error that ends the
     * login.  Default: the URL is printed on standard error. */
    int (*open_url)(void *context, const char *url);
    /* Instead of listening: returns through haft_oauth_redirected.  NULL: the client listens. */
    bool manual_redirect;

    /* Of HAFT_GRANT_JWT_BEARER: the assertion; of HAFT_GRANT_ID_JAG: the ID token, and the identity provider's
     * token endpoint and client id. */
    const char *assertion;
    const char *idp_token_endpoint, *idp_client_id;

    /* Keeps tokens and registrations: a file with mode 0600, or functions; NULL: in memory. `key` is
     * the issuer and the resource; a NULL value removes it.  They return 0, HAFT_ENOTFOUND or another error. */
    const char *token_file;
    int (*load)(void *context, const char *key, haft_buffer *ret_value);
    int (*save)(void *context, const char *key, const char *value, size_t size);
    void *context;       /* first argument of the functions above */
    const char *ca_file; /* certificates to trust at authorization servers: those of the system */
} haft_oauth_options;

/* Creates an OAuth client.  The options are copied, with their strings.  Returns NULL with the reason. */
haft_authorizer *haft_oauth_new(const haft_oauth_options *options, haft_reason *reterr_reason);

/* Passes the URL that the authorization server redirected the person to (manual_redirect), on the client's thread, also from open_url.  Returns 0
 * or HAFT_EINVAL if no login is waiting. */
int haft_oauth_redirected(haft_authorizer *authorizer, const char *url);

/* Revokes (RFC 7009, where it is offered) and forgets the tokens for a resource: the URL of an MCP server.  Blocks until the end. Returns 0,
 * HAFT_ENOTFOUND if there are none, or another error. */
int haft_oauth_forget(haft_authorizer *authorizer, const char *url, haft_reason *reterr_reason);

/* Whether requests to this URL carry a token. */
bool haft_authorizer_has_token(const haft_authorizer *authorizer, const char *url);

/* Frees it, and overwrites its secrets.  NULL is ignored.  Its clients must have been freed. */
void haft_authorizer_free(haft_authorizer *authorizer);

#ifdef __cplusplus
}
#endif
#endif
