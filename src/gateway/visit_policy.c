/* visit_policy.c - the policies around a request: passed on its way in, waited for, and passed again
 * on its way out.
 *
 * A policy that waits holds no thread: the walk begins again where it stopped when the policy says so
 * by haft_continue. */
#include <string.h>

#include "gateway/gateway.h"

bool visit_concerns(const haft_visit *visit, const haft_policy *policy)
{
    return policy->scope == HAFT_BOTH || (policy->scope == HAFT_EDGE) == visit->edge;
}

void visit_fail(haft_visit *visit, const char *who, int status)
{
    visit->starved = false;
    haft_log(visit->call, HAFT_ERROR, "%s: %s", who, haft_strerror(status));
    if (!respond_problem(visit,
                         status == HAFT_EBUSY      ? 503
                         : status == HAFT_ECRASHED ? 502
                                                   : 500,
                         NULL, NULL))
        return;
    /* Not even that: there is no memory. */
    visit->response = (haft_response){.status = 500, .body = ""};
    visit->headers = (struct header_list){.n = 0};
    visit->answered = true;
}

int visit_is_late(haft_visit *visit)
{
    haft_call *call = visit->call;
    int status = visit->given_up                  ? visit->given_up
                 : haft_call_time_left(call) == 0 ? 504
                 : haft_call_cancelled(call)      ? 499
                                                  : 0;
    const char *detail = status == 504   ? "The time for the call is over."
                         : status == 499 ? "The call has been cancelled."
                         : status == 503 ? "The server is busy, or going away."
                                         : NULL;

    if (!status)
        return 0;
    call->stages.outcome = status == 504 ? HAFT_OUTCOME_TIMED_OUT : HAFT_OUTCOME_CANCELLED;
    return respond_problem(visit, status, detail, NULL) ? HAFT_ENOMEM : 1;
}

/* ---- in and out ---- */

/* The next policy has let the request in, and knows whose it is. */
static int note_authenticated(haft_visit *visit)
{
    struct authenticated *one = haft_arena_zalloc(visit->call->arena, 1, sizeof *one);

    if (!one)
        return HAFT_ENOMEM;
    *one = (struct authenticated){visit->authenticated, visit->policies->list[visit->n_passed]};
    visit->authenticated = one;
    return 0;
}

/* What a policy that has waited was continued with, unless that came too late. */
static int policy_resume(haft_visit *visit)
{
    int status = visit_is_late(visit);

    visit->pending = false;
    if (status)
        return status < 0 ? status : HAFT_STOP;
    return visit->wait_status == HAFT_PENDING ? HAFT_EINVAL : visit->wait_status;
}

static int policy_enter(haft_visit *visit, const haft_policy *policy)
{
    int status = 0;

    if (visit->pending) {
        status = policy_resume(visit);
    } else if (policy->inbound && visit_concerns(visit, policy)) {
        visit_expect(visit);
        status = policy->inbound(visit->call, policy->data);
        visit->pending = status == HAFT_PENDING;
    }
    return visit->pending ? HAFT_PENDING : unless_starved(visit, status);
}

/* What a policy has returned that it may not. */
static void policy_fail(haft_visit *visit, const haft_policy *policy, int status)
{
    if (status == HAFT_STOP)
        haft_log(visit->call, HAFT_ERROR, "policy %s returned HAFT_STOP without an answer",
                 policy->name);
    else if (status > 0)
        haft_log(visit->call, HAFT_ERROR, "policy %s returned %d, which is not a status",
                 policy->name, status);
    visit_fail(visit, policy->name, status < 0 ? status : HAFT_EINVAL);
}

bool visit_preflight(haft_visit *visit, const struct policy_list *policies)
{
    haft_call *call = visit->call;

    if (strcmp(visit->request.method, "OPTIONS") ||
        !haft_request_header(call, "access-control-request-method"))
        return false;
    for (size_t i = 0; i < policies->n && !visit->answered; i++) {
        const haft_policy *policy = &policies->list[i]->policy;
        int status = policy->preflight && visit_concerns(visit, policy)
                         ? unless_starved(visit, policy->inbound(call, policy->data))
                         : 0;

        if (status && (status != HAFT_STOP || !visit->answered))
            policy_fail(visit, policy, status);
    }
    return visit->answered;
}

int visit_inbound(haft_visit *visit)
{
    const struct policy_list *policies = visit->policies;

    while (policies && visit->n_passed < policies->n) {
        const haft_policy *policy = &policies->list[visit->n_passed]->policy;
        int status = policy_enter(visit, policy);

        if (status == HAFT_PENDING)
            return status;
        if (!status && policy->authenticates)
            status = note_authenticated(visit);
        if (status && (status != HAFT_STOP || !visit->answered))
            policy_fail(visit, policy, status);
        if (status)
            return HAFT_STOP;
        visit->n_passed++;
    }
    return 0;
}

void visit_outbound(haft_visit *visit)
{
    while (visit->n_passed) {
        const haft_policy *policy = &visit->policies->list[--visit->n_passed]->policy;
        int status = policy->outbound && visit_concerns(visit, policy)
                         ? policy->outbound(visit->call, policy->data)
                         : 0;

        status = unless_starved(visit, status);
        if (status)
            policy_fail(visit, policy, status);
    }
}
