/* endpoint.c - one endpoint for five revisions: classifies requests, dispatches them, and manages
 * lifetimes. */
#include "endpoint/request.h"

#include <stddef.h>
#include <string.h>

#include "base/defaults.h"
#include "base/list.h"
#include "base/struct.h"
#include "endpoint/authenticator.h"
#include "endpoint/job.h"
#include "endpoint/relay.h"

enum { DEFAULT_EVENTS = 256, KEEP_ALIVE = 15000, ENDPOINT_SCRATCH_LIMIT = 64 << 20 };

/* ---- life ---- */

haft_endpoint *hf_endpoint_new(haft_server *server, const haft_endpoint_options *options)
{
    const haft_allocator *allocator = server->allocator;
    haft_endpoint *endpoint = allocator->alloc(allocator->context, sizeof *endpoint);
    haft_endpoint_options *own;

    if (!endpoint)
        return NULL;
    memset(endpoint, 0, sizeof *endpoint);
    endpoint->server = server;
    endpoint->allocator = allocator;
    own = &endpoint->options;
    if (!hf_struct_read(own, sizeof *own, options) ||
        !hf_struct_read(&endpoint->loop, sizeof endpoint->loop, own->loop)) {
        allocator->release(allocator->context, endpoint, sizeof *endpoint);
        hf_server_refuse(server, HAFT_EINVAL, "haft_endpoint_options", STRUCT_UNSIZED);
        return NULL;
    }
    own->loop = NULL;
    own->path = own->path ? own->path : DEFAULT_ENDPOINT;
    own->max_sessions = own->max_sessions ? own->max_sessions : DEFAULT_SESSIONS;
    own->session_idle_ms = own->session_idle_ms ? own->session_idle_ms : DEFAULT_SESSION_IDLE;
    own->max_events = own->max_events ? own->max_events : DEFAULT_EVENTS;
    own->store = own->store ? own->store : server->options.store;
    endpoint->guard = (struct guard){.server = server,
                                     .allowed_hosts = own->allowed_hosts,
                                     .allowed_origins = own->allowed_origins,
                                     .cors_origin = own->cors_origin};
    haft_buffer_init(&endpoint->scratch, allocator, ENDPOINT_SCRATCH_LIMIT);
    haft_buffer_init(&endpoint->record, allocator, ENDPOINT_SCRATCH_LIMIT);
    if (!hf_relay_attach(endpoint)) {
        allocator->release(allocator->context, endpoint, sizeof *endpoint);
        return NULL;
    }
    if (own->authenticator)
        own->authenticator->class->hold(own->authenticator);
    return endpoint;
}

