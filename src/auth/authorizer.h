/* auth/authorizer.h - the interface between whatever sends requests over HTTP and what obtains access for
 * them.
 *
 * A sender asks for headers before each request. If the server answers 401, or 403 with
 * insufficient_scope, it reports the challenge; when the wait ends with 0, it sends the request
 * again. All functions are called on the loop's thread. */
#ifndef HAFT_SRC_AUTHORIZER_H
#define HAFT_SRC_AUTHORIZER_H

#include <haft/authorize.h>

#include "http/client/client.h"

enum { AUTHORIZER_FIELDS = 2 }; /* Authorization and DPoP */

/* Where the authorizer works: it creates its own HTTP client there. */
struct authorizer_loop {
    uv_loop_t *uv;
    const struct http_client_functions *http;
};

struct authorizer_challenge {
    const char *url;       /* of the MCP server */
    const char *operation; /* method and subject, such as "tools/call search": attempts are counted
                            * for each */
    int status;            /* 401 or 403 */
    const struct http_field *fields; /* headers of the answer */
    size_t n_fields;
    const char *
        sent; /* value of the Authorization header that was refused, or NULL: if there is a newer one,
                       * it will be tried */
};

/* A sender that waits. It owns the struct, which must live until `done` or authorizer_cancel. */
struct authorizer_wait {
    /* Access was obtained, or not: then with the reason, without secrets. */
    void (*done)(struct authorizer_wait *wait, int status, const haft_reason *reason);
    void *context;                /* for the sender */
    struct authorizer_wait *next; /* for the authorizer */
};

struct authorizer_class {
    /* Begins to use the loop; called once for each client. All of an authorizer use the same loop at a time:
     * HAFT_EBUSY otherwise. detach ends what is going on when the last client detaches; handles that it has opened close
     * when the loop runs next. */
    int (*attach)(haft_authorizer *authorizer, const struct authorizer_loop *loop,
                  haft_reason *reterr_reason);
    void (*detach)(haft_authorizer *authorizer);

    /* Writes headers for a request to a URL of an MCP server, whose own URL is `server`: none if it has
     * no token, or if the token was not issued for the URL. Returns 0,
     * HAFT_ENOMEM, or HAFT_PENDING: an expired token is being renewed, `done` follows and the sender asks again. Values live in the arena. */
    int (*headers)(haft_authorizer *authorizer, const char *method, const char *server,
                   const char *url, haft_arena *arena,
                   struct http_field ret_fields[AUTHORIZER_FIELDS], size_t *ret_n,
                   struct authorizer_wait *wait);

    /* Obtains access. Returns 0 if the request can be sent again at once; HAFT_PENDING, and `done`
     * follows, never before the function returns; or an error with the reason. */
    int (*challenged)(haft_authorizer *authorizer, const struct authorizer_challenge *challenge,
                      struct authorizer_wait *wait, haft_reason *reterr_reason);

    /* The sender no longer waits: `done` is not called. */
    void (*cancel)(haft_authorizer *authorizer, struct authorizer_wait *wait);

    void (*free)(haft_authorizer *authorizer);

    /* Whether requests to this URL carry a token. */
    bool (*has_token)(const haft_authorizer *authorizer, const char *url);
};

/* The first member of every authorizer. */
struct haft_authorizer {
    const struct authorizer_class *class;
};

#endif
