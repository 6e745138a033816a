/* post.c - POST requests with a message.
 *
 * After the guard and the path, this checks the content type and the accepted response types. A
 * message whose header names a modern revision goes directly to the engine. Any other message is
 * parsed first: a legacy message belongs to its session, and one without a session is served
 * statelessly as far as possible. */
#include "endpoint/request.h"

#include <string.h>

haft_headers hf_request_headers(const haft_request *request)
{
    return (haft_headers){.list = request->headers,
                          .n = request->n_headers,
                          .index_ = request->index_,
                          .via_ = request->via_,
                          .principal = request->principal,
                          .identity = request->identity,
                          .peer = request->peer ? request->peer : ""};
}

struct http_session *hf_request_session(haft_exchange *exchange, const haft_request *request,
                                        const char *id, size_t size, bool sse)
{
    struct http_session *session = hf_http_session_find(exchange->endpoint, id, size);

    return session && hf_http_session_is_of(session, request->principal) && session->sse == sse
               ? session
               : NULL;
}

static void refuse_without_memory(haft_exchange *exchange)
{
    hf_exchange_refuse(exchange, 503, HEADER("Retry-After", "1"), RPC_INTERNAL_ERROR,
                       "Out of memory");
}

/* The engine has the message, and has not responded yet. */
static void post_conclude(haft_exchange *exchange, int status)
{
    if (status == HAFT_EINVAL)
        hf_exchange_refuse(exchange, 400, NULL, RPC_INVALID_REQUEST, NULL);
    else if (status < 0)
        refuse_without_memory(exchange);
    else if (!status)
        hf_exchange_respond(exchange, 202, NULL, NULL, 0);
}

static void post_process(haft_exchange *exchange, haft_incoming *message, haft_session *engine,
                         const haft_request *request)
{
    haft_headers headers = hf_request_headers(request);
    int status;

    exchange->engine = engine;
    status = haft_incoming_process(message, engine, &headers);
    if (!exchange->done)
        post_conclude(exchange, status);
}

static void post_initialize(haft_exchange *exchange, haft_incoming *message,
                            const haft_request *request)
{
    struct http_session *session = hf_http_session_new(exchange->endpoint, request->principal);

    if (!session) {
        haft_incoming_drop(message);
        hf_exchange_refuse(exchange, 503, HEADER("Retry-After", "10"), RPC_INTERNAL_ERROR,
                           "Too many sessions");
        return;
    }
    hf_exchange_join(exchange, session);
    exchange->creates = true;
    post_process(exchange, message, session->engine, request);
}

/* A client without a session: each message is handled separately. */
static void post_alone(haft_exchange *exchange, haft_incoming *message, const haft_request *request,
                       enum revision revision)
{
    haft_endpoint *endpoint = exchange->endpoint;

    if (endpoint->shared[revision] || hf_endpoint_share(endpoint, revision)) {
        post_process(exchange, message, endpoint->shared[revision], request);
        return;
    }
    haft_incoming_drop(message);
    refuse_without_memory(exchange);
}

/* A message that names a session, which is NULL if the client has no such session. */
static void post_to_session(haft_exchange *exchange, haft_incoming *message,
                            const haft_request *request, struct http_session *session)
{
    if (!session) {
        haft_incoming_drop(message);
        hf_exchange_refuse(exchange, 404, NULL, RPC_INVALID_REQUEST, "Session not found");
        return;
    }
    hf_exchange_join(exchange, session);
    if (exchange->kind == HAFT_INCOMING_REQUEST) {
        exchange->resumable = hf_revision_rows[hf_session_revision(session->engine)].resumes;
        exchange->stream = session->next_stream++;
    }
    post_process(exchange, message, session->engine, request);
}

const char hf_refusal_revision[] =
    "Invalid Request: MCP-Protocol-Version is not a supported revision";
const char hf_refusal_events[] = "Not Acceptable: Accept must include text/event-stream";

