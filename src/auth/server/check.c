/* check.c - decides about a request: credentials, the cache, keys or the issuer's word, and what the
 * token is bound to.
 *
 * The cheap questions come first, so that a token that cannot be right costs no signature and no
 * request to an issuer. */
#include "auth/server/check.h"

enum { CHECK_ARENA_LIMIT = 1 << 20, CHECK_NEGATIVE_MS = 5000 };

static const char check_invalid[] = "invalid_token";

/* ---- ends ---- */

static int check_refuse_as(struct check *check, int status, const char *error, const char *text,
                           const char *reason)
{
    struct refusal refusal = {.status = status,
                              .error = error,
                              .text = text,
                              .reason = reason,
                              .scopes = check->authenticator->options.scopes,
                              .dpop = check->presented->kind == CREDENTIAL_DPOP};

    return hf_refusal_make(check->authenticator, check->presented->path, &refusal,
                           check->authentication);
}

static int check_refuse_request(struct check *check, int status, const char *error,
                                const char *text)
{
    return check_refuse_as(check, status, error, text, NULL);
}

static int check_unavailable(struct check *check)
{
    struct refusal refusal = {.status = 503,
                              .text = "The authorization server cannot be reached",
                              .retry_s = AUTHENTICATOR_RETRY_S};

    return hf_refusal_make(check->authenticator, check->presented->path, &refusal,
                           check->authentication);
}

static int check_refuse_token(struct check *check, enum token_error error)
{
    return error == TOKEN_NO_MEMORY
               ? HAFT_ENOMEM
               : check_refuse_as(check, 401, check_invalid, hf_token_error_text(error),
                                 hf_token_error_label(error));
}

static int check_refuse_possession(struct check *check, const struct possession *possession)
{
    struct refusal refusal = {.status = 401,
                              .error = possession->error,
                              .text = possession->text,
                              .scopes = check->authenticator->options.scopes,
                              .nonce = possession->renew ? possession->nonce : NULL,
                              .dpop = check->presented->kind == CREDENTIAL_DPOP};

    return hf_refusal_make(check->authenticator, check->presented->path, &refusal,
                           check->authentication);
}

int hf_check_used(struct check *check, const struct possession *possession)
{
    struct possession used = *possession;

    used.error = "invalid_dpop_proof";
    used.text = "The DPoP proof has been used before";
    return check_refuse_possession(check, &used);
}

int hf_check_unsure(struct check *check)
{
    struct refusal refusal = {.status = 503,
                              .text = "Whether the DPoP proof has been used before is not known",
                              .retry_s = AUTHENTICATOR_RETRY_S};

    return hf_refusal_make(check->authenticator, check->presented->path, &refusal,
                           check->authentication);
}

int hf_check_admit(struct check *check, struct known *known, const struct possession *possession)
{
    struct authentication *authentication = check->authentication;

    authentication->own = known;
    authentication->kind = CHECK_KNOWN;
    authentication->identity = &known->identity;
    if (possession->renew) {
        memcpy(authentication->room, possession->nonce, sizeof authentication->room);
        authentication->renewal = (haft_header){"DPoP-Nonce", authentication->room};
    }
    return 0;
}

/* Ends a check with a verified token, whose reference it takes. */
static int check_accept(struct check *check, struct known *known)
{
    struct authenticator *authenticator = check->authenticator;
    int64_t now_s = authenticator_now(authenticator, true) / 1000;
    struct possession possession;
    int status;

    if (now_s >= known->expires + (int64_t)authenticator->options.skew_s) {
        hf_known_drop(known);
        return check_refuse_token(check, TOKEN_EXPIRED);
    }
    possession.error = NULL;
    possession.renew = false;
    possession.name[0] = '\0';
    status =
        check->early ? 0 : hf_possession_check(authenticator, check->presented, known, &possession);
    if (status == HAFT_EBUSY)
        status = check_unavailable(check);
    else if (!status && possession.error)
        status = check_refuse_possession(check, &possession);
    else if (!status && known->lacks_scopes)
        status = check_refuse_request(check, 403, "insufficient_scope",
                                      "The access token lacks a required scope");
    if (status) {
        hf_known_drop(known);
        return status;
    }
    return possession.name[0] ? hf_single_use_ask(check, known, &possession)
                              : hf_check_admit(check, known, &possession);
}

