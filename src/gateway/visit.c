/* visit.c - a request on its way: in through the policies, to the handler, and out again.
 *
 * One walk for requests from outside and for those of haft_invoke; they differ in which policies
 * are there for them, and in whose identity and deadline they have.  Whatever happens, there is a
 * response at the end. */
#include <stdio.h>
#include <string.h>

#include "engine/call/cap.h"
#include "gateway/gateway.h"
#include "engine/call/event.h"
#include "engine/call/inner.h"
#include "engine/call/tool_call.h"
#include "engine/call/trace.h"

/* ---- life ---- */

/* Bad input: 400, with where each value came from. */
static int refuse_input(haft_call *call, const haft_issues *issues)
{
    call->stages.outcome = HAFT_OUTCOME_INVALID;
    return input_refuse_issues(call->inner.visit, issues, NULL);
}

haft_visit *visit_of_call(haft_gateway *gateway, haft_call *call, const haft_request *request)
{
    haft_visit *visit = call ? haft_arena_zalloc(call->arena, 1, sizeof *visit) : NULL;

    if (!visit) {
        inner_free(call);
        return NULL;
    }
    visit->gateway = gateway;
    visit->call = call;
    visit->request = *request;
    if (!request->target)
        visit->request.target = request->path;
    visit->edge = !call->inner.parent;
    visit->response.body = "";
    atomic_init(&visit->owners, 1);
    inner_on_finish(call, visit_continued, visit);
    call->inner.visit = visit;
    call->request.method = visit->request.target;
    call->request.peer = request->peer;
    if (visit->edge && request->n_headers) {
        haft_headers headers = {
            .list = request->headers, .n = request->n_headers, .index_ = request->index_};

        call->request.headers = &headers;
        trace_read(call);
        call->request.headers = NULL;
    }
    if (visit->edge)
        call->request.principal = request->principal;
    return visit;
}

void visit_set_route(haft_visit *visit, const struct route *route)
{
    visit->route = route;
    if (!route)
        return;
    visit->policies = atomic_load(&((struct route *)(uintptr_t)route)->policies);
    inner_set_tool(visit->call, &route->entry);
    visit->call->inner.on_invalid = refuse_input;
}

void visit_find_route(haft_visit *visit)
{
    const haft_request *request = &visit->request;

    visit->failure = router_find(&visit->gateway->router, request->method, request->target,
                                 visit->call->arena, &visit->match);
    if (visit->failure > 0)
        visit->failure = 0;
    visit_set_route(visit, visit->match.route);
}

haft_visit *haft_visit_new(haft_gateway *gateway, const haft_request *request, haft_time now)
{
    haft_visit *visit = visit_of_call(gateway, inner_new(gateway->server, NULL, now), request);

    if (visit)
        visit_find_route(visit);
    return visit;
}

bool haft_visit_quick(const haft_visit *visit)
{
    return !visit->route || (visit->route->info->quick && !visit->policies->blocks);
}

void haft_visit_cancel(haft_visit *visit)
{
    atomic_store(&visit->call->cancelled, true);
}

bool haft_visit_tick(haft_visit *visit, haft_time now)
{
    haft_call *call = visit->call;

    atomic_store(&call->time.now, now);
    if (!call->time.deadline || call->time.deadline > now)
        return true;
    haft_visit_cancel(visit);
    return false;
}

/* ---- what a handler has answered ---- */

/* How long a rate limit wants to be waited for. */
static int put_retry_after(haft_visit *visit)
{
    char seconds[32];

    snprintf(seconds, sizeof seconds, "%lld",
             (long long)(visit->call->stages.retry_after_ms + 999) / 1000);
    return haft_response_set_header(visit->call, "Retry-After", seconds);
}

/* An error in words: by the handler, or by a stage in front of it. */
static int respond_with_error(haft_visit *visit, bool refused)
{
    haft_call *call = visit->call;
    bool limited = call->stages.outcome == HAFT_OUTCOME_RATE_LIMITED;
    int status = visit->wished ? visit->wished : limited ? 429 : refused ? 403 : 500;
    const char *text = content_text(call);
    int failed = limited ? put_retry_after(visit) : 0;

    if (!text || failed)
        return HAFT_ENOMEM;
    return respond_problem(visit, status, text, NULL);
}

