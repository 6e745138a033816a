/* guard.c - what every request passes before anybody looks at what it wants: where it comes
 * from, and whether the server is there for it.
 *
 * A page in a browser can make its visitor's browser send requests to this machine; what it cannot
 * do is to lie about its own origin, or about the name that it asked for. */
#include <string.h>

#include "endpoint/guard.h"

enum { HEADERS_LIMIT = 64 << 10, GUARD_BODY_LIMIT = 4 << 10 };

/* ---- answers ---- */

size_t hf_guard_put_cors(const struct guard *guard, haft_header *ret_headers)
{
    if (!guard->cors_origin)
        return 0;
    ret_headers[0] = (haft_header){"Access-Control-Allow-Origin", guard->cors_origin};
    ret_headers[1] = (haft_header){"Access-Control-Expose-Headers", "Mcp-Session-Id"};
    ret_headers[2] = (haft_header){"Vary", "Origin"};
    return DOOR_CORS;
}

void hf_guard_respond(struct guard *guard, const haft_responder *responder, void *context,
                      int status, const haft_header *extra, const char *type, const char *body,
                      size_t size)
{
    haft_header headers[DOOR_CORS + 2];
    haft_response response = {.status = status, .headers = headers, .body = body, .size = size};

    if (size)
        headers[response.n_headers++] = (haft_header){"Content-Type", type};
    response.n_headers += hf_guard_put_cors(guard, headers + response.n_headers);
    if (extra)
        headers[response.n_headers++] = *extra;
    responder->respond(context, &response);
}

void hf_guard_refuse(struct guard *guard, const haft_responder *responder, void *context,
                     int status, const haft_header *extra, const yyjson_val *id, int code,
                     const char *message)
{
    haft_buffer body;

    haft_buffer_init(&body, guard->server->allocator, GUARD_BODY_LIMIT);
    hf_rpc_put_error(&body, id, code, message, NULL);
    hf_guard_respond(guard, responder, context, status, extra, "application/json", body.data,
                     body.status ? 0 : body.size);
    haft_buffer_finish(&body);
}

/* Arguments may be sent as headers, too, whose names only the page knows. */
void hf_guard_preflight(struct guard *guard, const char *methods, const haft_request *request,
                        const haft_responder *responder, void *context)
{
    size_t size = 0;
    const char *more = request_header(request, "access-control-request-headers", &size);
    haft_header headers[DOOR_CORS + 3];
    haft_response response = {.status = 204, .headers = headers, .body = ""};
    haft_buffer allowed;

    haft_buffer_init(&allowed, guard->server->allocator, HEADERS_LIMIT);
    haft_buffer_puts(&allowed, "Content-Type, Accept, Authorization, Mcp-Session-Id, "
                               "MCP-Protocol-Version, Mcp-Method, Mcp-Name, Last-Event-ID");
    haft_buffer_puts(&allowed, more ? ", " : "");
    haft_buffer_add(&allowed, more ? more : "", size);
    haft_buffer_add(&allowed, "", 1);
    response.n_headers = hf_guard_put_cors(guard, headers);
    if (allowed.status) {
        response.status = 503;
    } else {
        headers[response.n_headers++] = (haft_header){"Access-Control-Allow-Methods", methods};
        headers[response.n_headers++] = (haft_header){"Access-Control-Max-Age", "86400"};
        headers[response.n_headers++] = (haft_header){"Access-Control-Allow-Headers", allowed.data};
    }
    responder->respond(context, &response);
    haft_buffer_finish(&allowed);
}

/* ---- where it comes from ---- */

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

/* Whether it is that text, but for capitals, which are rare. */
static bool same(const char *text, size_t size, const char *wanted)
{
    return (size == strlen(wanted) && !memcmp(text, wanted, size)) ||
           hf_text_is_ignoring_case(text, size, wanted);
}

static bool is_allowed_host(const struct guard *guard, const char *host, size_t size)
{
    static const char *const local[] = {"localhost", "127.0.0.1", "[::1]", NULL};
    const char *const *lists[2] = {local, guard->allowed_hosts};

    size = host_name(host, size);
    for (int i = 0; i < 2; i++)
        for (const char *const *name = lists[i]; name && *name; name++)
            if (same(host, size, *name) || !strcmp(*name, "*"))
                return true;
    return false;
}

static bool is_allowed_origin(const struct guard *guard, const char *origin, size_t size)
{
    const char *const *listed = guard->allowed_origins;
    const char *cors = guard->cors_origin;
    const char *host;

    for (; listed && *listed; listed++)
        if (same(origin, size, *listed) || !strcmp(*listed, "*"))
            return true;
    if (cors && (!strcmp(cors, "*") || same(origin, size, cors)))
        return true;
    host = size > 8 && !memcmp(origin, "https://", 8)  ? origin + 8
           : size > 7 && !memcmp(origin, "http://", 7) ? origin + 7
                                                       : NULL;
    return host && is_allowed_host(guard, host, size - (size_t)(host - origin));
}

