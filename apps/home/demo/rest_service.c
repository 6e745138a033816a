/* rest_service.c - services over REST: the list of them, and calls. */
#include "demo/rest.h"

void demo_rest_services(struct demo_rest *rest)
{
    demo_services_write(rest->demo, &rest->w, true);
}

static void rest_changed(struct demo_rest *rest, const struct demo_context *context)
{
    struct demo *demo = rest->demo;

    hf_json_begin_array(&rest->w);
    for (size_t i = 0; i < demo->n_entities; i++)
        if (!strcmp(demo->entities[i]->state->context.id, context->id))
            demo_state_write(demo, &rest->w, demo->entities[i], demo->entities[i]->state);
    hf_json_end_array(&rest->w);
}

/* Checks that come before those of the data.  Returns whether the call may go on. */
static bool rest_may_call(struct demo_rest *rest, const struct demo_call *call)
{
    const struct demo_service *service = demo_service_find(rest->demo, call->domain, call->name);

    if (!service) {
        demo_rest_text(rest, 400, "400: Bad Request");
        return false;
    }
    if (service->flags & SERVICE_RESPONDS_ONLY && !call->wants_response) {
        demo_rest_message(rest, 400,
                          "Service call requires responses but caller did not ask for responses. "
                          "Add ?return_response to query parameters.");
        return false;
    }
    if (call->wants_response && !(service->flags & (SERVICE_RESPONDS | SERVICE_RESPONDS_ONLY))) {
        demo_rest_message(
            rest, 400, "Service does not support responses. Remove return_response from request.");
        return false;
    }
    return true;
}

static void rest_answer(struct demo_rest *rest, const struct demo_call *call)
{
    if (!call->wants_response) {
        rest_changed(rest, &call->context);
        return;
    }
    hf_json_begin_object(&rest->w);
    json_key(&rest->w, "changed_states");
    rest_changed(rest, &call->context);
    json_key(&rest->w, "service_response");
    if (call->response)
        hf_json_raw(&rest->w, call->response, strlen(call->response));
    else
        hf_json_empty_object(&rest->w);
    hf_json_end_object(&rest->w);
}

void demo_rest_call(struct demo_rest *rest)
{
    const char *slash = strchr(rest->tail, '/');
    haft_value *body = slash ? demo_rest_body(rest) : NULL;
    struct demo_call call = {.demo = rest->demo};

    if (!slash) {
        demo_rest_text(rest, 404, "404: Not Found");
        return;
    }
    if (!body)
        return;
    call.domain = haft_arena_copy(rest->demo->scratch, rest->tail, (size_t)(slash - rest->tail));
    call.name = slash + 1;
    call.wants_response = demo_rest_query(rest, "return_response");
    demo_context_new(rest->demo, NULL, true, &call.context);
    if (!call.domain)
        rest->response->body.status = HAFT_ENOMEM;
    else if (!rest_may_call(rest, &call))
        return;
    else if (!demo_call_service(&call, body, NULL))
        rest_answer(rest, &call);
    else if (call.failure == DEMO_INVALID || call.failure == DEMO_NO_SERVICE)
        demo_rest_text(rest, 400, "400: Bad Request");
    else
        demo_rest_text(rest, 500, "500 Internal Server Error\n\nServer got itself in trouble");
}
