/* response.c - responses: a status, headers, a body.
 *
 * Header values are checked when they are set: a line break would start a second header. */
#include <stdio.h>
#include <string.h>

#include "gateway/gateway.h"
#include "protocol/header.h"
#include "protocol/http_status.h"

enum { RESPONSE_REFUSED = -32000 }; /* from the range that JSON-RPC reserves for servers */

/* ---- statuses ---- */

const char *haft_status_text(int status)
{
    return hf_http_status_reason(status);
}

bool haft_response_ok(const haft_response *response)
{
    return response->status >= 200 && response->status < 300;
}

/* ---- headers ---- */

const char *haft_response_header(const haft_response *response, const char *name)
{
    return haft_header_find(response->headers, response->n_headers, name);
}

/* Makes room for `n` headers. */
static int header_list_grow(haft_arena *arena, struct header_list *headers, size_t n)
{
    size_t room = headers->room ? headers->room : 8;
    haft_header *list;

    if (n <= headers->room)
        return 0;
    while (room < n)
        room *= 2;
    list = haft_arena_zalloc(arena, room, sizeof *list);
    if (!list)
        return HAFT_ENOMEM;
    if (headers->n)
        memcpy(list, headers->list, headers->n * sizeof *list);
    headers->list = list;
    headers->room = room;
    return 0;
}

int hf_header_list_add(haft_arena *arena, struct header_list *headers, const char *name,
                       const char *value)
{
    haft_header header = {haft_arena_copy(arena, name, strlen(name)),
                          haft_arena_copy(arena, value, strlen(value))};

    if (!header.name || !header.value || header_list_grow(arena, headers, headers->n + 1))
        return HAFT_ENOMEM;
    headers->list[headers->n++] = header;
    return 0;
}

int hf_header_list_set(haft_arena *arena, struct header_list *headers, const char *name,
                       const char *value)
{
    size_t n = 0;

    for (size_t i = 0; i < headers->n; i++)
        if (!hf_text_same_ignoring_case(headers->list[i].name, name))
            headers->list[n++] = headers->list[i];
    headers->n = n;
    return value ? hf_header_list_add(arena, headers, name, value) : 0;
}

int hf_header_list_take(haft_arena *arena, struct header_list *headers, const haft_header *from,
                        size_t n)
{
    headers->n = 0;
    if (header_list_grow(arena, headers, n + 1))
        return HAFT_ENOMEM;
    if (n)
        memcpy(headers->list, from, n * sizeof *from);
    headers->n = n;
    return 0;
}

static int respond_header(haft_call *call, const char *name, const char *value,
                          int change(haft_arena *arena, struct header_list *headers,
                                     const char *name, const char *value))
{
    haft_gateway_request *req = call->inner.req;
    int status;

    if (!req || !hf_header_name_is_valid(name) ||
        (value && !hf_header_value_is_valid(value, strlen(value))))
        return HAFT_EINVAL;
    status = change(call->arena, &req->headers, name, value);
    req->response.headers = req->headers.list;
    req->response.n_headers = req->headers.n;
    return status;
}

int haft_response_set_header(haft_call *call, const char *name, const char *value)
{
    return respond_header(call, name, value, hf_header_list_set);
}

int haft_response_add_header(haft_call *call, const char *name, const char *value)
{
    return value ? respond_header(call, name, value, hf_header_list_add) : HAFT_EINVAL;
}

int hf_response_take(haft_gateway_request *req, const haft_response *response)
{
    int status = hf_header_list_take(req->call->arena, &req->headers, response->headers,
                                     response->n_headers);

    req->response = *response;
    req->response.headers = req->headers.list;
    return status;
}

/* ---- responses ---- */

int haft_response_set_status(haft_call *call, int status)
{
    haft_gateway_request *req = call->inner.req;

    if (!req || status < 200 || status > 599)
        return HAFT_EINVAL;
    req->status_override = status;
    if (req->response.status)
        req->response.status = status;
    return 0;
}

