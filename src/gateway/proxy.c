/* proxy.c - routes that an HTTP upstream answers.
 *
 * Method, query and body are passed on, and of the headers those about the content and those that the
 * upstream's options name; never credentials. */
#include "gateway/proxy.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/percent.h"
#include "upstream/http_call.h"

enum { PROXY_TARGET = 64 << 10, PROXY_NAME = 128 };

/* ---- the request ---- */

/* Headers about the content and its variants. */
static const char *const proxy_passed[] = {
    "Accept",   "Accept-Language", "Content-Type",      "Content-Language",
    "If-Match", "If-None-Match",   "If-Modified-Since", "If-Unmodified-Since",
};

static bool proxy_is_among(const char *name, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!strcasecmp(name, names[i]))
            return true;
    return false;
}

#define PROXY_IS(name, names) proxy_is_among(name, names, sizeof names / sizeof *names)

static bool proxy_has_variable(const char *path, const char *name, size_t size)
{
    for (const char *at = strchr(path, '{'); at; at = strchr(at + 1, '{'))
        if (!strncmp(at + 1, name, size) && at[size + 1] == '}')
            return true;
    return false;
}

int hf_proxy_check(const char *route_path, const char *path, haft_reason *reterr_reason)
{
    if (*path != '/' || strpbrk(path, " \t\r\n\\#"))
        return hf_error_set(reterr_reason, HAFT_EINVAL, "path", "must be a path, from a slash on");
    for (const char *at = strchr(path, '{'); at; at = strchr(at + 1, '{')) {
        size_t size = strcspn(at + 1, "}");

        if (!size || size >= PROXY_NAME || at[size + 1] != '}' ||
            !proxy_has_variable(route_path, at + 1, size))
            return hf_error_set(reterr_reason, HAFT_EINVAL, "path",
                                "{%.*s is not a variable of the route", (int)size + 1, at + 1);
    }
    return 0;
}

/* Appends the path with the values of its variables, each encoded as one segment. */
static int proxy_put_path(const haft_call *call, const char *path, haft_buffer *target)
{
    while (*path) {
        size_t size = strcspn(path, "{");
        char name[PROXY_NAME];
        const char *value;

        haft_buffer_add(target, path, size);
        path += size;
        if (!*path)
            break;
        size = strcspn(++path, "}");
        snprintf(name, sizeof name, "%.*s", (int)size, path);
        value = haft_path_value(call, name);
        /* Otherwise the upstream would see another path than the route's. */
        if (!value || !strcmp(value, ".") || !strcmp(value, ".."))
            return HAFT_EINVAL;
        hf_percent_encode(target, value, strlen(value));
        path += size + (path[size] == '}');
    }
    return 0;
}

/* The path and query for the upstream, in the arena; NULL with the status. */
static const char *proxy_target(haft_call *call, const struct proxy_route *route, int *ret_status)
{
    const haft_request *request = haft_request_of(call);
    const char *copy = NULL;
    haft_buffer target;

    haft_buffer_init(&target, hf_arena_allocator(haft_call_arena(call)), PROXY_TARGET);
    *ret_status = 0;
    if (route->path)
        *ret_status = proxy_put_path(call, route->path, &target);
    else
        haft_buffer_add(&target, request->target, strcspn(request->target, "?#"));
    if (request->query && *request->query) {
        haft_buffer_add(&target, route->path && strchr(route->path, '?') ? "&" : "?", 1);
        haft_buffer_puts(&target, request->query);
    }
    if (!*ret_status)
        *ret_status = target.status;
    if (!*ret_status)
        copy = haft_arena_copy(haft_call_arena(call), target.data, target.size);
    if (!*ret_status && !copy)
        *ret_status = HAFT_ENOMEM;
    haft_buffer_finish(&target);
    return copy;
}

static int proxy_headers(struct http_call *own, const haft_request *request)
{
    haft_header *list =
        haft_arena_alloc(haft_call_arena(own->call), (request->n_headers + 1) * sizeof *list);
    size_t n = 0;

    if (!list)
        return HAFT_ENOMEM;
    for (size_t i = 0; i < request->n_headers; i++)
        if (PROXY_IS(request->headers[i].name, proxy_passed))
            list[n++] = request->headers[i];
    return hf_http_call_headers(own, list, n, request->headers, request->n_headers);
}

/* ---- the response ---- */

/* Headers that are about the connection to the upstream, or for its own clients. */
static const char *const proxy_kept[] = {
    "Connection",
    "Keep-Alive",
    "Proxy-Connection",
    "Proxy-Authenticate",
    "TE",
    "Trailer",
    "Transfer-Encoding",
    "Upgrade",
    "Content-Length",
    "Content-Encoding",
    "Content-Type",
    "Set-Cookie",
    "Strict-Transport-Security",
    "Alt-Svc",
    "Date",
    "Server",
    "WWW-Authenticate", /* about the gateway's own credentials */
};

static int proxy_fail(haft_call *call, const struct upstream *upstream,
                      const struct http_result *result)
{
    char seconds[32];
    int status = 0;

    if (result->fault == HTTP_FAULT_CANCELLED)
        return HAFT_ECANCELLED;
    haft_log(call, HAFT_WARNING, "upstream %s: %s", upstream->name, result->text);
    if (result->retry_ms > 0) {
        snprintf(seconds, sizeof seconds, "%lld", (long long)(result->retry_ms + 999) / 1000);
        status = haft_response_set_header(call, "Retry-After", seconds);
    }
    return status
               ? status
               : haft_problem(call, hf_http_fault_status(result->fault),
                              "The upstream %s did not answer: %s.", upstream->name, result->text);
}

static int proxy_answer(struct http_call *own, const struct http_result *result)
{
    haft_call *call = own->call;
    const char *type;
    int status = 0;

    if (result->fault)
        return proxy_fail(call, own->sending.upstream, result);
    for (size_t i = 0; i < result->n_headers && !status; i++)
        if (!PROXY_IS(result->headers[i].name, proxy_kept))
            status =
                haft_response_add_header(call, result->headers[i].name, result->headers[i].value);
    type = haft_header_find(result->headers, result->n_headers, "Content-Type");
    return status ? status : haft_respond(call, result->status, type, result->body, result->size);
}

int hf_proxy_handle(haft_call *call, haft_value *input, void *data)
{
    const struct proxy_route *route = data;
    const haft_request *request = haft_request_of(call);
    struct http_call *own = hf_http_call_new(call, route->upstream);
    struct http_message *message;
    int status;

    (void)input;
    if (!own)
        return HAFT_ENOMEM;
    message = &own->sending.message;
    message->target = proxy_target(call, route, &status);
    if (status == HAFT_EINVAL)
        return haft_problem(call, 400, "A part of the path is not valid.");
    if (!status)
        status = proxy_headers(own, request);
    if (status)
        return status;
    message->method = request->method;
    message->body = request->body_size ? request->body : NULL;
    message->body_size = request->body_size;
    own->answer = proxy_answer;
    return hf_http_call_start(own);
}
