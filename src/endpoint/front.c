/* front.c - endpoints that are embedded in a program, without the HTTP server of this library.
 *
 * One with an authenticator has its own mux, with only itself behind it, so that credentials,
 * waiting and metadata work as in the HTTP server. An exchange in front of the mux stands for
 * whatever the mux returns. */
#include "endpoint/mux.h"
#include "endpoint/request.h"

/* Creates its mux. Returns false without memory. */
static bool front_open(haft_endpoint *endpoint)
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

static void front_close(haft_endpoint *endpoint)
{
    const haft_allocator *allocator = endpoint->allocator;

    hf_mux_finish(endpoint->mux);
    allocator->release(allocator->context, endpoint->mux, sizeof *endpoint->mux);
    endpoint->mux = NULL;
}

haft_endpoint *haft_endpoint_new(haft_server *server, const haft_endpoint_options *options)
{
    haft_endpoint *endpoint = hf_endpoint_new(server, options);

    if (!endpoint || !endpoint->options.authenticator || front_open(endpoint))
        return endpoint;
    hf_endpoint_free(endpoint);
    return NULL;
}

void haft_endpoint_free(haft_endpoint *endpoint)
{
    if (!endpoint)
        return;
    if (endpoint->mux)
        front_close(endpoint);
    hf_endpoint_free(endpoint);
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

static haft_exchange *front_handle(haft_endpoint *endpoint, haft_request *request,
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

haft_exchange *haft_endpoint_handle(haft_endpoint *endpoint, const haft_request *request,
                                    const haft_responder *responder, void *context, haft_time now)
{
    struct haft_header_index index;
    haft_request own = *request;

    if (!endpoint->mux)
        return hf_endpoint_handle(endpoint, request, responder, context, now);
    if (!request->index_)
        hf_request_index(request, &own, &index);
    return front_handle(endpoint, &own, responder, context, now);
}

void haft_exchange_gone(haft_exchange *exchange)
{
    struct pending_request pending = {.by = exchange->front, .exchange = exchange->behind};

    if (!pending.by) {
        hf_exchange_gone(exchange);
        return;
    }
    hf_exchange_free(exchange);
    hf_mux_gone(pending);
}

void haft_endpoint_tick(haft_endpoint *endpoint, haft_time now)
{
    endpoint->now = now;
    if (endpoint->mux)
        hf_admissions_tick(endpoint->mux, now);
    hf_endpoint_tick(endpoint, now);
}

bool haft_endpoint_idle(const haft_endpoint *endpoint)
{
    return (!endpoint->mux || hf_mux_idle(endpoint->mux)) && hf_endpoint_idle(endpoint);
}
