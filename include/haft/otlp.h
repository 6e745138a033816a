/* haft/otlp.h - every call of a tool as a span, sent to an OpenTelemetry collector.
 *
 *     haft_otlp *otlp = haft_otlp_new(server, NULL, &reason);
 *     haft_http_serve(server, &options, &reason);
 *     haft_otlp_free(otlp);
 *     haft_server_free(server);
 *
 * Spans wait in a queue of fixed size and are sent from a thread of their own, many at a time, as
 * JSON over HTTP (OTLP/HTTP), by libhaft-http-client (haft/part.h).  A call never waits for that: what a collector does not take, or not
 * fast enough, is lost, and counted. */
#ifndef HAFT_OTLP_H
#define HAFT_OTLP_H

#include <haft/server.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Zero means the stated default. */
typedef struct haft_otlp_options {
    size_t struct_size;   /* its sizeof */
    const char *url;      /* "http://127.0.0.1:4318/v1/traces", or https */
    size_t max_queue;     /* spans that wait: 2,048 */
    unsigned interval_ms; /* between two requests, unless many spans wait: 5,000 */
    unsigned timeout_ms;  /* for the collector to answer: 10,000 */
    unsigned flush_ms;    /* for what waits at the end: 2,000 */
    const char *ca_file; /* certificates, in PEM, to know a collector by over https: the system's */
} haft_otlp_options;

typedef struct haft_otlp haft_otlp;

/* Installs it, before the server serves and at most once.  NULL, with the reason. */
haft_otlp *haft_otlp_new(haft_server *server, const haft_otlp_options *options,
                         haft_reason *reterr_reason);

/* When the server serves no more, and before it is freed: sends what waits, within flush_ms.  NULL
 * is fine. */
void haft_otlp_free(haft_otlp *otlp);

/* Spans that a collector has taken, and those that were lost. */
void haft_otlp_counts(haft_otlp *otlp, uint64_t *ret_sent, uint64_t *ret_lost);

#ifdef __cplusplus
}
#endif
#endif
