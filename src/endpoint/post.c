/* endpoint_post.c - requests that bring a message.
 *
 * The ladder of refusals goes on here, behind the door and the path: what is carried, what is wanted
 * back.  Then the message decides: a modern request describes itself, a legacy one belongs to its
 * session, and one without a session is served on its own as far as that goes. */
#include "endpoint/request.h"

#include <string.h>

haft_headers request_headers(const haft_http_request *request)
{
    haft_headers headers = request->headers;

    headers.principal = request->principal;
    headers.peer = request->peer ? request->peer : "";
    return headers;
}

struct http_session *request_session(haft_exchange *exchange, const haft_http_request *request,
                                     const char *id, size_t size, bool sse)
{
    struct http_session *session = http_session_find(exchange->endpoint, id, size);
    const char *principal = request->principal;

    if (session && (session->principal || principal) &&
        (!session->principal || !principal || strcmp(session->principal, principal)))
        return NULL;
    return session && session->sse == sse ? session : NULL;
}

/* Hands the message over; what comes of it may have come already. */
static void process(haft_exchange *exchange, haft_incoming *message, haft_session *engine,
                    const haft_http_request *request)
{
    haft_headers headers = request_headers(request);
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
    exchange_join(exchange, session);
    exchange->creates = true;
    process(exchange, message, session->engine, request);
}

/* A client that has no session: each message stands for itself. */
static void post_alone(haft_exchange *exchange, haft_incoming *message,
                       const haft_http_request *request, enum revision revision)
{
    haft_session *engine = endpoint_shared(exchange->endpoint, revision);

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
    session = request_session(exchange, request, id, size, false);
    if (!session) {
        haft_incoming_drop(message);
        exchange_refuse(exchange, 404, "", RPC_INVALID_REQUEST, "Session not found");
        return;
    }
    exchange_join(exchange, session);
    if (exchange->kind == HAFT_INCOMING_REQUEST) {
        exchange->resumable = revision_row(session_revision(session->engine))->resumes;
        exchange->stream = session->next_stream++;
    }
    process(exchange, message, session->engine, request);
}

const char refusal_revision[] =
    "Invalid Request: MCP-Protocol-Version names no revision that is served";
const char refusal_events[] = "Not Acceptable: the stream is text/event-stream";

enum revision request_revision(const haft_http_request *request)
{
    size_t size;
    const char *value = request_header(request, "mcp-protocol-version", &size);

    return value ? revision_named(value, size) : REV_UNNAMED;
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
        haft_session *engine =
            endpoint_shared(exchange->endpoint, modern_header ? named : REV_NEWEST);

        exchange->modern = true;
        if (!exchange->takes_events && haft_incoming_is(message, "subscriptions/listen")) {
            haft_incoming_drop(message);
            exchange_refuse(exchange, 406, "", RPC_INVALID_REQUEST, refusal_events);
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
        post_alone(exchange, message, request, named);
    } else if (named == REVISIONS &&
               !(kind == HAFT_INCOMING_REQUEST && haft_incoming_is(message, "initialize"))) {
        haft_incoming_drop(message);
        exchange_refuse(exchange, 400, "", RPC_INVALID_REQUEST, refusal_revision);
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
        named = REV_UNNAMED;
    if (!revision_row(named)->modern) {
        id = request_header(request, "mcp-session-id", &size);
        session = id ? http_session_find(endpoint, id, size) : NULL;
    }
    return session ? session->engine : endpoint_shared(endpoint, named);
}

void endpoint_post(haft_exchange *exchange, const haft_http_request *request)
{
    haft_endpoint *endpoint = exchange->endpoint;
    enum revision named = request_revision(request);
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
