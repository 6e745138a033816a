/* view.c - the handler's view of its call, and its memory. */
#include <string.h>

#include "engine/call/inner.h"
#include "engine/call/view.h"

/* ---- memory ---- */

/* Identifies the current thread: the address of a thread-local variable. */
static const void *late_thread(void)
{
    static _Thread_local char here;

    return &here;
}

void hf_late_begin(haft_call *call)
{
    atomic_store(&call->stages.late.thread, late_thread());
}

void hf_late_end(haft_call *call)
{
    atomic_store(&call->stages.late.thread, NULL);
}

bool hf_late_is_here(const haft_call *call)
{
    const void *thread = atomic_load_explicit(&((haft_call *)(uintptr_t)call)->stages.late.thread,
                                              memory_order_relaxed);

    return thread && thread == late_thread();
}

haft_arena *hf_call_memory(haft_call *call)
{
    if (!hf_late_is_here(call))
        return call->arena;
    if (!call->stages.late.arena)
        call->stages.late.arena = haft_arena_new(call->server->allocator, CALL_ARENA);
    return call->stages.late.arena;
}

/* ---- properties ---- */

bool haft_call_cancelled(const haft_call *call)
{
    haft_call *self = (haft_call *)(uintptr_t)call, *root;
    bool cancelled;

    if (!call->inner.parent)
        return atomic_load(&self->cancelled);
    root = hf_inner_hold(self);
    cancelled = !root || atomic_load(&root->cancelled);
    if (root)
        hf_inner_let_go(self);
    return cancelled;
}

int64_t haft_call_time_left(const haft_call *call)
{
    haft_call *self = (haft_call *)(uintptr_t)call, *root = hf_inner_hold(self);
    haft_time now = root ? atomic_load(&root->time.now) : call->time.deadline;

    if (root)
        hf_inner_let_go(self);
    if (call->time.ends) {
        uint64_t clock = call->server->options.clock();

        return call->time.ends > clock ? (int64_t)((call->time.ends - clock) / 1000000) : 0;
    }
    if (!call->time.deadline)
        return -1;
    return call->time.deadline > now ? call->time.deadline - now : 0;
}

const char *haft_request_id(const haft_call *call)
{
    static const char none[] = "";
    const char *string = yyjson_get_str(call->request.id);
    size_t size = yyjson_get_len(call->request.id), room = string ? 6 * size + 1 : RPC_ID_NUMBER;
    haft_arena *arena;
    char *text;

    if (!call->request.id || (string && !memchr(string, '\0', size)))
        return string ? string : none;
    arena = hf_call_memory((haft_call *)(uintptr_t)call);
    text = arena ? haft_arena_alloc(arena, room) : NULL;
    if (!text)
        return none;
    hf_rpc_id_to_text(call->request.id, text, room);
    return text;
}

const char *haft_call_name(const haft_call *call)
{
    return call->item ? call->item->name : call->request.method;
}

void *haft_tool_data(const haft_call *call)
{
    return call->item ? call->item->data : NULL;
}

void *haft_server_data(const haft_call *call)
{
    return call->server->options.data;
}

haft_server *haft_call_server(const haft_call *call)
{
    return call->server;
}

void *haft_call_user_data(const haft_call *call)
{
    return atomic_load(&((haft_call *)(uintptr_t)call)->handler.user_data);
}

void haft_call_set_user_data(haft_call *call, void *data)
{
    atomic_store(&call->handler.user_data, data);
}

const char *haft_client_name(const haft_call *call)
{
    return call->client.name ? call->client.name : "";
}

const char *haft_client_version(const haft_call *call)
{
    return call->client.version ? call->client.version : "";
}

const char *haft_call_principal(const haft_call *call)
{
    return call->request.principal;
}

const char *haft_call_revision(const haft_call *call)
{
    return hf_revision_rows[call->revision].name;
}

bool haft_client_can(const haft_call *call, const char *capability)
{
    yyjson_val *value = call->client.capabilities, *whole;

    while (value && *capability) {
        size_t size = strcspn(capability, ".");

        /* Names of extensions contain dots. */
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
    return call->request.meta;
}

void *haft_call_alloc(haft_call *call, size_t size)
{
    haft_arena *arena = hf_call_memory(call);

    return arena ? haft_arena_alloc(arena, size) : NULL;
}

char *haft_call_printf(haft_call *call, const char *format, ...)
{
    haft_arena *arena = hf_call_memory(call);
    va_list args;
    char *text;

    if (!arena)
        return NULL;
    va_start(args, format);
    text = haft_arena_vprintf(arena, format, args);
    va_end(args);
    return text;
}

int haft_protocol_error(haft_call *call, int code, const char *format, ...)
{
    va_list args;
    char *text;

    va_start(args, format);
    text = haft_arena_vprintf(call->arena, format, args);
    va_end(args);
    if (!text)
        return HAFT_ENOMEM;
    call->error.code = code ? code : RPC_INTERNAL_ERROR;
    call->error.message = text;
    return HAFT_EFAIL;
}

haft_arena *haft_call_arena(haft_call *call)
{
    return hf_call_memory(call);
}

const char *haft_variable(const haft_call *call, const char *name)
{
    for (size_t i = 0; i + 1 < call->handler.n_variables * 2; i += 2)
        if (!strcmp(call->handler.variables[i].data, name))
            return call->handler.variables[i + 1].data;
    return NULL;
}
