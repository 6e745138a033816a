/* grant.c - requests to token endpoints: each grant writes its parameters, everything else is the
 * same for all. */
#include "auth/client/flow.h"

#include <time.h>

#include "auth/form.h"
#include "auth/scope.h"
#include "engine/offer/scope.h"
#include "auth/client/token_answer.h"
#include "base/sha256.h"

enum { GRANT_HEADER = 16 << 10 };

#define GRANT_TOKEN_TYPE(name) "urn:ietf:params:oauth:token-type:" name

static const char grant_jwt_bearer[] = "urn:ietf:params:oauth:grant-type:jwt-bearer";
static const char grant_exchange[] = "urn:ietf:params:oauth:grant-type:token-exchange";
static const char grant_id_jag[] = GRANT_TOKEN_TYPE("id-jag");

/* ---- the request ---- */

int hf_client_authenticate(struct oauth_flow *flow, haft_buffer *header)
{
    haft_buffer *body = &flow->fetch.body;
    const struct flow_client *client = &flow->client;
    const char *assertion;

    if (!client->id)
        return 0;
    if (client->method == AUTH_METHOD_BASIC) {
        hf_form_basic(header, flow->oauth->memory, client->id, client->secret);
        return header->status ? hf_flow_no_memory(flow) : 0;
    }
    hf_form_add(body, "client_id", client->id);
    if (client->method == AUTH_METHOD_POST)
        hf_form_add(body, "client_secret", client->secret);
    if (client->method == AUTH_METHOD_KEY) {
        assertion = hf_jwt_client_assertion(flow, client->id);
        if (!assertion)
            return hf_flow_refuse(flow, HAFT_EFAIL, "the client's assertion could not be signed");
        hf_form_add(body, "client_assertion_type",
                    "urn:ietf:params:oauth:client-assertion-type:jwt-bearer");
        hf_form_add(body, "client_assertion", assertion);
    }
    return 0;
}

static const crypto_key *grant_key(struct oauth_flow *flow)
{
    const struct oauth_tokens *tokens = &flow->access->tokens;

    if (tokens->key && tokens->issuer && !strcmp(tokens->issuer, flow->issuer.issuer))
        return tokens->key;
    if (!flow->key)
        flow->key = flow->oauth->crypto->make(&flow->reason);
    return flow->key;
}

static int grant_prove(struct oauth_flow *flow, haft_buffer *proof)
{
    const char *nonce = flow->fetch.nonce[0] ? flow->fetch.nonce : NULL;
    const crypto_key *key = grant_key(flow);

    if (!key)
        return flow->reason.code;
    if (hf_jwt_proof(flow->oauth, key, "POST", flow->endpoint, NULL, nonce, proof))
        return hf_flow_refuse(flow, HAFT_EFAIL, "the DPoP proof could not be signed");
    haft_buffer_add(proof, "", 1);
    return proof->status ? hf_flow_no_memory(flow) : 0;
}

static int grant_answered(struct oauth_flow *flow)
{
    const char *error;

    if ((flow->fetch.status == 400 || flow->fetch.status == 401) && flow->oauth->options.dpop &&
        flow->fetch.nonce[0] && !flow->marks.nonce_used) {
        error = hf_flow_error(flow);
        if (!strcmp(error, "use_dpop_nonce")) {
            flow->marks.nonce_used = true;
            return hf_grant_send(flow);
        }
    }
    return flow->granted(flow);
}