int haft_respond(haft_call *call, int status, const char *content_type, const void *body,
                 size_t size)
{
    haft_gateway_request *req = call->inner.req;
    char *copy;
    int failed;

    if (!req || status < 200 || status > 599)
        return HAFT_EINVAL;
    copy = haft_arena_copy(call->arena, size ? body : "", size);
    if (!copy)
        return HAFT_ENOMEM;
    failed = haft_response_set_header(call, "Content-Type", size ? content_type : NULL);
    if (failed)
        return failed;
    req->response.status = status;
    req->response.body = copy;
    req->response.size = size;
    req->answered = call->result.responded = true;
    return 0;
}

static void put_problem(haft_buffer *body, int status, const char *detail,
                        const haft_issues *issues)
{
    struct json_writer w = {.out = body};

    hf_json_begin_object(&w);
    hf_json_text(json_key(&w, "type"), "about:blank");
    hf_json_text(json_key(&w, "title"), haft_status_text(status));
    hf_json_integer(json_key(&w, "status"), status);
    json_text_member(&w, "detail", detail);
    if (issues)
        haft_issues_json(issues, hf_json_slot(json_key(&w, "issues")));
    hf_json_end_object(&w);
}

/* An MCP client displays JSON-RPC errors, and of others at most the status. */
static void put_error(haft_buffer *body, haft_gateway_request *req, const char *detail)
{
    const haft_request *request = &req->request;
    struct rpc_message message = {0};
    haft_value *root = request->body_size ? haft_json_read(request->body, request->body_size,
                                                           req->call->server->options.max_depth,
                                                           req->call->arena, NULL)
                                          : NULL;

    if (yyjson_is_obj(root))
        hf_rpc_read(root, &message);
    hf_rpc_put_error(body, message.id, RESPONSE_REFUSED, detail, NULL);
}

int hf_respond_problem(haft_gateway_request *req, int status, const char *detail,
                       const haft_issues *issues)
{
    haft_call *call = req->call;
    haft_buffer body;
    int failed;

    haft_buffer_init(&body, call->server->allocator, call->server->options.max_message);
    if (req->mcp)
        put_error(&body, req, detail);
    else
        put_problem(&body, status, detail, issues);
    failed = body.status ? body.status
                         : haft_respond(call, status,
                                        req->mcp ? "application/json" : "application/problem+json",
                                        body.data, body.size);
    haft_buffer_finish(&body);
    return failed;
}

int haft_problem(haft_call *call, int status, const char *format, ...)
{
    const char *detail;
    va_list args;

    if (!call->inner.req || status < 200 || status > 599)
        return HAFT_EINVAL;
    va_start(args, format);
    detail = haft_arena_vprintf(call->arena, format, args);
    va_end(args);
    return detail ? hf_respond_problem(call->inner.req, status, detail, NULL) : HAFT_ENOMEM;
}

int haft_respond_with(haft_call *call, const haft_response *response)
{
    int status = haft_respond(call, response->status, NULL, NULL, 0);
    haft_response *own;

    for (size_t i = 0; i < response->n_headers && !status; i++)
        status = haft_response_set_header(call, response->headers[i].name, NULL);
    for (size_t i = 0; i < response->n_headers && !status; i++)
        status =
            haft_response_add_header(call, response->headers[i].name, response->headers[i].value);
    if (status)
        return status;
    own = &call->inner.req->response;
    own->body = haft_arena_copy(call->arena, response->body ? response->body : "", response->size);
    own->size = response->size;
    return own->body ? 0 : HAFT_ENOMEM;
}

const haft_response *haft_response_of(const haft_call *call)
{
    return call->inner.req && call->inner.req->response.status ? &call->inner.req->response : NULL;
}

haft_value *haft_response_json(haft_call *call, const haft_response *response)
{
    return haft_json_read(response->body, response->size, call->server->options.max_depth,
                          call->arena, NULL);
}
