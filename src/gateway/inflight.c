/* inflight.c - a request in progress on a loop: answered on the loop, by a worker, or by an
 * endpoint behind policies.
 *
 * Requests that do not block are answered on the loop; others go to its workers, like calls. A
 * request that may wait is copied, since its client may leave before it ends. A policy or a handler
 * that waits releases its worker, and gets another one when it continues. */
#include <string.h>

#include "base/list.h"
#include "gateway/inflight.h"
#include "endpoint/endpoint.h"

enum { SPARE_PASSAGES = 16 };

static const haft_response failed_response = {.status = 500, .body = ""},
                           gone_response = {.status = 503, .body = ""},
                           late_response = {.status = 504, .body = ""};

enum { LATE_SIZE = 1024 };

/* ---- lifetime ---- */

/* Keeps its call for the next request. */
void hf_inflight_free(struct inflight *inflight)
{
    struct gateway_loop *gateway_loop = inflight->gateway_loop;
    haft_call *call = inflight->req ? inflight->req->call : inflight->call;
    struct generation *generation = inflight->req ? inflight->req->generation : NULL;

    LIST_TAKE(gateway_loop->first, inflight, previous, next);
    if (inflight->at)
        inflight->at->n_inflight--;
    if (call)
        hf_inner_reset(call);
    hf_generation_drop(generation);
    *inflight =
        (struct inflight){.gateway_loop = gateway_loop, .call = call, .next = gateway_loop->spare};
    gateway_loop->spare = inflight;
    if (++gateway_loop->n_spare > SPARE_PASSAGES)
        hf_inflight_drop_spare(gateway_loop, SPARE_PASSAGES / 2);
}

void hf_inflight_drop_spare(struct gateway_loop *gateway_loop, size_t keep)
{
    const haft_allocator *allocator = gateway_loop->gateway->allocator;

    while (gateway_loop->n_spare > keep) {
        struct inflight *inflight = gateway_loop->spare;

        gateway_loop->spare = inflight->next;
        gateway_loop->n_spare--;
        hf_inner_free(inflight->call);
        allocator->release(allocator->context, inflight, sizeof *inflight);
    }
}

static struct inflight *inflight_new(struct gateway_loop *gateway_loop,
                                     const haft_responder *responder, void *context, haft_time now)
{
    const haft_allocator *allocator = gateway_loop->gateway->allocator;
    struct inflight *inflight = gateway_loop->spare;

    if (inflight) {
        gateway_loop->spare = inflight->next;
        gateway_loop->n_spare--;
    } else {
        inflight = allocator->alloc(allocator->context, sizeof *inflight);
        if (!inflight)
            return NULL;
        inflight->call = NULL;
    }
    *inflight = (struct inflight){.gateway_loop = gateway_loop,
                                  .call = inflight->call,
                                  .responder = responder,
                                  .context = context,
                                  .now = now};
    LIST_PUSH(gateway_loop->first, inflight, previous, next);
    gateway_loop->used = now;
    return inflight;
}

haft_gateway_request *hf_inflight_make_gateway_request(struct inflight *inflight,
                                                       const haft_request *request)
{
    struct generation *generation = inflight->gateway_loop->generation;
    haft_call *call = inflight->call;

    if (call)
        hf_inner_begin(call, inflight->now);
    else
        call = hf_inner_new(generation->gateway->server, NULL, inflight->now);
    inflight->call = NULL;
    generation_take(generation);
    inflight->req = hf_gateway_request_of_call(generation, call, request);
    if (inflight->req)
        call->request.tag = inflight;
    return inflight->req;
}

/* ---- responses ---- */

void hf_inflight_answer(struct inflight *inflight, const haft_response *response)
{
    const haft_responder *responder = inflight->responder;

    inflight->responder = NULL;
    if (responder)
        responder->respond(inflight->context, response ? response : &failed_response);
}

/* Answers a request whose handler still runs, and may be writing its own response. */
static void inflight_answer_late(struct inflight *inflight)
{
    haft_response response = late_response;
    haft_buffer body;

    haft_buffer_init(&body, inflight->gateway_loop->gateway->server->allocator, LATE_SIZE);
    if (!inflight->req->mcp)
        hf_problem_write(&body, response.status, "The call timed out.", NULL);
    if (!body.status && body.size) {
        response.headers = HEADER("content-type", "application/problem+json");
        response.n_headers = 1;
        response.body = body.data;
        response.size = body.size;
    }
    hf_inflight_answer(inflight, &response);
    haft_buffer_finish(&body);
}

