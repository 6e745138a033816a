/* exposure.c - what a gateway exposes: to pages of which origins, and to clients without
 * authentication.
 *
 * Both are determined from the policies of a request's target, so the HTTP server can ask before
 * any policy has run. */
#include <stdio.h>
#include <string.h>

#include "gateway/inflight.h"
#include "gateway/policies.h"
#include "endpoint/guard.h"
#include "http/reach.h"

/* ---- origins ---- */

static bool policies_allow_origin(const struct policy_list *policies, const char *origin)
{
    for (size_t i = 0; i < policies->n; i++) {
        const haft_policy *policy = &policies->list[i]->policy;

        if (policy->allows_origin && policy->scope != HAFT_INVOKE &&
            policy->allows_origin(origin, policy->data))
            return true;
    }
    return false;
}

/* The method of a request; for a preflight, the requested one. */
static const char *method_meant(haft_arena *arena, const haft_request *request)
{
    const char *asked = strcmp(request->method, "OPTIONS")
                            ? NULL
                            : haft_header_find(request->headers, request->n_headers,
                                               "access-control-request-method");

    return asked ? haft_arena_copy(arena, asked, strlen(asked)) : request->method;
}

static const struct policy_list *policies_of_route(const struct generation *generation,
                                                   const haft_request *request, haft_arena *arena)
{
    const char *method = method_meant(arena, request);
    struct match match;

    if (!method ||
        hf_router_find(&generation->router, method,
                       request->target ? request->target : request->path, arena, &match) <= 0)
        return NULL;
    return ((const struct route *)match.route)->policies;
}

bool hf_exposure_allows_origin(const void *app, const haft_request *request, const char *origin,
                               size_t size)
{
    struct gateway_loop *gateway_loop = (void *)(uintptr_t)app;
    const struct generation *generation = hf_gateway_loop_generation(gateway_loop);
    haft_arena *arena = haft_arena_new(gateway_loop->gateway->allocator, CALL_ARENA);
    const char *text = arena ? haft_arena_copy(arena, origin, size) : NULL;
    const struct served *served = hf_generation_endpoint(generation, request->path);
    const struct policy_list *policies = !text    ? NULL
                                         : served ? served->policies
                                                  : policies_of_route(generation, request, arena);
    bool allowed = policies && policies_allow_origin(policies, text);
    struct metadata metadata;

    haft_arena_free(arena);
    /* Metadata is public. */
    return allowed || hf_protected_find(gateway_loop, request->path, &metadata);
}

/* ---- authentication ---- */

bool hf_policies_authenticate(const struct policy_list *policies)
{
    for (size_t i = 0; i < policies->n; i++) {
        const haft_policy *policy = &policies->list[i]->policy;

        if (policy->authenticates && policy->inbound && policy->scope != HAFT_INVOKE)
            return true;
    }
    return false;
}

bool hf_generation_is_open(const struct generation *generation, char *text, size_t room)
{
    for (const struct served *served = generation->endpoints; served; served = served->next)
        if (!hf_policies_authenticate(served->policies)) {
            snprintf(text, room, "endpoint %s", served->mcp->path);
            return true;
        }
    for (const struct route *route = generation->routes; route; route = route->next)
        if (!hf_policies_authenticate(route->policies)) {
            snprintf(text, room, "route %s %s", route->method, route->path);
            return true;
        }
    return false;
}

void hf_exposure_note_scopes(const haft_gateway *gateway)
{
    for (const struct served *served = gateway->now->endpoints; served; served = served->next)
        if (!hf_policies_authenticate(served->policies))
            hf_reach_note_scopes(gateway->server, served->mcp->server);
}

/* If there is something, the caller does not listen; if there is nothing, nothing may be added
 * later either. */
const char *hf_exposure_unauthenticated(void *app)
{
    struct gateway_loop *gateway_loop = app;

    gateway_loop->gateway->closed = true;
    return hf_generation_is_open(gateway_loop->generation, gateway_loop->unauthenticated,
                                 sizeof gateway_loop->unauthenticated)
               ? gateway_loop->unauthenticated
               : NULL;
}

bool hf_exposure_takes_tokens(const void *app)
{
    const struct generation *generation = ((const struct gateway_loop *)app)->generation;

    for (const struct served *served = generation->endpoints; served; served = served->next)
        if (hf_policies_authenticator(served->policies))
            return true;
    for (const struct route *route = generation->routes; route; route = route->next)
        if (hf_policies_authenticator(route->policies))
            return true;
    return false;
}
