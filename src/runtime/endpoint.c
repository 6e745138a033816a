/* endpoint.c - one endpoint, five revisions: what a request is, and who answers it.
 *
 * The ladder of refusals comes first: the door, the path, what it carries.  Then the message
 * decides: a modern request describes itself, a legacy one belongs to its session, and one without
 * a session is served on its own as far as that goes. */
#include <stdio.h>
#include <string.h>

#include "runtime/endpoint.h"

enum {
    DEFAULT_SESSIONS = 10000,
    DEFAULT_IDLE = 30 * 60 * 1000,
    DEFAULT_EVENTS = 256,
    KEEP_ALIVE = 15000,
    SCRATCH_LIMIT = 64 << 20
};

/* ---- life ---- */

haft_endpoint *haft_endpoint_new(haft_server *server, const haft_endpoint_options *options)
{
    static const haft_endpoint_options none;
    const haft_allocator *allocator = server->allocator;
    haft_endpoint *endpoint = allocator->alloc(allocator->context, sizeof *endpoint);
    haft_endpoint_options *own;

    if (!endpoint)
        return NULL;
    memset(endpoint, 0, sizeof *endpoint);
    endpoint->server = server;
    endpoint->allocator = allocator;
    endpoint->options = options ? *options : none;
    own = &endpoint->options;
    own->path = own->path ? own->path : "/mcp";
    own->max_sessions = own->max_sessions ? own->max_sessions : DEFAULT_SESSIONS;
    own->session_idle_ms = own->session_idle_ms ? own->session_idle_ms : DEFAULT_IDLE;
    own->max_events = own->max_events ? own->max_events : DEFAULT_EVENTS;
    endpoint->door = (struct door){.server = server,
                                   .allowed_hosts = own->allowed_hosts,
                                   .allowed_origins = own->allowed_origins,
                                   .cors_origin = own->cors_origin};
    haft_buffer_init(&endpoint->scratch, allocator, SCRATCH_LIMIT);
    return endpoint;
}

static void free_spare(haft_endpoint *endpoint)
{
    const haft_allocator *allocator = endpoint->allocator;

    while (endpoint->spare) {
        haft_exchange *exchange = endpoint->spare;

        endpoint->spare = exchange->next;
        allocator->release(allocator->context, exchange, sizeof *exchange);
    }
}

void haft_endpoint_free(haft_endpoint *endpoint)
{
    const haft_allocator *allocator;

    if (!endpoint)
        return;
    allocator = endpoint->allocator;
    endpoint_abandon(endpoint);
    while (endpoint->exchanges)
        exchange_free(endpoint->exchanges);
    free_spare(endpoint);
    if (endpoint->slots)
        allocator->release(allocator->context, endpoint->slots,
                           endpoint->n_slots * sizeof *endpoint->slots);
    haft_buffer_finish(&endpoint->scratch);
    allocator->release(allocator->context, endpoint, sizeof *endpoint);
}

static int on_run(void *context, haft_call *call)
{
    const haft_endpoint_options *options = &((haft_endpoint *)context)->options;

    return options->run(options->context, call);
}

static void on_post(void *context, haft_posted *posted)
{
    const haft_endpoint_options *options = &((haft_endpoint *)context)->options;

    options->post(options->context, posted);
}

static void on_wake(void *context)
{
    const haft_endpoint_options *options = &((haft_endpoint *)context)->options;

    options->wake(options->context);
}

static void on_shared_gone(void *context)
{
    ((haft_endpoint *)context)->n_shared--;
}

/* The engine's session for clients that have none, by revision. */
static haft_session *make_shared(haft_endpoint *endpoint, enum revision revision)
{
    haft_session_options options = {.send = endpoint_send_shared,
                                    .let_go = endpoint_let_go_shared,
                                    .gone = on_shared_gone,
                                    .context = endpoint,
                                    .shared = true,
                                    .modern = revision_row(revision)->modern,
                                    .revision = revision_row(revision)->name};

    options.run = endpoint->options.run ? on_run : NULL;
    options.post = endpoint->options.post ? on_post : NULL;
    options.wake = endpoint->options.wake ? on_wake : NULL;
    endpoint->shared[revision] = haft_session_new(endpoint->server, &options);
    endpoint->n_shared += endpoint->shared[revision] != NULL;
    return endpoint->shared[revision];
}

