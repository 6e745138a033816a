/* observe/otlp.h - calls as spans, on their way to a collector. */
#ifndef HAFT_SRC_OTLP_H
#define HAFT_SRC_OTLP_H

#include <haft/otlp.h>
#include <stdatomic.h>
#include <uv.h>

#include "engine/call/call.h"
#include "part/http_client.h"

/* One call that is over, with all that is told about it. */
struct span {
    char trace_id[33], span_id[17], parent_id[17]; /* no parent: "" */
    uint64_t start, end;                           /* nanoseconds since 1970 */
    haft_outcome outcome;
    char tool[129];
    char request_id[RPC_ID_TEXT], client[65];
    char revision[16];
};

/* Spans of another server, too, which tells the same name. */
int hf_otlp_tap(haft_otlp *otlp, haft_server *server);

/* ---- otlp_json.c ---- */

/* A batch as the body of a request: what is at `first`, then what is at `rest`.  `name` and
 * `version` are those of the server. */
void hf_otlp_put_batch(haft_buffer *out, const char *name, const char *version,
                       const struct span *first, size_t n_first, const struct span *rest,
                       size_t n_rest);

/* ---- otlp_send.c ---- */

/* Where the collector is. */
struct otlp_address {
    bool tls;
    char host[256]; /* without brackets */
    char port[6];
    char path[256];
};

/* Takes "http[s]://HOST[:PORT][/PATH]" apart; 0, or an error with its reason. */
int hf_otlp_read_url(const char *url, struct otlp_address *ret_address, haft_reason *reterr_reason);

/* What is sent, as the thread that sends it asks for it. */
struct otlp_source {
    /* Writes the spans that are to be sent next, at most a batch; false when there are none. */
    bool (*take)(void *context, haft_buffer *body);
    /* What came of them: NULL when the collector has taken them, else why not. */
    void (*done)(void *context, const char *why_not);
    /* Whether a whole batch waits. */
    bool (*is_full)(void *context);
    /* The time is over: what waits is lost. */
    void (*drop)(void *context);
    void *context;
};

/* Requests to a collector, on a thread and a loop of their own. */
struct otlp_sender {
    struct otlp_source source;
    unsigned interval_ms, timeout_ms, flush_ms;
    char url[640];
    haft_buffer body; /* of the request in flight */
    const struct http_client_functions *http;
    http_client *client;
    bool in_flight, late;
    atomic_bool closing;
    uv_loop_t loop;
    uv_async_t wake;
    uv_timer_t interval, cut;
    uv_thread_t thread;
};

/* Starts the thread.  0, or an error with its reason, and there is nothing to close.  The intervals
 * are set. */
int hf_otlp_sender_open(struct otlp_sender *sender, const struct otlp_address *address,
                        const struct http_client_options *options, const struct otlp_source *source,
                        haft_reason *reterr_reason);

/* A whole batch waits.  From any thread. */
void hf_otlp_sender_wake(struct otlp_sender *sender);

/* Sends what waits, within flush_ms, and ends the thread. */
void hf_otlp_sender_close(struct otlp_sender *sender);

#endif
