/* discover.c - from an MCP server to its authorization server: resource metadata (RFC 9728), then
 * the metadata of the issuer (RFC 8414, OpenID Connect Discovery). */
#include "auth/client/flow.h"

static const char discover_resource_path[] = "/.well-known/oauth-protected-resource";

static void discover_add_way(struct oauth_flow *flow, const char *url)
{
    flow->ways.urls[flow->ways.n++] = url;
}

static const char *discover_origin(struct oauth_flow *flow, const struct web_url *url)
{
    haft_buffer buffer;
    const char *origin;

    haft_buffer_init(&buffer, flow->oauth->memory, WEB_URL_LIMIT);
    hf_web_url_put_origin(url, &buffer);
    origin = buffer.status ? NULL : haft_arena_copy(flow->arena, buffer.data, buffer.size);
    haft_buffer_finish(&buffer);
    return origin;
}

static bool discover_ways_are_complete(const struct oauth_flow *flow)
{
    for (size_t i = 0; i < flow->ways.n; i++)
        if (!flow->ways.urls[i])
            return false;
    return true;
}

/* A path without its last "/". */
static struct url_part discover_path(struct url_part path)
{
    if (path.size && path.text[path.size - 1] == '/')
        path.size--;
    return path;
}

/* Whether the answer says that there is no document, so that the next place is tried. */
static bool discover_is_absent(int status)
{
    return status >= 400 && status < 500 && status != 408 && status != 429;
}

/* ---- the authorization server ---- */

/* An endpoint may have another origin than its issuer, if that is a secure one. */
static bool discover_may_use(struct oauth_flow *flow, const char *endpoint)
{
    struct web_url url;

    return !endpoint || (!hf_web_url_read(endpoint, &url) && !url.has_fragment &&
                         hf_web_url_may_follow(&url, &flow->server));
}

static int discover_accept_issuer(struct oauth_flow *flow)
{
    struct issuer_metadata *issuer = &flow->issuer;

    if (!discover_may_use(flow, issuer->authorization) || !discover_may_use(flow, issuer->token) ||
        !discover_may_use(flow, issuer->registration) ||
        !discover_may_use(flow, issuer->revocation))
        return hf_flow_refuse(flow, HAFT_EDENIED,
                              "the authorization server names an endpoint that is not https");
    if (flow->goal == FLOW_REVOKE)
        return hf_revoke_begin(flow);
    if (!issuer->token)
        return hf_flow_refuse(flow, HAFT_EPROTOCOL,
                              "the authorization server has no token endpoint");
    return hf_grant_begin(flow);
}

/* Servers of 2025-03-26 have these endpoints if they have no metadata. */
static int discover_assume_issuer(struct oauth_flow *flow)
{
    const char *origin = flow->issuer.issuer;

    flow->issuer = (struct issuer_metadata){
        .issuer = origin,
        .authorization = haft_arena_printf(flow->arena, "%s/authorize", origin),
        .token = haft_arena_printf(flow->arena, "%s/token", origin),
        .registration = haft_arena_printf(flow->arena, "%s/register", origin),
        .methods = AUTH_METHOD_NONE | AUTH_METHOD_BASIC | AUTH_METHOD_POST,
        .methods_given = true,
        .s256 = true};
    if (!flow->issuer.authorization || !flow->issuer.token || !flow->issuer.registration)
        return hf_flow_no_memory(flow);
    return discover_accept_issuer(flow);
}

static int discover_issuer_answered(struct oauth_flow *flow)
{
    const char *issuer = flow->issuer.issuer;
    struct issuer_metadata found;
    haft_reason reason = {0};
    int status;

    if (discover_is_absent(flow->fetch.status) && ++flow->ways.at < flow->ways.n)
        return hf_flow_get(flow, flow->ways.urls[flow->ways.at], discover_issuer_answered);
    if (discover_is_absent(flow->fetch.status) && flow->legacy)
        return discover_assume_issuer(flow);
    if (flow->fetch.status != 200)
        return hf_flow_refuse(flow, HAFT_EPROTOCOL,
                              "the authorization server %.100s has no metadata: it answered %d",
                              issuer, flow->fetch.status);
    status = hf_issuer_metadata_read(flow->fetch.answer.data, flow->fetch.answer.size, flow->arena,
                                     &found, &reason);
    if (status)
        return hf_flow_refuse(flow, status, "authorization server %.100s: %.120s", issuer,
                              reason.text);
    if (strcmp(found.issuer, issuer) != 0)
        return hf_flow_refuse(
            flow, HAFT_EDENIED,
            "the metadata of the authorization server %.150s names another issuer", issuer);
    flow->issuer = found;
    return discover_accept_issuer(flow);
}

