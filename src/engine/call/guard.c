/* guard.c - whether the client of a call may use an item. */
#include <string.h>

#include "engine/call/fault.h"
#include "engine/call/guard.h"
#include "engine/call/plain_call.h"
#include "engine/call/respond.h"
#include "engine/offer/scope.h"

enum { HTTP_FORBIDDEN = 403 };

/* ---- rules ---- */

/* Finds the rules whose conditions hold, once for a call. */
static int guard_holds(haft_call *call, uint64_t *ret_holds)
{
    struct call_guard *guard = &call->request.guard;
    int status = 0;

    if (!guard->known)
        status = hf_access_holds(call->catalogue->access, &call->request.identity, call->arena,
                                 &guard->holds);
    if (status)
        haft_log(call, HAFT_ERROR, "cannot apply access rules: %s",
                 status == HAFT_EPARSE ? "the claims of the client are not a JSON object"
                                       : haft_strerror(status));
    guard->known = !status;
    *ret_holds = guard->holds;
    return status;
}

/* ---- scopes ---- */

/* Whether the client lacks one of these scopes; NULL for none. */
static bool guard_lacks_scope(haft_call *call, const char *required)
{
    struct text word;

    for (const char *at = required; at && call->request.principal;) {
        char scope[SCOPE_SIZE + 1];

        if (!hf_scope_next(&at, &word))
            break;
        memcpy(scope, word.data, word.size);
        scope[word.size] = '\0';
        if (!haft_call_has_scope(call, scope))
            return true;
    }
    return false;
}

/* Whether the client lacks a scope of the item; then the response will say which it requires. */
static bool guard_lacks(haft_call *call)
{
    if (!guard_lacks_scope(call, call->item->scopes))
        return false;
    call->error.http_status = HTTP_FORBIDDEN;
    call->error.scopes = call->item->scopes;
    return true;
}

/* A client that can obtain more scopes sees what requires them. */
static bool guard_hides_by_scope(const haft_call *call)
{
    const struct access *access = call->catalogue->access;

    return call->request.identity.fixed || (access && access->hide);
}

int hf_guard_permits(haft_call *call, const struct item *item, const char *uri)
{
    uint64_t holds;
    int status;

    if (!call_is_guarded(call))
        return 1;
    status = guard_holds(call, &holds);
    if (status)
        return status;
    if (!hf_access_permits(call->catalogue->access, holds, item, uri)) {
        haft_log(call, HAFT_DEBUG, "an access rule hides %s from the client",
                 uri ? uri : item->name);
        return 0;
    }
    /* What lists do not show does not exist. */
    if (!guard_hides_by_scope(call) || !guard_lacks_scope(call, item->scopes))
        return 1;
    haft_log(call, HAFT_DEBUG, "%s is hidden from the client, which lacks a scope of \"%s\"",
             uri ? uri : item->name, item->scopes);
    return 0;
}

/* "scope a" or "scopes a b". */
static const char *guard_requirement(haft_call *call)
{
    const char *scopes = call->item->scopes;

    return haft_arena_printf(call->arena, "scope%s %s", strchr(scopes, ' ') ? "s" : "", scopes);
}

bool hf_guard_admits(haft_call *call, const char *kind)
{
    const struct item *item = call->item;
    const char *requirement;

    if (!guard_lacks(call))
        return true;
    requirement = guard_requirement(call);
    hf_respond_errorf(call, RPC_FORBIDDEN, "Forbidden: the %s %.*s requires the %s", kind,
                      hf_quotable_size(item->name, item->name_size), item->name,
                      requirement ? requirement : "scopes");
    return false;
}

int hf_guard_tool(haft_call *call)
{
    const char *requirement;

    if (!guard_lacks(call))
        return 0;
    requirement = guard_requirement(call);
    return hf_fault_refuse(call, HAFT_OUTCOME_FORBIDDEN, call->item->name,
                           requirement ? requirement : "scopes");
}

/* ---- lists ---- */

int hf_guard_audience(haft_call *call, struct audience **ret_audience)
{
    const haft_identity *identity = &call->request.identity;
    const struct access *access = call->catalogue->access;
    const char *scopes = "*";
    uint64_t holds;
    int status;

    *ret_audience = NULL;
    if (!call_is_guarded(call))
        return 0;
    status = guard_holds(call, &holds);
    if (status)
        return status;
    if (guard_hides_by_scope(call) && !hf_scopes_have(identity->scopes, "*", 1))
        scopes = hf_scopes_sorted(identity->scopes, call->arena);
    if (!scopes)
        return HAFT_ENOMEM;
    if (!strcmp(scopes, "*") && (!access || !access->n_rules))
        return 0;
    return hf_audience_take(call->server, call->catalogue, holds, scopes, ret_audience);
}
