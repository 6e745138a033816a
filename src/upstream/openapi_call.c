/* openapi_call.c - a call of a tool of an HTTP upstream. */
#include "engine/call/call.h"
#include "upstream/http_call.h"
#include "upstream/openapi.h"

/* A result that names the upstream, and neither the URL nor anything that was sent. */
static int openapi_fail(haft_call *call, const struct upstream *upstream,
                        const struct http_result *result)
{
    int64_t seconds = (result->retry_ms + 999) / 1000;

    if (result->fault == HTTP_FAULT_MEMORY)
        return HAFT_ENOMEM;
    if (result->fault == HTTP_FAULT_CANCELLED)
        return HAFT_ECANCELLED;
    haft_log(call, HAFT_WARNING, "upstream %s: %s", upstream->name, result->text);
    if (seconds)
        return haft_error(call, "The upstream %s did not answer: %s; try again in %lld s.",
                          upstream->name, result->text, (long long)seconds);
    return haft_error(call, "The upstream %s did not answer: %s%s.", upstream->name, result->text,
                      result->maybe_handled ? "; the request may have been executed" : "");
}

static int openapi_answer(struct http_call *own, const struct http_result *result)
{
    const struct http_tool *tool = own->data;
    const struct import_response response = {.status = result->status,
                                             .headers = result->headers,
                                             .n_headers = result->n_headers,
                                             .body = result->body,
                                             .size = result->size};

    return result->fault ? openapi_fail(own->call, own->sending.upstream, result)
                         : hf_import_respond(tool->operation, own->call, &response);
}

int hf_openapi_call(haft_call *call, const void *in, void *out)
{
    const struct http_tool *tool = haft_tool_data(call);
    struct http_call *own = hf_http_call_new(call, tool->http->upstream);
    struct http_message *message;
    struct import_request request;
    haft_reason reason = {0};
    int status;

    (void)in;
    (void)out;
    if (!own)
        return HAFT_ENOMEM;
    status = hf_import_request(tool->operation, haft_call_arguments(call), haft_call_arena(call),
                               &request, &reason);
    if (status == HAFT_EINVAL)
        return haft_error(call, "%s%s%s", reason.path, *reason.path ? ": " : "", reason.text);
    if (!status)
        status = hf_http_call_headers(own, request.headers, request.n_headers,
                                      call->request.forwarded, call->request.n_forwarded);
    if (status)
        return status;
    own->data = tool;
    own->answer = openapi_answer;
    message = &own->sending.message;
    message->method = request.method;
    message->target = request.target;
    message->body = request.body;
    message->body_size = request.body_size;
    message->credentials = tool->credentials;
    message->n_credentials = tool->n_credentials;
    return hf_http_call_start(own);
}
