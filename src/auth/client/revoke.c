/* revoke.c - ends an access: the tokens are revoked at the authorization server (RFC 7009), and
 * forgotten in any case. */
#include "auth/client/flow.h"
#include "auth/form.h"
#include "part/http_client.h"

/* Revokes the next token; a server that revokes a refresh token ends its access tokens. */
static int revoke_build(struct oauth_flow *flow)
{
    const struct oauth_tokens *tokens = &flow->access->tokens;

    hf_form_add(&flow->fetch.body, "token", tokens->refresh ? tokens->refresh : tokens->access);
    hf_form_add(&flow->fetch.body, "token_type_hint",
                tokens->refresh ? "refresh_token" : "access_token");
    return 0;
}

static int revoke_answered(struct oauth_flow *flow)
{
    struct oauth_tokens *tokens = &flow->access->tokens;
    const char *error = flow->fetch.status == 200 ? "" : hf_flow_error(flow);

    /* Servers cannot revoke access tokens that they have signed; those end by themselves. */
    if (flow->fetch.status != 200 && strcmp(error, "unsupported_token_type") != 0)
        return hf_flow_refuse(flow, HAFT_EDENIED,
                              "the authorization server %.100s did not revoke the tokens (status "
                              "%d); they have been forgotten here",
                              flow->issuer.issuer, flow->fetch.status);
    if (!tokens->refresh || !tokens->access)
        return 0;
    tokens->refresh = NULL;
    return hf_grant_send(flow);
}

int hf_revoke_begin(struct oauth_flow *flow)
{
    const struct oauth_tokens *tokens = &flow->access->tokens;
    int status;

    if (!flow->issuer.revocation || (!tokens->refresh && !tokens->access))
        return 0;
    status = hf_identify_client(flow);
    if (status == HAFT_ENOTFOUND && tokens->client_id)
        flow->client = (struct flow_client){.id = tokens->client_id, .method = AUTH_METHOD_NONE};
    else if (status)
        return status;
    flow->build = revoke_build;
    flow->granted = revoke_answered;
    flow->endpoint = flow->issuer.revocation;
    return hf_grant_send(flow);
}

/* ---- haft_oauth_forget ---- */

struct revoke_wait {
    struct authorizer_wait base; /* the first member */
    bool done;
    int status;
    haft_reason reason;
};

static void revoke_done(struct authorizer_wait *base, int status, const haft_reason *reason)
{
    struct revoke_wait *wait = (struct revoke_wait *)base;

    wait->done = true;
    wait->status = status;
    if (status)
        wait->reason = *reason;
}

/* Runs the flow on its own loop. */
static int revoke_run(struct oauth *oauth, struct oauth_access *access, uv_loop_t *uv,
                      haft_reason *reterr_reason)
{
    struct authorizer_loop loop = {.uv = uv,
                                   .http = hf_http_client_open("haft_oauth_forget", reterr_reason)};
    struct revoke_wait wait = {.base = {.done = revoke_done}};
    struct oauth_flow *flow;
    int status;

    if (!loop.http)
        return HAFT_ENOTFOUND;
    status = hf_flow_new(oauth, access, FLOW_REVOKE, &loop, &flow, reterr_reason);
    if (status)
        return status;
    flow->resource.resource = access->tokens.resource;
    flow->issuer.issuer = access->tokens.issuer;
    hf_flow_wait(flow, &wait.base);
    status = hf_discover_issuer(flow);
    if (status != HAFT_PENDING) {
        *reterr_reason = flow->reason;
        hf_flow_free(flow);
        return status;
    }
    while (!wait.done && uv_run(uv, UV_RUN_ONCE))
        ;
    if (wait.status)
        *reterr_reason = wait.reason;
    return wait.status;
}

static int revoke_on_loop(struct oauth *oauth, struct oauth_access *access,
                          haft_reason *reterr_reason)
{
    uv_loop_t uv;
    int status;

    if (uv_loop_init(&uv))
        return hf_error_set(reterr_reason, HAFT_ENOMEM, access->url, "no loop could be created");
    status = revoke_run(oauth, access, &uv, reterr_reason);
    uv_run(&uv, UV_RUN_DEFAULT); /* closes what is left */
    uv_loop_close(&uv);
    return status;
}

int haft_oauth_forget(haft_authorizer *authorizer, const char *url, haft_reason *reterr_reason)
{
    struct oauth *oauth = (struct oauth *)authorizer;
    struct oauth_access *access;
    haft_reason reason = {0}, later = {0};
    int status, dropped;

    if (!authorizer || authorizer->class != &hf_oauth_class || !url)
        return hf_error_set(reterr_reason, HAFT_EINVAL, "url", "not an OAuth client, or no URL");
    status = hf_access_find(oauth, url, &access, &reason);
    if (!status && access->flow)
        status = hf_error_set(&reason, HAFT_EBUSY, url, "an authorization is going on");
    else if (!status && !access->tokens.arena)
        status = hf_error_set(&reason, HAFT_ENOTFOUND, url, "there are no tokens for this server");
    if (!status) {
        status = revoke_on_loop(oauth, access, &reason);
        dropped = hf_access_drop(oauth, access, &later);
        if (dropped) {
            status = dropped;
            reason = later;
        }
    }
    if (status && reterr_reason)
        *reterr_reason = reason;
    return status;
}