int hf_grant_send(struct oauth_flow *flow)
{
    struct http_field headers[4] = {{"Content-Type", "application/x-www-form-urlencoded"},
                                    {"Accept", "application/json"}};
    haft_buffer basic, proof;
    size_t n = 2;
    int status;

    haft_buffer_init(&basic, flow->oauth->memory, GRANT_HEADER);
    haft_buffer_init(&proof, flow->oauth->memory, GRANT_HEADER);
    haft_buffer_clear(&flow->fetch.body);
    status = flow->build(flow);
    if (!status)
        status = hf_client_authenticate(flow, &basic);
    if (!status && basic.size) {
        haft_buffer_add(&basic, "", 1);
        headers[n++] = (struct http_field){"Authorization", basic.data};
    }
    if (!status && flow->oauth->options.dpop) {
        status = grant_prove(flow, &proof);
        headers[n++] = (struct http_field){"DPoP", proof.data};
    }
    if (!status && basic.status)
        status = hf_flow_no_memory(flow);
    if (!status)
        status = hf_flow_post(flow, flow->endpoint, headers, n, grant_answered);
    haft_buffer_finish(&basic);
    haft_buffer_finish(&proof);
    return status;
}

/* ---- the answer ---- */

/* A copy in the arena; NULL stays NULL. *failed is set if memory runs out. */
static const char *grant_copy(haft_arena *arena, const char *text, bool *failed)
{
    const char *copy = text ? haft_arena_copy(arena, text, strlen(text)) : NULL;

    *failed |= text && !copy;
    return copy;
}

static int grant_keep(struct oauth_flow *flow, const struct token_answer *answer)
{
    struct oauth_tokens *old = &flow->access->tokens,
                        tokens = {.arena = haft_arena_new(flow->oauth->memory, OAUTH_ARENA),
                                  .lifetime = answer->lifetime,
                                  .expires_at = answer->lifetime < 0
                                                    ? -1
                                                    : (int64_t)time(NULL) + answer->lifetime};
    const char *refresh = answer->refresh_token;
    bool failed = !tokens.arena;

    if (failed)
        return hf_flow_no_memory(flow);
    if (!refresh && flow->marks.renewing)
        refresh = old->refresh;
    tokens.issuer = grant_copy(tokens.arena, flow->issuer.issuer, &failed);
    tokens.resource = grant_copy(tokens.arena, flow->resource.resource, &failed);
    tokens.client_id = grant_copy(tokens.arena, flow->client.id, &failed);
    tokens.access = grant_copy(tokens.arena, answer->access_token, &failed);
    tokens.type = flow->oauth->options.dpop ? "DPoP" : "Bearer";
    tokens.unused = true;
    tokens.refresh = grant_copy(tokens.arena, refresh, &failed);
    tokens.asked = grant_copy(tokens.arena, flow->asked ? flow->asked : "", &failed);
    if (failed) {
        hf_tokens_finish(flow->oauth, &tokens);
        return hf_flow_no_memory(flow);
    }
    if (flow->oauth->options.dpop) {
        tokens.key = flow->key;
        flow->key = NULL;
        if (!tokens.key) {
            tokens.key = old->key;
            old->key = NULL;
        }
    }
    return hf_access_keep(flow->oauth, flow->access, &tokens, &flow->reason);
}

static int grant_accept(struct oauth_flow *flow)
{
    const char *wanted = flow->oauth->options.dpop ? "DPoP" : "Bearer";
    struct token_answer answer;
    haft_reason reason = {0};
    int status = hf_token_answer_read(flow->fetch.answer.data, flow->fetch.answer.size, flow->arena,
                                      &answer, &reason);

    if (status)
        return hf_flow_refuse(flow, status, "%s", reason.text);
    if (!hf_text_same_ignoring_case(answer.token_type, wanted))
        return hf_flow_refuse(flow, HAFT_EDENIED,
                              "the authorization server issued a token of another type than %s",
                              wanted);
    status = grant_keep(flow, &answer);
    return status ? status : hf_identify_accepted(flow);
}

static int grant_refused(struct oauth_flow *flow, const char *error)
{
    return hf_flow_refuse(
        flow, HAFT_EDENIED,
        "the authorization server %.100s refused to issue a token: %s (status %d)",
        flow->issuer.issuer, error, flow->fetch.status);
}

/* A registration may have been deleted: it is repeated once, with another login. */
static int grant_granted(struct oauth_flow *flow)
{
    const char *error;

    if (flow->fetch.status == 200)
        return grant_accept(flow);
    error = hf_flow_error(flow);
    if (!strcmp(error, "invalid_client") && flow->client.registered &&
        !flow->marks.registered_again) {
        int status = hf_identify_forget(flow);

        flow->marks.registered_again = true;
        hf_login_finish(flow);
        return status ? status : hf_identify_client(flow);
    }
    return grant_refused(flow, error);
}

