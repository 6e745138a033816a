/* event.c - events about calls. */
#include "engine/call/event.h"
#include "engine/offer/event.h"

static void tell_call(const haft_call *call, haft_event_kind kind)
{
    char id[RPC_ID_TEXT];

    hf_call_put_id(call, id);
    hf_event_tell(
        call->server,
        &(haft_event){.kind = kind,
                      .tool = hf_call_tool(call),
                      .request_id = id,
                      .client = call->client.name,
                      .principal = call->request.principal,
                      .trace_id = call->request.trace ? call->request.trace->trace_id : NULL,
                      .outcome = call->stages.outcome,
                      .ms = (double)hf_call_nanoseconds(call) / 1e6});
}

void hf_event_of_start(haft_call *call)
{
    if (!call->server->watching.n_watchers)
        return;
    call->stages.reported = true;
    tell_call(call, HAFT_EVENT_CALL_STARTED);
}

void hf_event_of_end(haft_call *call)
{
    static const haft_event_kind kinds[HAFT_OUTCOME_COUNT_] = {
        [HAFT_OUTCOME_OK] = HAFT_EVENT_CALL_FINISHED,
        [HAFT_OUTCOME_ERROR] = HAFT_EVENT_CALL_FAILED,
        [HAFT_OUTCOME_INVALID] = HAFT_EVENT_CALL_FAILED,
        [HAFT_OUTCOME_NOT_FOUND] = HAFT_EVENT_CALL_FAILED,
        [HAFT_OUTCOME_DISABLED] = HAFT_EVENT_CALL_FAILED,
        [HAFT_OUTCOME_RATE_LIMITED] = HAFT_EVENT_CALL_RATE_LIMITED,
        [HAFT_OUTCOME_TIMED_OUT] = HAFT_EVENT_CALL_TIMED_OUT,
        [HAFT_OUTCOME_CANCELLED] = HAFT_EVENT_CALL_FAILED,
        [HAFT_OUTCOME_INPUT] = HAFT_EVENT_CALL_FINISHED,
        [HAFT_OUTCOME_FAILED] = HAFT_EVENT_CALL_FAILED,
        [HAFT_OUTCOME_INTERNAL] = HAFT_EVENT_CALL_FAILED,
        [HAFT_OUTCOME_FORBIDDEN] = HAFT_EVENT_CALL_FAILED,
        [HAFT_OUTCOME_TASK] = HAFT_EVENT_CALL_FINISHED,
    };

    if (!call->stages.reported)
        return;
    call->stages.reported = false;
    tell_call(call, kinds[call->stages.outcome]);
}
