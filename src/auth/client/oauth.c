/* oauth.c - the OAuth client as an authorizer: which requests get a token, and what happens when a
 * server refuses one. */
#include "auth/client/oauth.h"

#include <stdio.h>

#include "auth/client/challenge.h"
#include "auth/client/flow.h"
#include "auth/scope.h"
#include "part/http_client.h"

enum { OAUTH_HEADER = 32 << 10 };

static struct oauth *oauth_of(const haft_authorizer *authorizer)
{
    union {
        const haft_authorizer *in;
        struct oauth *out;
    } each = {.in = authorizer};

    return each.out;
}

/* ---- life ---- */

static void oauth_destroy(struct oauth *oauth)
{
    const haft_allocator *memory = oauth->memory;

    while (oauth->accesses) {
        struct oauth_access *access = oauth->accesses;

        oauth->accesses = access->next;
        if (access->flow)
            hf_flow_free(access->flow);
        hf_access_free(oauth, access);
    }
    hf_auth_store_finish(&oauth->store);
    if (oauth->key)
        oauth->crypto->destroy(oauth->key);
    haft_arena_free(oauth->arena);
    memory->release(memory->context, oauth, sizeof *oauth);
}

void hf_oauth_enter(struct oauth *oauth)
{
    oauth->depth++;
}

void hf_oauth_leave(struct oauth *oauth)
{
    if (!--oauth->depth && oauth->freed)
        oauth_destroy(oauth);
}

static void oauth_free(haft_authorizer *authorizer)
{
    struct oauth *oauth = oauth_of(authorizer);

    hf_oauth_enter(oauth);
    oauth->freed = true;
    hf_oauth_leave(oauth);
}

static int oauth_attach(haft_authorizer *authorizer, const struct authorizer_loop *loop,
                        haft_reason *reterr_reason)
{
    struct oauth *oauth = oauth_of(authorizer);

    if (oauth->attached && oauth->loop.uv != loop->uv)
        return hf_error_set(reterr_reason, HAFT_EBUSY, "authorizer",
                            "the authorizer is in use on another loop");
    oauth->loop = *loop;
    oauth->attached++;
    return 0;
}

static void oauth_detach(haft_authorizer *authorizer)
{
    struct oauth *oauth = oauth_of(authorizer);

    if (!oauth->attached || --oauth->attached)
        return;
    for (struct oauth_access *access = oauth->accesses; access; access = access->next)
        if (access->flow)
            hf_flow_free(access->flow);
    oauth->ending = NULL;
    oauth->loop.uv = NULL;
}

static bool oauth_remove_wait(struct authorizer_wait **place, const struct authorizer_wait *wait)
{
    while (*place && *place != wait)
        place = &(*place)->next;
    if (!*place)
        return false;
    *place = wait->next;
    return true;
}

static void oauth_cancel(haft_authorizer *authorizer, struct authorizer_wait *wait)
{
    struct oauth *oauth = oauth_of(authorizer);

    if (oauth_remove_wait(&oauth->ending, wait))
        return;
    for (struct oauth_access *access = oauth->accesses; access; access = access->next)
        if (access->flow && oauth_remove_wait(&access->flow->waits, wait))
            return;
}

/* ---- flows ---- */

/* Runs the first step of a new flow. */
static int oauth_start(struct oauth *oauth, struct oauth_flow *flow, flow_step *step,
                       struct authorizer_wait *wait, haft_reason *reterr_reason)
{
    int status;

    hf_oauth_enter(oauth);
    flow->busy = true;
    status = step(flow);
    flow->busy = false;
    if (status == HAFT_PENDING) {
        hf_flow_wait(flow, wait);
    } else {
        if (status && reterr_reason)
            *reterr_reason = flow->reason;
        hf_flow_free(flow);
    }
    hf_oauth_leave(oauth);
    return status;
}

static int oauth_renew(struct oauth *oauth, struct oauth_access *access,
                       struct authorizer_wait *wait, haft_reason *reterr_reason)
{
    struct oauth_flow *flow;
    int status = hf_flow_new(oauth, access, FLOW_RENEW, &oauth->loop, &flow, reterr_reason);

    if (status)
        return status;
    flow->resource.resource =
        haft_arena_copy(flow->arena, access->tokens.resource, strlen(access->tokens.resource));
    flow->issuer.issuer =
        haft_arena_copy(flow->arena, access->tokens.issuer, strlen(access->tokens.issuer));
    if (!flow->resource.resource || !flow->issuer.issuer) {
        hf_flow_free(flow);
        return hf_error_set(reterr_reason, HAFT_ENOMEM, "", "%s", haft_strerror(HAFT_ENOMEM));
    }
    return oauth_start(oauth, flow, hf_discover_issuer, wait, reterr_reason);
}

/* ---- headers ---- */

