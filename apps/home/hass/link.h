/* hass/link.h - the transport under the Home Assistant client: to the demo home in this process, or to a
 * Home Assistant over the network.
 *
 * The client (hass/) speaks the REST and WebSocket API over a link.  A link carries bytes, and knows
 * nothing of what they mean. */
#ifndef HOME_LINK_H
#define HOME_LINK_H

#include <haft.h>

struct link_request {
    const char *method, *path; /* "GET", "/api/states?x": path and query, encoded */
    const char *body;          /* JSON; NULL for none */
    const char *traceparent;   /* NULL for none */
    int64_t within_ms;         /* the request is given up after that */
};

struct link_response {
    int status;       /* of HTTP; 0: there was no answer, and `text` says why */
    bool maybe_done;  /* without an answer: Home Assistant may have carried it out */
    const char *text; /* a sentence without secrets */
    const char *type; /* content type */
    const char *body; /* NUL behind it */
    size_t size;
};

/* Each function may be called from any thread.  Callbacks come on any thread, one at a time for each
 * request and for the socket, and never while the link holds a lock. */
struct hass_link {
    /* Starts a request; `done` comes exactly once, perhaps before it returns.  The response is valid
     * until `done` returns.  Returns a handle for `cancel`, or NULL if there was nothing to
     * wait for.  A handle is a number in disguise: after `done` it means nothing, and cancelling it does nothing. */
    void *(*request)(void *context, const struct link_request *request,
                     void (*done)(void *who, const struct link_response *response), void *who);
    void (*cancel)(void *context, void *handle); /* done comes, with status 0, unless it came */

    /* Opens the WebSocket, of which there is one.  Messages come by `message`, the end by `closed`, with
     * a reason, exactly once if open returned 0; after it the socket may be opened again. */
    int (*open)(void *context, void (*message)(void *who, const char *text, size_t size),
                void (*closed)(void *who, const char *reason), void *who);
    /* Sends a message; it is copied.  Without a connection nothing happens. */
    void (*send)(void *context, const char *text, size_t size);
    void (*close)(void *context); /* closed comes */

    void (*free)(void *context); /* nothing comes any more */
    void *context;
    const char *token; /* for `auth` on the socket; the link itself puts it into requests */
};

#endif
