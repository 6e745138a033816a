/* view.c - what a handler can see of its call, and the memory that it has of it. */
#include <string.h>

#include "engine/inner.h"

bool haft_cancelled(const haft_call *call)
{
    haft_call *self = (haft_call *)(uintptr_t)call, *root = inner_hold(self);
    bool cancelled = !root || atomic_load(&root->cancelled);

    if (root)
        inner_let_go(self);
    return cancelled;
}

haft_call *call_root(const haft_call *call)
{
    while (call->parent)
        call = call->parent;
    return (haft_call *)(uintptr_t)call;
}

int64_t haft_time_left(const haft_call *call)
{
    haft_call *self = (haft_call *)(uintptr_t)call, *root = inner_hold(self);
    haft_time now = root ? atomic_load(&root->now) : call->deadline;

    if (root)
        inner_let_go(self);
    if (call->ends) {
        uint64_t clock = call->server->options.clock();

        return call->ends > clock ? (int64_t)((call->ends - clock) / 1000000) : 0;
    }
    if (!call->deadline)
        return -1;
    return call->deadline > now ? call->deadline - now : 0;
}

const char *haft_request_id(const haft_call *call)
{
    static const char none[] = "";
    const char *string = yyjson_get_str(call->id);
    size_t size = yyjson_get_len(call->id), room = string ? 6 * size + 1 : RPC_ID_NUMBER;
    char *text;

    if (!call->id || (string && !memchr(string, '\0', size)))
        return string ? string : none;
    text = haft_arena_alloc(call->arena, room);
    if (!text)
        return none;
    rpc_id_to_text(call->id, text, room);
    return text;
}

const char *haft_call_name(const haft_call *call)
{
    return call->item ? call->item->name : call->method;
}

void *haft_tool_data(const haft_call *call)
{
    return call->item ? call->item->data : NULL;
}

void *haft_server_data(const haft_call *call)
{
    return call->server->options.data;
}

void *haft_user_data(const haft_call *call)
{
    return call->user_data;
}

void haft_set_user_data(haft_call *call, void *data)
{
    call->user_data = data;
}

const char *haft_client_name(const haft_call *call)
{
    return call->client_name ? call->client_name : "";
}

const char *haft_client_version(const haft_call *call)
{
    return call->client_version ? call->client_version : "";
}

const char *haft_principal(const haft_call *call)
{
    return call->principal;
}

const char *haft_revision(const haft_call *call)
{
    return revision_row(call->revision)->name;
}

bool haft_client_can(const haft_call *call, const char *capability)
{
    yyjson_val *value = call->client_capabilities, *whole;

    while (value && *capability) {
        size_t size = strcspn(capability, ".");

        /* The names of extensions have dots in them. */
        whole = yyjson_obj_get(value, capability);
        if (whole)
            size = strlen(capability);
        value = whole ? whole : yyjson_obj_getn(value, capability, size);
        capability += size + (capability[size] == '.');
    }
    return value && !yyjson_is_null(value) && !yyjson_is_false(value);
}

haft_value *haft_request_meta(const haft_call *call)
{
    return call->meta;
}

void *haft_alloc(haft_call *call, size_t size)
{
    return haft_arena_alloc(call->arena, size);
}

char *haft_printf(haft_call *call, const char *format, ...)
{
    va_list args;
    char *text;

    va_start(args, format);
    text = haft_arena_vprintf(call->arena, format, args);
    va_end(args);
    return text;
}

haft_arena *haft_call_arena(haft_call *call)
{
    return call->arena;
}

const char *haft_variable(const haft_call *call, const char *name)
{
    for (size_t i = 0; i + 1 < call->n_variables * 2; i += 2)
        if (!strcmp(call->variables[i].data, name))
            return call->variables[i + 1].data;
    return NULL;
}
