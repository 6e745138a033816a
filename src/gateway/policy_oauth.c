/* policy_oauth.c - authentication by OAuth access tokens.
 *
 * The authenticator decides, possibly later and on its own thread; the policy turns its result into
 * the identity of the call, or into a response. Handlers do not see the credentials.
 *
 * A pending check is not withdrawn when its client leaves: a cancel function may not continue its
 * call (haft_call_on_cancel). The authenticator answers each check within 5 s and limits how many
 * wait, so clients that leave cost no more than those that stay. */
#include <haft/authenticate.h>
#include <string.h>

#include "endpoint/authenticator.h"
#include "gateway/auth.h"
#include "gateway/policies.h"
#include "protocol/header.h"
#include "stage/metrics.h"

/* ---- options ---- */

HAFT_ENUMERATION(oauth_dpop, accepted, refused, required);

HAFT_STRUCT(oauth_issuer_options,
            HAFT_STRING(url, "Identifier of the authorization server, as in its tokens", .min = 1),
            HAFT_OPTIONAL(HAFT_STRING(jwks_uri, "URL of its public keys, instead of the one in its metadata")),
            HAFT_OPTIONAL(HAFT_STRING(introspection,
                                      "URL that is asked about tokens that are not JWTs, or \"auto\" for the one in its metadata")),
            HAFT_OPTIONAL(HAFT_STRING(client_id, "Id of this server, for introspection")),
            HAFT_OPTIONAL(HAFT_STRING(client_secret_file, "File with the secret of this server, for introspection")),
            HAFT_OPTIONAL(HAFT_STRING(client_key_file, "File with the private key of this server, as PEM")),
            HAFT_OPTIONAL(HAFT_STRING(algorithms, "Accepted signature algorithms, separated by spaces")),
            HAFT_DEFAULT(HAFT_BOOLEAN(any_type, "Whether JWTs of the type \"JWT\" or without a type are accepted"), false),
            HAFT_OPTIONAL(HAFT_STRING(ca_file, "Certificates that it is trusted by, instead of those of the system")));

HAFT_STRUCT(oauth_options,
            HAFT_ARRAY(issuers, HAFT_OBJECT(issuer, oauth_issuer_options, "An authorization server"),
                       "Authorization servers whose tokens are accepted", .min = 1),
            HAFT_STRING(resource, "URL of this gateway, or of the only endpoint, that tokens must be issued for", .min = 1),
            HAFT_OPTIONAL(HAFT_ARRAY(audiences, HAFT_STRING(audience, "An audience"),
                                     "Further audiences that are accepted")),
            HAFT_OPTIONAL(HAFT_STRING(name, "Name of the server, for people")),
            HAFT_OPTIONAL(HAFT_STRING(scopes, "Scopes that every request requires, separated by spaces")),
            HAFT_OPTIONAL(HAFT_STRING(keys, "File with API keys that are accepted as well")),
            HAFT_DEFAULT(HAFT_ENUM(dpop, oauth_dpop, "Tokens that are bound to a key"), oauth_dpop_accepted),
            HAFT_DEFAULT(HAFT_BOOLEAN(dpop_nonce, "Whether proofs must contain a nonce of the server"), false));

/* ---- a check ---- */

enum { OAUTH_WAITING = 64 << 20 /* bodies of requests that wait at once, unless it is only one */ };

struct oauth_check {
    struct authentication base; /* must be first */
    haft_call *call;
    haft_authenticator *authenticator;
    atomic_size_t *total; /* to which the body has been added */
    size_t size;
};

/* Responds with the refusal. */
static int oauth_refuse(haft_call *call, const struct authentication *result)
{
    const haft_response *refusal = &result->refusal;
    const char *type = haft_response_header(refusal, "Content-Type");
    int status = 0;

    hf_metrics_count_refusal(call->inner.req->gateway->server, result->reason);
    for (size_t i = 0; i < refusal->n_headers && !status; i++)
        if (refusal->headers[i].value != type)
            status =
                haft_response_add_header(call, refusal->headers[i].name, refusal->headers[i].value);
    if (!status && result->renewal.name && !haft_response_header(refusal, result->renewal.name))
        status = haft_response_add_header(call, result->renewal.name, result->renewal.value);
    return status
               ? status
               : stopped(haft_respond(call, refusal->status, type, refusal->body, refusal->size));
}

