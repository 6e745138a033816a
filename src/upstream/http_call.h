/* upstream/http_call.h - a call that waits for a request to an HTTP upstream.
 *
 * Its handler makes the request and passes it to the outbound thread.  Both tasks, to send and to cancel,
 * are in the call's memory; the call is finished only when neither can run any more. */
#ifndef HAFT_SRC_UPSTREAM_HTTP_CALL_H
#define HAFT_SRC_UPSTREAM_HTTP_CALL_H

#include <haft/call.h>

#include "upstream/http.h"

struct http_call {
    struct http_sending sending; /* its message is set by the caller */
    haft_call *call;
    const void *data; /* for `answer` */
    /* Writes the result of the call, on the outbound thread; returns the status for haft_finish. */
    int (*answer)(struct http_call *own, const struct http_result *result);

    /* of http_call.c */
    struct outbound_task start, cancel;
    atomic_bool cancelling; /* `cancel` is posted */
    bool cancelled;         /* `cancel` has run */
    bool over;              /* there is a status */
    int status;
};

/* Creates one, for a call that sends the upstream a request; NULL without memory. */
struct http_call *hf_http_call_new(haft_call *call, struct upstream *upstream);
/* Sends the request, after which the handler must not touch the call; returns HAFT_PENDING. */
int hf_http_call_start(struct http_call *own);
/* Sets the headers of the message: the given ones, and those of the client's request that are passed on. */
int hf_http_call_headers(struct http_call *own, const haft_header *headers, size_t n,
                         const haft_header *clients, size_t n_clients);

#endif
