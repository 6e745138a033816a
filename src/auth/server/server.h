/* auth/server/server.h - an authenticator: its options, what it knows about tokens and issuers, and the
 * checks that wait.
 *
 * A check runs on its caller's thread as long as everything that it needs is known. Otherwise it waits
 * in a list, and the authenticator's own thread completes it. `lock` guards what the comments say; it
 * is never held while anything waits, verifies or calls a callback. */
#ifndef HAFT_SRC_AUTH_SERVER_H
#define HAFT_SRC_AUTH_SERVER_H

#include <haft/authenticate.h>
#include <haft/pipeline.h>
#include <stdatomic.h>
#include <uv.h>

#include "auth/server/api_keys.h"
#include "auth/token/token.h"
#include "auth/web_url.h"
#include "base/siphash.h"
#include "endpoint/authenticator.h"
#include "http/client/client.h"

enum {
    AUTHENTICATOR_WAIT_MS = 5000, /* a request waits for an issuer, at most */
    AUTHENTICATOR_WAITING = 4096, /* requests that wait at once */
    AUTHENTICATOR_ARENA = 1 << 20,
    AUTHENTICATOR_RETRY_S = 5, /* in Retry-After */
    POSSESSION_WINDOW_S = 300, /* a proof may be as old, or as far in the future */
    SINGLE_USE_NAME = 65
};

struct authenticator;
struct pending;

/* Milliseconds: since 1970, which an operator may change, or of a clock that only goes on. */
struct auth_clock {
    int64_t (*now)(void *context, bool wall);
    void *context;
};

/* ---- credentials (credentials.c) ---- */

enum credential { CREDENTIAL_NONE, CREDENTIAL_BEARER, CREDENTIAL_DPOP, CREDENTIAL_KEY };

/* What a check needs of a request. */
struct presented {
    enum credential kind;
    struct text secret;      /* the token or key */
    struct text proof;       /* of DPoP; NULL data if absent */
    const char *method;      /* of the request */
    const char *target;      /* its path */
    const char *path;        /* of the endpoint */
    const char *certificate; /* thumbprint, or NULL */
    struct text forwarded;   /* header of a proxy with the certificate; NULL data if absent */
};

/* Finds the credentials. Returns NULL, or why the request is not valid. */
const char *hf_credentials_find(const struct authenticator *authenticator,
                                const haft_request *request, const char *path,
                                struct presented *ret_presented);

#define CREDENTIALS_MALFORMED "The Authorization header is malformed"

/* Whether it has only characters of a token (RFC 6750, section 2.1). A token that is known does not
 * need the question. */
bool hf_credentials_is_token(struct text text);

/* The SHA-256 of a certificate in a header, in base64url. Returns 0, HAFT_EINVAL or HAFT_ENOMEM. */
int hf_certificate_thumbprint(const haft_allocator *allocator, struct text header,
                              char ret_thumbprint[AUTHENTICATION_ROOM]);

/* ---- verified tokens (known.c, cache.c) ---- */

/* A verified token: immutable, in one allocation, with references. */
struct known {
    const haft_allocator *allocator;
    atomic_uint references;
    size_t size;
    haft_identity identity;
    const char *jkt, *x5t; /* what it is bound to, or NULL */
    int64_t expires;       /* seconds since 1970 */
    bool lacks_scopes;     /* of those that every request requires */
};

/* Whether a client with these scopes has those that every request requires. */
bool hf_known_scopes_suffice(const struct authenticator *authenticator, const char *granted);
/* `claims` is a JSON object as text. Returns NULL without memory. */
struct known *hf_known_new(const struct authenticator *authenticator,
                           const struct token_claims *claims, const char *text, size_t size);
void hf_known_drop(struct known *known); /* NULL is ignored */

struct token_cache;

enum token_memory { TOKEN_UNSEEN, TOKEN_ACCEPTED, TOKEN_REFUSED };