/* ---- grants ---- */

static void grant_add_target(struct oauth_flow *flow, bool scope)
{
    hf_form_add(&flow->fetch.body, "resource", flow->resource.resource);
    if (scope && flow->asked && *flow->asked)
        hf_form_add(&flow->fetch.body, "scope", flow->asked);
}

static int grant_build_code(struct oauth_flow *flow)
{
    hf_form_add(&flow->fetch.body, "grant_type", "authorization_code");
    hf_form_add(&flow->fetch.body, "code", flow->assertion);
    hf_form_add(&flow->fetch.body, "redirect_uri", flow->login.redirect_uri);
    hf_form_add(&flow->fetch.body, "code_verifier", flow->login.verifier);
    grant_add_target(flow, false);
    return 0;
}

static int grant_build_credentials(struct oauth_flow *flow)
{
    hf_form_add(&flow->fetch.body, "grant_type", "client_credentials");
    grant_add_target(flow, true);
    return 0;
}

static int grant_build_assertion(struct oauth_flow *flow)
{
    hf_form_add(&flow->fetch.body, "grant_type", grant_jwt_bearer);
    hf_form_add(&flow->fetch.body, "assertion", flow->assertion);
    grant_add_target(flow, true);
    return 0;
}

static int grant_build_refresh(struct oauth_flow *flow)
{
    hf_form_add(&flow->fetch.body, "grant_type", "refresh_token");
    hf_form_add(&flow->fetch.body, "refresh_token", flow->access->tokens.refresh);
    grant_add_target(flow, false);
    return 0;
}

static int grant_ask(struct oauth_flow *flow, flow_step *build)
{
    flow->build = build;
    flow->granted = grant_granted;
    flow->endpoint = flow->issuer.token;
    flow->fetch.nonce[0] = '\0';
    flow->marks.nonce_used = false;
    return hf_grant_send(flow);
}

int hf_grant_code(struct oauth_flow *flow)
{
    return grant_ask(flow, grant_build_code);
}

/* ---- the exchange at an identity provider ---- */

static int grant_exchanged(struct oauth_flow *flow)
{
    struct token_answer answer;
    haft_reason reason = {0};
    int status;

    flow->fetch.trusted = flow->fetch.of_issuer;
    if (flow->fetch.status != 200)
        return hf_flow_refuse(flow, HAFT_EDENIED,
                              "the identity provider refused the exchange: %s (status %d)",
                              hf_flow_error(flow), flow->fetch.status);
    status = hf_token_answer_read(flow->fetch.answer.data, flow->fetch.answer.size, flow->arena,
                                  &answer, &reason);
    if (status)
        return hf_flow_refuse(flow, status, "identity provider: %s", reason.text);
    if (!answer.issued_token_type || strcmp(answer.issued_token_type, grant_id_jag) != 0)
        return hf_flow_refuse(flow, HAFT_EPROTOCOL,
                              "the identity provider issued a token of another type");
    flow->assertion = answer.access_token;
    return grant_ask(flow, grant_build_assertion);
}

static int grant_exchange_begin(struct oauth_flow *flow)
{
    static const struct http_field headers[] = {
        {"Content-Type", "application/x-www-form-urlencoded"}, {"Accept", "application/json"}};
    const haft_oauth_options *options = &flow->oauth->options;
    haft_buffer *body = &flow->fetch.body;

    haft_buffer_clear(body);
    hf_form_add(body, "grant_type", grant_exchange);
    hf_form_add(body, "client_id", options->idp_client_id);
    hf_form_add(body, "subject_token", options->assertion);
    hf_form_add(body, "subject_token_type", GRANT_TOKEN_TYPE("id_token"));
    hf_form_add(body, "requested_token_type", grant_id_jag);
    hf_form_add(body, "audience", flow->issuer.issuer);
    grant_add_target(flow, true);
    flow->fetch.of_issuer = flow->fetch.trusted;
    flow->fetch.trusted = true;
    return hf_flow_post(flow, options->idp_token_endpoint, headers, 2, grant_exchanged);
}

