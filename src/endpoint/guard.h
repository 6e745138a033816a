/* endpoint/guard.h - what every request passes before anybody looks at what it wants. */
#ifndef HAFT_SRC_DOOR_H
#define HAFT_SRC_DOOR_H

#include <haft/http.h>

#include "engine/offer/server.h"
#include "protocol/rpc.h"

struct door {
    haft_server *server;              /* its log and its memory */
    const char *const *allowed_hosts; /* as in haft_endpoint_options */
    const char *const *allowed_origins;
    const char *cors_origin;
    bool closing; /* the server is going away */
    /* Asked about an origin that none of these allows. */
    bool (*allows_origin)(const void *context, const haft_http_request *request, const char *origin,
                          size_t size);
    const void *context;
};

/* False when the request was for the door itself, or was refused, and has been answered. */
bool door_opens(struct door *door, const haft_http_request *request,
                const haft_responder *responder, void *context);

/* Answers a page that asks whether it may ask; `methods` is what it may then. */
void door_preflight(struct door *door, const char *methods, const haft_http_request *request,
                    const haft_responder *responder, void *context);

/* One response, with the headers that every one has; `extra` is further ones, "" for none. */
void door_respond(struct door *door, const haft_responder *responder, void *context, int status,
                  const char *extra, const char *type, const char *body, size_t size);
/* {"jsonrpc":"2.0","error":...}, with the id of what is refused; NULL for none. */
void door_refuse(struct door *door, const haft_responder *responder, void *context, int status,
                 const char *extra, const yyjson_val *id, int code, const char *message);

/* What CORS wants in every response; nothing when it was not asked for. */
void door_put_cors(const struct door *door, haft_buffer *headers);

/* ---- requests as they come ---- */

const char *request_header(const haft_http_request *request, const char *name, size_t *ret_size);
bool request_is_json(const haft_http_request *request);
/* Which kinds of answer the client takes. */
void request_read_accept(const haft_http_request *request, bool *ret_json, bool *ret_events);

/* A copy that lives as long as the arena, for a request that waits (copy.c).  False without memory. */
bool request_copy(haft_arena *arena, const haft_http_request *from, haft_http_request *to);

/* Whether the path is the wanted one, with or without a slash at its end. */
bool path_is(const char *path, const char *wanted);

#endif
