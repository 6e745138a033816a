/* endpoint/request.h - the functions that handle requests of an endpoint. */
#ifndef HAFT_SRC_ENDPOINT_REQUEST_H
#define HAFT_SRC_ENDPOINT_REQUEST_H

#include "endpoint/endpoint.h"

/* ---- endpoint.c ---- */

/* Creates the shared session of a revision, which must be NULL; returns false without memory. */
bool hf_endpoint_share(haft_endpoint *endpoint, enum revision revision);

/* Takes an exchange for a request; NULL without memory: the request has been answered then. */
haft_exchange *hf_exchange_new(haft_endpoint *endpoint, const haft_responder *responder,
                               void *context);

/* Moves an exchange to a session. */
void hf_exchange_join(haft_exchange *exchange, struct http_session *session);

/* Routes a request that has waited. */
void hf_endpoint_route_again(haft_exchange *exchange, const haft_request *request);

/* ---- post.c: requests with a message ---- */

void hf_endpoint_post(haft_exchange *exchange, const haft_request *request);

/* The request's headers for the engine, with the principal and the address. */
haft_headers hf_request_headers(const haft_request *request);

/* Finds the session of that id, if it belongs to the client: knowing another client's id is not
 * enough. Sessions of 2024-11-05 are found only if requested. */
struct http_session *hf_request_session(haft_exchange *exchange, const haft_request *request,
                                        const char *id, size_t size, bool sse);

extern const char hf_refusal_revision[], hf_refusal_events[];

/* ---- legacy.c: requests of legacy clients ---- */

void hf_endpoint_get(haft_exchange *exchange, const haft_request *request);
void hf_endpoint_delete(haft_exchange *exchange, const haft_request *request);

/* 2024-11-05: one stream for all messages of the server, and a path for POST. */
void hf_endpoint_get_sse(haft_exchange *exchange, const haft_request *request);
void hf_endpoint_post_sse(haft_exchange *exchange, const haft_request *request);

#endif
