/* auth/client/oauth.h - an OAuth client: its options, and what it knows about the MCP servers that it
 * has access to. */
#ifndef HAFT_SRC_OAUTH_H
#define HAFT_SRC_OAUTH_H

#include "auth/authorizer.h"
#include "auth/client/store.h"
#include "auth/web_url.h"
#include "auth/crypto/crypto.h"

enum {
    OAUTH_OPERATIONS = 32, /* for which attempts are counted at one server */
    OAUTH_ACCESSES = 1024,
    OAUTH_NONCE = 256,
    OAUTH_ARENA = 2 << 20
};

struct oauth;
struct oauth_flow;

/* Tokens for a resource, with their own arena. */
struct oauth_tokens {
    haft_arena *arena; /* NULL if there are none */
    const char *issuer, *resource;
    const char *client_id;     /* that they were issued to */
    const char *access, *type; /* NULL: there is only a refresh token */
    const char *refresh;       /* or NULL */
    const char *asked;         /* scopes that were asked for */
    int64_t expires_at;        /* seconds since 1970; -1 if it is not known */
    int64_t lifetime;
    crypto_key *key; /* of DPoP, or NULL */
    bool unused;     /* it has just been issued */
};

/* Authorizations for one operation in a row. */
struct oauth_series {
    uint64_t operation;              /* hash; 0 for a free entry */
    unsigned attempts, same, nonces; /* in all; without new scopes; only for a nonce */
    int64_t ended_ms;                /* when the latest one ended */
    bool renewed;                    /* it renewed a token, without a login */
};

/* One MCP server. */
struct oauth_access {
    struct oauth_access *next;
    char *url; /* origin and path of the server */
    struct oauth_tokens tokens;
    struct oauth_flow *flow; /* that is going on, or NULL */
    enum network network;    /* where the server was in the latest flow */
    char nonce[OAUTH_NONCE]; /* for DPoP at the server, or "" */
    struct oauth_series series[OAUTH_OPERATIONS];
};

struct oauth {
    haft_authorizer base;
    const haft_allocator *memory; /* for everything; overwrites what it frees */
    haft_oauth_options options;   /* with its strings in the arena */
    haft_arena *arena;
    struct authorizer_loop loop; /* uv is NULL while no client is attached */
    unsigned attached;
    struct auth_store store;
    struct oauth_access *accesses;
    size_t n_accesses;
    const struct crypto_functions *crypto; /* NULL if no keys are used */
    crypto_key *key;                       /* the client's private key, or NULL */
    struct authorizer_wait *ending;        /* waits whose `done` is due */
    unsigned depth;                        /* of callbacks that are running */
    bool freed;                            /* while they were */
    bool pin_kept;                         /* the store has it */
    const char *pinned; /* without options.issuer: who may see the program's credentials, or NULL */
};

/* Creates a client whose memory comes from the allocator, which must outlive the loop. */
haft_authorizer *hf_oauth_create(const haft_oauth_options *options, const haft_allocator *allocator,
                                 haft_reason *reterr_reason);

extern const struct authorizer_class hf_oauth_class;

/* Around whatever may call the program: the client is freed only when the outermost has ended. */
void hf_oauth_enter(struct oauth *oauth);
void hf_oauth_leave(struct oauth *oauth);

/* ---- accesses (access.c) ---- */

/* Finds the access of the server with this URL, or of one whose URL it is below and whose token is for
 * it as well; reads its tokens from the store when it is new. Returns 0, HAFT_EINVAL for an invalid URL, HAFT_EBUSY if there
 * are too many, HAFT_ENOMEM or an error of the store, with the reason. */
int hf_access_find(struct oauth *oauth, const char *url, struct oauth_access **ret_access,
                   haft_reason *reterr_reason);
/* Whether the access has a token that may be sent to the URL. */
bool hf_access_covers(const struct oauth_access *access, const char *url);
/* Never before its first use, so that there is an end to renewing tokens that are too short-lived. */
bool hf_access_is_expired(const struct oauth_access *access);
/* Reads the tokens again, since another program may have renewed them. */
int hf_access_reload(struct oauth *oauth, struct oauth_access *access, haft_reason *reterr_reason);
/* Takes over new tokens and saves them. */
int hf_access_keep(struct oauth *oauth, struct oauth_access *access, struct oauth_tokens *tokens,
                   haft_reason *reterr_reason);
/* Forgets the tokens, also in the store. */
int hf_access_drop(struct oauth *oauth, struct oauth_access *access, haft_reason *reterr_reason);
void hf_access_free(struct oauth *oauth, struct oauth_access *access);

void hf_tokens_finish(struct oauth *oauth, struct oauth_tokens *tokens);

/* The count of authorizations for an operation, after forgetting those of long ago. */
struct oauth_series *hf_access_series(struct oauth_access *access, const char *operation,
                                      int64_t now_ms);

#endif