/* ---- on another thread ---- */

bool hf_inflight_keep_request(struct inflight *inflight)
{
    haft_gateway_request *req = inflight->req;
    haft_call *call = req->call;

    gateway_request_identify(req);
    if (!hf_request_copy(call->arena, &req->request, &req->request))
        return false;
    hf_gateway_request_take_identity(req, &req->request);
    call->request.method = req->request.target;
    call->request.peer = req->request.peer ? req->request.peer : "";
    return true;
}

static int inflight_execute(haft_call *call)
{
    struct inflight *inflight = call->request.tag;

    inflight->ran = true;
    hf_gateway_request_advance(call->inner.req);
    return 0;
}

/* Policies that admitted the request are also called on the way out if the client has left. */
static void see_out(haft_gateway_request *req)
{
    int status = req->answered ? 1 : hf_gateway_request_is_late(req);

    if (!status) {
        req->given_up = 503;
        status = hf_gateway_request_is_late(req);
    }
    if (req->step == STEP_START || req->step == STEP_END) {
        if (status < 0)
            hf_gateway_request_fail(req, req->request.target, status);
        hf_gateway_request_outbound(req);
    } else {
        hf_gateway_request_advance(req);
    }
}

static void inflight_end(struct inflight *inflight)
{
    haft_gateway_request *req = inflight->req;

    req->call->inner.done = NULL;
    if (req->n_passed || req->pending)
        see_out(req);
    /* Without a status it has not run: the server is shutting down. */
    hf_inflight_answer(inflight, req->response.status ? &req->response : &gone_response);
    hf_inflight_free(inflight);
}

/* After the inbound policies of an endpoint, and before the endpoint. */
static bool is_let_in(const struct inflight *inflight)
{
    const haft_gateway_request *req = inflight->req;

    return inflight->at && inflight->responder && !req->answered && req->step == STEP_END &&
           req->n_passed == req->policies->n;
}

/* There is a response, or the endpoint will give it. Returns the request, unless it is finished. */
static struct inflight *inflight_conclude(struct inflight *inflight)
{
    if (!is_let_in(inflight)) {
        inflight_end(inflight);
        return NULL;
    }
    inflight->req->call->inner.done = NULL;
    inflight->req->call->time.deadline = 0;
    return hf_inflight_enter_endpoint(inflight);
}

/* ---- waiting ---- */

/* Called on the thread that continues it. */
static void on_continued(void *carrier)
{
    struct inflight *inflight = carrier;
    haft_call *call = inflight->req->call;
    const haft_loop *loop = inflight->gateway_loop->loop.loop;

    call->posts.errand = (haft_posted){.call = call, .ran = true};
    loop->post(loop->context, &call->posts.errand);
}

static void on_posted(haft_call *call);

/* Something waits, without a thread. Returns false if it has been continued already. */
static bool inflight_park(struct inflight *inflight)
{
    haft_gateway_request *req = inflight->req;

    inflight->waits = req->step == STEP_INBOUND;
    inflight->parked = true;
    req->call->inner.done = on_posted;
    /* Nothing has been done yet for a client that may have left: see hf_inflight_half_closed. */
    if (inflight->half_closed && inflight->waits)
        haft_gateway_request_cancel(req);
    if (hf_gateway_request_park(req, on_continued, inflight))
        return true;
    inflight->waits = inflight->parked = false;
    return false;
}

struct inflight *hf_inflight_advance(struct inflight *inflight)
{
    while (hf_gateway_request_advance(inflight->req) == HAFT_PENDING)
        if (inflight_park(inflight))
            return inflight;
    return inflight_conclude(inflight);
}

static void on_returned(haft_call *call);

/* Passes it to a worker; returns true if it was accepted. */
static bool inflight_send(struct inflight *inflight)
{
    haft_call *call = inflight->req->call;
    const haft_loop *loop = inflight->gateway_loop->loop.loop;

    inflight->ran = false;
    call->handler.execute = inflight_execute;
    call->inner.done = on_returned;
    return !loop->run(loop->context, call);
}

static void inflight_go_on(struct inflight *inflight)
{
    haft_gateway_request *req = inflight->req;

    if (!inflight->has_worker) {
        hf_inflight_advance(inflight);
        return;
    }
    if (inflight_send(inflight))
        return;
    req->given_up = 503;
    if (haft_response_set_header(req->call, "Retry-After", "1"))
        hf_gateway_request_fail(req, req->request.target, HAFT_ENOMEM);
    inflight_end(inflight);
}

