/* otlp.c - exports tool calls as spans, on a thread that calls never wait for.
 *
 * The queue is a ring. The end of a call appends a span, or counts it as lost if the ring is full;
 * the thread reads from the front without the lock, because used slots are not written. */
#include "process/isolate.h"
#include "observe/otlp.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <uv.h>

#include "base/struct.h"

enum {
    DEFAULT_SPANS = 2048,
    MAX_QUEUE = 1 << 20,
    DEFAULT_INTERVAL_MS = 5000,
    DEFAULT_TIMEOUT_MS = 10000,
    DEFAULT_FLUSH_MS = 2000,
    BATCH = 512
};

/* Registered with the server, for the server's lifetime. */
struct tap {
    haft_stage stage;
    _Atomic(haft_otlp *) otlp;
};

struct haft_otlp {
    haft_server *server;
    const haft_allocator *allocator;
    haft_otlp_options options;
    struct otlp_address address;
    struct tap *tap;
    struct otlp_sender sender;
    size_t batch; /* spans at the front that are being sent; used only by the sender's thread */

    uv_mutex_t lock; /* for the members below */
    struct span *spans;
    size_t first, n, room;
    uint64_t seed; /* for ids of traces that start here */
    uint64_t sent, lost;
    bool failing;    /* the latest batch was not accepted */
    bool overflowed; /* a span was lost */
};

/* ---- spans ---- */

static void span_copy_text(char *to, size_t room, const char *text, size_t size)
{
    if (size >= room) {
        size = room - 1;
        while (size && ((unsigned char)text[size] & 0xC0) == 0x80)
            size--;
    }
    memcpy(to, text, size);
    to[size] = '\0';
}