/* ---- which of them ---- */

/* The scopes to ask for: those of the challenge, else those of the resource, and the program's; with
 * those that were asked for before, so that a step-up does not lose any. */
static int grant_choose_scopes(struct oauth_flow *flow)
{
    const haft_oauth_options *options = &flow->oauth->options;
    const struct oauth_tokens *tokens = &flow->access->tokens;
    const char *asked = flow->scope ? flow->scope : flow->resource.scopes;
    bool same = tokens->issuer && !strcmp(tokens->issuer, flow->issuer.issuer);

    if (flow->goal == FLOW_RENEW)
        asked = NULL;
    asked = hf_scope_union(flow->arena, same ? tokens->asked : NULL, asked);
    if (asked)
        asked = hf_scope_union(flow->arena, asked, options->scopes);
    if (asked && options->grant == HAFT_GRANT_CODE && !options->no_refresh &&
        hf_scopes_have(flow->issuer.scopes, "offline_access", strlen("offline_access")))
        asked = hf_scope_union(flow->arena, asked, "offline_access");
    flow->asked = asked;
    return asked ? 0 : hf_flow_no_memory(flow);
}

static int grant_obtain(struct oauth_flow *flow)
{
    const haft_oauth_options *options = &flow->oauth->options;
    int status;

    if (options->grant == HAFT_GRANT_CODE) {
        if (!flow->issuer.authorization)
            return hf_flow_refuse(flow, HAFT_EPROTOCOL,
                                  "the authorization server has no authorization endpoint");
        if (!flow->issuer.s256)
            return hf_flow_refuse(flow, HAFT_EDENIED,
                                  "the authorization server %.120s does not support PKCE with S256",
                                  flow->issuer.issuer);
        return hf_identify_client(flow);
    }
    status = hf_identify_client(flow);
    if (status && !(status == HAFT_ENOTFOUND && options->grant == HAFT_GRANT_JWT_BEARER))
        return status == HAFT_ENOTFOUND
                   ? hf_flow_refuse(flow, HAFT_EDENIED, "the client has no credentials")
                   : status;
    if (options->grant == HAFT_GRANT_ID_JAG)
        return grant_exchange_begin(flow);
    flow->assertion = options->assertion;
    return grant_ask(flow, options->grant == HAFT_GRANT_CREDENTIALS ? grant_build_credentials
                                                                    : grant_build_assertion);
}

/* Goes on without the refresh token; `drop` says that it is worth nothing any more. */
static int grant_renewal_failed(struct oauth_flow *flow, bool drop)
{
    hf_renewal_end(flow); /* a login may take long */
    flow->marks.renewing = false;
    flow->marks.renewed = true;
    flow->access->tokens.refresh = NULL;
    if (flow->goal == FLOW_AUTHORIZE || flow->oauth->options.grant != HAFT_GRANT_CODE)
        return grant_obtain(flow);
    /* The sender goes on without a token, is challenged, and a person logs in. */
    if (drop)
        return hf_access_drop(flow->oauth, flow->access, &flow->reason);
    hf_tokens_finish(flow->oauth, &flow->access->tokens);
    return 0;
}

/* Whether the tokens are of the issuer and for the resource that the flow is about. */
static bool grant_is_same(const struct oauth_flow *flow)
{
    const struct oauth_tokens *tokens = &flow->access->tokens;

    return tokens->issuer && !strcmp(tokens->issuer, flow->issuer.issuer) && tokens->resource &&
           !strcmp(tokens->resource, flow->resource.resource);
}