/* It has been continued; runs on the loop's thread. */
static void on_posted(haft_call *call)
{
    struct inflight *inflight = call->request.tag;

    inflight->waits = inflight->parked = false;
    inflight_go_on(inflight);
}

/* Returned by a worker, which does not run requests that were cancelled before. */
static void on_returned(haft_call *call)
{
    struct inflight *inflight = call->request.tag;

    if (!inflight->ran)
        inflight_end(inflight);
    else if (!inflight->req->pending)
        inflight_conclude(inflight);
    else if (!inflight_park(inflight))
        inflight_go_on(inflight);
}

void *hf_inflight_refuse(struct inflight *inflight)
{
    static const haft_header later = {"Retry-After", "1"};
    static const haft_response busy = {
        .status = 503, .headers = &later, .n_headers = 1, .body = ""};

    if (inflight->req)
        inflight->req->call->inner.done = NULL;
    hf_inflight_answer(inflight, &busy);
    hf_inflight_free(inflight);
    return NULL;
}

void *hf_inflight_send_away(struct inflight *inflight)
{
    inflight->has_worker = true;
    return hf_inflight_keep_request(inflight) && inflight_send(inflight)
               ? inflight
               : hf_inflight_refuse(inflight);
}

/* ---- requests ---- */

static void *handle_route(struct inflight *inflight, const haft_request *request)
{
    haft_gateway_request *req = hf_inflight_make_gateway_request(inflight, request);

    if (!req)
        return hf_inflight_refuse(inflight);
    hf_gateway_request_find_route(req);
    if (!haft_gateway_request_quick(req))
        return hf_inflight_send_away(inflight);
    /* Its handler may return HAFT_PENDING as well. */
    return hf_inflight_keep_request(inflight) ? hf_inflight_advance(inflight)
                                              : hf_inflight_refuse(inflight);
}

void *hf_inflight_begin(void *app, const haft_request *request, const haft_responder *responder,
                        void *context, haft_time now)
{
    static const haft_response undecodable = {.status = 400, .body = ""};
    struct gateway_loop *gateway_loop = app;
    struct inflight *inflight = inflight_new(gateway_loop, responder, context, now);
    const struct served *served;
    struct metadata metadata;

    if (!inflight) {
        responder->respond(context, &gone_response);
        return NULL;
    }
    /* The path is decoded already, and its original form is unknown: it must not be decoded
     * again. */
    if (!request->target && strchr(request->path, '%')) {
        hf_inflight_answer(inflight, &undecodable);
        hf_inflight_free(inflight);
        return NULL;
    }
    if (hf_protected_find(gateway_loop, request->path, &metadata)) {
        hf_inflight_free(inflight);
        hf_metadata_answer(&metadata, gateway_loop->gateway->allocator, request, responder,
                           context);
        return NULL;
    }
    served = hf_generation_endpoint(hf_gateway_loop_generation(gateway_loop), request->path);
    return served ? hf_inflight_handle_mcp(inflight, served, request)
                  : handle_route(inflight, request);
}

void hf_inflight_gone(void *app, void *exchange)
{
    struct inflight *inflight = exchange;

    (void)app;
    inflight->responder = NULL;
    if (inflight->req)
        haft_gateway_request_cancel(inflight->req);
    if (!inflight->exchange)
        return;
    hf_endpoint_app.gone(inflight->at->endpoint, inflight->exchange);
    hf_inflight_free(inflight);
}

/* A route's response is wanted; an endpoint decides for itself once it has the request. While a
 * policy waits, the handler has not started, and a client that closed its side cannot be
 * distinguished from one that left: it is treated as gone, so that no password is checked in
 * vain. */
bool hf_inflight_half_closed(const void *app, const void *exchange)
{
    struct inflight *inflight = (void *)(uintptr_t)exchange;

    (void)app;
    inflight->half_closed = true;
    if (inflight->waits)
        return false;
    return !inflight->exchange ||
           hf_endpoint_app.half_closed(inflight->at->endpoint, inflight->exchange);
}

/* ---- ticks ---- */

bool hf_inflight_is_at_work(const struct inflight *inflight)
{
    return inflight->req && inflight->req->call->inner.done;
}

void hf_inflight_tick(struct inflight *inflight, haft_time now)
{
    haft_gateway_request *req = inflight->req;

    if (!hf_inflight_is_at_work(inflight) || haft_gateway_request_tick(req, now))
        return;
    if (inflight->parked && !req->given_up)
        hf_gateway_request_give_up(req, 504);
    inflight_answer_late(inflight);
}
