/* endpoint/request.h - requests of an endpoint and whoever answers them. */
#ifndef HAFT_SRC_ENDPOINT_REQUEST_H
#define HAFT_SRC_ENDPOINT_REQUEST_H

#include "endpoint/endpoint.h"

/* ---- endpoint.c ---- */

/* Makes `shared` of a revision, which is NULL; false without memory. */
bool hf_endpoint_share(haft_endpoint *endpoint, enum revision revision);

/* Moves an exchange to its session's. */
void hf_exchange_join(haft_exchange *exchange, struct http_session *session);

/* A request that has waited, as if it came now. */
void hf_endpoint_route_again(haft_exchange *exchange, const haft_request *request);

/* ---- post.c: requests that bring a message ---- */

void hf_endpoint_post(haft_exchange *exchange, const haft_request *request);

/* With whose they are. */
haft_headers hf_request_headers(const haft_request *request);

/* The session of that id, if it is the client's own: knowing the id of somebody else's is not
 * enough.  One of the 2024-11-05 kind is found only when that is asked for. */
struct http_session *hf_request_session(haft_exchange *exchange, const haft_request *request,
                                        const char *id, size_t size, bool sse);

extern const char hf_refusal_revision[], hf_refusal_events[];

/* ---- legacy.c: what only legacy clients ask for ---- */

void hf_endpoint_get(haft_exchange *exchange, const haft_request *request);
void hf_endpoint_delete(haft_exchange *exchange, const haft_request *request);

/* 2024-11-05: one stream for everything the server says, and a place to post to. */
void hf_endpoint_get_sse(haft_exchange *exchange, const haft_request *request);
void hf_endpoint_post_sse(haft_exchange *exchange, const haft_request *request);

#endif