static haft_session *shared(haft_endpoint *endpoint, enum revision revision)
{
    haft_session *session = endpoint->shared[revision];

    return session ? session : make_shared(endpoint, revision);
}

/* ---- exchanges ---- */

static haft_exchange *exchange_new(haft_endpoint *endpoint, const haft_responder *responder,
                                   void *context)
{
    haft_exchange *exchange = endpoint->spare;

    if (exchange)
        endpoint->spare = exchange->next;
    else
        exchange = endpoint->allocator->alloc(endpoint->allocator->context, sizeof *exchange);
    if (!exchange)
        return NULL;
    *exchange = (haft_exchange){.endpoint = endpoint, .responder = *responder, .context = context};
    exchange->next = endpoint->exchanges;
    if (exchange->next)
        exchange->next->previous = exchange;
    endpoint->exchanges = exchange;
    endpoint->n_exchanges++;
    return exchange;
}

/* Moves an exchange to its session's. */
static void join_session(haft_exchange *exchange, struct http_session *session)
{
    haft_endpoint *endpoint = exchange->endpoint;

    if (exchange->next)
        exchange->next->previous = exchange->previous;
    if (exchange->previous)
        exchange->previous->next = exchange->next;
    else
        endpoint->exchanges = exchange->next;
    exchange->session = session;
    exchange->engine = session->engine;
    exchange->previous = NULL;
    exchange->next = session->exchanges;
    if (exchange->next)
        exchange->next->previous = exchange;
    session->exchanges = exchange;
    http_session_touch(session);
}

void haft_exchange_gone(haft_exchange *exchange)
{
    exchange->gone = true;
    if (exchange->session) {
        struct http_session *session = exchange->session;

        /* Losing the connection cancels nothing: the client may come back, unless it is of
         * 2024-11-05. */
        if (session->listening == exchange)
            exchange_free(exchange);
        if (session->sse)
            http_session_end(session);
        return;
    }
    if (!exchange->modern)
        return;
    haft_session_cancel(exchange->engine, exchange);
    exchange_free(exchange);
}

/* ---- POST ---- */

static haft_headers headers_of(const haft_http_request *request)
{
    haft_headers headers = request->headers;

    headers.principal = request->principal;
    return headers;
}

/* The session of that id, if it is the client's own: knowing the id of somebody else's is not
 * enough. */
static struct http_session *find_session(haft_exchange *exchange, const haft_http_request *request,
                                         const char *id, size_t size)
{
    struct http_session *session = http_session_find(exchange->endpoint, id, size);
    const char *principal = request->principal;

    if (session && (session->principal || principal) &&
        (!session->principal || !principal || strcmp(session->principal, principal)))
        return NULL;
    return session;
}

/* Hands the message over; what comes of it may have come already. */
static void process(haft_exchange *exchange, haft_incoming *message, haft_session *engine,
                    const haft_http_request *request)
{
    haft_headers headers = headers_of(request);
    int status;

    exchange->engine = engine;
    status = haft_incoming_process(message, engine, &headers);
    if (exchange->done)
        return;
    if (status < 0)
        exchange_refuse(exchange, 503, "Retry-After: 1\r\n", RPC_INTERNAL_ERROR, "Out of memory");
    else if (!status && exchange->kind == HAFT_INCOMING_INVALID)
        exchange_refuse(exchange, 400, "", RPC_INVALID_REQUEST, NULL);
    else if (!status)
        exchange_respond(exchange, 202, "", NULL, 0);
}

static void post_initialize(haft_exchange *exchange, haft_incoming *message,
                            const haft_http_request *request)
{
    struct http_session *session = http_session_new(exchange->endpoint, request->principal);

    if (!session) {
        haft_incoming_drop(message);
        exchange_refuse(exchange, 503, "Retry-After: 10\r\n", RPC_INTERNAL_ERROR,
                        "There are too many sessions");
        return;
    }
    join_session(exchange, session);
    exchange->creates = true;
    process(exchange, message, session->engine, request);
}