static void check_remember(struct check *check, struct known *known, enum token_error error)
{
    struct authenticator *authenticator = check->authenticator;
    int64_t now = authenticator_now(authenticator, false);
    unsigned cache_ms = authenticator->options.cache_ms;

    if (authenticator->cache)
        hf_token_cache_put(
            authenticator->cache, check->digest, known, error,
            now + (known || cache_ms < CHECK_NEGATIVE_MS ? cache_ms : CHECK_NEGATIVE_MS));
}

/* ---- tokens ---- */

int hf_check_rules(const struct authenticator *authenticator, const struct issuer *issuer,
                   const char *path, haft_arena *arena, struct token_rules *ret_rules)
{
    const char *const *more = authenticator->options.audiences;
    const char **audiences;
    haft_buffer resource;
    size_t n = 0;

    while (more[n])
        n++;
    audiences = haft_arena_zalloc(arena, n + 2, sizeof *audiences);
    if (!audiences)
        return HAFT_ENOMEM;
    haft_buffer_init(&resource, authenticator->memory, 2 * WEB_URL_LIMIT);
    hf_document_put_resource(authenticator, path, &resource);
    if (!resource.status)
        audiences[0] = haft_arena_copy(arena, resource.data, resource.size);
    haft_buffer_finish(&resource);
    memcpy(audiences + 1, more, n * sizeof *audiences);
    *ret_rules = (struct token_rules){.issuer = issuer->options.url,
                                      .audiences = audiences,
                                      .any_type = issuer->options.any_type,
                                      .skew_s = authenticator->options.skew_s};
    return audiences[0] ? 0 : HAFT_ENOMEM;
}

static struct issuer *check_find_issuer(struct authenticator *authenticator, const char *url)
{
    for (size_t i = 0; url && i < authenticator->options.n_issuers; i++)
        if (!strcmp(authenticator->issuers[i].options.url, url))
            return &authenticator->issuers[i];
    return NULL;
}

/* Verifies the signature with the issuer's keys, which may have to be fetched. Returns 0 with the
 * error, HAFT_PENDING, or why it cannot be said: HAFT_EBUSY. */
static int check_signature(struct check *check, struct issuer *issuer, const struct jwt *jwt,
                           enum token_error *ret_error)
{
    for (;;) {
        bool waited = check->pending && check->pending->waited;
        enum issuer_answer answer;
        struct key_set *keys;
        unsigned generation;
        int status;

        answer = hf_issuer_take(issuer, waited, &keys, &generation);
        if (answer == ISSUER_READY) {
            *ret_error = keys->keys ? hf_jwt_verify(jwt, keys->keys) : TOKEN_UNKNOWN_KEY;
            hf_key_set_drop(keys);
            if (*ret_error != TOKEN_UNKNOWN_KEY || (check->pending && check->pending->asked))
                return 0;
            answer = hf_issuer_refresh(issuer, jwt->kid, &generation);
            if (answer != ISSUER_WAIT)
                return 0;
            status = hf_waiting_prepare(check);
            if (status)
                return status;
            check->pending->asked = true;
        }
        if (answer == ISSUER_DOWN)
            return HAFT_EBUSY;
        status = hf_waiting_for_keys(check, issuer, generation);
        if (status)
            return status;
    }
}

/* Verifies a JWT. Returns 0 with the token or the error, HAFT_PENDING, or an error. */
static int check_jwt(struct check *check, haft_arena *arena, struct known **ret_known,
                     enum token_error *ret_error)
{
    struct authenticator *authenticator = check->authenticator;
    const struct text *token = &check->presented->secret;
    struct token_claims claims;
    struct token_rules rules;
    struct issuer *issuer;
    struct jwt jwt;
    int status;

    *ret_error = hf_jwt_read(token->data, token->size, arena, &jwt);
    if (*ret_error)
        return 0;
    issuer = check_find_issuer(authenticator, jwt.issuer);
    if (!issuer) {
        *ret_error = TOKEN_WRONG_ISSUER;
        return 0;
    }
    status = hf_check_rules(authenticator, issuer, check->presented->path, arena, &rules);
    if (status)
        return status;
    *ret_error =
        hf_jwt_check(&jwt, &rules, authenticator_now(authenticator, true) / 1000, arena, &claims);
    if (*ret_error)
        return 0;
    status = check_signature(check, issuer, &jwt, ret_error);
    if (status || *ret_error)
        return status;
    *ret_known = hf_known_new(authenticator, &claims, jwt.payload, jwt.payload_size);
    return *ret_known ? 0 : HAFT_ENOMEM;
}

