/* endpoint_guard.c - what is looked at before a request is: where it comes from, what it carries and what it
 * takes. */
#include <string.h>

#include "runtime/endpoint.h"

/* ---- where it comes from ---- */

const char *request_header(const haft_http_request *request, const char *name, size_t *ret_size)
{
    return request->headers.get(request->headers.context, name, ret_size);
}

/* The size of the name in "name", "name:port" or "[name]:port"; 0 when it is none of these. */
static size_t host_name(const char *host, size_t size)
{
    size_t name = 0, i;

    if (size && host[0] == '[') {
        const char *end = memchr(host, ']', size);

        if (!end)
            return 0;
        name = (size_t)(end - host) + 1;
    } else {
        while (name < size && host[name] != ':')
            name++;
    }
    if (name == size)
        return name;
    for (i = name + 1; i < size && host[i] >= '0' && host[i] <= '9';)
        i++;
    return host[name] == ':' && i == size ? name : 0;
}

static bool same(const char *left, const char *right, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        char a = left[i], b = right[i];

        a = a >= 'A' && a <= 'Z' ? (char)(a | 0x20) : a;
        b = b >= 'A' && b <= 'Z' ? (char)(b | 0x20) : b;
        if (!b || a != b)
            return false;
    }
    return !right[size];
}

static bool is_allowed_host(const haft_endpoint *endpoint, const char *host, size_t size)
{
    static const char *const local[] = {"localhost", "127.0.0.1", "[::1]", NULL};
    const char *const *lists[2] = {local, endpoint->options.allowed_hosts};

    size = host_name(host, size);
    for (int i = 0; i < 2; i++)
        for (const char *const *name = lists[i]; name && *name; name++)
            if (same(host, *name, size) || !strcmp(*name, "*"))
                return true;
    return false;
}

static bool is_allowed_origin(const haft_endpoint *endpoint, const char *origin, size_t size)
{
    const char *const *listed = endpoint->options.allowed_origins;
    const char *cors = endpoint->options.cors_origin;
    const char *host;

    for (; listed && *listed; listed++)
        if (same(origin, *listed, size) || !strcmp(*listed, "*"))
            return true;
    if (cors && (!strcmp(cors, "*") || same(origin, cors, size)))
        return true;
    host = size > 8 && !memcmp(origin, "https://", 8)  ? origin + 8
           : size > 7 && !memcmp(origin, "http://", 7) ? origin + 7
                                                       : NULL;
    return host && is_allowed_host(endpoint, host, size - (size_t)(host - origin));
}

/* A page elsewhere must not reach a server here through its visitor's browser. */
bool request_is_from_friend(haft_exchange *exchange, const haft_http_request *request)
{
    haft_endpoint *endpoint = exchange->endpoint;
    const char *value;
    size_t size;

    value = request_header(request, "host", &size);
    if (!value || !is_allowed_host(endpoint, value, size)) {
        server_log(endpoint->server, HAFT_WARNING, "refused the host %.*s",
                   value ? (int)(size < 100 ? size : 100) : 4, value ? value : "none");
        exchange_refuse(exchange, 403, "", RPC_INVALID_REQUEST,
                        "Forbidden: the host is not allowed");
        return false;
    }
    value = request_header(request, "origin", &size);
    if (value && !is_allowed_origin(endpoint, value, size)) {
        server_log(endpoint->server, HAFT_WARNING, "refused the origin %.*s",
                   (int)(size < 100 ? size : 100), value);
        exchange_refuse(exchange, 403, "", RPC_INVALID_REQUEST,
                        "Forbidden: the origin is not allowed");
        return false;
    }
    return true;
}

/* ---- what it carries ---- */

static bool contains(const char *text, size_t size, const char *part)
{
    size_t n = strlen(part);

    for (size_t i = 0; i + n <= size; i++) {
        size_t k = 0;

        while (k < n && ((unsigned char)text[i + k] | 0x20) == ((unsigned char)part[k] | 0x20))
            k++;
        if (k == n)
            return true;
    }
    return false;
}

void request_read_accept(haft_exchange *exchange, const haft_http_request *request)
{
    size_t size;
    const char *accept = request_header(request, "accept", &size);
    bool any = !accept || contains(accept, size, "*/*");

    exchange->takes_json = any || contains(accept, size, "application/json") ||
                           contains(accept, size, "application/*");
    exchange->takes_events =
        any || contains(accept, size, "text/event-stream") || contains(accept, size, "text/*");
}

bool request_is_json(const haft_http_request *request)
{
    static const char json[] = "application/json";
    size_t size, n = sizeof json - 1;
    const char *type = request_header(request, "content-type", &size);

    return type && size >= n && same(type, json, n) &&
           (size == n || type[n] == ';' || type[n] == ' ');
}
