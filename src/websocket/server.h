/* websocket/server.h - WebSocket connections of an HTTP server, for an app (haft_app) that serves them.
 *
 *     static void *handle(void *app, const haft_request *request, const haft_responder *responder,
 *                         void *context, haft_time now)
 *     {
 *         hf_websocket_serve(request, responder, context, &options, now);
 *         return NULL;
 *     }
 *
 * Everything happens on the thread of the app's loop.  Every function may be called from every
 * callback. */
#ifndef HAFT_SRC_WEBSOCKET_SERVER_H
#define HAFT_SRC_WEBSOCKET_SERVER_H

#include <haft/http.h>

#include "websocket/websocket.h"

typedef struct websocket_served websocket_served;

/* Zero means the stated default. */
struct websocket_server_options {
    const haft_allocator *allocator;
    size_t max_message; /* bytes of a message that is received: 16 MiB */
    size_t max_queued;  /* bytes that wait to be sent: 16 MiB */
    unsigned
        ping_ms; /* without a byte from the client, until it is pinged: 30,000; UINT_MAX never */
    unsigned pong_ms;  /* until it must have answered: 10,000 */
    unsigned close_ms; /* until it must have answered a close frame: 5,000 */

    /* Each may be NULL.  on_end comes once, as the last; the connection is not valid after it.  At
     * shutdown of the server clients get the close code 1001. */
    void (*on_message)(void *context, bool is_text, const char *bytes, size_t size);
    void (*on_end)(void *context, const struct websocket_end *end);
    void *context;
};

/* Answers a request for a WebSocket, which must be complete: with 101, or, when it cannot be had, with an
 * error.  Returns the connection, before any callback, or NULL: then no callback comes. */
websocket_served *hf_websocket_serve(const haft_request *request, const haft_responder *responder,
                                     void *responder_context,
                                     const struct websocket_server_options *options, haft_time now);

/* As hf_websocket_send and hf_websocket_close.  HAFT_ETOOBIG: the client does not read, and is best closed
 * or freed. */
int hf_websocket_served_send(websocket_served *served, bool is_text, const char *bytes,
                             size_t size);
int hf_websocket_served_close(websocket_served *served, int code, const char *reason);

/* Ends it at once, without a close frame and without on_end.  Accepts NULL. */
void hf_websocket_served_free(websocket_served *served);

#endif
