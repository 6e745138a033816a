/* guard.c - checks every request before it is dispatched: its origin, and whether the server
 * accepts requests.
 *
 * A web page can make a visitor's browser send requests to this machine, but it cannot forge its
 * Origin header, or the Host header. */
#include <stdio.h>
#include <string.h>

#include "endpoint/guard.h"
#include "stage/store_state.h"

enum { HEADERS_LIMIT = 64 << 10, GUARD_BODY_LIMIT = 4 << 10, GUARD_PROBE_LIMIT = 1 << 20 };

/* ---- responses ---- */

size_t hf_guard_put_cors(const struct guard *guard, haft_header *ret_headers)
{
    if (!guard->cors_origin)
        return 0;
    ret_headers[0] = (haft_header){"Access-Control-Allow-Origin", guard->cors_origin};
    ret_headers[1] = (haft_header){"Access-Control-Expose-Headers",
                                   "Mcp-Session-Id, WWW-Authenticate, DPoP-Nonce"};
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

/* Arguments may also be sent as headers, whose names only the page knows. */
void hf_guard_preflight(struct guard *guard, const char *methods, const haft_request *request,
                        const haft_responder *responder, void *context)
{
    const char *more =
        haft_header_find(request->headers, request->n_headers, "access-control-request-headers");
    haft_header headers[DOOR_CORS + 3];
    haft_response response = {.status = 204, .headers = headers, .body = ""};
    haft_buffer allowed;

    haft_buffer_init(&allowed, guard->server->allocator, HEADERS_LIMIT);
    haft_buffer_puts(&allowed, "Content-Type, Accept, Authorization, DPoP, Mcp-Session-Id, "
                               "MCP-Protocol-Version, Mcp-Method, Mcp-Name, Last-Event-ID");
    haft_buffer_puts(&allowed, more ? ", " : "");
    haft_buffer_puts(&allowed, more ? more : "");
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

/* ---- Host and Origin ---- */

/* Whether it is "name", "name:port" or "[name]:port" with one of the names. */
static bool is_allowed_host(const struct guard *guard, const char *host, size_t size)
{
    static const char *const local[] = {"localhost", "127.0.0.1", "[::1]", NULL};
    const char *const *lists[2] = {local, guard->allowed_hosts};
    const char *end = memchr(host, size && *host == '[' ? ']' : ':', size);
    size_t name = !end ? size : (size_t)(end - host) + (*end == ']'), i = name + 1;

    while (i < size && host[i] >= '0' && host[i] <= '9')
        i++;
    /* The name is followed by something other than a port, or its bracket is not closed. */
    if ((name < size && (host[name] != ':' || i < size)) || (!end && size && *host == '['))
        name = 0;
    for (int k = 0; k < 2; k++)
        for (const char *const *listed = lists[k]; listed && *listed; listed++)
            if (hf_text_is_ignoring_case(host, name, *listed) || !strcmp(*listed, "*"))
                return true;
    return false;
}

static bool is_allowed_origin(const struct guard *guard, const char *origin, size_t size)
{
    const char *const *listed = guard->allowed_origins;
    const char *cors = guard->cors_origin;
    const char *host;

    for (; listed && *listed; listed++)
        if (hf_text_is_ignoring_case(origin, size, *listed) || !strcmp(*listed, "*"))
            return true;
    if (cors && (!strcmp(cors, "*") || hf_text_is_ignoring_case(origin, size, cors)))
        return true;
    host = size > 8 && !memcmp(origin, "https://", 8)  ? origin + 8
           : size > 7 && !memcmp(origin, "http://", 7) ? origin + 7
                                                       : NULL;
    return host && is_allowed_host(guard, host, size - (size_t)(host - origin));
}

/* Responds that its host or origin is not allowed; returns false. */
static bool guard_forbid(struct guard *guard, const char *what, struct text value,
                         const haft_responder *responder, void *context)
{
    char message[64];

    if (!value.data)
        value = (struct text){"none", 4};
    hf_server_log(guard->server, HAFT_WARNING, "refused a request: the %s %.*s is not allowed",
                  what, (int)(value.size < 100 ? value.size : 100), value.data);
    snprintf(message, sizeof message, "Forbidden: the %s is not allowed", what);
    hf_guard_refuse(guard, responder, context, 403, NULL, NULL, RPC_INVALID_REQUEST, message);
    return false;
}

/* ---- the guard ---- */

bool hf_path_is(const char *path, const char *wanted)
{
    size_t n = strlen(wanted);

    return !strncmp(path, wanted, n) && (!path[n] || (path[n] == '/' && !path[n + 1]));
}

bool hf_request_is_local(const haft_request *request)
{
    return (!request->peer || !strncmp(request->peer, "127.", 4) ||
            !strcmp(request->peer, "::1")) &&
           !haft_header_find(request->headers, request->n_headers, "x-forwarded-for") &&
           !haft_header_find(request->headers, request->n_headers, "forwarded");
}

enum guard_state { GUARD_OK, GUARD_DEGRADED, GUARD_DRAINING };

static const char *const guard_states[] = {"ok", "degraded", "draining"};

/* Needs no memory. */
static void guard_probe(struct guard *guard, int code, enum guard_state state,
                        const haft_responder *responder, void *context)
{
    static const char *const bodies[] = {"{\"status\":\"ok\"}", "{\"status\":\"degraded\"}",
                                         "{\"status\":\"draining\"}"};

    hf_guard_respond(guard, responder, context, code, HEADER("Cache-Control", "no-store"),
                     "application/json", bodies[state], strlen(bodies[state]));
}

/* Whether the server accepts requests and, for this machine, the state of what it calls and of its
 * store. */
static void guard_probe_ready(struct guard *guard, const haft_request *request,
                              const haft_responder *responder, void *context)
{
    const struct server_metering *metering = &guard->server->metering;
    const bool ends = guard->closing || guard->leaving;
    const bool degraded = hf_store_is_degraded(guard->server);
    const enum guard_state state = ends ? GUARD_DRAINING : degraded ? GUARD_DEGRADED : GUARD_OK;
    const int code = ends || (degraded && guard->needs_store) ? 503 : 200;
    haft_buffer body;
    struct json_writer w = {.out = &body};

    if (ends || (!metering->put_upstreams && !degraded) || !hf_request_is_local(request)) {
        guard_probe(guard, code, state, responder, context);
        return;
    }
    haft_buffer_init(&body, guard->server->allocator, GUARD_PROBE_LIMIT);
    hf_json_begin_object(&w);
    hf_json_text(json_key(&w, "status"), guard_states[state]);
    hf_store_put_state(guard->server, &w);
    if (metering->put_upstreams)
        metering->put_upstreams(metering->upstreams_context, &w);
    hf_json_end_object(&w);
    if (body.status)
        guard_probe(guard, code, state, responder, context);
    else
        hf_guard_respond(guard, responder, context, code, HEADER("Cache-Control", "no-store"),
                         "application/json", body.data, body.size);
    haft_buffer_finish(&body);
}

bool hf_guard_opens(struct guard *guard, const haft_request *request,
                    const haft_responder *responder, void *context)
{
    struct text host = request->index_->host, origin = request->index_->origin;
    const char *method = request->method;
    bool reads = !strcmp(method, "GET") || !strcmp(method, "HEAD");

    if (reads && hf_path_is(request->path, "/healthz")) {
        guard_probe(guard, 200, GUARD_OK, responder, context);
        return false;
    }
    if (reads && hf_path_is(request->path, "/readyz")) {
        guard_probe_ready(guard, request, responder, context);
        return false;
    }
    if (!host.data || !is_allowed_host(guard, host.data, host.size))
        return guard_forbid(guard, "host", host, responder, context);
    if (origin.data && !is_allowed_origin(guard, origin.data, origin.size) &&
        !(guard->allows_origin &&
          guard->allows_origin(guard->context, request, origin.data, origin.size)))
        return guard_forbid(guard, "origin", origin, responder, context);
    if (guard->closing) {
        hf_guard_refuse(guard, responder, context, 503, HEADER("Retry-After", "5"), NULL,
                        RPC_INTERNAL_ERROR, "The server is shutting down");
        return false;
    }
    return true;
}

/* ---- request headers ---- */

void hf_request_read_accept(const haft_request *request, bool *ret_json, bool *ret_events)
{
    static const struct {
        const char *range;
        bool json, events;
    } ranges[] = {{"application/json", true, false},
                  {"text/event-stream", false, true},
                  {"*/*", true, true},
                  {"application/*", true, false},
                  {"text/*", false, true}};
    struct text rest = request->index_->accept;

    *ret_json = *ret_events = !rest.data;
    while (rest.size) {
        const char *comma = memchr(rest.data, ',', rest.size);
        size_t n = comma ? (size_t)(comma - rest.data) : rest.size;
        const char *parameters = memchr(rest.data, ';', n);
        struct text range = text_trim(rest.data, parameters ? (size_t)(parameters - rest.data) : n);
        size_t i = 0;

        while (i < sizeof ranges / sizeof *ranges &&
               !hf_text_is_ignoring_case(range.data, range.size, ranges[i].range))
            i++;
        if (i < sizeof ranges / sizeof *ranges) {
            *ret_json |= ranges[i].json;
            *ret_events |= ranges[i].events;
        }
        n += comma != NULL;
        rest = (struct text){rest.data + n, rest.size - n};
    }
}

bool hf_request_is_json(const haft_request *request)
{
    static const char json[] = "application/json";
    struct text type = request->index_->content_type;
    size_t n = sizeof json - 1;

    return type.size >= n && hf_text_is_ignoring_case(type.data, n, json) &&
           (type.size == n || type.data[n] == ';' || type.data[n] == ' ' || type.data[n] == '\t');
}
