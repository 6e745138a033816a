/* gateway_request.c - a request in progress: in through the policies, to the handler, and out
 * again.
 *
 * External requests and those of haft_invoke use the same code; they differ in which policies
 * apply, and in whose identity and deadline they have. There is always a response at the end. */
#include <stdio.h>
#include <string.h>

#include "engine/call/cap.h"
#include "gateway/gateway.h"
#include "engine/call/event.h"
#include "engine/call/inner.h"
#include "engine/call/tool_call.h"
#include "engine/call/trace.h"
#include "protocol/header.h"

/* ---- lifetime ---- */

/* Invalid input: responds with 400, and the source of each value. */
static int refuse_input(haft_call *call, const haft_issues *issues)
{
    call->stages.outcome = HAFT_OUTCOME_INVALID;
    return hf_input_refuse_issues(call->inner.req, issues, NULL);
}

haft_gateway_request *hf_gateway_request_of_call(struct generation *generation, haft_call *call,
                                                 const haft_request *request)
{
    haft_gateway_request *req = call ? haft_arena_zalloc(call->arena, 1, sizeof *req) : NULL;

    if (!req) {
        hf_inner_free(call);
        hf_generation_drop(generation);
        return NULL;
    }
    req->gateway = generation->gateway;
    req->generation = generation;
    req->call = call;
    req->request = *request;
    if (!request->target)
        req->request.target = request->path;
    req->edge = !call->inner.parent;
    req->response.body = "";
    atomic_init(&req->owners, 1);
    hf_inner_on_finish(call, hf_gateway_request_continued, req);
    call->inner.req = req;
    call->request.method = req->request.target;
    call->request.peer = request->peer;
    if (req->edge && request->n_headers) {
        struct haft_header_index index;
        haft_headers headers = {.index_ = request->index_ ? request->index_ : &index};

        if (!request->index_)
            hf_headers_index(request->headers, request->n_headers, &index);
        call->request.headers = &headers;
        hf_trace_read(call);
        call->request.headers = NULL;
    }
    if (req->edge)
        hf_gateway_request_take_identity(req, request);
    return req;
}

void hf_gateway_request_set_route(haft_gateway_request *req, const struct route *route)
{
    req->route = route;
    if (!route)
        return;
    req->policies = route->policies;
    hf_inner_set_tool(req->call, &route->entry);
    req->call->inner.on_invalid = refuse_input;
}

void hf_gateway_request_find_route(haft_gateway_request *req)
{
    const haft_request *request = &req->request;

    req->failure = hf_router_find(&req->generation->router, request->method, request->target,
                                  req->call->arena, &req->match);
    if (req->failure > 0)
        req->failure = 0;
    hf_gateway_request_set_route(req, req->match.route);
}

haft_gateway_request *haft_gateway_request_new(haft_gateway *gateway, const haft_request *request,
                                               haft_time now)
{
    haft_gateway_request *req = hf_gateway_request_of_call(
        hf_generation_hold(gateway), hf_inner_new(gateway->server, NULL, now), request);

    if (req)
        hf_gateway_request_find_route(req);
    return req;
}

bool haft_gateway_request_quick(const haft_gateway_request *req)
{
    return !req->route || (req->route->info->quick && !req->policies->blocks);
}

void haft_gateway_request_cancel(haft_gateway_request *req)
{
    hf_call_cancel(req->call);
}

bool haft_gateway_request_tick(haft_gateway_request *req, haft_time now)
{
    haft_call *call = req->call;

    atomic_store(&call->time.now, now);
    if (!call->time.deadline || call->time.deadline > now)
        return true;
    haft_gateway_request_cancel(req);
    return false;
}

/* ---- the handler's result ---- */

/* The time to wait that a rate limit requires. */
static int put_retry_after(haft_gateway_request *req)
{
    char seconds[32];

    snprintf(seconds, sizeof seconds, "%lld",
             (long long)(req->call->stages.retry_after_ms + 999) / 1000);
    return haft_response_set_header(req->call, "Retry-After", seconds);
}

/* Responds with the error text of the handler or of a stage before it. */
static int respond_with_error(haft_gateway_request *req, bool refused)
{
    haft_call *call = req->call;
    bool limited = call->stages.outcome == HAFT_OUTCOME_RATE_LIMITED;
    int status = req->status_override ? req->status_override : limited ? 429 : refused ? 403 : 500;
    const char *text = hf_content_text(call);
    int failed = limited ? put_retry_after(req) : 0;

    if (call->stages.outcome == HAFT_OUTCOME_FORBIDDEN && call->item->scopes && !failed)
        failed = hf_protected_challenge(req, call->item->scopes);

    if (!text || failed)
        return HAFT_ENOMEM;
    return hf_respond_problem(req, status, text, NULL);
}

