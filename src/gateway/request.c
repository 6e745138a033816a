/* request.c - what a policy or a handler sees of a request, and may change of it. */
#include <string.h>

#include "gateway/gateway.h"
#include "protocol/header.h"

const haft_request *haft_request_of(const haft_call *call)
{
    return call->inner.visit ? &call->inner.visit->request : NULL;
}

const char *haft_request_header(const haft_call *call, const char *name)
{
    const haft_request *request = haft_request_of(call);
    size_t size;

    return request && *name
               ? header_find(request->headers, request->n_headers, request->index_, name, &size)
               : NULL;
}

static char *keep(haft_call *call, const char *text)
{
    return haft_arena_copy(call->arena, text, strlen(text));
}

int haft_request_set_header(haft_call *call, const char *name, const char *value)
{
    haft_visit *visit = call->inner.visit;
    haft_request *request;
    int status = 0;

    if (!visit)
        return HAFT_EINVAL;
    request = &visit->request;
    /* Once a header is changed, the list is the visit's own, and the index does not fit it. */
    if (request->index_ || request->headers != visit->changed.list)
        status =
            header_list_take(call->arena, &visit->changed, request->headers, request->n_headers);
    if (!status)
        status = header_list_set(call->arena, &visit->changed, name, value);
    if (status)
        return status;
    request->headers = visit->changed.list;
    request->n_headers = visit->changed.n;
    request->index_ = NULL;
    return 0;
}

int haft_request_set_body(haft_call *call, const char *body, size_t size)
{
    haft_visit *visit = call->inner.visit;
    char *copy;

    if (!visit)
        return HAFT_EINVAL;
    copy = haft_arena_copy(call->arena, body, size);
    if (!copy)
        return HAFT_ENOMEM;
    visit->request.body = copy;
    visit->request.body_size = size;
    return 0;
}

const char *haft_path_value(const haft_call *call, const char *name)
{
    const haft_visit *visit = call->inner.visit;
    const struct template *path = visit && visit->route ? &visit->route->path_template : NULL;
    size_t value = 0;

    for (size_t i = 0; path && i < path->n; i++) {
        if (!path->variable[i])
            continue;
        if (!strcmp(path->segments[i], name))
            return visit->match.values[value];
        value++;
    }
    return NULL;
}

const char *haft_query_value(haft_call *call, const char *name)
{
    haft_visit *visit = call->inner.visit;
    int status = visit ? query_read(visit) : HAFT_EINVAL;

    if (status == HAFT_ENOMEM)
        visit->starved = true;
    if (status)
        return NULL;
    for (size_t i = 0; i < visit->n_query; i++)
        if (!strcmp(visit->query[i].name, name))
            return visit->query[i].value;
    return NULL;
}

int haft_call_set_principal(haft_call *call, const char *principal)
{
    const char *copy = keep(call, principal);

    if (!copy)
        return HAFT_ENOMEM;
    call->request.principal = copy;
    return 0;
}

bool haft_call_authenticated(const haft_call *call)
{
    const haft_visit *visit = call->inner.visit;
    const struct authenticated *one = visit && !visit->edge ? visit->authenticated : NULL;

    if (!one || !visit->policies || visit->n_passed >= visit->policies->n)
        return false;
    while (one && one->by != visit->policies->list[visit->n_passed])
        one = one->next;
    return one != NULL;
}

const haft_call *haft_call_parent(const haft_call *call)
{
    return call->inner.parent;
}