/* What the handler has left behind, as a response. */
static int respond_with_result(haft_visit *visit, bool refused)
{
    haft_call *call = visit->call;
    const char *text;
    int status;

    if (visit->answered)
        return 0;
    if (call->result.is_error)
        return respond_with_error(visit, refused);
    if (call->structured.size) {
        status = haft_response_set_header(call, "Content-Type", "application/json");
        haft_buffer_add(&call->structured, "", 1);
        if (status || call->structured.status)
            return status ? status : call->structured.status;
        visit->response.status = visit->wished ? visit->wished : 200;
        visit->response.body = call->structured.data;
        visit->response.size = --call->structured.size;
        visit->answered = true;
        return 0;
    }
    if (!call->content.n)
        return haft_respond(call, visit->wished ? visit->wished : 204, NULL, NULL, 0);
    text = content_text(call);
    return text ? haft_respond(call, visit->wished ? visit->wished : 200,
                               "text/plain; charset=utf-8", text, strlen(text))
                : HAFT_ENOMEM;
}

/* ---- the handler ---- */

static haft_outcome outcome_of(const haft_visit *visit, int status)
{
    if (visit->call->stages.outcome)
        return visit->call->stages.outcome;
    if (status < 0)
        return HAFT_OUTCOME_FAILED;
    return visit->response.status >= 400 ? HAFT_OUTCOME_ERROR : HAFT_OUTCOME_OK;
}

/* It is over, whether it has been run or not; the next one in line may begin. */
static void handler_end(haft_visit *visit, int status)
{
    haft_call *call = visit->call;

    if (call->line.running)
        cap_leave(call);
    stages_after(call, outcome_of(visit, status));
    event_of_end(call);
}

/* What the handler has come to, as a response. */
static void handler_conclude(haft_visit *visit, int status, bool refused)
{
    haft_call *call = visit->call;

    status = unless_starved(visit, status > 0 ? HAFT_EINVAL : status);
    if (status == CALL_LATE) {
        visit->given_up = 504;
        status = visit_is_late(visit) < 0 ? HAFT_ENOMEM : 0;
    }
    if (!status)
        status = respond_with_result(visit, refused);
    if (!status && !refused && visit_is_late(visit) < 0)
        status = HAFT_ENOMEM;
    if (status < 0) {
        if (call->result.is_error && !visit->answered && !respond_with_error(visit, false))
            status = 0;
        else
            visit_fail(visit, "the handler", status);
    }
    handler_end(visit, status);
}

/* One that has not been run, or whose result has come too late. */
static void handler_skip(haft_visit *visit, int status)
{
    if (status < 0)
        visit_fail(visit, "the handler", status);
    handler_end(visit, status);
}

/* Its turn has come. */
static int handler_run(haft_visit *visit)
{
    int status;

    visit_expect(visit);
    status = inner_run(visit->call);
    visit->pending = status == HAFT_PENDING;
    if (!visit->pending)
        handler_conclude(visit, status, false);
    return visit->pending ? HAFT_PENDING : 0;
}

/* Runs it, or waits for its turn. */
static int handler_launch(haft_visit *visit)
{
    haft_call *call = visit->call;
    int status = 1;

    visit_expect(visit);
    if (call->item->cap)
        status = cap_enter(call);
    if (status > 0)
        return handler_run(visit);
    visit->in_line = visit->pending = !status;
    if (!status)
        return HAFT_PENDING;
    if (haft_response_set_header(call, "Retry-After", "1"))
        status = HAFT_ENOMEM;
    handler_conclude(visit, status, false);
    return 0;
}

/* Through the stages, from where the call stands, to the handler.  0 when it is over, HAFT_PENDING while a
 * stage or the handler waits. */
static int handler_walk(haft_visit *visit, int status)
{
    haft_call *call = visit->call;
    bool refused;

    if (!status)
        status = stages_before(call);
    if (!status)
        status = stages_ready(call);
    visit->in_stages = visit->pending = status == HAFT_PENDING;
    refused = status == HAFT_STOP;
    if (!status)
        return handler_launch(visit);
    if (visit->pending)
        return HAFT_PENDING;
    handler_conclude(visit, refused ? 0 : status, refused);
    return 0;
}

static int handler_enter(haft_visit *visit)
{
    haft_call *call = visit->call;
    int status = visit_is_late(visit);

    event_of_start(call);
    if (status) {
        handler_skip(visit, status);
        return 0;
    }
    status = input_read(visit, &call->args.json);
    if (status == HAFT_STOP)
        call->stages.outcome = HAFT_OUTCOME_INVALID;
    visit_expect(visit);
    return handler_walk(visit, status);
}

