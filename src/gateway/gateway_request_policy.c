/* gateway_request_policy.c - the policies of a request: passed on the way in, waited for, and
 * passed again on the way out.
 *
 * A policy that waits does not block a thread: processing resumes where it stopped when the policy
 * calls haft_continue. */
#include <string.h>

#include "gateway/gateway.h"

/* Whether a policy applies to this request. */
static bool policy_concerns(const haft_gateway_request *req, const haft_policy *policy)
{
    return policy->scope == HAFT_BOTH || (policy->scope == HAFT_EDGE) == req->edge;
}

void hf_gateway_request_fail(haft_gateway_request *req, const char *who, int status)
{
    req->out_of_memory = false;
    haft_log(req->call, HAFT_ERROR, "%s: %s", who, haft_strerror(status));
    if (!hf_respond_problem(req,
                            status == HAFT_EBUSY      ? 503
                            : status == HAFT_ECRASHED ? 502
                                                      : 500,
                            NULL, NULL))
        return;
    /* There is no memory for a response with a body. */
    req->response = (haft_response){.status = 500, .body = ""};
    req->headers = (struct header_list){.n = 0};
    req->answered = true;
}

int hf_gateway_request_is_late(haft_gateway_request *req)
{
    haft_call *call = req->call;
    int status = req->given_up                    ? req->given_up
                 : haft_call_time_left(call) == 0 ? 504
                 : haft_call_cancelled(call)      ? 499
                                                  : 0;
    const char *detail = status == 504   ? "The call timed out."
                         : status == 499 ? "The call was cancelled."
                         : status == 503 ? "The server is busy or shutting down."
                                         : NULL;

    if (!status)
        return 0;
    call->stages.outcome = status == 504 ? HAFT_OUTCOME_TIMED_OUT : HAFT_OUTCOME_CANCELLED;
    return hf_respond_problem(req, status, detail, NULL) ? HAFT_ENOMEM : 1;
}

/* ---- in and out ---- */

/* Records that the policy has identified the client. */
static int note_authenticated(haft_gateway_request *req)
{
    struct authenticated *one = haft_arena_zalloc(req->call->arena, 1, sizeof *one);

    if (!one)
        return HAFT_ENOMEM;
    *one = (struct authenticated){req->authenticated, req->policies->list[req->n_passed]->serial};
    req->authenticated = one;
    return 0;
}

/* The status that a waiting policy was continued with, unless it came too late. */
static int policy_resume(haft_gateway_request *req)
{
    int status = hf_gateway_request_is_late(req);

    req->pending = false;
    if (status)
        return status < 0 ? status : HAFT_STOP;
    return req->wait_status == HAFT_PENDING ? HAFT_EINVAL : req->wait_status;
}

static int policy_enter(haft_gateway_request *req, const haft_policy *policy)
{
    int status = 0;

    if (req->pending) {
        status = policy_resume(req);
    } else if (policy->inbound && policy_concerns(req, policy)) {
        hf_gateway_request_expect(req);
        status = policy->inbound(req->call, policy->data);
        req->pending = status == HAFT_PENDING;
    }
    return req->pending ? HAFT_PENDING : unless_out_of_memory(req, status);
}

/* Handles an invalid return value of a policy. */
static void policy_fail(haft_gateway_request *req, const haft_policy *policy, int status)
{
    if (status == HAFT_STOP)
        haft_log(req->call, HAFT_ERROR, "policy %s returned HAFT_STOP without a response",
                 policy->name);
    else if (status > 0)
        haft_log(req->call, HAFT_ERROR, "policy %s returned %d, which is not a haft status code",
                 policy->name, status);
    hf_gateway_request_fail(req, policy->name, status < 0 ? status : HAFT_EINVAL);
}

bool hf_gateway_request_preflight(haft_gateway_request *req, const struct policy_list *policies)
{
    haft_call *call = req->call;

    if (strcmp(req->request.method, "OPTIONS") ||
        !haft_request_header(call, "access-control-request-method"))
        return false;
    for (size_t i = 0; i < policies->n && !req->answered; i++) {
        const haft_policy *policy = &policies->list[i]->policy;
        int status = policy->preflight && policy_concerns(req, policy)
                         ? unless_out_of_memory(req, policy->inbound(call, policy->data))
                         : 0;

        if (status && (status != HAFT_STOP || !req->answered))
            policy_fail(req, policy, status);
    }
    return req->answered;
}

int hf_gateway_request_inbound(haft_gateway_request *req)
{
    const struct policy_list *policies = req->policies;

    while (policies && req->n_passed < policies->n) {
        const haft_policy *policy = &policies->list[req->n_passed]->policy;
        int status = policy_enter(req, policy);

        if (status == HAFT_PENDING)
            return status;
        if (!status && policy->authenticates && policy_concerns(req, policy))
            status = note_authenticated(req);
        if (status && (status != HAFT_STOP || !req->answered))
            policy_fail(req, policy, status);
        if (status)
            return HAFT_STOP;
        req->n_passed++;
    }
    return 0;
}

void hf_gateway_request_outbound(haft_gateway_request *req)
{
    while (req->n_passed) {
        const haft_policy *policy = &req->policies->list[--req->n_passed]->policy;
        int status = policy->outbound && policy_concerns(req, policy)
                         ? policy->outbound(req->call, policy->data)
                         : 0;

        status = unless_out_of_memory(req, status);
        if (status)
            policy_fail(req, policy, status);
    }
}
