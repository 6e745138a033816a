/* legacy.c - requests of legacy clients only: listen to a session, end it, and the two paths of
 * 2024-11-05. */
#include "endpoint/request.h"

#include <stdio.h>
#include <string.h>

/* ---- GET and DELETE ---- */

/* The session that a request names; NULL if it was refused, or waits for the store. */
static struct http_session *named_session(haft_exchange *exchange, const haft_request *request)
{
    struct text id = request->index_->mcp_session_id,
                version = request->index_->mcp_protocol_version;
    enum revision named =
        version.data ? hf_revision_named(version.data, version.size) : REV_UNNAMED;
    struct http_session *session;

    if (named == REVISIONS) {
        hf_exchange_refuse(exchange, 400, NULL, RPC_INVALID_REQUEST, hf_refusal_revision);
        return NULL;
    }
    if (!id.data || hf_revision_rows[named].modern) {
        hf_exchange_refuse(exchange, 405, HEADER("Allow", "POST"), RPC_INVALID_REQUEST,
                           "Method Not Allowed: this requires a session");
        return NULL;
    }
    if (!hf_http_session_ready(exchange, request, id.data, id.size))
        return NULL;
    session = hf_request_session(exchange, request, id.data, id.size, false);
    if (!session)
        hf_exchange_refuse(exchange, 404, NULL, RPC_INVALID_REQUEST, "Session not found");
    return session;
}

void hf_endpoint_get(haft_exchange *exchange, const haft_request *request)
{
    struct http_session *session = named_session(exchange, request);
    struct text last = request->index_->last_event_id;

    if (!session)
        return;
    hf_request_read_accept(request, &exchange->takes_json, &exchange->takes_events);
    if (!exchange->takes_events) {
        hf_exchange_refuse(exchange, 406, NULL, RPC_INVALID_REQUEST, hf_refusal_events);
        return;
    }
    hf_exchange_join(exchange, session);
    if (last.data) {
        hf_http_session_resume(session, exchange, last.data, last.size);
        return;
    }
    exchange->stream = session->next_stream++;
    exchange->resumable = true;
    hf_exchange_listen(exchange, session);
    hf_http_session_save_and_listen(exchange);
}

void hf_endpoint_delete(haft_exchange *exchange, const haft_request *request)
{
    struct http_session *session = named_session(exchange, request);

    if (session)
        hf_http_session_delete(session, exchange);
}

/* ---- 2024-11-05: one stream for all messages of the server, and a path for POST ---- */

void hf_endpoint_get_sse(haft_exchange *exchange, const haft_request *request)
{
    struct http_session *session = hf_http_session_new(exchange->endpoint, request->principal);
    char event[128];
    int size;

    if (!session) {
        hf_exchange_refuse(exchange, 503, HEADER("Retry-After", "10"), RPC_INTERNAL_ERROR,
                           "Too many sessions");
        return;
    }
    session->sse = true;
    hf_exchange_join(exchange, session);
    exchange->takes_events = true;
    hf_exchange_listen(exchange, session);
    hf_exchange_stream(exchange);
    if (exchange->gone) {
        hf_exchange_detach(exchange);
        hf_exchange_free(exchange);
        hf_http_session_end(session);
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

void hf_endpoint_post_sse(haft_exchange *exchange, const haft_request *request)
{
    haft_endpoint *endpoint = exchange->endpoint;
    size_t size;
    const char *id = query_session(request->query, &size);
    struct http_session *session =
        id ? hf_request_session(exchange, request, id, size, true) : NULL;
    haft_headers headers = hf_request_headers(request);
    int status;

    if (!session || !session->listening) {
        hf_exchange_refuse(exchange, 404, NULL, RPC_INVALID_REQUEST, "Session not found");
        return;
    }
    if (!hf_request_is_json(request) ||
        request->body_size > endpoint->server->options.max_message) {
        hf_exchange_refuse(exchange, hf_request_is_json(request) ? 413 : 415, NULL,
                           RPC_INVALID_REQUEST, NULL);
        return;
    }
    hf_http_session_touch(session);
    status = haft_session_receive_http(session->engine, request->body, request->body_size, &headers,
                                       NULL, endpoint->now);
    if (status != HAFT_ENOMEM)
        hf_exchange_respond(exchange, 202, NULL, NULL, 0);
    else
        hf_exchange_refuse(exchange, 503, HEADER("Retry-After", "1"), RPC_INTERNAL_ERROR,
                           "Out of memory");
}

unsigned hf_endpoint_home(const haft_request *request)
{
    struct text id = request->index_->mcp_session_id;

    if (!id.data)
        id.data = query_session(request->query, &id.size);
    return hf_http_session_home(id.data, id.size);
}