/* A message whose header names a modern revision goes to the shared session of that revision. */
static void post_modern(haft_exchange *exchange, const haft_request *request, enum revision named)
{
    haft_endpoint *endpoint = exchange->endpoint;
    static const char listen[] = "subscriptions/listen";
    haft_headers headers = hf_request_headers(request);
    struct text method = request->index_->mcp_method;
    int status;

    /* The engine rejects a request whose body contradicts the header. */
    if (!exchange->takes_events && method.size == strlen(listen) &&
        !memcmp(method.data, listen, method.size)) {
        hf_exchange_refuse(exchange, 406, NULL, RPC_INVALID_REQUEST, hf_refusal_events);
        return;
    }
    if (!endpoint->shared[named] && !hf_endpoint_share(endpoint, named)) {
        refuse_without_memory(exchange);
        return;
    }
    exchange->engine = endpoint->shared[named];
    exchange->modern = true;
    exchange->kind = HAFT_INCOMING_REQUEST;
    status = haft_session_receive_http(exchange->engine, request->body, request->body_size,
                                       &headers, exchange, endpoint->now);
    if (!exchange->done)
        post_conclude(exchange, status);
}

/* A message whose header names a legacy revision, an unknown one, or none. It is parsed in the
 * session to which it most probably belongs, so that it need not be moved. */
static void post_legacy(haft_exchange *exchange, const haft_request *request, enum revision named)
{
    haft_endpoint *endpoint = exchange->endpoint;
    enum revision spoken = named == REVISIONS ? REV_UNNAMED : named;
    struct text id = request->index_->mcp_session_id;
    struct http_session *session =
        id.data ? hf_request_session(exchange, request, id.data, id.size, false) : NULL;
    haft_incoming *incoming = NULL;
    const struct message *message;
    bool asks;

    if (session || endpoint->shared[spoken] || hf_endpoint_share(endpoint, spoken))
        incoming = haft_incoming_read(session ? session->engine : endpoint->shared[spoken],
                                      request->body, request->body_size, exchange, endpoint->now);
    if (!incoming) {
        refuse_without_memory(exchange);
        return;
    }
    message = hf_incoming_message(incoming);
    exchange->kind = message->kind;
    asks = message->kind == HAFT_INCOMING_REQUEST;
    if (asks && message->envelope.version) {
        /* The engine reports the missing headers. */
        exchange->modern = true;
        post_alone(exchange, incoming, request, REV_NEWEST);
    } else if (asks && hf_message_is(message, "initialize")) {
        post_initialize(exchange, incoming, request);
    } else if (named == REVISIONS) {
        haft_incoming_drop(incoming);
        hf_exchange_refuse(exchange, 400, NULL, RPC_INVALID_REQUEST, hf_refusal_revision);
    } else if (id.data) {
        post_to_session(exchange, incoming, request, session);
    } else {
        post_alone(exchange, incoming, request, named);
    }
}

void hf_endpoint_post(haft_exchange *exchange, const haft_request *request)
{
    haft_endpoint *endpoint = exchange->endpoint;
    struct text version = request->index_->mcp_protocol_version,
                id = request->index_->mcp_session_id;
    enum revision named =
        version.data ? hf_revision_named(version.data, version.size) : REV_UNNAMED;

    if (!hf_request_is_json(request)) {
        hf_exchange_refuse(exchange, 415, NULL, RPC_INVALID_REQUEST,
                           "Unsupported Media Type: Content-Type must be application/json");
        return;
    }
    hf_request_read_accept(request, &exchange->takes_json, &exchange->takes_events);
    if (!exchange->takes_json && !exchange->takes_events) {
        hf_exchange_refuse(
            exchange, 406, NULL, RPC_INVALID_REQUEST,
            "Not Acceptable: Accept must include application/json or text/event-stream");
        return;
    }
    if (request->body_size > endpoint->server->options.max_message) {
        hf_exchange_refuse(exchange, 413, NULL, RPC_INVALID_REQUEST,
                           "Content Too Large: the message exceeds the limit");
        return;
    }
    if (named < REVISIONS && hf_revision_rows[named].modern)
        post_modern(exchange, request, named);
    else if (!id.data || hf_http_session_ready(exchange, request, id.data, id.size))
        post_legacy(exchange, request, named);
}
