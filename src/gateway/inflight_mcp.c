/* inflight_mcp.c - requests for MCP endpoints: through the policies to the endpoint, and its
 * response back through them.
 *
 * Without policies the endpoint gets the original request, and only a small record of it is
 * created. */

#include "gateway/inflight.h"
#include "endpoint/endpoint.h"

/* ---- the endpoint's response ---- */

/* The response as modified by the outbound policies; NULL without memory. */
static const haft_response *pass_outbound(struct inflight *inflight, const haft_response *response)
{
    haft_gateway_request *req = inflight->req;

    if (!req)
        return response;
    if (req->out_of_memory || hf_response_take(req, response))
        return NULL;
    req->answered = true;
    hf_gateway_request_outbound(req);
    return &req->response;
}

/* The endpoint is finished with it: frees it now, or when the endpoint has returned. */
static void inflight_over(struct inflight *inflight)
{
    inflight->answered = true;
    if (!inflight->inside)
        hf_inflight_free(inflight);
}

static void on_respond(void *context, const haft_response *response)
{
    struct inflight *inflight = context;

    hf_inflight_answer(inflight, pass_outbound(inflight, response));
    inflight_over(inflight);
}

static void on_stream(void *context, const haft_response *head)
{
    struct inflight *inflight = context;

    head = pass_outbound(inflight, head);
    if (head && inflight->responder)
        inflight->responder->stream(inflight->context, head);
    else
        hf_inflight_answer(inflight, NULL); /* later output is discarded */
}

static void on_write(void *context, const char *bytes, size_t size)
{
    struct inflight *inflight = context;

    if (inflight->responder)
        inflight->responder->write(inflight->context, bytes, size);
}

static void on_end(void *context)
{
    struct inflight *inflight = context;
    const haft_responder *responder = inflight->responder;

    inflight->responder = NULL;
    if (responder)
        responder->end(inflight->context);
    inflight_over(inflight);
}

static const haft_responder through = {on_respond, on_stream, on_write, on_end};

/* ---- inbound ---- */

static struct inflight *inflight_mcp_enter(struct inflight *inflight, const haft_request *request,
                                           haft_time now)
{
    inflight->inside = true;
    inflight->exchange =
        hf_endpoint_app.handle(inflight->at->endpoint, request, &through, inflight, now);
    inflight->inside = false;
    if (!inflight->answered)
        return inflight;
    hf_inflight_free(inflight);
    return NULL;
}

struct inflight *hf_inflight_enter_endpoint(struct inflight *inflight)
{
    haft_gateway_request *req = inflight->req;

    gateway_request_identify(req);
    req->request.via_ = req;
    return inflight_mcp_enter(inflight, &req->request, inflight->now);
}

/* This loop's instance of the endpoint: every loop has all endpoints of its generation. */
static struct loop_endpoint *inflight_endpoint(const struct gateway_loop *gateway_loop,
                                               const struct mcp *mcp)
{
    struct loop_endpoint *at = gateway_loop->endpoints;

    while (at->mcp != mcp || at->leaving)
        at = at->next;
    return at;
}

void *hf_inflight_handle_mcp(struct inflight *inflight, const struct served *served,
                             const haft_request *request)
{
    const struct policy_list *policies = served->policies;
    haft_gateway_request *req;

    inflight->at = inflight_endpoint(inflight->gateway_loop, served->mcp);
    inflight->at->n_inflight++;

    if (!policies->n)
        return inflight_mcp_enter(inflight, request, inflight->now);
    req = hf_inflight_make_gateway_request(inflight, request);
    if (!req)
        return hf_inflight_refuse(inflight);
    req->policies = policies;
    req->mcp = true;
    hf_call_allow(req->call, 0);
    if (hf_gateway_request_preflight(req, policies)) {
        hf_inflight_answer(inflight, &req->response);
        hf_inflight_free(inflight);
        return NULL;
    }
    if (policies->blocks)
        return hf_inflight_send_away(inflight);
    if (policies->waits && !hf_inflight_keep_request(inflight))
        return hf_inflight_refuse(inflight);
    return hf_inflight_advance(inflight);
}
