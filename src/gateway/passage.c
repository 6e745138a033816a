/* passage.c - one request on its way through a loop: answered here, or by a worker, or by an
 * endpoint with policies around it.
 *
 * What does not block is answered where it comes in; the rest goes to the loop's workers as a call
 * does.  What may wait has a copy of the request, since its client may leave before it ends.  A policy
 * or a handler that waits gives its worker back, and is given another one when it goes on. */
#include <string.h>

#include "base/list.h"
#include "gateway/passage.h"
#include "endpoint/endpoint.h"

enum { SPARE_PASSAGES = 16 };

static const haft_response failed_response = {.status = 500, .body = ""},
                           gone_response = {.status = 503, .body = ""},
                           late_response = {.status = 504, .body = ""};

/* ---- life ---- */

/* Its call is kept with it, for the next one that needs one. */
void passage_free(struct passage *passage)
{
    struct site *site = passage->site;
    haft_call *call = passage->visit ? passage->visit->call : passage->call;

    LIST_TAKE(site->first, passage, previous, next);
    if (call)
        inner_reset(call);
    *passage = (struct passage){.site = site, .call = call, .next = site->spare};
    site->spare = passage;
    if (++site->n_spare > SPARE_PASSAGES)
        passage_drop_spare(site, SPARE_PASSAGES / 2);
}

void passage_drop_spare(struct site *site, size_t keep)
{
    const haft_allocator *allocator = site->gateway->allocator;

    while (site->n_spare > keep) {
        struct passage *passage = site->spare;

        site->spare = passage->next;
        site->n_spare--;
        inner_free(passage->call);
        allocator->release(allocator->context, passage, sizeof *passage);
    }
}

static struct passage *passage_new(struct site *site, const haft_responder *responder,
                                   void *context, haft_time now)
{
    const haft_allocator *allocator = site->gateway->allocator;
    struct passage *passage = site->spare;

    if (passage) {
        site->spare = passage->next;
        site->n_spare--;
    } else {
        passage = allocator->alloc(allocator->context, sizeof *passage);
        if (!passage)
            return NULL;
        passage->call = NULL;
    }
    *passage = (struct passage){.site = site,
                                .call = passage->call,
                                .responder = responder,
                                .context = context,
                                .now = now};
    LIST_PUSH(site->first, passage, previous, next);
    site->used = now;
    return passage;
}

haft_visit *passage_make_visit(struct passage *passage, const haft_request *request)
{
    haft_gateway *gateway = passage->site->gateway;
    haft_call *call = passage->call;

    if (call)
        inner_begin(call, passage->now);
    else
        call = inner_new(gateway->server, NULL, passage->now);
    passage->call = NULL;
    passage->visit = visit_of_call(gateway, call, request);
    if (passage->visit)
        call->request.tag = passage;
    return passage->visit;
}

/* ---- answers ---- */

void passage_answer(struct passage *passage, const haft_response *response)
{
    const haft_responder *responder = passage->responder;

    passage->responder = NULL;
    if (responder)
        responder->respond(passage->context, response ? response : &failed_response);
}

/* ---- on another thread ---- */

bool passage_keep_request(struct passage *passage)
{
    haft_visit *visit = passage->visit;
    haft_call *call = visit->call;

    visit->request.principal = call->request.principal;
    if (!request_copy(call->arena, &visit->request, &visit->request))
        return false;
    call->request.principal = visit->request.principal;
    call->request.method = visit->request.target;
    call->request.peer = visit->request.peer ? visit->request.peer : "";
    return true;
}

static int passage_execute(haft_call *call)
{
    struct passage *passage = call->request.tag;

    passage->ran = true;
    visit_advance(call->inner.visit);
    return 0;
}

/* Policies that have let the request in see it out, also when nobody waits for an answer. */
static void see_out(haft_visit *visit)
{
    int status = visit->answered ? 1 : visit_is_late(visit);

    if (!status) {
        visit->given_up = 503;
        status = visit_is_late(visit);
    }
    if (visit->step == VISIT_START || visit->step == VISIT_END) {
        if (status < 0)
            visit_fail(visit, visit->request.target, status);
        visit_outbound(visit);
    } else {
        visit_advance(visit);
    }
}

static void passage_end(struct passage *passage)
{
    haft_visit *visit = passage->visit;

    visit->call->inner.done = NULL;
    if (visit->n_passed || visit->pending)
        see_out(visit);
    /* Without a status it has not been run: everything is going away. */
    passage_answer(passage, visit->response.status ? &visit->response : &gone_response);
    passage_free(passage);
}

/* Behind the policies of an endpoint, and before it. */
static bool is_let_in(const struct passage *passage)
{
    const haft_visit *visit = passage->visit;

    return passage->endpoint && passage->responder && !visit->answered &&
           visit->step == VISIT_END && visit->n_passed == visit->policies->n;
}

/* There is an answer, or the endpoint will give it.  The passage, unless that is over. */
static struct passage *passage_conclude(struct passage *passage)
{
    if (!is_let_in(passage)) {
        passage_end(passage);
        return NULL;
    }
    passage->visit->call->inner.done = NULL;
    passage->visit->call->time.deadline = 0;
    return passage_enter_endpoint(passage);
}

/* ---- waiting ---- */

/* On the thread that continues. */
static void on_continued(void *carrier)
{
    struct passage *passage = carrier;
    haft_call *call = passage->visit->call;
    const haft_loop *loop = passage->site->loop.loop;

    call->posts.errand = (haft_posted){.call = call, .ran = true};
    loop->post(loop->context, &call->posts.errand);
}