static const char oauth_renewal[] = "haft/oauth-renewal";

/* Keeps the header for the response, such as DPoP-Nonce. */
static int oauth_keep_renewal(haft_call *call, const haft_header *renewal)
{
    haft_header *copy = renewal->name ? hf_headers_copy(haft_call_arena(call), renewal, 1) : NULL;

    if (!renewal->name)
        return 0;
    return copy ? haft_call_set(call, oauth_renewal, copy) : HAFT_ENOMEM;
}

static int oauth_add_renewal(haft_call *call, void *data)
{
    const haft_header *renewal = haft_call_get(call, oauth_renewal);

    (void)data;
    return renewal ? haft_response_set_header(call, renewal->name, renewal->value) : 0;
}

/* Removes the credentials, which no policy, handler or upstream needs. */
static int oauth_hide_credentials(haft_call *call)
{
    int status = 0;

    for (const char *const *name = hf_credential_headers; *name && !status; name++)
        if (haft_request_header(call, *name))
            status = haft_request_set_header(call, *name, NULL);
    return status;
}

static int oauth_judge(const struct oauth_check *check)
{
    const struct authentication *result = &check->base;
    haft_call *call = check->call;
    int status = result->status;

    if (status == HAFT_STOP && result->refusal.status)
        return oauth_refuse(call, result);
    if (!status && !(result->identity && result->identity->principal))
        status = HAFT_EINVAL;
    if (!status)
        status = haft_call_set_identity(call, result->identity);
    if (!status)
        status = oauth_keep_renewal(call, &result->renewal);
    return status ? (status > 0 ? HAFT_EINVAL : status) : oauth_hide_credentials(call);
}

/* Adds the body to those of the requests that wait. Returns false if they are too many. */
static bool oauth_add_body(struct oauth_check *check)
{
    const haft_gateway_request *req = check->call->inner.req;
    size_t before;

    check->size = req->request.body_size;
    check->total = &req->generation->gateway->checks_size;
    before = atomic_fetch_add(check->total, check->size);
    if (!before || before + check->size <= OAUTH_WAITING)
        return true;
    atomic_fetch_sub(check->total, check->size);
    return false;
}

static int oauth_conclude(struct oauth_check *check)
{
    int status = oauth_judge(check);

    atomic_fetch_sub(check->total, check->size);
    check->authenticator->class->release(check->authenticator, &check->base);
    return status;
}

/* On any thread. */
static void on_oauth_checked(struct authentication *authentication)
{
    struct oauth_check *check = (struct oauth_check *)authentication;

    haft_continue(check->call, oauth_conclude(check));
}

/* The path of the resource that a request is for: an endpoint's, or the gateway. */
static const char *oauth_resource(const haft_gateway_request *req)
{
    const struct served *served =
        req->mcp ? hf_generation_endpoint(req->generation, req->request.path) : NULL;

    return served ? served->mcp->path : "/";
}

static bool oauth_is_presented(haft_call *call)
{
    return haft_request_header(call, "authorization") || haft_request_header(call, "x-api-key");
}

static int check_access_token(haft_call *call, void *data)
{
    static const haft_header later[] = {{"Retry-After", "5"}, {"Content-Type", "text/plain"}};
    static const struct authentication many = {
        .refusal = {.status = 503, .headers = later, .n_headers = 2, .body = ""}};
    haft_authenticator *authenticator = data;
    const haft_gateway_request *req = call->inner.req;
    struct oauth_check *check = haft_arena_zalloc(call->arena, 1, sizeof *check);
    int status;

    if (!check)
        return HAFT_ENOMEM;
    if (!oauth_is_presented(call) && haft_call_authenticated(call))
        return 0;
    check->base.done = on_oauth_checked;
    check->call = call;
    check->authenticator = authenticator;
    if (!oauth_add_body(check))
        return oauth_refuse(call, &many);
    status = authenticator->class->check(authenticator, haft_request_of(call), oauth_resource(req),
                                         &check->base);
    if (status == HAFT_PENDING)
        return status;
    check->base.status = status;
    return oauth_conclude(check);
}