static bool check_can_ask(const struct authenticator *authenticator)
{
    for (size_t i = 0; i < authenticator->options.n_issuers; i++)
        if (authenticator->issuers[i].options.introspection)
            return true;
    return false;
}

/* A token that is not in the cache. */
static int check_new_token(struct check *check)
{
    const struct text *token = &check->presented->secret;
    bool is_jwt = hf_jwt_is_like(token->data, token->size);
    enum token_error error = TOKEN_OK;
    struct known *known = NULL;
    haft_arena *arena;
    int status;

    /* A JWT has characters of tokens only. */
    if (!is_jwt && !hf_credentials_is_token(*token))
        return check_refuse_request(check, 400, "invalid_request", CREDENTIALS_MALFORMED);
    if (token->size > TOKEN_LIMIT)
        return check_refuse_token(check, TOKEN_TOO_LONG);
    if (!is_jwt) {
        if (!check_can_ask(check->authenticator))
            return check_refuse_token(check, TOKEN_MALFORMED);
        status = hf_waiting_for_answer(check);
        return status == HAFT_EBUSY ? check_unavailable(check) : status;
    }
    arena = haft_arena_new(check->authenticator->memory, CHECK_ARENA_LIMIT);
    status = arena ? check_jwt(check, arena, &known, &error) : HAFT_ENOMEM;
    haft_arena_free(arena);
    if (status == HAFT_EBUSY)
        return check_unavailable(check);
    if (status)
        return status;
    if (error)
        return check_refuse_token(check, error);
    check_remember(check, known, TOKEN_OK);
    return check_accept(check, known);
}

static int check_token(struct check *check)
{
    struct authenticator *authenticator = check->authenticator;
    enum token_memory memory = TOKEN_UNSEEN;
    enum token_error error;
    struct known *known;
    struct siphash hash;

    siphash_init_pair(&hash, authenticator->digest_key);
    hf_siphash_pair_bytes(&hash, check->presented->path, strlen(check->presented->path) + 1);
    hf_siphash_pair_bytes(&hash, check->presented->secret.data, check->presented->secret.size);
    check->digest = siphash_finish_pair(&hash);
    if (authenticator->cache)
        memory = hf_token_cache_find(authenticator->cache, check->digest,
                                     authenticator_now(authenticator, false), &known, &error);
    if (memory == TOKEN_ACCEPTED)
        return check_accept(check, known);
    if (memory == TOKEN_REFUSED)
        return check_refuse_token(check, error);
    return check_new_token(check);
}

/* ---- API keys ---- */

/* Returns 0 if the key is known, and sets the identity; HAFT_ENOTFOUND if it is not; HAFT_STOP. */
static int check_api_key(struct check *check)
{
    struct authenticator *authenticator = check->authenticator;
    struct authentication *authentication = check->authentication;
    const haft_identity *identity;
    struct api_keys *keys;

    uv_mutex_lock(&authenticator->lock);
    keys = authenticator->keys;
    hf_api_keys_hold(keys);
    uv_mutex_unlock(&authenticator->lock);
    identity = hf_api_keys_find(keys, check->presented->secret.data, check->presented->secret.size);
    if (identity && hf_known_scopes_suffice(authenticator, identity->scopes)) {
        authentication->own = keys;
        authentication->kind = CHECK_KEYS;
        authentication->identity = identity;
        return 0;
    }
    hf_api_keys_drop(keys);
    return identity ? check_refuse_request(check, 403, "insufficient_scope",
                                           "The API key lacks a required scope")
                    : HAFT_ENOTFOUND;
}

static int check_decide(struct check *check)
{
    struct authenticator *authenticator = check->authenticator;
    const struct presented *presented = check->presented;
    bool issuers = authenticator->options.n_issuers, keys = authenticator->options.key_file;
    int status;

    if (presented->kind == CREDENTIAL_NONE)
        return check_refuse_request(
            check, 401, NULL, issuers ? "An access token is required" : "An API key is required");
    if (keys && presented->kind != CREDENTIAL_DPOP &&
        (!issuers || presented->kind == CREDENTIAL_KEY ||
         !hf_jwt_is_like(presented->secret.data, presented->secret.size))) {
        status = check_api_key(check);
        if (status != HAFT_ENOTFOUND)
            return status;
    }
    if (!issuers || presented->kind == CREDENTIAL_KEY)
        return check_refuse_as(check, 401, check_invalid, "The API key is not known",
                               "unknown_api_key");
    return check_token(check);
}