/* Converts the handler's result to a response. */
static int respond_with_result(haft_gateway_request *req, bool refused)
{
    haft_call *call = req->call;
    const char *text;
    int status;

    if (req->answered)
        return 0;
    if (call->result.is_error)
        return respond_with_error(req, refused);
    if (call->structured.size) {
        status = haft_response_set_header(call, "Content-Type", "application/json");
        haft_buffer_add(&call->structured, "", 1);
        if (status || call->structured.status)
            return status ? status : call->structured.status;
        req->response.status = req->status_override ? req->status_override : 200;
        req->response.body = call->structured.data;
        req->response.size = --call->structured.size;
        req->answered = true;
        return 0;
    }
    if (!call->content.n)
        return haft_respond(call, req->status_override ? req->status_override : 204, NULL, NULL, 0);
    text = hf_content_text(call);
    return text ? haft_respond(call, req->status_override ? req->status_override : 200,
                               "text/plain; charset=utf-8", text, strlen(text))
                : HAFT_ENOMEM;
}

/* ---- the handler ---- */

static haft_outcome outcome_of(const haft_gateway_request *req, int status)
{
    if (req->call->stages.outcome)
        return req->call->stages.outcome;
    if (status < 0)
        return HAFT_OUTCOME_FAILED;
    return req->response.status >= 400 ? HAFT_OUTCOME_ERROR : HAFT_OUTCOME_OK;
}

/* The handler is finished, whether it ran or not; the next in the queue may start. The response
 * exists. */
static void handler_end(haft_gateway_request *req, int status)
{
    haft_call *call = req->call;

    if (call->line.running)
        hf_cap_leave(call);
    call_move(call, CALL_OVER);
    hf_call_conclude(call, outcome_of(req, status), NULL);
}

/* Responds with the handler's result. */
static void handler_conclude(haft_gateway_request *req, int status, bool refused)
{
    haft_call *call = req->call;

    status = unless_out_of_memory(req, status > 0 ? HAFT_EINVAL : status);
    if (status == CALL_LATE) {
        req->given_up = 504;
        status = hf_gateway_request_is_late(req) < 0 ? HAFT_ENOMEM : 0;
    }
    if (!status)
        status = respond_with_result(req, refused);
    if (!status && !refused && hf_gateway_request_is_late(req) < 0)
        status = HAFT_ENOMEM;
    if (status < 0) {
        if (call->result.is_error && !req->answered && !respond_with_error(req, false))
            status = 0;
        else
            hf_gateway_request_fail(req, "the handler", status);
    }
    handler_end(req, status);
}

/* For a handler that did not run, or whose result came too late. */
static void handler_skip(haft_gateway_request *req, int status)
{
    if (status < 0)
        hf_gateway_request_fail(req, "the handler", status);
    handler_end(req, status);
}

/* Its turn has come. */
static int handler_run(haft_gateway_request *req)
{
    int status;

    hf_gateway_request_expect(req);
    call_move(req->call, CALL_RUNNING);
    status = hf_inner_run(req->call);
    req->pending = status == HAFT_PENDING;
    if (req->pending)
        call_move(req->call, CALL_PENDING);
    else
        handler_conclude(req, status, false);
    return req->pending ? HAFT_PENDING : 0;
}

/* Runs it, or waits for its turn. */
static int handler_launch(haft_gateway_request *req)
{
    haft_call *call = req->call;
    int status = 1;

    hf_gateway_request_expect(req);
    if (call->item->cap)
        status = hf_cap_enter(call);
    if (status > 0)
        return handler_run(req);
    req->in_line = req->pending = !status;
    if (!status) {
        call_move(call, CALL_IN_LINE);
        return HAFT_PENDING;
    }
    if (haft_response_set_header(call, "Retry-After", "1"))
        status = HAFT_ENOMEM;
    handler_conclude(req, status, false);
    return 0;
}

/* Goes through the remaining stages to the handler. Returns 0 when done, HAFT_PENDING while a stage
 * or the handler waits. */
static int handler_walk(haft_gateway_request *req, int status)
{
    haft_call *call = req->call;
    bool refused;

    call_move(call, CALL_STAGES);
    if (!status)
        status = hf_stages_before(call);
    if (!status)
        status = hf_stages_ready(call);
    req->in_stages = req->pending = status == HAFT_PENDING;
    refused = status == HAFT_STOP;
    if (!status)
        return handler_launch(req);
    if (req->pending) {
        call_move(call, CALL_HELD);
        return HAFT_PENDING;
    }
    handler_conclude(req, refused ? 0 : status, refused);
    return 0;
}

