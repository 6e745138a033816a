/* endpoint/guard.h - what every request passes before anybody looks at what it wants. */
#ifndef HAFT_SRC_DOOR_H
#define HAFT_SRC_DOOR_H

#include <haft/http.h>

#include "engine/offer/server.h"
#include "protocol/header.h"
#include "protocol/rpc.h"

struct guard {
    haft_server *server;              /* its log and its memory */
    const char *const *allowed_hosts; /* as in haft_endpoint_options */
    const char *const *allowed_origins;
    const char *cors_origin;
    bool closing; /* the server is going away */
    /* Asked about an origin that none of these allows. */
    bool (*allows_origin)(const void *context, const haft_request *request, const char *origin,
                          size_t size);
    const void *context;
};

/* False when the request, which has an index, was for the guard itself, or was refused, and has been
 * answered. */
bool hf_guard_opens(struct guard *guard, const haft_request *request,
                    const haft_responder *responder, void *context);

/* Answers a page that asks whether it may ask; `methods` is what it may then. */
void hf_guard_preflight(struct guard *guard, const char *methods, const haft_request *request,
                        const haft_responder *responder, void *context);

/* One response, with the headers that every one has; `extra` is a further one, NULL for none. */
void hf_guard_respond(struct guard *guard, const haft_responder *responder, void *context,
                      int status, const haft_header *extra, const char *type, const char *body,
                      size_t size);
/* {"jsonrpc":"2.0","error":...}, with the id of what is refused; NULL for none. */
void hf_guard_refuse(struct guard *guard, const haft_responder *responder, void *context,
                     int status, const haft_header *extra, const yyjson_val *id, int code,
                     const char *message);

/* Writes what CORS wants in every response; nothing when it was not asked for.  Returns how many. */
enum { DOOR_CORS = 3 };
size_t hf_guard_put_cors(const struct guard *guard, haft_header *ret_headers);

/* ---- requests as they come, with an index ---- */

/* The same request with an index, in the room for both. */
const haft_request *hf_request_index(const haft_request *request, haft_request *ret_request,
                                     struct haft_header_index *ret_index);

bool hf_request_is_json(const haft_request *request);
/* Which kinds of answer the client takes. */
void hf_request_read_accept(const haft_request *request, bool *ret_json, bool *ret_events);

/* A copy of all that a request points to but `via_`, with an index; false without memory. */
bool hf_request_copy(haft_arena *arena, const haft_request *from, haft_request *ret_copy);

/* Whether the path is the wanted one, with or without a slash at its end. */
bool hf_path_is(const char *path, const char *wanted);

#endif