/* What was pending has come: the walk goes on behind the stage that waited, or the handler is done. */
static int handler_resume(haft_visit *visit)
{
    haft_call *call = visit->call;
    int late = visit_is_late(visit), status;
    bool in_line = visit->in_line;

    visit->pending = visit->in_line = false;
    if (in_line)
        cap_has_turn(call);
    if (late) {
        handler_skip(visit, late);
        return 0;
    }
    if (in_line)
        return handler_run(visit);
    if (visit->in_stages) {
        status = stages_continue(call, visit->wait_status);
        visit_expect(visit);
        return handler_walk(visit, status);
    }
    status = call_understand(call, visit->wait_status);
    if (!status && !call->result.is_error)
        status = tool_check(call);
    handler_conclude(visit, status, false);
    return 0;
}

/* ---- no route ---- */

static int respond_allow(haft_visit *visit, int status, const char *detail)
{
    haft_call *call = visit->call;
    haft_buffer allow;
    int failed;

    haft_buffer_init(&allow, call->server->allocator, 1024);
    for (size_t i = 0; i < visit->match.n_methods; i++) {
        haft_buffer_printf(&allow, "%s%s", i ? ", " : "", visit->match.methods[i]);
        if (!strcmp(visit->match.methods[i], "GET"))
            haft_buffer_puts(&allow, ", HEAD");
    }
    haft_buffer_puts(&allow, ", OPTIONS");
    haft_buffer_add(&allow, "", 1);
    failed = allow.status ? allow.status : haft_response_set_header(call, "Allow", allow.data);
    haft_buffer_finish(&allow);
    if (failed)
        return failed;
    return detail ? respond_problem(visit, status, detail, NULL)
                  : haft_respond(call, status, NULL, NULL, 0);
}

/* OPTIONS: what the path allows, after a word with the policies that answer such a question for the
 * method that is asked about. */
static int respond_options(haft_visit *visit)
{
    haft_call *call = visit->call;
    const char *method = haft_request_header(call, "access-control-request-method");
    const struct policy_list *policies;
    const struct route *route;
    struct match match;
    int status;

    if (!method)
        return respond_allow(visit, 204, NULL);
    status =
        router_find(&visit->gateway->router, method, visit->request.target, call->arena, &match);
    if (status < 0)
        return status;
    route = match.route;
    policies = route ? atomic_load(&route->policies) : NULL;
    return policies && visit_preflight(visit, policies) ? 0 : respond_allow(visit, 204, NULL);
}

static int respond_without_route(haft_visit *visit)
{
    const haft_request *request = &visit->request;
    haft_arena *arena = visit->call->arena;

    if (visit->failure == HAFT_EINVAL)
        return respond_problem(visit, 400, "The path is not well written.", NULL);
    if (visit->failure)
        return visit->failure;
    if (!visit->match.n_methods)
        return respond_problem(
            visit, 404, haft_arena_printf(arena, "There is no route %s.", request->target), NULL);
    if (!strcmp(request->method, "OPTIONS"))
        return respond_options(visit);
    return respond_allow(
        visit, 405,
        haft_arena_printf(arena, "The route %s has no %s.", request->target, request->method));
}

/* ---- the whole way ---- */

/* Whether there is a way to go: a route, and time. */
static bool enter(haft_visit *visit)
{
    int status = visit_is_late(visit);

    if (!status && !visit->route)
        status = unless_starved(visit, respond_without_route(visit));
    if (status < 0)
        visit_fail(visit, visit->request.target, status);
    return !status && visit->route;
}

int visit_advance(haft_visit *visit)
{
    int status;

    if (visit->step == VISIT_START)
        visit->step = visit->mcp || enter(visit) ? VISIT_INBOUND : VISIT_END;
    if (visit->step == VISIT_INBOUND) {
        status = visit_inbound(visit);
        if (status == HAFT_PENDING)
            return status;
        visit->step = status ? VISIT_OUTBOUND : visit->mcp ? VISIT_END : VISIT_HANDLER;
    }
    if (visit->step == VISIT_HANDLER) {
        if (visit->pending ? handler_resume(visit) : handler_enter(visit))
            return HAFT_PENDING;
        visit->step = VISIT_OUTBOUND;
    }
    if (visit->step == VISIT_OUTBOUND) {
        visit->step = VISIT_END;
        visit_outbound(visit);
    }
    return 0;
}
