/* auth/client/flow.h - one authorization: the steps from a refused request to a token.
 *
 * A step ends with a request to another server, or with a wait for a person; the answer begins the
 * next one. Each step returns HAFT_PENDING, 0 when access has been obtained, or an error with the
 * reason in the flow. */
#ifndef HAFT_SRC_FLOW_H
#define HAFT_SRC_FLOW_H

#include <haft/tool.h> /* HAFT_PENDING */

#include "auth/client/metadata.h"
#include "auth/client/oauth.h"

typedef int flow_step(struct oauth_flow *flow);

enum flow_goal {
    FLOW_AUTHORIZE, /* after a challenge */
    FLOW_RENEW,     /* an expired token */
    FLOW_REVOKE
};

/* A request to another server, and its answer. */
struct flow_fetch {
    http_request *request;
    haft_buffer body, answer;
    char nonce[OAUTH_NONCE]; /* DPoP-Nonce of the latest answer that had one */
    int status;
    bool at_server;  /* it goes to the MCP server's origin */
    bool trusted;    /* it goes to a URL of the options */
    bool of_issuer;  /* `trusted` for the issuer, while it goes to an identity provider */
    flow_step *step; /* for the answer */
};

/* URLs to try one after the other. */
struct flow_ways {
    const char *urls[3];
    size_t n, at;
};

/* Who the client is at the issuer. */
struct flow_client {
    const char *id, *secret;
    unsigned method;          /* how it authenticates */
    const char *redirect_uri; /* that was registered, or NULL */
    bool registered;          /* by this program, so that it may be repeated */
};

struct login_listener;

/* A person's login. */
struct flow_login {
    struct login_listener *listener;
    uv_timer_t *timer;
    const char *state, *verifier, *redirect_uri;
    const char *query; /* that came while open_url was running */
    bool waiting, opening;
};

/* The wait for other programs that renew tokens of the same store. */
struct flow_renewal {
    int lock;          /* descriptor; -1: none */
    uv_timer_t *timer; /* while it waits */
    uint64_t until;    /* when it gives up */
    flow_step *next;   /* with the lock */
};

/* Marks of steps that must not be repeated. */
struct flow_marks {
    bool renewing;         /* a refresh token is being used */
    bool renewed;          /* it is of no use, or was used before */
    bool registered_again; /* because the registration was gone */
    bool nonce_used;
    bool located; /* the network of the MCP server is known */
    bool moved;   /* the tokens were replaced by those of another issuer */
};

struct oauth_flow {
    struct oauth *oauth;
    struct oauth_access *access;
    enum flow_goal goal;
    haft_arena *arena;
    struct authorizer_loop loop;
    http_client *http;
    struct authorizer_wait *waits;
    struct oauth_series *series; /* authorizations before it, or NULL */
    struct flow_fetch fetch;
    struct flow_ways ways;
    struct web_url server; /* the MCP server */
    const char *scope;     /* of the challenge, or NULL */
    const char *asked;     /* scopes to ask for */
    bool step_up, legacy;  /* legacy: the server's origin is the issuer */
    struct resource_metadata resource;
    struct issuer_metadata issuer;
    struct flow_client client;
    struct flow_login login;
    struct flow_renewal renewal;
    flow_step *build;      /* writes the body of a token request */
    flow_step *granted;    /* for the answer of the token endpoint */
    const char *endpoint;  /* of the token request */
    const char *assertion; /* of an exchange */
    crypto_key *key;       /* for DPoP, unless the tokens have it */
    struct flow_marks marks;
    bool busy, dead; /* a step is running; the flow was ended meanwhile */
    haft_reason reason;
};

/* ---- flow.c ---- */

/* Creates a flow for an access that has none. Returns 0 or an error with the reason. */
int hf_flow_new(struct oauth *oauth, struct oauth_access *access, enum flow_goal goal,
                const struct authorizer_loop *loop, struct oauth_flow **ret_flow,
                haft_reason *reterr_reason);
/* Ends it without calling waits. */
void hf_flow_free(struct oauth_flow *flow);
void hf_flow_wait(struct oauth_flow *flow, struct authorizer_wait *wait);
/* Runs a step from a callback, and ends the flow if it is the last one. */
void hf_flow_run(struct oauth_flow *flow, flow_step *step);
int hf_flow_refuse(struct oauth_flow *flow, int code, const char *format, ...) HAFT_PRINTF_(3, 4);
int hf_flow_no_memory(struct oauth_flow *flow);
/* The error code in the answer, or "no reason". */
const char *hf_flow_error(struct oauth_flow *flow);

/* Sends a request; the step follows. For hf_flow_post the body is in fetch.body. */
int hf_flow_get(struct oauth_flow *flow, const char *url, flow_step *step);
int hf_flow_post(struct oauth_flow *flow, const char *url, const struct http_field *headers,
                 size_t n_headers, flow_step *step);

/* ---- the steps ---- */

flow_step hf_discover_resource; /* discover.c: begins with resource metadata */
flow_step hf_discover_issuer;   /* begins with resource and issuer known */
flow_step
    hf_identify_client; /* identify.c; for other grants than a code it returns 0 or HAFT_ENOTFOUND */
flow_step hf_identify_forget;   /* forgets the registration */
flow_step hf_identify_owner;    /* whether the issuer may see the program's credentials */
flow_step hf_identify_accepted; /* it has accepted them: remembers the issuer */
flow_step hf_login_allow;       /* asks the program */
flow_step hf_login_prepare;     /* login.c: decides on the redirect URI */
flow_step hf_login_begin;       /* shows the URL */
flow_step hf_grant_begin;       /* grant.c: after discovery; asks for a token, or logs in */
flow_step hf_grant_code;        /* after a login; the code is flow->assertion */
flow_step hf_revoke_begin;      /* revoke.c */

/* Sends a token request to flow->endpoint, with client authentication: flow->build writes the body,
 * and flow->granted gets the answer. */
int hf_grant_send(struct oauth_flow *flow);
/* Adds client authentication to the body and, for Basic, to the headers. */
int hf_client_authenticate(struct oauth_flow *flow, haft_buffer *header);
unsigned hf_client_method(const struct oauth_flow *flow, unsigned registered);

/* Runs the next step when no other program uses a refresh token of the same store (renewal.c);
 * HAFT_EBUSY if that takes too long. hf_renewal_end lets the others go on. */
int hf_renewal_begin(struct oauth_flow *flow, flow_step *next);
void hf_renewal_end(struct oauth_flow *flow);

void hf_login_finish(struct oauth_flow *flow);
/* A redirect came. Returns HAFT_EINVAL if the flow does not wait for one with this state. */
int hf_login_redirected(struct oauth_flow *flow, const char *query, size_t size);

/* ---- JSON Web Tokens (jwt.c) ---- */

/* An assertion that authenticates the client at the issuer; NULL on failure. */
const char *hf_jwt_client_assertion(struct oauth_flow *flow, const char *client_id);
/* Appends a DPoP proof (RFC 9449); token and nonce may be NULL. Returns 0 or an error. */
int hf_jwt_proof(const struct oauth *oauth, const crypto_key *key, const char *method,
                 const char *url, const char *token, const char *nonce, haft_buffer *proof);

#endif
