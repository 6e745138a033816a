/* passage_mcp.c - requests for MCP endpoints: through the policies to the endpoint, and its answer back
 * through them.
 *
 * Without policies the endpoint gets the request as it came, and nothing is made for it but a note of who
 * has it. */
#include <string.h>

#include "gateway/passage.h"
#include "endpoint/endpoint.h"

/* ---- the endpoint's answer ---- */

/* The answer as the policies on the way out leave it; NULL without memory. */
static const haft_response *pass_outbound(struct passage *passage, const haft_response *response)
{
    haft_visit *visit = passage->visit;

    if (!visit)
        return response;
    if (visit->starved || response_take(visit, response))
        return NULL;
    visit->answered = true;
    visit_outbound(visit);
    return &visit->response;
}

/* The endpoint is done with it: now, or when it has returned. */
static void passage_over(struct passage *passage)
{
    passage->answered = true;
    if (!passage->inside)
        passage_free(passage);
}

static void on_respond(void *context, const haft_response *response)
{
    struct passage *passage = context;

    passage_answer(passage, pass_outbound(passage, response));
    passage_over(passage);
}

static void on_stream(void *context, const haft_response *head)
{
    struct passage *passage = context;

    head = pass_outbound(passage, head);
    if (head && passage->responder)
        passage->responder->stream(passage->context, head);
    else
        passage_answer(passage, NULL); /* and what comes after it goes nowhere */
}

static void on_write(void *context, const char *bytes, size_t size)
{
    struct passage *passage = context;

    if (passage->responder)
        passage->responder->write(passage->context, bytes, size);
}

static void on_end(void *context)
{
    struct passage *passage = context;
    const haft_responder *responder = passage->responder;

    passage->responder = NULL;
    if (responder)
        responder->end(passage->context);
    passage_over(passage);
}

static const haft_responder through = {on_respond, on_stream, on_write, on_end};

/* ---- the way in ---- */

static struct passage *enter(struct passage *passage, const haft_request *request, haft_time now)
{
    passage->inside = true;
    passage->exchange = endpoint_app.handle(passage->endpoint, request, &through, passage, now);
    passage->inside = false;
    if (!passage->answered)
        return passage;
    passage_free(passage);
    return NULL;
}

struct passage *passage_enter_endpoint(struct passage *passage)
{
    haft_visit *visit = passage->visit;

    visit->request.principal = visit->call->request.principal;
    visit->request.via_ = visit;
    return enter(passage, &visit->request, passage->now);
}

void *passage_handle_mcp(struct passage *passage, const struct mcp *mcp,
                         const haft_request *request)
{
    const struct policy_list *policies = atomic_load(&mcp->policies);
    haft_visit *visit;

    if (!policies->n)
        return enter(passage, request, passage->now);
    visit = passage_make_visit(passage, request);
    if (!visit)
        return passage_refuse(passage);
    visit->policies = policies;
    visit->mcp = true;
    call_allow(visit->call, 0);
    if (visit_preflight(visit, policies)) {
        passage_answer(passage, &visit->response);
        passage_free(passage);
        return NULL;
    }
    if (policies->blocks)
        return passage_send_away(passage);
    if (policies->waits && !passage_keep_request(passage))
        return passage_refuse(passage);
    return passage_advance(passage);
}

/* ---- which endpoint ---- */

/* The two paths of the transport of 2024-11-05, which an endpoint can have besides its own. */
static bool is_legacy(const haft_gateway *gateway, const char *path)
{
    return gateway->legacy_sse && (path_is(path, "/sse") || path_is(path, "/messages"));
}

const struct mcp *endpoint_find(const haft_gateway *gateway, const char *path, size_t *ret_index)
{
    size_t i = 0;

    for (const struct mcp *mcp = gateway->endpoints; mcp; mcp = mcp->next, i++)
        if (path_is(path, mcp->path) || (!i && is_legacy(gateway, path))) {
            if (ret_index)
                *ret_index = i;
            return mcp;
        }
    return NULL;
}