struct token_cache *hf_token_cache_new(const haft_allocator *allocator, size_t max);
void hf_token_cache_free(struct token_cache *cache); /* NULL is ignored */
/* Looks a digest up; a known token comes with a reference. */
enum token_memory hf_token_cache_find(struct token_cache *cache, struct siphash_pair digest,
                                      int64_t now_ms, struct known **ret_known,
                                      enum token_error *ret_error);
/* Remembers a token until then, or, without one, why it was refused. Does nothing without memory. */
void hf_token_cache_put(struct token_cache *cache, struct siphash_pair digest, struct known *known,
                        enum token_error error, int64_t until_ms);

/* Forgets all. */
void hf_token_cache_clear(struct token_cache *cache);

/* ---- possession (possession.c) ---- */

struct replay; /* proofs that have been used */

struct replay *hf_replay_new(const haft_allocator *allocator);
void hf_replay_free(struct replay *replay); /* NULL is ignored */

/* The decision about what a token is bound to. */
struct possession {
    const char *error; /* code of OAuth; NULL: the token may be used */
    const char *text;
    bool renew; /* the client should use the nonce in `nonce` from now on */
    char nonce[AUTHENTICATION_ROOM];
    char name[SINGLE_USE_NAME]; /* of the proof, for a store; empty if there is none */
};

/* Checks how a token is bound. Returns 0 with the decision, or HAFT_ENOMEM or HAFT_EBUSY. */
int hf_possession_check(struct authenticator *authenticator, const struct presented *presented,
                        const struct known *known, struct possession *ret_possession);

/* ---- issuers (issuer.c) ---- */

/* Public keys: immutable, with references. */
struct key_set {
    const haft_allocator *allocator;
    atomic_uint references;
    struct token_keys *keys; /* NULL: the issuer has withdrawn all */
};

enum issuer_state { ISSUER_IDLE, ISSUER_WANTED, ISSUER_FETCHING };

enum { ISSUER_WAYS = 3 };

/* A request to an issuer, on the thread. */
struct auth_fetch {
    struct authenticator *authenticator;
    http_client *client;
    haft_buffer answer;
    int status;      /* of the answer */
    int64_t max_age; /* seconds in Cache-Control; -1: not stated */
    bool is_json;    /* by its Content-Type */
    bool running;
    void (*done)(struct auth_fetch *fetch,
                 const char *error); /* error is NULL if there is an answer */
    void *context;
};

/* An unknown key that has caused a fetch. */
struct asked_key {
    uint64_t digest;
    int64_t until; /* it does not cause another */
};

enum { ISSUER_ASKED = 8 };

struct issuer {
    struct authenticator *authenticator;
    haft_issuer options; /* strings are the authenticator's */
    struct web_url url;
    crypto_key *key; /* for introspection, or NULL */

    /* Under the lock. */
    enum issuer_state state;
    struct key_set *keys;
    int64_t refresh_at, fresh_until, usable_until; /* of the keys */
    int64_t retry_at;                              /* after a failure: not before */
    int64_t unknown_at; /* when the fetches for unknown keys are all available again */
    struct asked_key asked[ISSUER_ASKED];
    unsigned generation; /* fetches that have ended */
    bool used;           /* since the keys were fetched */
    bool stale;          /* the latest fetch failed: the next one does not wait for refresh_at */
    bool again;          /* the fetch in progress began before they were to be fetched again */

    /* On the thread. */
    struct siphash_pair digest; /* of the document with the keys */
    int64_t logged_at;          /* the latest line about failed introspection; 0 if none */
    unsigned n_unlogged;        /* failures since */
    http_client *client;
    struct auth_fetch fetch;
    haft_arena *arena, *next_arena; /* of what the metadata says, and of what is being fetched */
    const char *jwks_uri, *introspection;
    int64_t metadata_until;
    const char *ways[ISSUER_WAYS];
    size_t n_ways, way;
};

enum issuer_answer { ISSUER_READY, ISSUER_WAIT, ISSUER_DOWN };

/* Takes the keys of an issuer, with a reference; or says that a check must wait for `*ret_generation`
 * to pass, or that the issuer cannot be reached. `waited`: it has waited, so that old keys will do. */