static const char *oauth_copy(haft_arena *arena, const haft_buffer *text)
{
    return text->status ? NULL : haft_arena_copy(arena, text->data, text->size);
}

static int oauth_put_headers(struct oauth *oauth, struct oauth_access *access, const char *method,
                             const char *url, haft_arena *arena,
                             struct http_field ret_fields[AUTHORIZER_FIELDS], size_t *ret_n)
{
    struct oauth_tokens *tokens = &access->tokens;
    const char *value = haft_arena_printf(arena, "%s %s", tokens->type, tokens->access), *copy;
    haft_buffer proof;
    int status;

    if (!value)
        return HAFT_ENOMEM;
    ret_fields[0] = (struct http_field){"Authorization", value};
    *ret_n = 1;
    tokens->unused = false;
    if (!tokens->key)
        return 0;
    haft_buffer_init(&proof, oauth->memory, OAUTH_HEADER);
    status = hf_jwt_proof(oauth, tokens->key, method, url, tokens->access,
                          access->nonce[0] ? access->nonce : NULL, &proof);
    copy = status ? NULL : oauth_copy(arena, &proof);
    haft_buffer_finish(&proof);
    if (!copy)
        return status ? status : HAFT_ENOMEM;
    ret_fields[1] = (struct http_field){"DPoP", copy};
    *ret_n = 2;
    return 0;
}

static int oauth_headers(haft_authorizer *authorizer, const char *method, const char *server,
                         const char *url, haft_arena *arena,
                         struct http_field ret_fields[AUTHORIZER_FIELDS], size_t *ret_n,
                         struct authorizer_wait *wait)
{
    struct oauth *oauth = oauth_of(authorizer);
    struct oauth_access *access;
    int status = hf_access_find(oauth, server, &access, NULL);

    *ret_n = 0;
    if (status == HAFT_EINVAL)
        return 0;
    if (status || !hf_access_covers(access, url))
        return status;
    if (!hf_access_is_expired(access))
        return oauth_put_headers(oauth, access, method, url, arena, ret_fields, ret_n);
    if (access->flow && wait && oauth->loop.uv) {
        hf_flow_wait(access->flow, wait);
        return HAFT_PENDING;
    }
    /* An expired token that nothing can renew without a person is not sent: the challenge that
     * follows begins a login. */
    if (!oauth->loop.uv || !wait ||
        (!access->tokens.refresh && oauth->options.grant == HAFT_GRANT_CODE))
        return 0;
    status = oauth_renew(oauth, access, wait, NULL);
    return status ? status
                  : oauth_put_headers(oauth, access, method, url, arena, ret_fields, ret_n);
}

static bool oauth_has_token(const haft_authorizer *authorizer, const char *url)
{
    struct oauth *oauth = oauth_of(authorizer);
    struct oauth_access *access;

    return !hf_access_find(oauth, url, &access, NULL) && hf_access_covers(access, url) &&
           (access->tokens.refresh || oauth->options.grant != HAFT_GRANT_CODE ||
            !hf_access_is_expired(access));
}

/* ---- challenges ---- */

/* Whether the refused request had the token that the access has; if not, it is sent again. */
static bool oauth_is_current(const struct oauth_access *access, const char *url, const char *sent)
{
    size_t size;

    if (!hf_access_covers(access, url))
        return true;
    if (!sent)
        return hf_access_is_expired(access);
    size = strlen(access->tokens.type);
    return !strncmp(sent, access->tokens.type, size) && sent[size] == ' ' &&
           !strcmp(sent + size + 1, access->tokens.access);
}

/* The server wants a DPoP proof with a number of its choice: not an authorization. */
static bool oauth_take_nonce(struct oauth_access *access,
                             const struct authorizer_challenge *challenge,
                             const struct challenge *why, struct oauth_series *series)
{
    const char *nonce = hf_challenge_field(challenge->fields, challenge->n_fields, "DPoP-Nonce");

    if (!access->tokens.key || !why->error || strcmp(why->error, "use_dpop_nonce") != 0 || !nonce ||
        strlen(nonce) >= sizeof access->nonce || series->nonces >= 2)
        return false;
    series->nonces++;
    snprintf(access->nonce, sizeof access->nonce, "%s", nonce);
    return true;
}

/* Decides whether another authorization makes sense. */
static int oauth_count(struct oauth *oauth, struct oauth_access *access,
                       const struct challenge *why, bool step_up, struct oauth_series *series,
                       haft_reason *reterr_reason)
{
    bool same =
        step_up && access->tokens.arena && hf_scope_covers(access->tokens.asked, why->scope);

    if (series->attempts >= oauth->options.max_attempts || (same && series->same))
        return hf_error_set(reterr_reason, HAFT_EDENIED, access->url,
                            "the server refused the request after %u authorizations",
                            series->attempts);
    series->attempts++;
    series->same += same;
    return 0;
}

