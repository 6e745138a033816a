/* protected.c - protected resources of a gateway: its endpoints, and the gateway itself for its
 * routes.
 *
 * Tokens are issued for a resource, and clients find its authorization servers by its metadata. */
#include <string.h>

#include "endpoint/endpoint.h"
#include "gateway/inflight.h"
#include "gateway/policies.h"

enum { PROTECTED_ROOM = 16 << 10 };

static const char PROTECTED_GATEWAY[] = "/";

const char *hf_protected_path(void *app, const char *path, haft_server **ret_server)
{
    struct gateway_loop *gateway_loop = app;
    const struct generation *generation = hf_gateway_loop_generation(gateway_loop);
    const struct served *served = hf_generation_endpoint(generation, path);

    if (!*path && !generation->routes && generation->endpoints && !generation->endpoints->next)
        served = generation->endpoints;
    if (!served)
        return NULL;
    *ret_server = served->mcp->server;
    return served->mcp->path;
}

haft_authenticator *hf_protected_authenticator(const haft_gateway *gateway,
                                               const struct policy_list *policies)
{
    haft_authenticator *authenticator = hf_policies_authenticator(policies);

    return authenticator ? authenticator : gateway->authenticator;
}

/* ---- tokens for one resource ---- */

/* The path of another resource with the same authenticator; NULL if there is none. */
static const char *protected_other(const haft_gateway *gateway, const struct generation *generation,
                                   const haft_authenticator *authenticator, const char *path)
{
    for (const struct served *served = generation->endpoints; served; served = served->next)
        if (strcmp(served->mcp->path, path) != 0 &&
            hf_protected_authenticator(gateway, served->policies) == authenticator)
            return served->mcp->path;
    for (const struct route *route = generation->routes; route; route = route->next)
        if (hf_protected_authenticator(gateway, route->policies) == authenticator)
            return route->path;
    return NULL;
}

int hf_protected_check(const haft_gateway *gateway, const struct generation *generation,
                       haft_reason *reterr_reason)
{
    for (const struct served *served = generation->endpoints; served; served = served->next) {
        const haft_authenticator *authenticator =
            hf_protected_authenticator(gateway, served->policies);
        const char *only = authenticator && authenticator->class->only
                               ? authenticator->class->only(authenticator)
                               : NULL;
        const char *other =
            only ? protected_other(gateway, generation, authenticator, served->mcp->path) : NULL;

        if (other)
            return hf_error_set(reterr_reason, HAFT_EINVAL, served->mcp->path,
                                AUTHENTICATOR_FOR_ONE, only, served->mcp->path, other);
    }
    return 0;
}

/* ---- metadata of what a policy protects ---- */

static bool protected_is_described(const struct metadata *metadata, const haft_allocator *allocator)
{
    haft_buffer document;
    int status;

    haft_buffer_init(&document, allocator, PROTECTED_ROOM);
    status = hf_metadata_put(metadata, &document);
    haft_buffer_finish(&document);
    return status != HAFT_ENOTFOUND;
}

/* The authenticator of the routes, which have the same one; NULL if no policy of them has one. */
static haft_authenticator *protected_of_routes(const struct generation *generation)
{
    haft_authenticator *authenticator = NULL;

    for (const struct route *route = generation->routes; route && !authenticator;
         route = route->next)
        authenticator = hf_policies_authenticator(route->policies);
    return authenticator;
}

int hf_protected_check_routes(const struct generation *generation, haft_reason *reterr_reason)
{
    const haft_authenticator *first = protected_of_routes(generation);

    for (const struct route *route = generation->routes; route; route = route->next) {
        const haft_authenticator *authenticator = hf_policies_authenticator(route->policies);

        if (authenticator && authenticator != first)
            return hf_error_set(
                reterr_reason, HAFT_EINVAL, route->path,
                "route %s %s has another oauth policy than routes before it, but "
                "all routes have the same metadata; use one policy with all issuers",
                route->method, route->path);
    }
    return 0;
}

/* Finds the endpoint at a path, or, for "", the only one that is protected. */
static void protected_find_endpoint(const struct generation *generation, const char *path,
                                    struct metadata *ret_metadata)
{
    size_t n = 0;

    for (const struct served *served = generation->endpoints; served; served = served->next) {
        haft_authenticator *authenticator = hf_policies_authenticator(served->policies);

        if (!authenticator || (*path && !hf_path_is(path, served->mcp->path)))
            continue;
        *ret_metadata = (struct metadata){authenticator, served->mcp->path, served->mcp->server};
        n++;
    }
    if (n != 1)
        *ret_metadata = (struct metadata){.authenticator = NULL};
}

bool hf_protected_find(struct gateway_loop *gateway_loop, const char *path,
                       struct metadata *ret_metadata)
{
    const struct generation *generation = hf_gateway_loop_generation(gateway_loop);
    const char *resource = hf_metadata_path(path);

    *ret_metadata = (struct metadata){.resource = PROTECTED_GATEWAY};
    if (resource && !*resource)
        ret_metadata->authenticator = protected_of_routes(generation);
    if (resource && !ret_metadata->authenticator)
        protected_find_endpoint(generation, resource, ret_metadata);
    return ret_metadata->authenticator &&
           protected_is_described(ret_metadata, gateway_loop->gateway->allocator);
}

/* ---- missing scopes ---- */

void hf_protected_set_authenticators(struct gateway_loop *gateway_loop)
{
    for (struct loop_endpoint *at = gateway_loop->endpoints; at; at = at->next) {
        const struct served *served = gateway_loop->generation->endpoints;

        while (served && served->mcp != at->mcp)
            served = served->next;
        if (served && !at->leaving)
            hf_endpoint_set_authenticator(
                at->endpoint, hf_protected_authenticator(gateway_loop->gateway, served->policies));
    }
}

int hf_protected_challenge(haft_gateway_request *req, const char *scopes)
{
    haft_authenticator *authenticator = hf_protected_authenticator(req->gateway, req->policies);
    haft_buffer value;
    int status = 0;

    if (!authenticator || !req->edge)
        return 0;
    haft_buffer_init(&value, req->gateway->allocator, PROTECTED_ROOM);
    status = authenticator->class->challenge(authenticator, PROTECTED_GATEWAY, scopes, &value);
    haft_buffer_add(&value, "", 1);
    status = status ? status : value.status;
    if (!status)
        status = haft_response_set_header(req->call, "WWW-Authenticate", value.data);
    haft_buffer_finish(&value);
    return status;
}