enum issuer_answer hf_issuer_take(struct issuer *issuer, bool waited, struct key_set **ret_keys,
                                  unsigned *ret_generation);
/* A token has a key that is not among them, with this id or NULL. Returns ISSUER_WAIT if they are
 * fetched again, or ISSUER_DOWN. */
enum issuer_answer hf_issuer_refresh(struct issuer *issuer, const char *kid,
                                     unsigned *ret_generation);
/* On the thread: has the metadata fetched. Returns ISSUER_READY if it is known, as ISSUER_WAIT and
 * ISSUER_DOWN above otherwise. */
enum issuer_answer hf_issuer_ask_metadata(struct issuer *issuer, unsigned *ret_generation);
void hf_key_set_drop(struct key_set *keys); /* NULL is ignored */

/* On the thread: starts what is wanted; when the next fetch is due, or -1. */
void hf_issuer_go_on(struct issuer *issuer);
int64_t hf_issuer_next(struct issuer *issuer);
void hf_issuer_finish(struct issuer *issuer);

/* Lets the keys be fetched again now; until then the present ones are used. */
void hf_issuer_expire(struct issuer *issuer);

/* ---- introspection (introspection.c) ---- */

/* A token that an issuer is asked about; all requests with it wait for one answer. */
struct question {
    struct question *next, *previous;
    struct siphash_pair digest;
    struct issuer *issuer; /* that it goes to now */
    struct auth_fetch fetch;
    char *token, *path;
    haft_buffer form;
    bool started, looked, failed; /* looked: its metadata has been asked for */
    bool ended;                   /* under the lock: nobody may join it */
    unsigned generation;
};

/* Under the lock: the question about a token; made if there is none. NULL without memory, or if
 * there are too many. */
struct question *hf_question_find(struct authenticator *authenticator,
                                  const struct presented *presented, struct siphash_pair digest);
/* On the thread. */
void hf_questions_go_on(struct authenticator *authenticator);
void hf_question_free(struct authenticator *authenticator, struct question *question);

/* ---- the thread (fetch.c) ---- */

struct auth_thread {
    uv_thread_t thread;
    uv_loop_t loop;
    uv_async_t wake;
    uv_timer_t timer;
    bool started, failed; /* under the lock */
    bool is_orphan;       /* it frees the authenticator, whose last user it was */
    atomic_bool closing;
};

/* Under the lock: starts the thread if it does not run, and wakes it. Returns 0 or an error. */
int hf_auth_thread_wake(struct authenticator *authenticator);
/* Ends it, if it runs. Returns false on the thread itself, in the `done` function of a check: it ends
 * later, and then frees the authenticator. */
bool hf_auth_thread_close(struct authenticator *authenticator);

/* The client for an issuer, on the thread; NULL if it cannot be made now. */
http_client *hf_auth_fetch_client(struct issuer *issuer);
/* Starts a request; `done` is called in any case, never before it returns 0. Returns 0 or an
 * error. */
int hf_auth_fetch_start(struct auth_fetch *fetch, const struct http_request_options *options);

/* ---- refusals (refusal.c), documents (document.c) ---- */

struct refusal {
    int status;
    const char *error, *text; /* code of OAuth, or NULL; for people */
    const char *reason;       /* as in struct authentication; NULL: what the others say */
    const char *scopes;
    const char *nonce; /* for DPoP-Nonce, or NULL */
    bool dpop;         /* the scheme of the request */
    unsigned retry_s;
};

/* Fills in the refusal of a check. Returns HAFT_STOP or HAFT_ENOMEM. */
int hf_refusal_make(const struct authenticator *authenticator, const char *path,
                    const struct refusal *refusal, struct authentication *authentication);
int hf_refusal_challenge(haft_authenticator *base, const char *path, const char *scopes,
                         haft_buffer *value);

int hf_document_describe(haft_authenticator *base, const char *path, const char *name,
                         const char *scopes, haft_buffer *document);
/* Both as in struct authenticator_class. */
const char *hf_document_only(const haft_authenticator *base);
int hf_document_attach(haft_authenticator *base, const char *path, haft_reason *reterr_reason);
/* Appends the identifier of the resource at a path, or the URL of its metadata. */
void hf_document_put_resource(const struct authenticator *authenticator, const char *path,
                              haft_buffer *out);