static int oauth_prepare(struct oauth_flow *flow, const struct challenge *why, int status,
                         const struct oauth_series *series)
{
    if (why->scope) {
        flow->scope = haft_arena_copy(flow->arena, why->scope, strlen(why->scope));
        if (!flow->scope)
            return hf_flow_no_memory(flow);
    }
    if (why->resource_metadata) {
        flow->ways.urls[0] =
            haft_arena_copy(flow->arena, why->resource_metadata, strlen(why->resource_metadata));
        flow->ways.n = 1;
        if (!flow->ways.urls[0])
            return hf_flow_no_memory(flow);
    }
    flow->step_up = status == 403;
    flow->marks.renewed = series->renewed; /* a renewed token was refused as well */
    return 0;
}

static int oauth_authorize(struct oauth *oauth, struct oauth_access *access,
                           const struct authorizer_challenge *challenge,
                           const struct challenge *why, struct authorizer_wait *wait,
                           haft_reason *reterr_reason)
{
    int64_t now = (int64_t)uv_now(oauth->loop.uv);
    struct oauth_series *series = hf_access_series(access, challenge->operation, now);
    struct oauth_flow *flow;
    int status;

    if (oauth_take_nonce(access, challenge, why, series))
        return 0;
    status = oauth_count(oauth, access, why, challenge->status == 403, series, reterr_reason);
    if (!status)
        status = hf_flow_new(oauth, access, FLOW_AUTHORIZE, &oauth->loop, &flow, reterr_reason);
    if (status)
        return status;
    flow->series = series;
    status = oauth_prepare(flow, why, challenge->status, series);
    if (status) {
        if (reterr_reason)
            *reterr_reason = flow->reason;
        hf_flow_free(flow);
        return status;
    }
    return oauth_start(oauth, flow, hf_discover_resource, wait, reterr_reason);
}

static bool oauth_is_secure(const char *text)
{
    struct web_url url;

    return !hf_web_url_read(text, &url) && (url.tls || url.loopback);
}

static int oauth_challenged(haft_authorizer *authorizer,
                            const struct authorizer_challenge *challenge,
                            struct authorizer_wait *wait, haft_reason *reterr_reason)
{
    struct oauth *oauth = oauth_of(authorizer);
    haft_arena *arena = haft_arena_new(oauth->memory, OAUTH_ARENA);
    struct oauth_access *access;
    struct challenge why;
    int status = arena ? hf_challenge_read(challenge->fields, challenge->n_fields,
                                           oauth->options.dpop, arena, &why)
                       : HAFT_ENOMEM;

    if (status)
        hf_error_set(reterr_reason, status, challenge->url, "%s", haft_strerror(status));
    else if (!oauth->loop.uv)
        status = hf_error_set(reterr_reason, HAFT_ECLOSED, challenge->url,
                              "the authorizer is not attached to a loop");
    else if (!oauth_is_secure(challenge->url))
        status = hf_error_set(reterr_reason, HAFT_EDENIED, challenge->url,
                              "the server wants a token, which is only sent over https");
    else
        status = hf_access_find(oauth, challenge->url, &access, reterr_reason);
    if (!status && challenge->status == 403 &&
        (!why.error || strcmp(why.error, "insufficient_scope") != 0)) {
        status = hf_error_set(reterr_reason, HAFT_EDENIED, challenge->url,
                              "the server answered 403 and asks for no other authorization");
    } else if (!status && access->flow) {
        hf_flow_wait(access->flow, wait);
        status = HAFT_PENDING;
    } else if (!status && oauth_is_current(access, challenge->url, challenge->sent)) {
        status = oauth_authorize(oauth, access, challenge, &why, wait, reterr_reason);
    } /* else there is a newer token: 0 */
    haft_arena_free(arena);
    return status;
}

const struct authorizer_class hf_oauth_class = {
    .attach = oauth_attach,
    .detach = oauth_detach,
    .headers = oauth_headers,
    .challenged = oauth_challenged,
    .cancel = oauth_cancel,
    .free = oauth_free,
    .has_token = oauth_has_token,
};

int haft_oauth_redirected(haft_authorizer *authorizer, const char *url)
{
    struct oauth *oauth;
    struct url parts;
    int status = HAFT_EINVAL;

    if (!authorizer || authorizer->class != &hf_oauth_class || !url)
        return HAFT_EINVAL;
    oauth = oauth_of(authorizer);
    parts = hf_url_split(url, strlen(url));
    hf_oauth_enter(oauth);
    for (struct oauth_access *access = oauth->accesses; access && parts.query.text;
         access = access->next) {
        if (!access->flow)
            continue;
        status = hf_login_redirected(access->flow, parts.query.text, parts.query.size);
        if (status != HAFT_EINVAL)
            break;
    }
    hf_oauth_leave(oauth);
    return status;
}