/* A client that has no session: each message stands for itself. */
static void post_alone(haft_exchange *exchange, haft_incoming *message,
                       const haft_http_request *request, enum revision revision)
{
    haft_session *engine = shared(exchange->endpoint, revision);

    if (engine) {
        process(exchange, message, engine, request);
        return;
    }
    haft_incoming_drop(message);
    exchange_refuse(exchange, 503, "Retry-After: 1\r\n", RPC_INTERNAL_ERROR, "Out of memory");
}

static void post_legacy(haft_exchange *exchange, haft_incoming *message,
                        const haft_http_request *request, enum revision named)
{
    struct http_session *session;
    const char *id;
    size_t size;

    if (exchange->kind == HAFT_INCOMING_REQUEST && haft_incoming_is(message, "initialize")) {
        post_initialize(exchange, message, request);
        return;
    }
    id = request_header(request, "mcp-session-id", &size);
    if (!id) {
        post_alone(exchange, message, request, named);
        return;
    }
    session = find_session(exchange, request, id, size);
    if (!session) {
        haft_incoming_drop(message);
        exchange_refuse(exchange, 404, "", RPC_INVALID_REQUEST, "Session not found");
        return;
    }
    join_session(exchange, session);
    if (exchange->kind == HAFT_INCOMING_REQUEST) {
        exchange->resumable = session_revision(session->engine) >= REV_2025_03_26;
        exchange->stream = session->next_stream++;
    }
    process(exchange, message, session->engine, request);
}

static const char unknown_revision[] =
    "Invalid Request: MCP-Protocol-Version names no revision that is served";
static const char only_events[] = "Not Acceptable: the stream is text/event-stream";

/* The revision that the header names: 2025-03-26 without one, REVISIONS for one that is not known. */
static enum revision revision_header(const haft_http_request *request)
{
    size_t size;
    const char *value = request_header(request, "mcp-protocol-version", &size);

    return value ? revision_named(value, size) : REV_2025_03_26;
}

static void post_message(haft_exchange *exchange, haft_incoming *message,
                         const haft_http_request *request, enum revision named)
{
    haft_incoming_kind kind = haft_incoming_kind_of(message);
    bool modern_header = named < REVISIONS && revision_row(named)->modern;
    bool modern =
        modern_header || (kind == HAFT_INCOMING_REQUEST && haft_incoming_is_modern(message));

    exchange->kind = kind;
    if (modern && kind == HAFT_INCOMING_REQUEST) {
        haft_session *engine = shared(exchange->endpoint, REV_2026_07_28);

        exchange->modern = true;
        if (!exchange->takes_events && haft_incoming_is(message, "subscriptions/listen")) {
            haft_incoming_drop(message);
            exchange_refuse(exchange, 406, "", RPC_INVALID_REQUEST, only_events);
            return;
        }
        if (engine) {
            process(exchange, message, engine, request);
            return;
        }
        haft_incoming_drop(message);
        exchange_refuse(exchange, 503, "Retry-After: 1\r\n", RPC_INTERNAL_ERROR, "Out of memory");
    } else if (modern_header && kind == HAFT_INCOMING_NOTIFICATION) {
        haft_incoming_drop(message);
        exchange_respond(exchange, 202, "", NULL, 0);
    } else if (modern_header && kind == HAFT_INCOMING_RESPONSE) {
        haft_incoming_drop(message);
        exchange_refuse(exchange, 400, "", RPC_INVALID_REQUEST,
                        "Invalid Request: nothing was asked");
    } else if (modern_header) {
        post_alone(exchange, message, request, REV_2026_07_28);
    } else if (named == REVISIONS &&
               !(kind == HAFT_INCOMING_REQUEST && haft_incoming_is(message, "initialize"))) {
        haft_incoming_drop(message);
        exchange_refuse(exchange, 400, "", RPC_INVALID_REQUEST, unknown_revision);
    } else {
        post_legacy(exchange, message, request, named);
    }
}

/* The session that the message will most probably be for, so that it need not move. */
static haft_session *reader_of(haft_endpoint *endpoint, const haft_http_request *request,
                               enum revision named)
{
    struct http_session *session = NULL;
    const char *id;
    size_t size;

