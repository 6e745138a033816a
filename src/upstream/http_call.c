/* http_call.c - a call that waits for a request to an HTTP upstream. */
#include "upstream/http_call.h"

/* ---- the end ---- */

static void http_call_finish(struct http_call *own)
{
    struct module *module = &own->sending.upstream->module;

    haft_finish(own->call, own->status);
    hf_module_drop(module);
}

static void http_call_conclude(struct http_call *own, int status)
{
    own->status = status;
    own->over = true;
    haft_call_on_cancel(own->call, NULL, NULL);
    if (!atomic_load(&own->cancelling) || own->cancelled)
        http_call_finish(own);
}

static void http_call_on_end(struct http_sending *sending, const struct http_result *result)
{
    struct http_call *own = sending->context;

    http_call_conclude(own, own->answer(own, result));
}

/* ---- on the outbound thread ---- */

static void http_call_run_start(struct outbound_task *task)
{
    struct http_call *own = task->owner;

    if (own->cancelled)
        http_call_conclude(own, HAFT_ECANCELLED);
    else
        hf_http_upstream_send(&own->sending);
}

static void http_call_run_cancel(struct outbound_task *task)
{
    struct http_call *own = task->owner;

    own->cancelled = true;
    if (own->over)
        http_call_finish(own);
    else if (own->sending.state != HTTP_SENDING_NEW)
        hf_http_upstream_cancel(&own->sending);
}

/* ---- the handler's thread ---- */

static void http_call_on_cancel(haft_call *call, void *context)
{
    struct http_call *own = context;

    (void)call;
    atomic_store(&own->cancelling, true);
    hf_outbound_post(&own->sending.upstream->set->outbound, &own->cancel);
}

struct http_call *hf_http_call_new(haft_call *call, struct upstream *upstream)
{
    struct http_call *own = haft_call_alloc(call, sizeof *own);
    const haft_trace *trace = haft_call_trace(call);

    if (!own)
        return NULL;
    *own = (struct http_call){.call = call};
    own->start = (struct outbound_task){.run = http_call_run_start, .owner = own};
    own->cancel = (struct outbound_task){.run = http_call_run_cancel, .owner = own};
    atomic_init(&own->cancelling, false);
    own->sending.upstream = upstream;
    own->sending.arena = haft_call_arena(call);
    own->sending.on_end = http_call_on_end;
    own->sending.context = own;
    own->sending.message.traceparent = trace ? trace->traceparent : NULL;
    own->sending.message.tracestate = trace ? trace->tracestate : NULL;
    return own;
}

int hf_http_call_start(struct http_call *own)
{
    struct upstream *upstream = own->sending.upstream;

    own->sending.time_left = haft_call_time_left(own->call);
    hf_module_take(&upstream->module);
    haft_call_on_cancel(own->call, http_call_on_cancel, own);
    hf_outbound_post(&upstream->set->outbound, &own->start);
    return HAFT_PENDING;
}

int hf_http_call_headers(struct http_call *own, const haft_header *headers, size_t n,
                         const haft_header *clients, size_t n_clients)
{
    haft_arena *arena = own->sending.arena;
    haft_header *list = haft_arena_alloc(arena, (n + n_clients + 1) * sizeof *list);
    int forwarded = 0;

    if (!list)
        return HAFT_ENOMEM;
    if (n)
        memcpy(list, headers, n * sizeof *list);
    forwarded = hf_http_headers_forward(own->sending.upstream, clients, n_clients, arena, list + n);
    if (forwarded < 0)
        return forwarded;
    own->sending.message.headers = list;
    own->sending.message.n_headers = n + (size_t)forwarded;
    return 0;
}