static int handler_enter(haft_gateway_request *req)
{
    haft_call *call = req->call;
    int status = hf_gateway_request_is_late(req);

    call->stages.staged = true;
    hf_event_of_start(call);
    if (status) {
        handler_skip(req, status);
        return 0;
    }
    status = hf_input_read(req, &call->args.json);
    if (status == HAFT_STOP)
        call->stages.outcome = HAFT_OUTCOME_INVALID;
    hf_gateway_request_expect(req);
    return handler_walk(req, status);
}

/* Continues after a pending stage, or concludes a pending handler. */
static int handler_resume(haft_gateway_request *req)
{
    haft_call *call = req->call;
    int late = hf_gateway_request_is_late(req), status;
    bool in_line = req->in_line;

    req->pending = req->in_line = false;
    if (in_line)
        hf_cap_has_turn(call);
    if (late) {
        handler_skip(req, late);
        return 0;
    }
    if (in_line)
        return handler_run(req);
    if (req->in_stages) {
        status = hf_stages_continue(call, req->wait_status);
        hf_gateway_request_expect(req);
        return handler_walk(req, status);
    }
    status = hf_call_understand(call, req->wait_status);
    if (!status && !call->result.is_error)
        status = hf_tool_check(call);
    handler_conclude(req, status, false);
    return 0;
}

/* ---- no route ---- */

static int respond_allow(haft_gateway_request *req, int status, const char *detail)
{
    haft_call *call = req->call;
    haft_buffer allow;
    int failed;

    haft_buffer_init(&allow, call->server->allocator, 1024);
    for (size_t i = 0; i < req->match.n_methods; i++) {
        haft_buffer_printf(&allow, "%s%s", i ? ", " : "", req->match.methods[i]);
        if (!strcmp(req->match.methods[i], "GET"))
            haft_buffer_puts(&allow, ", HEAD");
    }
    haft_buffer_puts(&allow, ", OPTIONS");
    haft_buffer_add(&allow, "", 1);
    failed = allow.status ? allow.status : haft_response_set_header(call, "Allow", allow.data);
    haft_buffer_finish(&allow);
    if (failed)
        return failed;
    return detail ? hf_respond_problem(req, status, detail, NULL)
                  : haft_respond(call, status, NULL, NULL, 0);
}

/* OPTIONS: lists the allowed methods, after giving the policies of the requested method the
 * opportunity to answer. */
static int respond_options(haft_gateway_request *req)
{
    haft_call *call = req->call;
    const char *method = haft_request_header(call, "access-control-request-method");
    const struct policy_list *policies;
    const struct route *route;
    struct match match;
    int status;

    if (!method)
        return respond_allow(req, 204, NULL);
    status =
        hf_router_find(&req->generation->router, method, req->request.target, call->arena, &match);
    if (status < 0)
        return status;
    route = match.route;
    policies = route ? route->policies : NULL;
    return policies && hf_gateway_request_preflight(req, policies) ? 0
                                                                   : respond_allow(req, 204, NULL);
}

static int respond_without_route(haft_gateway_request *req)
{
    const haft_request *request = &req->request;
    haft_arena *arena = req->call->arena;

    if (req->failure == HAFT_EINVAL)
        return hf_respond_problem(req, 400, "The path is malformed.", NULL);
    if (req->failure)
        return req->failure;
    if (!req->match.n_methods)
        return hf_respond_problem(
            req, 404, haft_arena_printf(arena, "No route matches %s.", request->target), NULL);
    if (!strcmp(request->method, "OPTIONS"))
        return respond_options(req);
    return respond_allow(req, 405,
                         haft_arena_printf(arena, "The route %s does not support %s.",
                                           request->target, request->method));
}

/* ---- the whole request ---- */

/* Whether the request can proceed: it has a route and time. */
static bool gateway_request_enter(haft_gateway_request *req)
{
    int status = hf_gateway_request_is_late(req);

    if (!status && !req->route)
        status = unless_out_of_memory(req, respond_without_route(req));
    if (status < 0)
        hf_gateway_request_fail(req, req->request.target, status);
    return !status && req->route;
}

int hf_gateway_request_advance(haft_gateway_request *req)
{
    int status;

    if (req->step == STEP_START)
        req->step = req->mcp || gateway_request_enter(req) ? STEP_INBOUND : STEP_END;
    if (req->step == STEP_INBOUND) {
        status = hf_gateway_request_inbound(req);
        if (status == HAFT_PENDING)
            return status;
        req->step = status ? STEP_OUTBOUND : req->mcp ? STEP_END : STEP_HANDLER;
    }
    if (req->step == STEP_HANDLER) {
        if (req->pending ? handler_resume(req) : handler_enter(req))
            return HAFT_PENDING;
        req->step = STEP_OUTBOUND;
    }
    if (req->step == STEP_OUTBOUND) {
        req->step = STEP_END;
        hf_gateway_request_outbound(req);
    }
    return 0;
}