    if (named == REVISIONS)
        named = REV_2025_03_26;
    if (!revision_row(named)->modern) {
        id = request_header(request, "mcp-session-id", &size);
        session = id ? http_session_find(endpoint, id, size) : NULL;
    }
    return session ? session->engine : shared(endpoint, named);
}

static void post(haft_exchange *exchange, const haft_http_request *request)
{
    haft_endpoint *endpoint = exchange->endpoint;
    enum revision named = revision_header(request);
    haft_session *reader;
    haft_incoming *message;

    if (!request_is_json(request)) {
        exchange_refuse(exchange, 415, "", RPC_INVALID_REQUEST,
                        "Unsupported Media Type: Content-Type must be application/json");
        return;
    }
    request_read_accept(request, &exchange->takes_json, &exchange->takes_events);
    if (!exchange->takes_json && !exchange->takes_events) {
        exchange_refuse(exchange, 406, "", RPC_INVALID_REQUEST,
                        "Not Acceptable: answers are application/json or text/event-stream");
        return;
    }
    if (request->body_size > endpoint->server->options.max_message) {
        exchange_refuse(exchange, 413, "", RPC_INVALID_REQUEST,
                        "Content Too Large: the message is too long");
        return;
    }
    reader = reader_of(endpoint, request, named);
    message = reader ? haft_incoming_read(reader, request->body, request->body_size, exchange,
                                          endpoint->now)
                     : NULL;
    if (message)
        post_message(exchange, message, request, named);
    else
        exchange_refuse(exchange, 503, "Retry-After: 1\r\n", RPC_INTERNAL_ERROR, "Out of memory");
}

/* ---- GET and DELETE ---- */

/* The session that a request names; NULL when it was refused. */
static struct http_session *named_session(haft_exchange *exchange, const haft_http_request *request)
{
    enum revision named = revision_header(request);
    struct http_session *session;
    const char *id;
    size_t size;

    if (named == REVISIONS) {
        exchange_refuse(exchange, 400, "", RPC_INVALID_REQUEST, unknown_revision);
        return NULL;
    }
    id = request_header(request, "mcp-session-id", &size);
    if (!id || revision_row(named)->modern) {
        exchange_refuse(exchange, 405, "Allow: POST\r\n", RPC_INVALID_REQUEST,
                        "Method Not Allowed: there is no session");
        return NULL;
    }
    session = find_session(exchange, request, id, size);
    if (!session)
        exchange_refuse(exchange, 404, "", RPC_INVALID_REQUEST, "Session not found");
    return session;
}

static haft_exchange *get(haft_exchange *exchange, const haft_http_request *request)
{
    struct http_session *session = named_session(exchange, request);
    const char *last;
    size_t size;

    if (!session)
        return NULL;
    request_read_accept(request, &exchange->takes_json, &exchange->takes_events);
    if (!exchange->takes_events) {
        exchange_refuse(exchange, 406, "", RPC_INVALID_REQUEST, only_events);
        return NULL;
    }
    join_session(exchange, session);
    last = request_header(request, "last-event-id", &size);
    if (last)
        return http_session_resume(session, exchange, last, size);
    if (session->listening) {
        exchange_refuse(exchange, 409, "", RPC_INVALID_REQUEST,
                        "Conflict: the session has a stream already");
        return NULL;
    }
    exchange->stream = session->listen_stream = session->next_stream++;
    session->listen_number = 0;
    exchange->resumable = true;
    exchange_listen(exchange, session);
    exchange_stream(exchange);
    if (exchange->gone)
        exchange_free(exchange);
    return NULL;
}

static void delete_session(haft_exchange *exchange, const haft_http_request *request)
{
    struct http_session *session = named_session(exchange, request);

    if (!session)
        return;
    http_session_end(session);
    exchange_respond(exchange, 200, "", NULL, 0);
}

/* ---- 2024-11-05: one stream for everything the server says, and a place to post to ---- */

