/* front.c - an endpoint with an authenticator that is embedded in a program without our HTTP server.
 *
 * It has its own mux, with only itself behind it: credentials, waiting and metadata work as in
 * the HTTP server. An exchange in front of the mux stands for whatever the mux returns. */
#include "endpoint/mux.h"
#include "endpoint/request.h"

bool hf_front_new(haft_endpoint *endpoint)
{
    const haft_allocator *allocator = endpoint->allocator;
    struct mux *mux = allocator->alloc(allocator->context, sizeof *mux);

    if (mux && hf_mux_init_front(mux, endpoint)) {
        allocator->release(allocator->context, mux, sizeof *mux);
        mux = NULL;
    }
    endpoint->mux = mux;
    return mux;
}

void hf_front_free(haft_endpoint *endpoint)
{
    const haft_allocator *allocator = endpoint->allocator;

    if (!endpoint->mux)
        return;
    hf_mux_finish(endpoint->mux);
    allocator->release(allocator->context, endpoint->mux, sizeof *endpoint->mux);
    endpoint->mux = NULL;
}

/* ---- responses ---- */

static void front_respond(void *context, const haft_response *response)
{
    haft_exchange *exchange = context;

    exchange->responder.respond(exchange->context, response);
    hf_exchange_free(exchange);
}

static void front_stream(void *context, const haft_response *head)
{
    haft_exchange *exchange = context;

    exchange->responder.stream(exchange->context, head);
}

static void front_write(void *context, const char *bytes, size_t size)
{
    haft_exchange *exchange = context;

    exchange->responder.write(exchange->context, bytes, size);
}

static void front_end(void *context)
{
    haft_exchange *exchange = context;

    exchange->responder.end(exchange->context);
    hf_exchange_free(exchange);
}

static const haft_responder front_responder = {front_respond, front_stream, front_write, front_end};

/* ---- requests ---- */

haft_exchange *hf_front_handle(haft_endpoint *endpoint, haft_request *request,
                               const haft_responder *responder, void *context, haft_time now)
{
    haft_exchange *exchange = hf_exchange_new(endpoint, responder, context);
    struct pending_request pending;

    if (!exchange)
        return NULL;
    endpoint->mux->guard.closing = endpoint->guard.closing;
    pending = hf_mux_handle(endpoint->mux, request, &front_responder, exchange, now);
    exchange->held = false;
    if (exchange->done) {
        hf_exchange_free(exchange);
        return NULL;
    }
    exchange->front = pending.by;
    exchange->behind = pending.exchange;
    return exchange;
}

void hf_front_gone(haft_exchange *exchange)
{
    struct pending_request pending = {.by = exchange->front, .exchange = exchange->behind};

    hf_exchange_free(exchange);
    hf_mux_gone(pending);
}

void hf_front_tick(haft_endpoint *endpoint)
{
    if (endpoint->mux)
        hf_admissions_tick(endpoint->mux, endpoint->now);
}

bool hf_front_idle(const haft_endpoint *endpoint)
{
    return !endpoint->mux || hf_mux_idle(endpoint->mux);
}