static int check_run(haft_authenticator *base, const haft_request *request, const char *path,
                     bool early, struct authentication *authentication)
{
    struct presented presented;
    struct check check = {.authenticator = (struct authenticator *)base,
                          .presented = &presented,
                          .authentication = authentication,
                          .early = early};
    const char *wrong = hf_credentials_find(check.authenticator, request, path, &presented);
    int status;

    authentication->own = NULL;
    authentication->kind = CHECK_NOTHING;
    authentication->identity = NULL;
    authentication->renewal = (haft_header){NULL, NULL};
    authentication->reason = NULL;
    status =
        wrong ? check_refuse_request(&check, 400, "invalid_request", wrong) : check_decide(&check);
    /* A pending check belongs to the thread by now. */
    if (status == HAFT_PENDING)
        return status;
    if (check.pending)
        hf_waiting_free(check.pending);
    authentication->status = status;
    return status;
}

int hf_check_begin(haft_authenticator *base, const haft_request *request, const char *path,
                   struct authentication *authentication)
{
    return check_run(base, request, path, false, authentication);
}

int hf_check_foresee(haft_authenticator *base, const haft_request *request, const char *path,
                     struct authentication *authentication)
{
    return check_run(base, request, path, true, authentication) == HAFT_STOP ? HAFT_STOP : 0;
}

/* ---- the end of waiting, on the thread ---- */

static bool check_is_for_issuer(const struct pending *pending, const void *issuer)
{
    return pending->issuer == issuer;
}

static bool check_is_for_question(const struct pending *pending, const void *question)
{
    return pending->question == question;
}

static bool check_is_late(const struct pending *pending, const void *now)
{
    return pending->deadline <= *(const int64_t *)now;
}

void hf_check_keys_fetched(struct issuer *issuer)
{
    struct pending *next,
        *each = hf_waiting_take(issuer->authenticator, check_is_for_issuer, issuer);

    for (; each; each = next) {
        struct check check = hf_waiting_resume(each);
        int status;

        next = each->next;
        each->waited = true;
        status = check_token(&check);
        if (status != HAFT_PENDING)
            hf_waiting_done(each, status);
    }
}

void hf_check_answered(struct question *question, struct known *known, enum token_error error,
                       bool unavailable)
{
    struct authenticator *authenticator = question->issuer->authenticator;
    struct check about = {.authenticator = authenticator, .digest = question->digest};
    struct pending *next, *each;

    if (!unavailable && error != TOKEN_NO_MEMORY)
        check_remember(&about, known, error);
    each = hf_waiting_take(authenticator, check_is_for_question, question);
    for (; each; each = next) {
        struct check check = hf_waiting_resume(each);

        next = each->next;
        if (unavailable) {
            hf_waiting_done(each, check_unavailable(&check));
        } else if (!known) {
            hf_waiting_done(each, check_refuse_token(&check, error));
        } else {
            int status;

            atomic_fetch_add(&known->references, 1);
            status = check_accept(&check, known);
            if (status != HAFT_PENDING) /* otherwise the store ends it */
                hf_waiting_done(each, status);
        }
    }
    hf_known_drop(known);
}

void hf_check_expire(struct authenticator *authenticator, bool all)
{
    int64_t now = all ? INT64_MAX : authenticator_now(authenticator, false);
    struct pending *next, *each = hf_waiting_take(authenticator, check_is_late, &now);

    for (; each; each = next) {
        struct check check = hf_waiting_resume(each);

        next = each->next;
        hf_waiting_done(each, all ? HAFT_ECLOSED : check_unavailable(&check));
    }
}

/* ---- the end of a check ---- */

void hf_check_release(haft_authenticator *base, struct authentication *authentication)
{
    (void)base;
    switch ((enum check_kind)authentication->kind) {
    case CHECK_KNOWN:
        hf_known_drop(authentication->own);
        break;
    case CHECK_KEYS:
        hf_api_keys_drop(authentication->own);
        break;
    case CHECK_ARENA:
        haft_arena_free(authentication->own);
        break;
    case CHECK_NOTHING:
    case CHECK_PENDING:
    case CHECK_STORE:
        break;
    }
    authentication->own = NULL;
    authentication->kind = CHECK_NOTHING;
}