static void get_sse(haft_exchange *exchange, const haft_http_request *request)
{
    struct http_session *session = http_session_new(exchange->endpoint, request->principal);
    char event[128];
    int size;

    if (!session) {
        exchange_refuse(exchange, 503, "Retry-After: 10\r\n", RPC_INTERNAL_ERROR,
                        "There are too many sessions");
        return;
    }
    session->sse = true;
    join_session(exchange, session);
    exchange->takes_events = true;
    exchange_listen(exchange, session);
    exchange_stream(exchange);
    if (exchange->gone) {
        exchange_detach(exchange);
        exchange_free(exchange);
        http_session_end(session);
        return;
    }
    size = snprintf(event, sizeof event, "event: endpoint\ndata: /messages?session=%s\n\n",
                    session->id);
    exchange->responder.write(exchange->context, event, (size_t)size);
}

/* The session that a query names. */
static const char *query_session(const char *query, size_t *ret_size)
{
    static const char key[] = "session=";
    const char *id = strncmp(query, key, sizeof key - 1) ? NULL : query + sizeof key - 1;

    *ret_size = id ? strcspn(id, "&") : 0;
    return id;
}

static void post_sse(haft_exchange *exchange, const haft_http_request *request)
{
    haft_endpoint *endpoint = exchange->endpoint;
    size_t size;
    const char *id = query_session(request->query, &size);
    struct http_session *session = id ? find_session(exchange, request, id, size) : NULL;
    haft_headers headers = headers_of(request);
    haft_incoming *message;

    if (!session || !session->sse || !session->listening) {
        exchange_refuse(exchange, 404, "", RPC_INVALID_REQUEST, "Session not found");
        return;
    }
    if (!request_is_json(request) || request->body_size > endpoint->server->options.max_message) {
        exchange_refuse(exchange, request_is_json(request) ? 413 : 415, "", RPC_INVALID_REQUEST,
                        NULL);
        return;
    }
    http_session_touch(session);
    message =
        haft_incoming_read(session->engine, request->body, request->body_size, NULL, endpoint->now);
    if (message && haft_incoming_process(message, session->engine, &headers) >= 0)
        exchange_respond(exchange, 202, "", NULL, 0);
    else
        exchange_refuse(exchange, 503, "Retry-After: 1\r\n", RPC_INTERNAL_ERROR, "Out of memory");
}

unsigned endpoint_home(const haft_http_request *request)
{
    size_t size;
    const char *id = request_header(request, "mcp-session-id", &size);

    if (!id)
        id = query_session(request->query, &size);
    return http_session_home(id, size);
}

/* ---- a request ---- */

static void preflight(haft_exchange *exchange, const haft_http_request *request)
{
    door_preflight(&exchange->endpoint->door, "POST, GET, DELETE", request, &exchange->responder,
                   exchange->context);
    exchange_free(exchange);
}

/* The exchange that the connection belongs to from now on, when it is another one. */
static haft_exchange *route(haft_exchange *exchange, const haft_http_request *request)
{
    haft_endpoint *endpoint = exchange->endpoint;
    const char *method = request->method;

    if (path_is(request->path, endpoint->options.path)) {
        if (!strcmp(method, "POST"))
            post(exchange, request);
        else if (!strcmp(method, "GET"))
            return get(exchange, request);
        else if (!strcmp(method, "DELETE"))
            delete_session(exchange, request);
        else if (!strcmp(method, "OPTIONS") && endpoint->door.cors_origin)
            preflight(exchange, request);
        else
            exchange_refuse(exchange, 405, "Allow: POST, GET, DELETE\r\n", RPC_INVALID_REQUEST,
                            "Method Not Allowed");
    } else if (endpoint->options.legacy_sse && path_is(request->path, "/sse") &&
               !strcmp(method, "GET")) {
        get_sse(exchange, request);
    } else if (endpoint->options.legacy_sse && path_is(request->path, "/messages") &&
               !strcmp(method, "POST")) {
        post_sse(exchange, request);
    } else {
        exchange_refuse(exchange, 404, "", RPC_INVALID_REQUEST, "Not Found");
    }
    return NULL;
}

static void *handle(void *context, const haft_http_request *request,
                    const haft_responder *responder, void *responder_context, haft_time now)
{
    haft_endpoint *endpoint = context;
    haft_exchange *exchange = exchange_new(endpoint, responder, responder_context), *other;

    endpoint->now = endpoint->used = now;
    if (!exchange) {
        responder->respond(responder_context, 503, "Retry-After: 1\r\n", NULL, 0);
        return NULL;
    }
    exchange->held = true;
    other = route(exchange, request);
    exchange->held = false;
    if (!exchange->done)
        return exchange->gone ? NULL
                              : exchange; /* a stream that has ended already is not gone again */
    exchange_free(exchange);
    return other;
}

