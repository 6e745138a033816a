/* request.c - access to a request for policies and handlers. */
#include <string.h>

#include "base/struct.h"
#include "engine/call/identity.h"
#include "gateway/gateway.h"
#include "gateway/values.h"
#include "protocol/header.h"

const haft_request *haft_request_of(const haft_call *call)
{
    haft_gateway_request *req = call->inner.req;

    if (req && hf_values_write_request(req))
        req->out_of_memory = true;
    return req ? &req->request : NULL;
}

/* Copies the headers before they are changed. */
static int request_own(haft_gateway_request *req)
{
    int status = req ? hf_values_write_request(req) : HAFT_EINVAL;

    if (!status)
        req->rewritten = true;
    return status;
}

const char *haft_request_header(const haft_call *call, const char *name)
{
    const haft_request *request = haft_request_of(call);

    return request && *name ? haft_header_find(request->headers, request->n_headers, name) : NULL;
}

static char *request_keep(haft_call *call, const char *text)
{
    return haft_arena_copy(call->arena, text, strlen(text));
}

int haft_request_set_header(haft_call *call, const char *name, const char *value)
{
    haft_gateway_request *req = call->inner.req;
    haft_request *request;
    int status = request_own(req);

    if (status)
        return status;
    request = &req->request;
    /* After a change, the list belongs to the request, and the index does not match it. */
    if (request->index_ || request->headers != req->changed.list)
        status =
            hf_header_list_take(call->arena, &req->changed, request->headers, request->n_headers);
    if (!status)
        status = hf_header_list_set(call->arena, &req->changed, name, value);
    if (status)
        return status;
    request->headers = req->changed.list;
    request->n_headers = req->changed.n;
    request->index_ = NULL;
    return 0;
}

int haft_request_set_body(haft_call *call, const char *body, size_t size)
{
    haft_gateway_request *req = call->inner.req;
    int status = request_own(req);
    char *copy;

    if (status)
        return status;
    copy = haft_arena_copy(call->arena, body, size);
    if (!copy)
        return HAFT_ENOMEM;
    req->request.body = copy;
    req->request.body_size = size;
    return 0;
}

/* For input that consists of values. */
static const char *input_path_value(haft_gateway_request *req, const char *name)
{
    yyjson_val *value = yyjson_obj_get(req->input, name);
    const char *text = value ? hf_values_text(req->call, value) : NULL;

    req->out_of_memory = req->out_of_memory || (value && !text);
    return text;
}

const char *haft_path_value(const haft_call *call, const char *name)
{
    haft_gateway_request *req = call->inner.req;
    const struct template *path = req && req->route ? &req->route->path_template : NULL;
    size_t value = 0;

    for (size_t i = 0; path && i < path->n; i++) {
        if (!path->variable[i])
            continue;
        if (!strcmp(path->segments[i], name) && req->input)
            return input_path_value(req, name);
        if (!strcmp(path->segments[i], name))
            return req->match.values[value];
        value++;
    }
    return NULL;
}

const char *haft_query_value(haft_call *call, const char *name)
{
    haft_gateway_request *req = call->inner.req;
    int status = req ? hf_query_read(req) : HAFT_EINVAL;

    if (status == HAFT_ENOMEM)
        req->out_of_memory = true;
    if (status)
        return NULL;
    for (size_t i = 0; i < req->n_query; i++)
        if (!strcmp(req->query[i].name, name))
            return req->query[i].value;
    return NULL;
}

void hf_gateway_request_take_identity(haft_gateway_request *req, const haft_request *request)
{
    struct request *own = &req->call->request;
    haft_identity *identity = &own->identity;

    own->principal = request->principal;
    own->guard.known = false;
    if (!request->principal || !request->identity ||
        !hf_struct_read(identity, sizeof *identity, request->identity) || !identity->principal ||
        strcmp(identity->principal, request->principal) != 0)
        *identity = (haft_identity){.struct_size = sizeof *identity};
    identity->struct_size = sizeof *identity;
    identity->principal = request->principal;
    gateway_request_identify(req);
}

int haft_call_set_principal(haft_call *call, const char *principal)
{
    const char *copy = request_keep(call, principal);

    if (!copy)
        return HAFT_ENOMEM;
    call_set_principal(call, copy);
    if (call->inner.req)
        gateway_request_identify(call->inner.req);
    return 0;
}

int haft_call_set_identity(haft_call *call, const haft_identity *identity)
{
    haft_gateway_request *req = call->inner.req;

    if (!req || !identity->principal || !*identity->principal)
        return HAFT_EINVAL;
    if (!hf_identity_copy(&call->request.identity, identity, call->arena))
        return HAFT_ENOMEM;
    call->request.principal = call->request.identity.principal;
    call->request.guard.known = false;
    gateway_request_identify(req);
    return 0;
}

bool haft_call_authenticated(const haft_call *call)
{
    const haft_gateway_request *req = call->inner.req;
    const struct authenticated *one = req && !req->edge ? req->authenticated : NULL;

    if (!one || !req->policies || req->n_passed >= req->policies->n)
        return false;
    while (one && one->by != req->policies->list[req->n_passed]->serial)
        one = one->next;
    return one != NULL;
}

const haft_call *haft_call_parent(const haft_call *call)
{
    return call->inner.parent;
}
