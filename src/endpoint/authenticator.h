/* endpoint/authenticator.h - the interface between an endpoint and what establishes the identity of
 * its clients.
 *
 * A check happens before anything else is done with a request.  All functions may be called from any
 * thread, at once. */
#ifndef HAFT_SRC_AUTHENTICATOR_H
#define HAFT_SRC_AUTHENTICATOR_H

#include <haft/access.h>
#include <haft/http.h>
#include <string.h>

#include "base/base.h"

enum { AUTHENTICATION_ROOM = 48 };

/* A check, and its result. It belongs to the caller, and must live until `release`, which follows
 * every check that was not cancelled. */
struct authentication {
    /* Called once for a pending check, from any thread, possibly before `check` has returned. */
    void (*done)(struct authentication *authentication);
    void *context; /* for the caller */

    int status; /* 0: identified; HAFT_STOP: refused; an error */
    const haft_identity *identity;
    haft_response refusal; /* 400, 401, 403 or 503, with its headers */
    const char *reason;    /* of the refusal, for metrics: a constant such as "expired", or NULL */
    haft_header renewal;   /* a header for the response, such as DPoP-Nonce; NULL name for none */

    /* For the authenticator. */
    void *own;
    int kind;
    char room[AUTHENTICATION_ROOM];
};

struct authenticator_class {
    /* Checks the credentials of a request to an endpoint, whose path is `path` (request->path may have
     * a slash more). The request is not used after it returns. Returns the status, or HAFT_PENDING. */
    int (*check)(haft_authenticator *authenticator, const haft_request *request, const char *path,
                 struct authentication *authentication);
    /* The caller no longer waits. Returns true if `done` has not been called and will not be. */
    bool (*cancel)(haft_authenticator *authenticator, struct authentication *authentication);
    /* Frees what the result points to. */
    void (*release)(haft_authenticator *authenticator, struct authentication *authentication);

    /* Appends the metadata of the resource at a path (RFC 9728), a JSON object. `name` is that of its
     * server, unless the authenticator has one, and `scopes` are those of what it offers; both may be
     * NULL. Returns 0; HAFT_ENOTFOUND if it has none, as with API keys alone; HAFT_ENOMEM. */
    int (*describe)(haft_authenticator *authenticator, const char *path, const char *name,
                    const char *scopes, haft_buffer *document);
    /* Appends the value of WWW-Authenticate for a request that requires further scopes. */
    int (*challenge)(haft_authenticator *authenticator, const char *path, const char *scopes,
                     haft_buffer *value);

    /* Before requests to the endpoint at a path are checked. Returns 0; HAFT_EEXISTS, with the reason,
     * if it is for a single endpoint (`only`) and another path has been attached; or HAFT_ENOMEM. */
    int (*attach)(haft_authenticator *authenticator, const char *path, haft_reason *reterr_reason);
    /* The identifier of its resource if that names a single endpoint, so that tokens for it must not
     * be accepted elsewhere. NULL if every endpoint has its own. */
    const char *(*only)(const haft_authenticator *authenticator);

    /* How often the API keys have been read, at least 1; and whether they still contain one with
     * this owner (authenticator_owner). Both may be NULL. */
    unsigned (*version)(haft_authenticator *authenticator);
    bool (*knows)(haft_authenticator *authenticator, uint64_t owner);

    /* References; it is freed with the last one. */
    void (*hold)(haft_authenticator *authenticator);
    void (*drop)(haft_authenticator *authenticator);

    /* Like `check`, before the body of the request is read; does not wait. Returns HAFT_STOP with the
     * refusal, or 0 if only `check` can decide. May be NULL. */
    int (*foresee)(haft_authenticator *authenticator, const haft_request *request, const char *path,
                   struct authentication *authentication);
};

/* What identifies the owner of an API key and its scopes; 0 for other identities. */
static inline uint64_t authenticator_owner(const haft_identity *identity)
{
    const char *scopes = identity->scopes ? identity->scopes : "";

    if (!identity->principal || !identity->method || strcmp(identity->method, "api-key") != 0)
        return 0;
    return (hf_hash_bytes(identity->principal, strlen(identity->principal)) * 31 +
            hf_hash_bytes(scopes, strlen(scopes))) |
           1;
}

/* The first member of every authenticator. */
struct haft_authenticator {
    const struct authenticator_class *class;
};

/* Names of the headers with credentials, NULL-terminated. After the check they are removed from a
 * request (credentials.c). */
extern const char *const hf_credential_headers[];

/* Why an authenticator cannot be used: its resource, and two paths. */
#define AUTHENTICATOR_FOR_ONE                                                                      \
    "the resource %s has a path, so access tokens are issued for one endpoint, but %s and %s use " \
    "it; give only the origin of the URL, or an authenticator for each endpoint"

#define WELL_KNOWN_RESOURCE "/.well-known/oauth-protected-resource"

/* What the metadata of a protected resource is about (metadata.c). */
struct metadata {
    haft_authenticator *authenticator;
    const char *resource; /* its path */
    haft_server *server;  /* that offers what is there; NULL if there is none */
};

/* Returns the path of the resource whose metadata a path names, "" for the only one; NULL if it is
 * not a path of metadata. */
const char *hf_metadata_path(const char *path);
/* Appends the document. Returns 0, HAFT_ENOTFOUND if the authenticator has none, or an error. */
int hf_metadata_put(const struct metadata *metadata, haft_buffer *document);
/* Answers a request for the metadata. */
void hf_metadata_answer(const struct metadata *metadata, const haft_allocator *allocator,
                        const haft_request *request, const haft_responder *responder,
                        void *context);

#endif
