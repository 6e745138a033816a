/* endpoint/guard.h - checks that every request passes before it is dispatched. */
#ifndef HAFT_SRC_DOOR_H
#define HAFT_SRC_DOOR_H

#include <haft/http.h>

#include "engine/offer/server.h"
#include "protocol/header.h"
#include "protocol/rpc.h"

struct guard {
    haft_server *server;              /* for its log and memory */
    const char *const *allowed_hosts; /* as in haft_endpoint_options */
    const char *const *allowed_origins;
    const char *cors_origin;
    bool closing;     /* the server is shutting down */
    bool leaving;     /* it will, soon: /readyz says so, and requests are answered */
    bool needs_store; /* not ready while the store does not answer */
    /* Asked about an origin that the lists do not allow. */
    bool (*allows_origin)(const void *context, const haft_request *request, const char *origin,
                          size_t size);
    const void *context;
};

/* Checks a request with a header index. Returns false if it was refused, or handled by the guard
 * itself, and has been answered. */
bool hf_guard_opens(struct guard *guard, const haft_request *request,
                    const haft_responder *responder, void *context);

/* Answers a CORS preflight request; `methods` are those to allow. */
void hf_guard_preflight(struct guard *guard, const char *methods, const haft_request *request,
                        const haft_responder *responder, void *context);

/* Sends one response, with the common headers; `extra` is a further one, or NULL. */
void hf_guard_respond(struct guard *guard, const haft_responder *responder, void *context,
                      int status, const haft_header *extra, const char *type, const char *body,
                      size_t size);
/* Sends {"jsonrpc":"2.0","error":...}, with the id of the refused request, or NULL. */
void hf_guard_refuse(struct guard *guard, const haft_responder *responder, void *context,
                     int status, const haft_header *extra, const yyjson_val *id, int code,
                     const char *message);

/* Writes the CORS headers of every response; none if CORS is not in use. Returns their number. */
enum { DOOR_CORS = 3 };
size_t hf_guard_put_cors(const struct guard *guard, haft_header *ret_headers);

/* ---- incoming requests, with a header index ---- */

/* Adds a header index to a request, in memory of the caller. */
const haft_request *hf_request_index(const haft_request *request, haft_request *ret_request,
                                     struct haft_header_index *ret_index);

/* Whether it comes from this machine, and not through a local proxy. */
bool hf_request_is_local(const haft_request *request);
bool hf_request_is_json(const haft_request *request);
/* Which response types the client accepts. */
void hf_request_read_accept(const haft_request *request, bool *ret_json, bool *ret_events);

/* Copies everything that a request points to except `via_`, with an index; returns false without
 * memory. */
bool hf_request_copy(haft_arena *arena, const haft_request *from, haft_request *ret_copy);

/* Whether the path is `wanted`, with or without a trailing slash. */
bool hf_path_is(const char *path, const char *wanted);

#endif