void hf_endpoint_set_authenticator(haft_endpoint *endpoint, haft_authenticator *authenticator)
{
    haft_authenticator *before = endpoint->options.authenticator;

    if (authenticator)
        authenticator->class->hold(authenticator);
    endpoint->options.authenticator = authenticator;
    if (authenticator != before)
        endpoint->keys_version = 0;
    if (before)
        before->class->drop(before);
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

void hf_endpoint_free(haft_endpoint *endpoint)
{
    const haft_allocator *allocator = endpoint->allocator;

    hf_relay_detach(endpoint);
    hf_endpoint_abandon(endpoint);
    while (endpoint->exchanges)
        hf_exchange_free(endpoint->exchanges);
    hf_endpoint_set_authenticator(endpoint, NULL);
    free_spare(endpoint);
    hf_jobs_free_spare(endpoint);
    if (!endpoint->options.store)
        haft_store_free(endpoint->store);
    if (endpoint->slots)
        allocator->release(allocator->context, endpoint->slots,
                           endpoint->n_slots * sizeof *endpoint->slots);
    haft_buffer_finish(&endpoint->scratch);
    haft_buffer_finish(&endpoint->record);
    allocator->release(allocator->context, endpoint, sizeof *endpoint);
}

static void on_shared_closed(void *context)
{
    ((haft_endpoint *)context)->n_shared--;
}

bool hf_endpoint_share(haft_endpoint *endpoint, enum revision revision)
{
    haft_transport transport = HAFT_INIT(haft_transport, .send = hf_endpoint_send_shared,
                                         .let_go = hf_endpoint_let_go_shared,
                                         .close = on_shared_closed, .context = endpoint);
    haft_session_options options = HAFT_INIT(
        haft_session_options, .transport = &transport, .loop = &endpoint->loop, .shared = true,
        .modern = hf_revision_rows[revision].modern, .revision = hf_revision_rows[revision].name);

    endpoint->shared[revision] = haft_session_new(endpoint->server, &options);
    endpoint->n_shared += endpoint->shared[revision] != NULL;
    return endpoint->shared[revision];
}

/* ---- exchanges ---- */

void hf_exchange_join(haft_exchange *exchange, struct http_session *session)
{
    haft_endpoint *endpoint = exchange->endpoint;

    LIST_TAKE(endpoint->exchanges, exchange, previous, next);
    exchange->session = session;
    exchange->engine = session->engine;
    LIST_PUSH(session->exchanges, exchange, previous, next);
    hf_http_session_touch(session);
}

void hf_exchange_gone(haft_exchange *exchange)
{
    if (exchange->of) {
        haft_exchange *alias = exchange;

        exchange = alias->of;
        hf_exchange_free(alias);
    }
    exchange->gone = true;
    if (exchange->session) {
        struct http_session *session = exchange->session;

        /* Losing the connection does not cancel calls: the client may reconnect, unless it uses
         * 2024-11-05. */
        if (exchange->listens)
            hf_exchange_free(exchange);
        if (session->sse)
            hf_http_session_end(session);
        return;
    }
    if (!exchange->modern)
        return;
    haft_session_cancel(exchange->engine, exchange);
    hf_exchange_free(exchange);
}

/* ---- a request ---- */

static void preflight(haft_exchange *exchange, const haft_request *request)
{
    hf_guard_preflight(&exchange->endpoint->guard, "POST, GET, DELETE", request,
                       &exchange->responder, exchange->context);
    hf_exchange_free(exchange);
}

/* Handles the paths of 2024-11-05. */
static void route_sse(haft_exchange *exchange, const haft_request *request)
{
    if (hf_path_is(request->path, "/sse") && !strcmp(request->method, "GET"))
        hf_endpoint_get_sse(exchange, request);
    else if (hf_path_is(request->path, "/messages") && !strcmp(request->method, "POST"))
        hf_endpoint_post_sse(exchange, request);
    else
        hf_exchange_refuse(exchange, 404, NULL, RPC_INVALID_REQUEST, "Not Found");
}

/* The caller has matched the path: the endpoint's own, unless it has others. */
static void exchange_dispatch(haft_exchange *exchange, const haft_request *request)
{
    const haft_endpoint_options *options = &exchange->endpoint->options;
    const char *method = request->method;

    if (options->legacy_sse && !hf_path_is(request->path, options->path))
        route_sse(exchange, request);
    else if (!strcmp(method, "POST"))
        hf_endpoint_post(exchange, request);
    else if (!strcmp(method, "GET"))
        hf_endpoint_get(exchange, request);
    else if (!strcmp(method, "DELETE"))
        hf_endpoint_delete(exchange, request);
    else if (!strcmp(method, "OPTIONS") && options->cors_origin)
        preflight(exchange, request);
    else
        hf_exchange_refuse(exchange, 405, HEADER("Allow", "POST, GET, DELETE"), RPC_INVALID_REQUEST,
                           "Method Not Allowed");
}

static struct stream_term exchange_term(const haft_identity *identity)
{
    const size_t end = offsetof(haft_identity, expires) + sizeof identity->expires;

    return (struct stream_term){.expires = identity->struct_size >= end ? identity->expires : 0,
                                .owner = authenticator_owner(identity)};
}

static void exchange_route(haft_exchange *exchange, const haft_request *request)
{
    exchange_dispatch(exchange, request);
    if (!exchange->done && request->identity)
        exchange->term = exchange_term(request->identity);
}

void hf_endpoint_route_again(haft_exchange *exchange, const haft_request *request)
{
    exchange->held = true;
    exchange_route(exchange, request);
    exchange->held = false;
    if (exchange->done)
        hf_exchange_free(exchange);
}

haft_exchange *hf_exchange_new(haft_endpoint *endpoint, const haft_responder *responder,
                               void *context)
{
    haft_exchange *exchange = endpoint->spare;

    if (exchange)
        endpoint->spare = exchange->next;
    else
        exchange = endpoint->allocator->alloc(endpoint->allocator->context, sizeof *exchange);
    if (!exchange) {
        responder->respond(context, &(haft_response){.status = 503,
                                                     .headers = HEADER("Retry-After", "1"),
                                                     .n_headers = 1,
                                                     .body = ""});
        return NULL;
    }
    *exchange = (haft_exchange){
        .endpoint = endpoint, .responder = *responder, .context = context, .held = true};
    LIST_PUSH(endpoint->exchanges, exchange, previous, next);
    endpoint->n_exchanges++;
    return exchange;
}

static void *handle(void *context, const haft_request *request, const haft_responder *responder,
                    void *responder_context, haft_time now)
{
    haft_endpoint *endpoint = context;
    haft_exchange *exchange = hf_exchange_new(endpoint, responder, responder_context);
    struct haft_header_index index;
    haft_request own;

    endpoint->now = endpoint->used = now;
    if (!exchange)
        return NULL;
    if (!request->index_)
        request = hf_request_index(request, &own, &index);
    exchange_route(exchange, request);
    exchange->held = false;
    /* A stream that has ended is not reported as gone again. */
    if (!exchange->done)
        return exchange->gone && !exchange->of ? NULL : exchange;
    hf_exchange_free(exchange);
    return NULL;
}

haft_exchange *hf_endpoint_handle(haft_endpoint *endpoint, const haft_request *request,
                                  const haft_responder *responder, void *context, haft_time now)
{
    struct haft_header_index index;
    haft_request own;

    if (!request->index_)
        request = hf_request_index(request, &own, &index);
    if (!hf_guard_opens(&endpoint->guard, request, responder, context))
        return NULL;
    if (!endpoint->options.legacy_sse && !hf_path_is(request->path, endpoint->options.path)) {
        hf_guard_refuse(&endpoint->guard, responder, context, 404, NULL, NULL, RPC_INVALID_REQUEST,
                        "Not Found");
        return NULL;
    }
    return handle(endpoint, request, responder, context, now);
}

/* ---- time ---- */

static void keep_alive(haft_exchange *exchange, haft_time now)
{
    if (exchange && exchange->streaming && !exchange->gone &&
        exchange->quiet_since + KEEP_ALIVE <= now)
        hf_exchange_keep_alive(exchange);
}

/* Whether API keys may have been withdrawn since streams were last checked. */
static bool endpoint_keys_changed(haft_endpoint *endpoint)
{
    haft_authenticator *authenticator = endpoint->options.authenticator;
    unsigned before = endpoint->keys_version;

    if (authenticator && authenticator->class->version && authenticator->class->knows)
        endpoint->keys_version = authenticator->class->version(authenticator);
    return endpoint->keys_version != before;
}

/* Whether the credentials that a stream was opened with have ended. */
static bool exchange_outlives(const haft_exchange *exchange, bool keys_changed)
{
    haft_authenticator *authenticator = exchange->endpoint->options.authenticator;
    const struct stream_term *term = &exchange->term;

    return (term->expires && term->expires <= exchange->endpoint->now) ||
           (keys_changed && term->owner &&
            !authenticator->class->knows(authenticator, term->owner));
}

/* Ends the stream that a session's client listens to. The session, and its calls, remain. */
static void end_outliving(struct http_session *session, bool keys_changed)
{
    haft_exchange *next;

    if (session->listening && exchange_outlives(session->listening, keys_changed))
        hf_exchange_end(session->listening);
    for (haft_exchange *exchange = session->exchanges; exchange; exchange = next) {
        next = exchange->next;
        if (exchange->listens && exchange_outlives(exchange, keys_changed))
            hf_exchange_end(exchange);
    }
}

/* Streams end with the credentials that they were opened with: the client connects again, and is
 * asked for others. Calls continue. */
static void endpoint_end_outliving(haft_endpoint *endpoint)
{
    bool keys_changed = endpoint_keys_changed(endpoint);
    haft_exchange *next;

    for (haft_exchange *exchange = endpoint->exchanges; exchange; exchange = next) {
        next = exchange->next;
        if (exchange->modern && exchange->engine && exchange_outlives(exchange, keys_changed))
            hf_session_end_tagged(exchange->engine, exchange, true);
    }
    for (struct http_session *session = endpoint->oldest; session; session = session->newer)
        end_outliving(session, keys_changed);
}

/* Without activity: frees memory kept for reuse. */
static void rest(haft_endpoint *endpoint)
{
    for (int i = 0; i < REVISIONS; i++)
        if (endpoint->shared[i])
            haft_session_trim(endpoint->shared[i]);
    free_spare(endpoint);
    hf_jobs_free_spare(endpoint);
    hf_buffer_trim(&endpoint->scratch, 0);
    hf_buffer_trim(&endpoint->record, 0);
}

void hf_endpoint_tick(haft_endpoint *endpoint, haft_time now)
{
    struct http_session *newer;
    haft_exchange *next;

    endpoint->now = now;
    hf_jobs_tick(endpoint);
    if (endpoint->relays)
        hf_relay_tick(endpoint);
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
    endpoint_end_outliving(endpoint);
    hf_http_sessions_expire(endpoint);
    if (now - endpoint->used > REST_MS)
        rest(endpoint);
}

static void end_listening(struct http_session *session)
{
    haft_exchange *next;

    if (session->listening)
        hf_exchange_end(session->listening);
    for (haft_exchange *exchange = session->exchanges; exchange; exchange = next) {
        next = exchange->next;
        if (exchange->listens)
            hf_exchange_end(exchange);
    }
}

void haft_endpoint_shut_down(haft_endpoint *endpoint)
{
    endpoint->guard.closing = true;
    for (int i = 0; i < REVISIONS; i++)
        if (endpoint->shared[i])
            haft_session_shut_down(endpoint->shared[i]);
    for (struct http_session *session = endpoint->oldest; session; session = session->newer)
        end_listening(session);
}

void hf_endpoint_end_sessions(haft_endpoint *endpoint)
{
    while (endpoint->oldest)
        hf_http_session_end(endpoint->oldest);
}

void hf_endpoint_abandon(haft_endpoint *endpoint)
{
    endpoint->guard.closing = endpoint->abandoned = true;
    while (endpoint->oldest)
        hf_http_session_drop(endpoint->oldest);
    hf_jobs_abandon(endpoint);
    for (int i = 0; i < REVISIONS; i++) {
        haft_session_free(endpoint->shared[i]);
        endpoint->shared[i] = NULL;
    }
}

bool hf_endpoint_idle(const haft_endpoint *endpoint)
{
    if (endpoint->abandoned)
        return !endpoint->n_sessions && !endpoint->n_shared && hf_jobs_idle(endpoint);
    for (const struct http_session *session = endpoint->oldest; session; session = session->newer)
        if (haft_session_in_flight(session->engine))
            return false;
    for (int i = 0; i < REVISIONS; i++)
        if (endpoint->shared[i] && haft_session_in_flight(endpoint->shared[i]))
            return false;
    return hf_jobs_idle(endpoint);
}

/* ---- as a mounted app ---- */

static void app_gone(void *app, void *exchange)
{
    (void)app;
    hf_exchange_gone(exchange);
}

/* The end of a modern client's stream cancels its call, and a listener has nothing to wait for.
 * Calls of legacy clients continue in any case. */
static bool app_half_closed(const void *app, const void *exchange)
{
    const haft_exchange *one = exchange;

    (void)app;
    return !one->modern && !one->listens;
}

static void app_close(void *app)
{
    hf_endpoint_free(app);
}

static void app_tick(void *app, haft_time now)
{
    hf_endpoint_tick(app, now);
}

static void app_shut_down(void *app)
{
    haft_endpoint_shut_down(app);
}

static void app_abandon(void *app)
{
    hf_endpoint_abandon(app);
}

static bool app_idle(const void *app)
{
    return hf_endpoint_idle(app);
}

const haft_app hf_endpoint_app =
    HAFT_INIT(haft_app, .close = app_close, .handle = handle, .gone = app_gone, .tick = app_tick,
              .shut_down = app_shut_down, .abandon = app_abandon, .idle = app_idle,
              .half_closed = app_half_closed);
