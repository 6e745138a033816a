/* haft/otlp.h - sends every call of a tool as a span to an OpenTelemetry collector.
 *
 *     haft_otlp *otlp = haft_otlp_new(server, NULL, &reason);
 *     haft_http_serve(server, &options, &reason);
 *     haft_otlp_free(otlp);
 *     haft_server_free(server);
 *
 * Spans wait in a queue of fixed size.  A thread sends many at a time as JSON over HTTP
 * (OTLP/HTTP), with libhaft-http-client (haft/part.h).  Calls never wait for the collector: if it
 * does not accept spans, or not fast enough, they are dropped and counted. */
#ifndef HAFT_OTLP_H
#define HAFT_OTLP_H

#include <haft/server.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Options of an exporter.  Zero means the default in each description. */
typedef struct haft_otlp_options {
    size_t struct_size;   /* set by HAFT_INIT or HAFT_WITH */
    const char *url;      /* traces endpoint, http or https: "http://127.0.0.1:4318/v1/traces" */
    size_t max_queue;     /* maximum number of waiting spans: 2,048 */
    unsigned interval_ms; /* maximum time between two requests: 5,000 */
    unsigned timeout_ms;  /* time limit for an answer of the collector: 10,000 */
    unsigned flush_ms;    /* time limit for sending the rest in haft_otlp_free: 2,000 */
    const char *ca_file;  /* PEM file of CA certificates for https: the system's */
} haft_otlp_options;

/* An exporter of spans. */
typedef struct haft_otlp haft_otlp;

/* Adds an exporter to a server, before the server serves and at most once. options may be NULL.
 * Returns NULL with the reason in *reterr_reason (which may be NULL). */
haft_otlp *haft_otlp_new(haft_server *server, const haft_otlp_options *options,
                         haft_reason *reterr_reason);

/* Sends the waiting spans within flush_ms and frees the exporter.  Call it when the server has
 * stopped serving, and before haft_server_free.  Accepts NULL. */
void haft_otlp_free(haft_otlp *otlp);

/* Stores the number of spans that the collector has accepted, and of those that were lost.  May be
 * called from any thread. */
void haft_otlp_counts(haft_otlp *otlp, uint64_t *ret_sent, uint64_t *ret_lost);

#ifdef __cplusplus
}
#endif
#endif
