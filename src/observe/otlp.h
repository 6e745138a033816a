/* observe/otlp.h - exports calls as spans to a collector. */
#ifndef HAFT_SRC_OTLP_H
#define HAFT_SRC_OTLP_H

#include <haft/otlp.h>
#include <stdatomic.h>
#include <uv.h>

#include "engine/call/call.h"
#include "part/http_client.h"

/* A finished call, with all exported data. */
struct span {
    char trace_id[33], span_id[17], parent_id[17]; /* parent: "" if there is none */
    uint64_t start, end;                           /* nanoseconds since 1970 */
    haft_outcome outcome;
    char tool[129];
    char request_id[RPC_ID_TEXT], client[65];
    char revision[16];
};

/* Also exports the spans of another server, under the same name. */
int hf_otlp_tap(haft_otlp *otlp, haft_server *server);

/* ---- otlp_json.c ---- */

/* Writes a batch as a request body: the spans at `first`, then those at `rest`. `name` and
 * `version` are those of the server. */
void hf_otlp_put_batch(haft_buffer *out, const char *name, const char *version,
                       const struct span *first, size_t n_first, const struct span *rest,
                       size_t n_rest);

/* ---- otlp_send.c ---- */

/* The address of the collector. */
struct otlp_address {
    bool tls;
    char host[256]; /* without brackets */
    char port[6];
    char path[256];
};

/* Parses "http[s]://HOST[:PORT][/PATH]". Returns 0, or an error with its reason. */
int hf_otlp_read_url(const char *url, struct otlp_address *ret_address, haft_reason *reterr_reason);

/* The source of spans, called on the sending thread. */
struct otlp_source {
    /* Writes the next spans to send, at most a batch; returns false if there are none. */
    bool (*take)(void *context, haft_buffer *body);
    /* Reports the result: NULL if the collector accepted them, else the reason. */
    void (*done)(void *context, const char *why_not);
    /* Whether a full batch is waiting. */
    bool (*is_full)(void *context);
    /* The time is over: waiting spans are lost. */
    void (*drop)(void *context);
    void *context;
};

/* Sends requests to a collector, on its own thread and loop. */
struct otlp_sender {
    struct otlp_source source;
    unsigned interval_ms, timeout_ms, flush_ms;
    char url[640];
    haft_buffer body; /* body of the request in flight */
    const struct http_client_functions *http;
    http_client *client;
    bool in_flight, late;
    atomic_bool closing;
    uv_loop_t loop;
    uv_async_t wake;
    uv_timer_t interval, cut;
    uv_thread_t thread;
};

/* Starts the thread. Returns 0, or an error with its reason, and then there is nothing to close.
 * The intervals must be set. */
int hf_otlp_sender_open(struct otlp_sender *sender, const struct otlp_address *address,
                        const struct http_client_options *options, const struct otlp_source *source,
                        haft_reason *reterr_reason);

/* A full batch is waiting. Callable on any thread. */
void hf_otlp_sender_wake(struct otlp_sender *sender);

/* Sends waiting spans, within flush_ms, and ends the thread. */
void hf_otlp_sender_close(struct otlp_sender *sender);

#endif
