/* request.c - what a policy or a handler sees of a request, and may change of it. */
#include <string.h>

#include "gateway/gateway.h"
#include "gateway/values.h"
#include "protocol/header.h"

const haft_request *haft_request_of(const haft_call *call)
{
    haft_visit *visit = call->inner.visit;

    if (visit && values_write_request(visit))
        visit->starved = true;
    return visit ? &visit->request : NULL;
}

/* Before it is changed. */
static int request_own(haft_visit *visit)
{
    int status = visit ? values_write_request(visit) : HAFT_EINVAL;

    if (!status)
        visit->rewritten = true;
    return status;
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
    int status = request_own(visit);

    if (status)
        return status;
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
    int status = request_own(visit);
    char *copy;

    if (status)
        return status;
    copy = haft_arena_copy(call->arena, body, size);
    if (!copy)
        return HAFT_ENOMEM;
    visit->request.body = copy;
    visit->request.body_size = size;
    return 0;
}

/* Of an input that is values. */
static const char *input_path_value(haft_visit *visit, const char *name)
{
    yyjson_val *value = yyjson_obj_get(visit->input, name);
    const char *text = value ? values_text(visit->call, value) : NULL;

    visit->starved = visit->starved || (value && !text);
    return text;
}

const char *haft_path_value(const haft_call *call, const char *name)
{
    haft_visit *visit = call->inner.visit;
    const struct template *path = visit && visit->route ? &visit->route->path_template : NULL;
    size_t value = 0;

    for (size_t i = 0; path && i < path->n; i++) {
        if (!path->variable[i])
            continue;
        if (!strcmp(path->segments[i], name) && visit->input)
            return input_path_value(visit, name);
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
