/* inflight.c - one request on its way through a loop: answered here, or by a worker, or by an
 * endpoint with policies around it.
 *
 * What does not block is answered where it comes in; the rest goes to the loop's workers as a call
 * does.  What may wait has a copy of the request, since its client may leave before it ends.  A policy
 * or a handler that waits gives its worker back, and is given another one when it goes on. */
#include <string.h>

#include "base/list.h"
#include "gateway/inflight.h"
#include "endpoint/endpoint.h"

enum { SPARE_PASSAGES = 16 };

static const haft_response failed_response = {.status = 500, .body = ""},
                           gone_response = {.status = 503, .body = ""},
                           late_response = {.status = 504, .body = ""};

/* ---- life ---- */

/* Its call is kept with it, for the next one that needs one. */
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

/* ---- answers ---- */

void hf_inflight_answer(struct inflight *inflight, const haft_response *response)
{
    const haft_responder *responder = inflight->responder;

    inflight->responder = NULL;
    if (responder)
        responder->respond(inflight->context, response ? response : &failed_response);
}

/* ---- on another thread ---- */

bool hf_inflight_keep_request(struct inflight *inflight)
{
    haft_gateway_request *req = inflight->req;
    haft_call *call = req->call;

    req->request.principal = call->request.principal;
    if (!hf_request_copy(call->arena, &req->request, &req->request))
        return false;
    call->request.principal = req->request.principal;
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

/* Policies that have let the request in see it out, also when nobody waits for an answer. */
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
    /* Without a status it has not been run: everything is going away. */
    hf_inflight_answer(inflight, req->response.status ? &req->response : &gone_response);
    hf_inflight_free(inflight);
}

/* Behind the policies of an endpoint, and before it. */
static bool is_let_in(const struct inflight *inflight)
{
    const haft_gateway_request *req = inflight->req;

    return inflight->at && inflight->responder && !req->answered && req->step == STEP_END &&
           req->n_passed == req->policies->n;
}

/* There is an answer, or the endpoint will give it.  The passage, unless that is over. */
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

/* On the thread that continues. */
static void on_continued(void *carrier)
{
    struct inflight *inflight = carrier;
    haft_call *call = inflight->req->call;
    const haft_loop *loop = inflight->gateway_loop->loop.loop;

    call->posts.errand = (haft_posted){.call = call, .ran = true};
    loop->post(loop->context, &call->posts.errand);
}

static void on_posted(haft_call *call);

/* Something waits, and no thread with it.  False when it does not wait any more. */
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

/* To a worker; true when it has been taken. */
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

/* It has been continued, and this is the loop's thread. */
static void on_posted(haft_call *call)
{
    struct inflight *inflight = call->request.tag;

    inflight->waits = inflight->parked = false;
    inflight_go_on(inflight);
}

/* Back from a worker, which does not run what was cancelled before it came to that. */
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
    /* Its handler may return HAFT_PENDING, too. */
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

    if (!inflight) {
        responder->respond(context, &gone_response);
        return NULL;
    }
    /* Decoded already, and how it was written is not known: it must not be decoded again. */
    if (!request->target && strchr(request->path, '%')) {
        hf_inflight_answer(inflight, &undecodable);
        hf_inflight_free(inflight);
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

/* A route's answer is wanted; what an endpoint's is, it knows once it has the request.  While a policy
 * waits, the handler has not begun, and a client that only closes its side cannot be told from one that
 * has left: it is taken for gone, so that nobody's password is checked for nobody. */
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

/* ---- the time that passes ---- */

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
    hf_inflight_answer(inflight, &late_response);
}