void hf_document_put_url(const struct authenticator *authenticator, const char *path,
                         haft_buffer *out);

/* ---- checks (check.c) ---- */

/* What `own` of an authentication is. */
enum check_kind {
    CHECK_NOTHING,
    CHECK_PENDING,
    CHECK_KNOWN,
    CHECK_KEYS,
    CHECK_ARENA,
    CHECK_STORE /* a check that waits for the store */
};

/* A check that waits. */
struct pending {
    struct pending *next, *previous;
    struct authenticator *authenticator;
    struct authentication *authentication;
    size_t size;
    struct presented presented; /* strings are behind it */
    struct issuer *issuer;      /* whose keys it waits for, or NULL */
    struct question *question;  /* or NULL */
    int64_t deadline;
    bool waited; /* for keys */
    bool asked;  /* its unknown key has caused a fetch */
};

int hf_check_begin(haft_authenticator *base, const haft_request *request, const char *path,
                   struct authentication *authentication);
int hf_check_foresee(haft_authenticator *base, const haft_request *request, const char *path,
                     struct authentication *authentication);
bool hf_check_cancel(haft_authenticator *base, struct authentication *authentication);
void hf_check_release(haft_authenticator *base, struct authentication *authentication);

/* What tokens for a path must be; audiences are in the arena. Returns 0 or HAFT_ENOMEM. */
int hf_check_rules(const struct authenticator *authenticator, const struct issuer *issuer,
                   const char *path, haft_arena *arena, struct token_rules *ret_rules);

/* On the thread. Ends the waiting for keys, for a question, or for too long. */
void hf_check_keys_fetched(struct issuer *issuer);
void hf_check_answered(struct question *question, struct known *known, enum token_error error,
                       bool unavailable);
void hf_check_expire(struct authenticator *authenticator, bool all);

/* ---- the authenticator (authenticator.c) ---- */

struct authenticator {
    haft_authenticator base;
    const haft_allocator *memory;
    atomic_uint references;
    haft_authenticator_options options; /* strings are in the arena */
    haft_arena *arena;
    struct access *access; /* which scopes include others; NULL: none */
    struct web_url resource;
    struct auth_clock clock;
    unsigned char digest_key[16];
    unsigned char nonce_key[32];
    haft_server *server; /* whose store it uses, for its state; NULL if there is none */
    const struct crypto_functions *crypto;    /* NULL without issuers */
    const struct http_client_functions *http; /* likewise */
    struct issuer *issuers;
    struct token_cache *cache;
    struct replay *replay;
    uv_mutex_t lock;
    struct auth_thread thread;

    /* Under the lock. */
    struct api_keys *keys; /* NULL without a file */
    unsigned version;      /* how often they have been read */
    const char *attached;  /* path of the only endpoint, in the arena; NULL before it is known */
    struct pending *waiting, *last_waiting;
    size_t n_waiting;
    struct question *questions;
    size_t n_questions;
};

/* Creates an authenticator whose memory comes from the allocator, which is used by several threads. */
haft_authenticator *hf_authenticator_create(const haft_authenticator_options *options,
                                            const haft_allocator *allocator,
                                            haft_reason *reterr_reason);
/* Frees everything, after the thread has ended. */
void hf_authenticator_destroy(struct authenticator *authenticator);
/* Before its first use. */
void hf_authenticator_set_clock(haft_authenticator *authenticator, struct auth_clock clock);

/* Whether a proof is accepted, which this process has not seen, after the store's answer: 1 if it is
 * new, 0 if it is not, or an error. */
bool hf_authenticator_accepts(const struct authenticator *authenticator, int status);

void hf_authenticator_log(const struct authenticator *authenticator, haft_level level,
                          const char *format, ...) HAFT_PRINTF_(3, 4);

static inline int64_t authenticator_now(const struct authenticator *authenticator, bool wall)
{
    return authenticator->clock.now(authenticator->clock.context, wall);
}

#endif