/* ---- policies ---- */

haft_policy hf_policy_of_authenticator(haft_authenticator *authenticator)
{
    return (haft_policy)HAFT_INIT(haft_policy, .inbound = check_access_token,
                                  .outbound = oauth_add_renewal, .data = authenticator,
                                  .authenticates = true);
}

haft_authenticator *hf_policies_authenticator(const struct policy_list *policies)
{
    for (size_t i = 0; i < policies->n; i++) {
        const haft_policy *policy = &policies->list[i]->policy;

        if (policy->inbound == check_access_token && policy->scope != HAFT_INVOKE)
            return policy->data;
    }
    return NULL;
}

/* ---- creating ---- */

/* Reads a file with a secret, without the line end; NULL with the reason. */
static char *oauth_read_secret(haft_arena *arena, const char *file, haft_reason *reason)
{
    char *text = hf_auth_read_file(arena, file, reason);
    size_t size = text ? strlen(text) : 0;

    while (size && strchr("\r\n", text[size - 1]))
        text[--size] = '\0';
    if (text && !size) {
        hf_error_set(reason, HAFT_EINVAL, file, "%s contains no secret", file);
        return NULL;
    }
    return text;
}

static int oauth_read_issuer(haft_arena *arena, const oauth_issuer_options *given,
                             haft_issuer *ret_issuer, haft_reason *reason)
{
    const char *introspection = given->introspection;

    if (introspection && !strcmp(introspection, "auto"))
        introspection = "";
    *ret_issuer = (haft_issuer)HAFT_INIT(
        haft_issuer, .url = given->url, .jwks_uri = given->jwks_uri, .introspection = introspection,
        .client_id = given->client_id, .algorithms = given->algorithms, .any_type = given->any_type,
        .ca_file = given->ca_file);
    if (given->client_secret_file &&
        !(ret_issuer->client_secret = oauth_read_secret(arena, given->client_secret_file, reason)))
        return reason->code;
    if (given->client_key_file &&
        !(ret_issuer->client_key = oauth_read_secret(arena, given->client_key_file, reason)))
        return reason->code;
    return 0;
}

static void oauth_log(haft_gateway *gateway, haft_authenticator_options *options)
{
    options->log = gateway->server->options.log;
    options->log_context = gateway->server->options.log_context;
}

static int make_oauth(haft_gateway *gateway, const void *given, haft_arena *arena,
                      haft_policy *ret_policy, haft_reason *reason)
{
    const oauth_options *options = given;
    haft_issuer *issuers = haft_arena_zalloc(arena, options->n_issuers + 1, sizeof *issuers);
    const char **audiences = haft_arena_zalloc(arena, options->n_audiences + 1, sizeof *audiences);
    haft_authenticator_options all =
        HAFT_INIT(haft_authenticator_options, .resource = options->resource, .audiences = audiences,
                  .resource_name = options->name, .scopes = options->scopes, .issuers = issuers,
                  .n_issuers = options->n_issuers, .key_file = options->keys,
                  .dpop = (haft_dpop)options->dpop, .dpop_nonce = options->dpop_nonce);
    haft_authenticator *authenticator;
    int status = issuers && audiences ? 0 : HAFT_ENOMEM;

    for (size_t i = 0; i < options->n_issuers && !status; i++)
        status = oauth_read_issuer(arena, &options->issuers[i], &issuers[i], reason);
    if (status)
        return status;
    for (size_t i = 0; i < options->n_audiences; i++)
        audiences[i] = options->audiences[i];
    oauth_log(gateway, &all);
    authenticator = haft_authenticator_new(&all, reason);
    if (!authenticator)
        return reason->code ? reason->code : HAFT_ENOMEM;
    *ret_policy = hf_policy_of_authenticator(authenticator);
    return 0;
}

static void drop_oauth(void *data)
{
    haft_authenticator_free(data);
}

static int reload_oauth(void *data, haft_reason *reterr_reason)
{
    return haft_authenticator_reload(data, reterr_reason);
}

const haft_policy_kind hf_policy_oauth =
    HAFT_INIT(haft_policy_kind, .name = "oauth", .options = &oauth_options_type, .make = make_oauth,
              .drop = drop_oauth, .reload = reload_oauth);