/* Why it must not be answered; NULL when it may. */
static const char *refusal(const struct guard *guard, const haft_request *request)
{
    const char *value;
    size_t size;

    value = request_header(request, "host", &size);
    if (!value || !is_allowed_host(guard, value, size)) {
        hf_server_log(guard->server, HAFT_WARNING, "refused the host %.*s",
                      value ? (int)(size < 100 ? size : 100) : 4, value ? value : "none");
        return "Forbidden: the host is not allowed";
    }
    value = request_header(request, "origin", &size);
    if (value && !is_allowed_origin(guard, value, size) &&
        !(guard->allows_origin && guard->allows_origin(guard->context, request, value, size))) {
        hf_server_log(guard->server, HAFT_WARNING, "refused the origin %.*s",
                      (int)(size < 100 ? size : 100), value);
        return "Forbidden: the origin is not allowed";
    }
    return NULL;
}

/* ---- the guard ---- */

bool hf_path_is(const char *path, const char *wanted)
{
    size_t n = strlen(wanted);

    return !strncmp(path, wanted, n) && (!path[n] || (path[n] == '/' && !path[n + 1]));
}

static void guard_probe(struct guard *guard, bool ready, const haft_responder *responder,
                        void *context)
{
    const char *body = ready ? "{\"status\":\"ok\"}" : "{\"status\":\"draining\"}";

    hf_guard_respond(guard, responder, context, ready ? 200 : 503,
                     HEADER("Cache-Control", "no-store"), "application/json", body, strlen(body));
}

bool hf_guard_opens(struct guard *guard, const haft_request *request,
                    const haft_responder *responder, void *context)
{
    const char *method = request->method, *why;
    bool reads = !strcmp(method, "GET") || !strcmp(method, "HEAD");

    if (reads && hf_path_is(request->path, "/healthz")) {
        guard_probe(guard, true, responder, context);
        return false;
    }
    if (reads && hf_path_is(request->path, "/readyz")) {
        guard_probe(guard, !guard->closing, responder, context);
        return false;
    }
    why = refusal(guard, request);
    if (why) {
        hf_guard_refuse(guard, responder, context, 403, NULL, NULL, RPC_INVALID_REQUEST, why);
        return false;
    }
    if (guard->closing) {
        hf_guard_refuse(guard, responder, context, 503, HEADER("Retry-After", "5"), NULL,
                        RPC_INTERNAL_ERROR, "The server is shutting down");
        return false;
    }
    return true;
}

/* ---- what it carries ---- */

enum answer { ANSWER_JSON = 1, ANSWER_EVENTS = 2 };

static bool guard_is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* The kinds of answer that one range of an Accept header allows, whatever its parameters. */
static unsigned answers_of(const char *range, size_t size)
{
    static const struct {
        const char *range;
        unsigned answers;
    } ranges[] = {{"application/json", ANSWER_JSON},
                  {"text/event-stream", ANSWER_EVENTS},
                  {"*/*", ANSWER_JSON | ANSWER_EVENTS},
                  {"application/*", ANSWER_JSON},
                  {"text/*", ANSWER_EVENTS}};
    const char *end = memchr(range, ';', size);

    size = end ? (size_t)(end - range) : size;
    for (; size && guard_is_blank(*range); size--)
        range++;
    while (size && guard_is_blank(range[size - 1]))
        size--;
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (same(range, size, ranges[i].range))
            return ranges[i].answers;
    return 0;
}

void hf_request_read_accept(const haft_request *request, bool *ret_json, bool *ret_events)
{
    size_t size;
    const char *accept = request_header(request, "accept", &size);
    unsigned answers = accept ? 0 : ANSWER_JSON | ANSWER_EVENTS;

    while (accept && size) {
        const char *comma = memchr(accept, ',', size);
        size_t n = comma ? (size_t)(comma - accept) : size;

        answers |= answers_of(accept, n);
        accept += comma ? n + 1 : n;
        size -= comma ? n + 1 : n;
    }
    *ret_json = answers & ANSWER_JSON;
    *ret_events = answers & ANSWER_EVENTS;
}

bool hf_request_is_json(const haft_request *request)
{
    static const char json[] = "application/json";
    size_t size, n = sizeof json - 1;
    const char *type = request_header(request, "content-type", &size);

    return type && size >= n && same(type, n, json) &&
           (size == n || type[n] == ';' || guard_is_blank(type[n]));
}
