/* custom_method.c - methods added by the program. */
#include <string.h>

#include "engine/session/method.h"

int haft_on(haft_server *server, const char *method, haft_json_handler *handler, void *data)
{
    struct custom_method *custom;

    if (!method || !handler || !strchr(method, '/'))
        return hf_server_refuse(server, HAFT_EINVAL, method ? method : "",
                                "a custom method needs a prefix, as in acme/thing");
    if (hf_method_is_reserved(method))
        return hf_server_refuse(server, HAFT_EINVAL, method,
                                "haft handles this protocol method itself");
    custom = hf_server_zalloc(server, sizeof *custom);
    if (custom)
        custom->name = hf_server_copy(server, method);
    if (!custom || !custom->name)
        return hf_server_refuse(server, HAFT_ENOMEM, method, "out of memory");
    custom->handler = handler;
    custom->data = data;
    hf_server_lock(server);
    custom->next = server->methods;
    server->methods = custom;
    hf_server_unlock(server);
    return 0;
}

const struct custom_method *hf_custom_method_find(haft_server *server, const char *name,
                                                  size_t size)
{
    const struct custom_method *custom;

    hf_server_lock(server);
    custom = server->methods;
    hf_server_unlock(server);
    for (; custom; custom = custom->next)
        if (strlen(custom->name) == size && !memcmp(custom->name, name, size))
            break;
    return custom;
}

static int execute_custom(haft_call *call)
{
    const struct custom_method *custom = call->handler.in;

    return custom->handler(call, call->request.params, custom->data);
}

void hf_custom_method_handle(haft_call *call, const struct custom_method *custom)
{
    call->handler.in = custom;
    call->handler.execute = execute_custom;
    call->handler.complete = hf_complete_custom;
    if (!call->answered && !hf_input_restore(call))
        return;
    hf_call_allow(call, 0);
    hf_call_link(call);
    hf_call_start(call);
}
