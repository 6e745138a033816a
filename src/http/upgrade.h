/* http/upgrade.h - a connection of the HTTP server that goes on in another protocol (RFC 9110, 7.8).
 *
 * An app (haft_app) takes over the connection of a request: it answers 101 by hf_http_upgrade, returns
 * NULL from `handle`, and from then on gets what the client sends and writes what it likes.  The
 * limits of the server stay: connections are counted, and a client that does not read is dropped at
 * max_unsent.  How long the connection may be idle is the owner's business.
 *
 * Everything happens on the thread of the connection's loop. */
#ifndef HAFT_SRC_HTTP_UPGRADE_H
#define HAFT_SRC_HTTP_UPGRADE_H

#include <haft/http.h>

typedef struct connection http_upgraded;

/* Each may be NULL but on_bytes and on_end. */
struct http_upgrade_events {
    /* Never before hf_http_upgrade has returned. */
    void (*on_bytes)(void *context, const char *bytes, size_t size);
    /* All that was written has been handed to the system. */
    void (*on_writable)(void *context);
    void (*on_tick)(void *context, haft_time now); /* several times a second */
    /* The server shuts down: the connection has until the end of its grace period.  NULL: it is closed
     * at once, with on_end. */
    void (*on_shutdown)(void *context);
    /* The connection is gone, and not valid any more.  Does not come after hf_http_upgraded_close. */
    void (*on_end)(void *context);
};

/* Answers 101 with these headers, beside which the server writes Connection.  `responder` and its context
 * are those that `handle` was given.  Returns 0 with the connection; otherwise the request can still be
 * answered: HAFT_EINVAL when it does not ask for an upgrade on this server, has a body, or a header
 * cannot be sent; HAFT_ECLOSED when the server is shutting down or the client has left; HAFT_ENOMEM.
 * `events` must stay. */
int hf_http_upgrade(const haft_responder *responder, void *responder_context,
                    const haft_header *headers, size_t n_headers,
                    const struct http_upgrade_events *events, void *context,
                    http_upgraded **ret_upgraded);

/* Writes bytes, which are copied if need be.  A failure is reported by on_end, later. */
void hf_http_upgraded_write(http_upgraded *upgraded, const char *bytes, size_t size);
/* Bytes that the system has not taken yet. */
size_t hf_http_upgraded_unsent(const http_upgraded *upgraded);
/* The time of its loop. */
haft_time hf_http_upgraded_now(const http_upgraded *upgraded);
/* Stops and goes on with on_bytes.  One more may come while it stops. */
void hf_http_upgraded_pause(http_upgraded *upgraded);
void hf_http_upgraded_resume(http_upgraded *upgraded);
/* Closes the connection after what was written has been sent.  It is not valid any more. */
void hf_http_upgraded_close(http_upgraded *upgraded);

#endif