static void on_posted(haft_call *call);

/* Something waits, and no thread with it.  False when it does not wait any more. */
static bool passage_park(struct passage *passage)
{
    haft_visit *visit = passage->visit;

    passage->waits = visit->step == VISIT_INBOUND;
    passage->parked = true;
    visit->call->inner.done = on_posted;
    /* Nothing has been done yet for a client that may have left: see passage_half_closed. */
    if (passage->half_closed && passage->waits)
        haft_visit_cancel(visit);
    if (visit_park(visit, on_continued, passage))
        return true;
    passage->waits = passage->parked = false;
    return false;
}

struct passage *passage_advance(struct passage *passage)
{
    while (visit_advance(passage->visit) == HAFT_PENDING)
        if (passage_park(passage))
            return passage;
    return passage_conclude(passage);
}

static void on_returned(haft_call *call);

/* To a worker; true when it has been taken. */
static bool passage_send(struct passage *passage)
{
    haft_call *call = passage->visit->call;
    const haft_loop *loop = passage->site->loop.loop;

    passage->ran = false;
    call->handler.execute = passage_execute;
    call->inner.done = on_returned;
    return !loop->run(loop->context, call);
}

static void passage_go_on(struct passage *passage)
{
    haft_visit *visit = passage->visit;

    if (!passage->has_worker) {
        passage_advance(passage);
        return;
    }
    if (passage_send(passage))
        return;
    visit->given_up = 503;
    if (haft_response_set_header(visit->call, "Retry-After", "1"))
        visit_fail(visit, visit->request.target, HAFT_ENOMEM);
    passage_end(passage);
}

/* It has been continued, and this is the loop's thread. */
static void on_posted(haft_call *call)
{
    struct passage *passage = call->request.tag;

    passage->waits = passage->parked = false;
    passage_go_on(passage);
}

/* Back from a worker, which does not run what was cancelled before it came to that. */
static void on_returned(haft_call *call)
{
    struct passage *passage = call->request.tag;

    if (!passage->ran)
        passage_end(passage);
    else if (!passage->visit->pending)
        passage_conclude(passage);
    else if (!passage_park(passage))
        passage_go_on(passage);
}

void *passage_refuse(struct passage *passage)
{
    static const haft_header later = {"Retry-After", "1"};
    static const haft_response busy = {
        .status = 503, .headers = &later, .n_headers = 1, .body = ""};

    if (passage->visit)
        passage->visit->call->inner.done = NULL;
    passage_answer(passage, &busy);
    passage_free(passage);
    return NULL;
}

void *passage_send_away(struct passage *passage)
{
    passage->has_worker = true;
    return passage_keep_request(passage) && passage_send(passage) ? passage
                                                                  : passage_refuse(passage);
}

/* ---- requests ---- */

static void *handle_route(struct passage *passage, const haft_request *request)
{
    haft_visit *visit = passage_make_visit(passage, request);

    if (!visit)
        return passage_refuse(passage);
    visit_find_route(visit);
    if (!haft_visit_quick(visit))
        return passage_send_away(passage);
    /* Its handler may return HAFT_PENDING, too. */
    return passage_keep_request(passage) ? passage_advance(passage) : passage_refuse(passage);
}

void *passage_begin(void *app, const haft_request *request, const haft_responder *responder,
                    void *context, haft_time now)
{
    static const haft_response undecodable = {.status = 400, .body = ""};
    struct site *site = app;
    struct passage *passage = passage_new(site, responder, context, now);
    const struct mcp *mcp;
    size_t index;

    if (!passage) {
        responder->respond(context, &gone_response);
        return NULL;
    }
    /* Decoded already, and how it was written is not known: it must not be decoded again. */
    if (!request->target && strchr(request->path, '%')) {
        passage_answer(passage, &undecodable);
        passage_free(passage);
        return NULL;
    }
    mcp = endpoint_find(site->gateway, request->path, &index);
    if (!mcp)
        return handle_route(passage, request);
    passage->endpoint = site->endpoints[index];
    return passage_handle_mcp(passage, mcp, request);
}

void passage_gone(void *app, void *exchange)
{
    struct passage *passage = exchange;

    (void)app;
    passage->responder = NULL;
    if (passage->visit)
        haft_visit_cancel(passage->visit);
    if (!passage->exchange)
        return;
    endpoint_app.gone(passage->endpoint, passage->exchange);
    passage_free(passage);
}

/* A route's answer is wanted; what an endpoint's is, it knows once it has the request.  While a policy
 * waits, the handler has not begun, and a client that only closes its side cannot be told from one that
 * has left: it is taken for gone, so that nobody's password is checked for nobody. */
bool passage_half_closed(const void *app, const void *exchange)
{
    struct passage *passage = (void *)(uintptr_t)exchange;

    (void)app;
    passage->half_closed = true;
    if (passage->waits)
        return false;
    return !passage->exchange || endpoint_app.half_closed(passage->endpoint, passage->exchange);
}

/* ---- the time that passes ---- */

bool passage_is_at_work(const struct passage *passage)
{
    return passage->visit && passage->visit->call->inner.done;
}

void passage_tick(struct passage *passage, haft_time now)
{
    haft_visit *visit = passage->visit;

    if (!passage_is_at_work(passage) || haft_visit_tick(visit, now))
        return;
    if (passage->parked && !visit->given_up)
        visit_give_up(visit, 504);
    passage_answer(passage, &late_response);
}