int hf_discover_issuer(struct oauth_flow *flow)
{
    const char *issuer = flow->issuer.issuer;
    int status;

    flow->ways = (struct flow_ways){.n = 0};
    status = hf_issuer_metadata_urls(flow->arena, issuer, flow->ways.urls, &flow->ways.n);
    if (status == HAFT_EINVAL)
        return hf_flow_refuse(flow, HAFT_EPROTOCOL, "the server names an invalid issuer");
    if (status)
        return hf_flow_no_memory(flow);
    flow->fetch.trusted =
        flow->oauth->options.issuer && !strcmp(flow->oauth->options.issuer, issuer);
    return hf_flow_get(flow, flow->ways.urls[0], discover_issuer_answered);
}

/* ---- the resource ---- */

/* Of several issuers: the one that the program has credentials for, the one that the tokens are of,
 * or the first. */
static const char *discover_choose_issuer(const struct oauth_flow *flow)
{
    const char *const wanted[] = {flow->oauth->options.issuer, flow->oauth->pinned,
                                  flow->access->tokens.issuer};
    const struct resource_metadata *resource = &flow->resource;

    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        for (size_t k = 0; wanted[i] && k < resource->n_servers; k++)
            if (!strcmp(wanted[i], resource->servers[k]))
                return resource->servers[k];
    return resource->servers[0];
}

/* 2025-03-26: the MCP server is its own authorization server. */
static int discover_trust_origin(struct oauth_flow *flow)
{
    const char *origin = discover_origin(flow, &flow->server);

    if (!origin)
        return hf_flow_no_memory(flow);
    flow->legacy = true;
    flow->resource =
        (struct resource_metadata){.resource = origin, .servers = {origin}, .n_servers = 1};
    flow->issuer.issuer = origin;
    return hf_discover_issuer(flow);
}

static int discover_resource_answered(struct oauth_flow *flow)
{
    haft_reason reason = {0};
    struct web_url resource;
    int status;

    if (discover_is_absent(flow->fetch.status) && ++flow->ways.at < flow->ways.n)
        return hf_flow_get(flow, flow->ways.urls[flow->ways.at], discover_resource_answered);
    if (discover_is_absent(flow->fetch.status) && flow->oauth->options.trust_origin)
        return discover_trust_origin(flow);
    if (flow->fetch.status != 200)
        return hf_flow_refuse(flow, HAFT_EDENIED,
                              "the server wants authorization and does not say where: its resource "
                              "metadata is missing (status %d)",
                              flow->fetch.status);
    status = hf_resource_metadata_read(flow->fetch.answer.data, flow->fetch.answer.size,
                                       flow->arena, &flow->resource, &reason);
    if (status)
        return hf_flow_refuse(flow, status, "resource metadata: %.200s", reason.text);
    if (hf_web_url_read(flow->resource.resource, &resource) ||
        !hf_web_url_is_within(&flow->server, &resource))
        return hf_flow_refuse(flow, HAFT_EDENIED, "the resource metadata is about another server");
    flow->issuer.issuer = discover_choose_issuer(flow);
    return hf_discover_issuer(flow);
}

/* Begins with the URL of the challenge, which is in ways, or with the well-known ones. */
int hf_discover_resource(struct oauth_flow *flow)
{
    struct url_part path = discover_path(flow->server.path);
    const char *origin;

    if (!flow->ways.n) {
        origin = discover_origin(flow, &flow->server);
        if (!origin)
            return hf_flow_no_memory(flow);
        if (path.size)
            discover_add_way(flow,
                             haft_arena_printf(flow->arena, "%s%s%.*s", origin,
                                               discover_resource_path, (int)path.size, path.text));
        discover_add_way(flow,
                         haft_arena_printf(flow->arena, "%s%s", origin, discover_resource_path));
        if (!discover_ways_are_complete(flow))
            return hf_flow_no_memory(flow);
    }
    return hf_flow_get(flow, flow->ways.urls[0], discover_resource_answered);
}