/* Another program has logged in at another issuer: its tokens are renewed there. */
static int grant_follow(struct oauth_flow *flow)
{
    const struct oauth_tokens *tokens = &flow->access->tokens;

    hf_renewal_end(flow);
    flow->marks.renewing = false;
    if (flow->goal == FLOW_AUTHORIZE)
        return grant_obtain(flow);
    if (flow->marks.moved || !tokens->refresh)
        return grant_renewal_failed(flow, false);
    flow->marks.moved = true;
    flow->resource = (struct resource_metadata){
        .resource = haft_arena_copy(flow->arena, tokens->resource, strlen(tokens->resource))};
    flow->issuer = (struct issuer_metadata){
        .issuer = haft_arena_copy(flow->arena, tokens->issuer, strlen(tokens->issuer))};
    if (!flow->resource.resource || !flow->issuer.issuer)
        return hf_flow_no_memory(flow);
    return hf_discover_issuer(flow);
}

/* Reads the store again. Returns 0, or 1 if another program that shares it has renewed the token. */
static int grant_reload(struct oauth_flow *flow)
{
    const struct oauth_tokens *tokens = &flow->access->tokens;
    unsigned char digests[2][SHA256_SIZE];
    struct sha256 hash;
    int status;

    for (int i = 0; i < 2; i++) {
        hf_sha256_init(&hash);
        if (tokens->access)
            hf_sha256_add(&hash, tokens->access, strlen(tokens->access));
        hf_sha256_finish(&hash, digests[i]);
        status = i ? 0 : hf_access_reload(flow->oauth, flow->access, &flow->reason);
        if (status)
            return status;
    }
    return !hf_digest_equal(digests[0], digests[1]) && tokens->access &&
           !hf_access_is_expired(flow->access);
}

static bool grant_is_among(const char *error, const char *const *errors)
{
    while (*errors && strcmp(*errors, error) != 0)
        errors++;
    return *errors;
}

/* If the refresh token is refused, another program may have used it in the meantime. */
static int grant_renewed(struct oauth_flow *flow)
{
    static const char *const later[] = {"temporarily_unavailable", "server_error", "slow_down",
                                        NULL};
    static const char *const final[] = {"invalid_grant", "invalid_client", "unauthorized_client",
                                        NULL};
    const char *error;
    int status;

    if (flow->fetch.status == 200)
        return grant_accept(flow);
    error = hf_flow_error(flow);
    if ((flow->fetch.status != 400 && flow->fetch.status != 401) || grant_is_among(error, later))
        return grant_refused(flow, error);
    if (!grant_is_among(error, final))
        return grant_renewal_failed(flow, false);
    status = grant_reload(flow);
    if (status)
        return status > 0 ? 0 : status;
    return grant_is_same(flow) ? grant_renewal_failed(flow, true) : grant_follow(flow);
}

static int grant_renew(struct oauth_flow *flow)
{
    const struct oauth_tokens *tokens = &flow->access->tokens;
    int status = grant_reload(flow);

    if (status)
        return status > 0 ? 0 : status;
    if (!grant_is_same(flow))
        return grant_follow(flow);
    flow->marks.renewing = true;
    if (!tokens->refresh || !tokens->client_id)
        return grant_renewal_failed(flow, true);
    status = hf_identify_client(flow);
    if (status == HAFT_ENOTFOUND || (!status && strcmp(flow->client.id, tokens->client_id) != 0))
        return grant_renewal_failed(flow, true);
    if (status)
        return status;
    status = grant_ask(flow, grant_build_refresh);
    flow->granted = grant_renewed;
    return status;
}

int hf_grant_begin(struct oauth_flow *flow)
{
    haft_grant grant = flow->oauth->options.grant;
    int status = grant_choose_scopes(flow);

    /* Nothing of the program is shown to a server that it is not for. */
    if (!status && (grant == HAFT_GRANT_JWT_BEARER || grant == HAFT_GRANT_ID_JAG))
        status = hf_identify_owner(flow);
    if (status)
        return status;
    if (!flow->step_up && !flow->marks.renewed && grant_is_same(flow) &&
        flow->access->tokens.refresh)
        return hf_renewal_begin(flow, grant_renew);
    return grant_obtain(flow);
}
