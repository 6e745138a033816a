/* fault.c - converts outcomes to responses. */
#include "engine/call/fault.h"
#include "engine/call/plain_call.h"
#include "engine/call/respond.h"

#include <stdio.h>
#include <string.h>

enum { TEXT = 512 };

static const struct fault faults[] = {
#define FAULT_(outcome, revisions, code, before, after) {outcome, revisions, code, before, after},
    FAULTS(FAULT_)
#undef FAULT_
};

const struct fault *hf_fault_of(haft_outcome outcome, enum revision revision)
{
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        if (faults[i].outcome == outcome && faults[i].revisions & REV_BIT(revision))
            return &faults[i];
    return NULL;
}

int hf_fault_refuse(haft_call *call, haft_outcome outcome, const char *about, const char *detail)
{
    const struct fault *fault = hf_fault_of(outcome, call->revision);
    int status;

    status = haft_refuse(call, "%s%s%s%s", fault->before, about, fault->after, detail);
    call->stages.outcome = status == HAFT_STOP ? outcome : HAFT_OUTCOME_INTERNAL;
    return status;
}

/* Writes a result with one text to the owner's buffer. */
static void put_result(haft_call *call, const char *text, size_t size)
{
    haft_buffer *out = &call->owner->out;
    const struct text *tail = &call->server->modern_tail;

    buffer_literal(out, "{\"jsonrpc\":\"2.0\",\"id\":");
    hf_rpc_put_id(out, call->request.id);
    buffer_literal(out, ",\"result\":{\"content\":[");
    text_block_write(out, text, size);
    buffer_literal(out, "],\"isError\":true");
    if (hf_revision_rows[call->revision].modern) {
        buffer_literal(out, ",\"resultType\":\"complete\",\"_meta\":{");
        haft_buffer_add(out, tail->data, tail->size);
        haft_buffer_add(out, "}", 1);
    }
    buffer_literal(out, "}}");
    hf_respond_written(call, 0);
}

void hf_fault_answer(haft_call *call, haft_outcome outcome, const char *about, size_t size)
{
    const struct fault *fault = hf_fault_of(outcome, call->revision);
    char text[TEXT];

    snprintf(text, sizeof text, "%s%.*s%s", fault->before, hf_quotable_size(about, size), about,
             fault->after);
    if (fault->code)
        hf_respond_error(call, fault->code, text, NULL);
    else
        put_result(call, text, strlen(text));
}
