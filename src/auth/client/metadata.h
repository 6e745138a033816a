/* auth/client/metadata.h - documents about protected resources (RFC 9728) and authorization servers
 * (RFC 8414, OpenID Connect Discovery). */
#ifndef HAFT_SRC_AUTH_METADATA_H
#define HAFT_SRC_AUTH_METADATA_H

#include "base/base.h"

enum { METADATA_LIMIT = 256 << 10, METADATA_DEPTH = 16, METADATA_SERVERS = 16, METADATA_WAYS = 3 };

struct resource_metadata {
    const char *resource;                  /* exactly as it was written */
    const char *servers[METADATA_SERVERS]; /* issuers */
    size_t n_servers;
    const char *scopes; /* those it supports, separated by spaces; NULL if it does not say */
};

/* How a client authenticates at a token endpoint; also bits of a set. */
enum auth_method {
    AUTH_METHOD_NONE = 1,
    AUTH_METHOD_BASIC = 2,
    AUTH_METHOD_POST = 4,
    AUTH_METHOD_KEY = 8 /* a signed assertion: private_key_jwt */
};

struct issuer_metadata {
    const char *issuer;
    const char *authorization, *token, *registration, *revocation; /* endpoints, or NULL */
    const char *introspection,
        *jwks;          /* for resource servers: an endpoint and a document, or NULL */
    const char *scopes; /* as above */
    unsigned methods;   /* set of enum auth_method; the default if the document does not say */
    bool methods_given;
    bool s256;          /* PKCE with SHA-256 */
    bool metadata_url;  /* client ids may be URLs of client metadata */
    bool iss_parameter; /* `iss` is in each answer to a login */
};

/* Each reads a document. Returns 0, HAFT_ENOMEM, or HAFT_EPROTOCOL with the reason; the text is in
 * the arena. URLs are not checked. */
int hf_resource_metadata_read(const char *text, size_t size, haft_arena *arena,
                              struct resource_metadata *ret_resource, haft_reason *reterr_reason);
int hf_issuer_metadata_read(const char *text, size_t size, haft_arena *arena,
                            struct issuer_metadata *ret_issuer, haft_reason *reterr_reason);

/* The places of an issuer's metadata, in the order in which they are tried, in the arena. Returns 0,
 * HAFT_EINVAL if the issuer is not a URL without query and fragment, or HAFT_ENOMEM. */
int hf_issuer_metadata_urls(haft_arena *arena, const char *issuer,
                            const char *ret_urls[METADATA_WAYS], size_t *ret_n);

/* The method that a document or a registration calls so; 0 if it is unknown. */
unsigned hf_auth_method_read(const char *name);
const char *hf_auth_method_name(unsigned method);

/* An object that was parsed strictly; NULL with the reason. `what` names it in the reason. */
struct yyjson_val *hf_metadata_parse(const char *text, size_t size, const char *what,
                                     haft_arena *arena, haft_reason *reterr_reason);
/* A string member. Returns 0 with NULL if it is absent, or HAFT_EPROTOCOL if it is not a string, has
 * control characters, or is longer than the limit. */
int hf_metadata_string(struct yyjson_val *object, const char *name, size_t limit,
                       const char **ret_text, haft_reason *reterr_reason);

#endif
