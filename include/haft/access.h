/* haft/access.h - who calls, and what they may use.
 *
 * An authenticator (haft/authenticate.h), a policy of a gateway or `admit` of an HTTP server
 * establishes the identity of a client.  Tools, resources, prompts and routes name the scopes that
 * they require, and rules allow or deny the rest:
 *
 *     HAFT_TOOL(erase, erase_args, erase_result, "Erases a file", .scopes = "files:write");
 *
 *     static const char *const rules[] = {"read-only if scope guest",
 *                                         "deny tools *_delete if claim department=sales", NULL};
 *     haft_server_set_access(server, HAFT_WITH(haft_access, .rules = rules));
 *
 * Both apply to calls of identified clients.  A client without a principal, as over standard input
 * and output, may use everything. */
#ifndef HAFT_ACCESS_H
#define HAFT_ACCESS_H

#include <haft/server.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An identified client.  A member is NULL if it is not known. */
typedef struct haft_identity {
    size_t struct_size;    /* set by HAFT_INIT or HAFT_WITH */
    const char *principal; /* identifies the client among all: rates, sessions and audit use it */
    const char *method;    /* how it was established: "oauth", "api-key", "password" */
    const char *issuer;    /* issuer of the token */
    const char *subject;   /* the user, at the issuer */
    const char *client;    /* the client program, at the issuer */
    const char *scopes;    /* granted scopes, separated by spaces; NULL for none */
    const char *claims;    /* the token's claims, a JSON object */
    /* The client cannot obtain further scopes: lists do not contain what requires others. */
    bool fixed;
    /* When it ends, in milliseconds since 1970: event streams of the client end then.  0: never. */
    int64_t expires;
} haft_identity;

/* Returns the identity of the client; NULL if it is not known.  If only its principal is known,
 * nothing else is set.  It lives as long as the call. */
const haft_identity *haft_call_identity(const haft_call *call);
/* Returns whether the client has a scope, directly or through one that includes it; true for a
 * client without a principal. */
bool haft_call_has_scope(const haft_call *call, const char *scope);

/* What clients may use.  Zero means the default in each description. */
typedef struct haft_access {
    size_t struct_size; /* set by HAFT_INIT or HAFT_WITH */
    /* Rules such as "deny tools *_delete if claim department=sales"; the first that applies
     * decides, and without one the client may use the item.  Ends with NULL. docs/access.md describes
     * them. */
    const char *const *rules;
    /* Scopes that include others, such as "files:admin=files:write files:read".  Ends with NULL. */
    const char *const *includes;
    /* Lists do not contain what the client lacks scopes for, even if it could obtain them. */
    bool hide;
} haft_access;

/* Sets what clients may use.  Everything is copied.  It may be called while serving.  Returns 0, or
 * an error with the reason in haft_server_error: nothing has changed then. */
int haft_server_set_access(haft_server *server, const haft_access *access);

#ifdef __cplusplus
}
#endif
#endif