static uint64_t nanoseconds_since_1970(void)
{
    struct timespec now = {0, 0};

    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static uint64_t next_random(uint64_t *seed)
{
    uint64_t x = *seed += 0x9E3779B97F4A7C15;

    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
    x = (x ^ x >> 27) * 0x94D049BB133111EB;
    x ^= x >> 31;
    return x ? x : 1;
}

/* Sets the ids from the call's trace context; without one, it starts a trace. */
static void span_set_ids(struct span *span, const haft_trace *trace, uint64_t *seed)
{
    if (trace) {
        memcpy(span->trace_id, trace->trace_id, sizeof span->trace_id);
        memcpy(span->span_id, trace->span_id, sizeof span->span_id);
        memcpy(span->parent_id, trace->parent_id, sizeof span->parent_id);
        return;
    }
    snprintf(span->trace_id, sizeof span->trace_id, "%016llx%016llx",
             (unsigned long long)next_random(seed), (unsigned long long)next_random(seed));
    snprintf(span->span_id, sizeof span->span_id, "%016llx", (unsigned long long)next_random(seed));
}

static void span_fill(struct span *span, haft_call *call, haft_outcome outcome)
{
    const char *asked = yyjson_get_str(rpc_string(call->request.params, "name"));
    const char *tool = call->item ? call->item->name : asked ? asked : "";
    const char *client = haft_client_name(call);

    memset(span, 0, sizeof *span);
    span->outcome = outcome;
    span->end = nanoseconds_since_1970();
    span->start = span->end - hf_call_nanoseconds(call);
    span_copy_text(span->tool, sizeof span->tool, tool, strlen(tool));
    span_copy_text(span->client, sizeof span->client, client, strlen(client));
    span_copy_text(span->revision, sizeof span->revision, haft_call_revision(call),
                   strlen(haft_call_revision(call)));
    if (call->request.id)
        hf_rpc_id_to_text(call->request.id, span->request_id, sizeof span->request_id);
}

static void span_after(haft_call *call, haft_outcome outcome, void *data)
{
    struct tap *tap = data;
    haft_otlp *otlp = atomic_load(&tap->otlp);
    const haft_trace *trace = haft_call_trace(call);
    struct span span;
    bool full;

    /* The creator of the trace decides whether it is sampled. */
    if (!otlp || (trace && !(trace->flags & 1)))
        return;
    span_fill(&span, call, outcome);
    uv_mutex_lock(&otlp->lock);
    if (otlp->n < otlp->room) {
        span_set_ids(&span, trace, &otlp->seed);
        otlp->spans[(otlp->first + otlp->n++) % otlp->room] = span;
    } else {
        otlp->lost++;
        otlp->overflowed = true;
    }
    full = otlp->n == BATCH || otlp->n == otlp->room;
    uv_mutex_unlock(&otlp->lock);
    if (full)
        hf_otlp_sender_wake(&otlp->sender);
}

/* ---- callbacks of the sender, on its thread ---- */

/* Reports a repeated problem once. */
static void otlp_report(haft_otlp *otlp, const char *why_not)
{
    if (why_not && !otlp->failing)
        hf_server_log(
            otlp->server, HAFT_WARNING,
            "the collector at %s:%s does not accept spans, which are lost until it does: %s",
            otlp->address.host, otlp->address.port, why_not);
    else if (!why_not && (otlp->failing || otlp->overflowed))
        hf_server_log(otlp->server, HAFT_WARNING, "%llu spans lost so far",
                      (unsigned long long)otlp->lost);
    otlp->failing = why_not;
    if (!why_not)
        otlp->overflowed = false;
}

/* The front is read without the lock: nobody writes there. */
static bool otlp_take(void *context, haft_buffer *body)
{
    haft_otlp *otlp = context;
    size_t direct = otlp->room - otlp->first;

    uv_mutex_lock(&otlp->lock);
    otlp->batch = otlp->n < BATCH ? otlp->n : BATCH;
    uv_mutex_unlock(&otlp->lock);
    if (!otlp->batch)
        return false;
    direct = direct < otlp->batch ? direct : otlp->batch;
    hf_otlp_put_batch(body, otlp->server->name, otlp->server->version, otlp->spans + otlp->first,
                      direct, otlp->spans, otlp->batch - direct);
    return true;
}

static void otlp_done(void *context, const char *why_not)
{
    haft_otlp *otlp = context;

    uv_mutex_lock(&otlp->lock);
    otlp->first = (otlp->first + otlp->batch) % otlp->room;
    otlp->n -= otlp->batch;
    otlp->sent += why_not ? 0 : otlp->batch;
    otlp->lost += why_not ? otlp->batch : 0;
    otlp_report(otlp, why_not);
    uv_mutex_unlock(&otlp->lock);
}

static bool otlp_is_full(void *context)
{
    haft_otlp *otlp = context;
    bool full;

    uv_mutex_lock(&otlp->lock);
    full = otlp->n >= BATCH || otlp->n == otlp->room;
    uv_mutex_unlock(&otlp->lock);
    return full;
}

static void otlp_drop(void *context)
{
    haft_otlp *otlp = context;

    uv_mutex_lock(&otlp->lock);
    otlp->lost += otlp->n;
    otlp->n = 0;
    uv_mutex_unlock(&otlp->lock);
}

/* ---- lifetime ---- */

static void otlp_set_defaults(haft_otlp_options *o)
{
    o->url = o->url ? o->url : "http://127.0.0.1:4318/v1/traces";
    o->max_queue = o->max_queue ? o->max_queue : DEFAULT_SPANS;
    o->max_queue = o->max_queue < MAX_QUEUE ? o->max_queue : MAX_QUEUE;
    o->interval_ms = o->interval_ms ? o->interval_ms : DEFAULT_INTERVAL_MS;
    o->timeout_ms = o->timeout_ms ? o->timeout_ms : DEFAULT_TIMEOUT_MS;
    o->flush_ms = o->flush_ms ? o->flush_ms : DEFAULT_FLUSH_MS;
}

static haft_otlp *otlp_make(haft_server *server, const haft_otlp_options *options)
{
    const haft_allocator *allocator = server->allocator;
    haft_otlp *otlp = allocator->alloc(allocator->context, sizeof *otlp);

    if (!otlp)
        return NULL;
    memset(otlp, 0, sizeof *otlp);
    otlp->server = server;
    otlp->allocator = allocator;
    otlp->options = *options;
    otlp->room = options->max_queue;
    otlp->spans = allocator->alloc(allocator->context, otlp->room * sizeof *otlp->spans);
    otlp->tap = hf_server_zalloc(server, sizeof *otlp->tap);
    if (!otlp->spans || !otlp->tap)
        goto no_memory;
    if (uv_random(NULL, NULL, &otlp->seed, sizeof otlp->seed, 0, NULL))
        otlp->seed = uv_hrtime();
    if (uv_mutex_init(&otlp->lock))
        goto no_memory;
    return otlp;

no_memory:
    if (otlp->spans)
        allocator->release(allocator->context, otlp->spans, otlp->room * sizeof *otlp->spans);
    allocator->release(allocator->context, otlp, sizeof *otlp);
    return NULL;
}

static void otlp_release(haft_otlp *otlp)
{
    const haft_allocator *allocator = otlp->allocator;

    uv_mutex_destroy(&otlp->lock);
    allocator->release(allocator->context, otlp->spans, otlp->room * sizeof *otlp->spans);
    allocator->release(allocator->context, otlp, sizeof *otlp);
}

/* For span ids in traces started elsewhere. */
static uint64_t otlp_random(void)
{
    uint64_t number;

    return uv_random(NULL, NULL, &number, sizeof number, 0, NULL) ? uv_hrtime() : number;
}

static int otlp_start(haft_otlp *otlp, haft_reason *reterr_reason)
{
    const struct otlp_source source = {otlp_take, otlp_done, otlp_is_full, otlp_drop, otlp};
    const struct http_client_options options = {
        .allocator = otlp->allocator, .max_requests = 1, .ca_file = otlp->options.ca_file};
    int status;

    otlp->sender.interval_ms = otlp->options.interval_ms;
    otlp->sender.timeout_ms = otlp->options.timeout_ms;
    otlp->sender.flush_ms = otlp->options.flush_ms;
    /* The fork server of isolated tools must be started before threads. */
    status = hf_isolate_start(otlp->server);
    if (status)
        return hf_error_set(reterr_reason, status, NULL,
                            "cannot start the process for isolated tools: %s",
                            haft_strerror(status));
    return hf_otlp_sender_open(&otlp->sender, &otlp->address, &options, &source, reterr_reason);
}

haft_otlp *haft_otlp_new(haft_server *server, const haft_otlp_options *options,
                         haft_reason *reterr_reason)
{
    haft_otlp_options all;
    struct otlp_address address;
    haft_otlp *otlp;
    int status;

    if (!hf_struct_read(&all, sizeof all, options)) {
        hf_error_set(reterr_reason, HAFT_EINVAL, "haft_otlp_options", STRUCT_UNSIZED);
        return NULL;
    }
    otlp_set_defaults(&all);
    if (hf_otlp_read_url(all.url, &address, reterr_reason))
        return NULL;
    if (all.ca_file && access(all.ca_file, R_OK)) {
        hf_error_set(reterr_reason, HAFT_EINVAL, all.ca_file, "%s", strerror(errno));
        return NULL;
    }
    otlp = otlp_make(server, &all);
    if (!otlp) {
        hf_error_set(reterr_reason, HAFT_ENOMEM, NULL, "out of memory");
        return NULL;
    }
    otlp->address = address;
    otlp->tap->stage =
        (haft_stage)HAFT_INIT(haft_stage, .name = "spans", .after = span_after, .data = otlp->tap);
    status = haft_stage_add(server, &otlp->tap->stage);
    if (status) {
        if (reterr_reason)
            *reterr_reason = server->error;
        otlp_release(otlp);
        return NULL;
    }
    if (otlp_start(otlp, reterr_reason)) {
        otlp_release(otlp);
        return NULL;
    }
    if (!server->options.clock)
        server->options.clock = uv_hrtime;
    if (!server->options.random)
        server->options.random = otlp_random;
    atomic_store(&otlp->tap->otlp, otlp);
    return otlp;
}

int hf_otlp_tap(haft_otlp *otlp, haft_server *server)
{
    return haft_stage_add(server, &otlp->tap->stage);
}

void haft_otlp_free(haft_otlp *otlp)
{
    if (!otlp)
        return;
    atomic_store(&otlp->tap->otlp, NULL);
    hf_otlp_sender_close(&otlp->sender);
    if (otlp->lost)
        hf_server_log(otlp->server, HAFT_WARNING, "%llu spans lost",
                      (unsigned long long)otlp->lost);
    otlp_release(otlp);
}

void haft_otlp_counts(haft_otlp *otlp, uint64_t *ret_sent, uint64_t *ret_lost)
{
    uv_mutex_lock(&otlp->lock);
    *ret_sent = otlp->sent;
    *ret_lost = otlp->lost;
    uv_mutex_unlock(&otlp->lock);
}
