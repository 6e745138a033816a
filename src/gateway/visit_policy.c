/* visit_policy.c - the policies around a request: passed on its way in, waited for, and passed again
 * on its way out.
 *
 * A policy that waits holds no thread.  It leaves behind what it waits for, and the walk begins again
 * where it stopped when that is there. */
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
    if (!respond_problem(visit, status == HAFT_EBUSY ? 503 : 500, NULL, NULL))
        return;
    /* Not even that: there is no memory. */
    visit->response = (haft_response){.status = 500, .body = ""};
    visit->headers = NULL;
    visit->n_headers = visit->room = 0;
    visit->answered = true;
}

int visit_is_late(haft_visit *visit)
{
    haft_call *call = visit->call;

    if (haft_time_left(call) == 0) {
        call->outcome = HAFT_OUTCOME_TIMED_OUT;
        return respond_problem(visit, 504, "The time for the call is over.", NULL) ? HAFT_ENOMEM
                                                                                   : 1;
    }
    if (!haft_cancelled(call))
        return 0;
    call->outcome = HAFT_OUTCOME_CANCELLED;
    return respond_problem(visit, 499, "The call has been cancelled.", NULL) ? HAFT_ENOMEM : 1;
}

/* ---- waiting ---- */

int visit_wait_for(haft_visit *visit, struct wait *wait)
{
    visit->wait = wait;
    visit->wait_over = false;
    return HAFT_PENDING;
}

bool visit_waits(const haft_visit *visit)
{
    return visit->wait && !visit->wait_over;
}

int visit_start_wait(haft_visit *visit, void (*done)(void *carrier), void *carrier)
{
    visit->wait_status = visit->wait->start(visit->wait, done, carrier);
    visit->wait_over = visit->wait_status;
    return visit->wait_status;
}

void visit_end_wait(haft_visit *visit)
{
    visit->wait_over = true;
}

/* What the policy makes of it. */
static int resume(haft_visit *visit)
{
    struct wait *wait = visit->wait;
    int status = visit_is_late(visit);

    visit->wait = NULL;
    if (status)
        return status < 0 ? status : HAFT_STOP;
    return wait->resume(visit->call, wait, visit->wait_status);
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

static int pass_in(haft_visit *visit, const haft_policy *policy)
{
    int status = 0;

    if (visit->wait)
        status = resume(visit);
    else if (policy->inbound && visit_concerns(visit, policy))
        status = policy->inbound(visit->call, policy->data);
    return unless_starved(visit, status);
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
            visit_fail(visit, policy->name, status < 0 ? status : HAFT_EINVAL);
    }
    return visit->answered;
}

int visit_inbound(haft_visit *visit)
{
    const struct policy_list *policies = visit->policies;

    while (policies && visit->n_passed < policies->n) {
        const haft_policy *policy = &policies->list[visit->n_passed]->policy;
        int status = pass_in(visit, policy);

        if (status == HAFT_PENDING && visit->wait)
            return status;
        if (status && (status != HAFT_STOP || !visit->answered)) {
            visit->wait = NULL;
            visit_fail(visit, policy->name, status < 0 ? status : HAFT_EINVAL);
            return HAFT_STOP;
        }
        if (status)
            return HAFT_STOP;
        if (policy->authenticates && note_authenticated(visit)) {
            visit_fail(visit, policy->name, HAFT_ENOMEM);
            return HAFT_STOP;
        }
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
        if (status < 0)
            visit_fail(visit, policy->name, status);
    }
}