haft_exchange *haft_endpoint_handle(haft_endpoint *endpoint, const haft_http_request *request,
                                    const haft_responder *responder, void *context, haft_time now)
{
    if (!door_opens(&endpoint->door, request, responder, context))
        return NULL;
    return handle(endpoint, request, responder, context, now);
}

/* ---- time ---- */

static void keep_alive(haft_exchange *exchange, haft_time now)
{
    if (exchange && exchange->streaming && !exchange->gone &&
        exchange->quiet_since + KEEP_ALIVE <= now)
        exchange_keep_alive(exchange);
}

/* Nobody asks for anything: gives back what is kept for who does. */
static void rest(haft_endpoint *endpoint)
{
    for (int i = 0; i < REVISIONS; i++)
        if (endpoint->shared[i])
            haft_session_trim(endpoint->shared[i]);
    free_spare(endpoint);
    buffer_trim(&endpoint->scratch, 0);
}

void haft_endpoint_tick(haft_endpoint *endpoint, haft_time now)
{
    struct http_session *newer;
    haft_exchange *next;

    endpoint->now = now;
    for (int i = 0; i < REVISIONS; i++)
        if (endpoint->shared[i])
            haft_session_tick(endpoint->shared[i], now);
    for (haft_exchange *exchange = endpoint->exchanges; exchange; exchange = next) {
        next = exchange->next;
        keep_alive(exchange, now);
    }
    for (struct http_session *session = endpoint->oldest; session; session = newer) {
        newer = session->newer;
        haft_session_tick(session->engine, now);
        if (now - session->used > REST_MS)
            haft_session_trim(session->engine);
        keep_alive(session->listening, now);
        for (haft_exchange *exchange = session->exchanges; exchange; exchange = next) {
            next = exchange->next;
            keep_alive(exchange, now);
        }
    }
    http_sessions_expire(endpoint);
    if (now - endpoint->used > REST_MS)
        rest(endpoint);
}

void haft_endpoint_shut_down(haft_endpoint *endpoint)
{
    endpoint->door.closing = true;
    for (int i = 0; i < REVISIONS; i++)
        if (endpoint->shared[i])
            haft_session_shut_down(endpoint->shared[i]);
    for (struct http_session *session = endpoint->oldest; session; session = session->newer)
        if (session->listening)
            exchange_end(session->listening);
}

void endpoint_abandon(haft_endpoint *endpoint)
{
    endpoint->door.closing = endpoint->abandoned = true;
    while (endpoint->oldest)
        http_session_end(endpoint->oldest);
    for (int i = 0; i < REVISIONS; i++) {
        haft_session_free(endpoint->shared[i]);
        endpoint->shared[i] = NULL;
    }
}

bool haft_endpoint_idle(const haft_endpoint *endpoint)
{
    if (endpoint->abandoned)
        return !endpoint->n_sessions && !endpoint->n_shared;
    for (const struct http_session *session = endpoint->oldest; session; session = session->newer)
        if (haft_session_in_flight(session->engine))
            return false;
    for (int i = 0; i < REVISIONS; i++)
        if (endpoint->shared[i] && haft_session_in_flight(endpoint->shared[i]))
            return false;
    return true;
}

/* ---- as one of several ---- */

static void app_gone(void *app, void *exchange)
{
    (void)app;
    haft_exchange_gone(exchange);
}

static void app_close(void *app)
{
    haft_endpoint_free(app);
}

static void app_tick(void *app, haft_time now)
{
    haft_endpoint_tick(app, now);
}

static void app_shut_down(void *app)
{
    haft_endpoint_shut_down(app);
}

static void app_abandon(void *app)
{
    endpoint_abandon(app);
}

static bool app_idle(const void *app)
{
    return haft_endpoint_idle(app);
}

const haft_app endpoint_app = {.close = app_close,
                               .handle = handle,
                               .gone = app_gone,
                               .tick = app_tick,
                               .shut_down = app_shut_down,
                               .abandon = app_abandon,
                               .idle = app_idle};
