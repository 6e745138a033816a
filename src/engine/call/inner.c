/* inner.c - calls without a message. */
#include "engine/call/identity.h"
#include "engine/call/inner.h"
#include "engine/call/tool_call.h"

#include <stddef.h>
#include <string.h>

enum { INNER_KEPT = 32 << 10 }; /* memory kept in each of its buffers between uses */

struct inner {
    haft_call call; /* must be first: others hold a pointer to it */
    struct owner owner;
    void (*finished)(void *context, int status);
    void *context;
};

/* A pending handler has finished, or a stage continues. Nothing else is posted, because nobody
 * requested progress or messages. */
static void inner_post(void *context, haft_posted *posted)
{
    struct inner *inner = context;

    if (posted->kind == POSTED_CONTINUE && inner->call.posts.resume)
        inner->call.posts.resume(&inner->call, posted->status);
    else if (posted->kind != POSTED_NOTICE && inner->finished)
        inner->finished(inner->context, posted->status);
}

/* Its turn has come (cap.c); called with the server's lock held. */
static void inner_wake(void *context)
{
    struct inner *inner = context;

    if (inner->finished && atomic_load(&inner->call.line.turn))
        inner->finished(inner->context, 0);
}

/* Copies text into the call's memory, which can outlive its parent; sets *ok to false without
 * memory. */
static const char *inner_copy(haft_call *call, const char *text, size_t size, bool *ok)
{
    const char *copy = text ? haft_arena_copy(call->arena, text, size) : NULL;

    *ok = *ok && (copy || !text);
    return copy;
}

static const char *inner_copy_text(haft_call *call, const char *text, bool *ok)
{
    return inner_copy(call, text, text ? strlen(text) : 0, ok);
}

static const haft_trace *inner_copy_trace(haft_call *call, const haft_trace *trace, bool *ok)
{
    haft_trace *copy = trace ? haft_arena_alloc(call->arena, sizeof *copy) : NULL;

    *ok = *ok && (copy || !trace);
    if (copy) {
        *copy = *trace;
        copy->tracestate = inner_copy_text(call, trace->tracestate, ok);
    }
    return copy;
}

static yyjson_val *inner_copy_id(haft_call *call, yyjson_val *id, bool *ok)
{
    yyjson_val *copy = id ? haft_arena_alloc(call->arena, sizeof *copy) : NULL;

    *ok = *ok && (copy || !id);
    if (copy)
        *copy = *id;
    if (copy && yyjson_is_str(id))
        copy->uni.str = inner_copy(call, yyjson_get_str(id), yyjson_get_len(id), ok);
    return copy;
}

/* Inherits the identity and the deadline; returns false without memory. */
static bool inner_inherit(haft_call *call, haft_call *parent)
{
    bool ok = true;

    call->inner.parent = parent;
    call->inner.depth = parent->inner.depth + 1;
    call->time.deadline = parent->time.deadline;
    call->time.allowed_ms = parent->time.allowed_ms;
    if (parent->request.principal) {
        ok = hf_identity_copy(&call->request.identity, &parent->request.identity, call->arena);
        call->request.principal = call->request.identity.principal;
    }
    call->client.name = inner_copy(call, parent->client.name, parent->client.name_size, &ok);
    call->client.name_size = parent->client.name_size;
    call->client.version = inner_copy_text(call, parent->client.version, &ok);
    call->request.id = inner_copy_id(call, parent->request.id, &ok);
    call->request.trace = inner_copy_trace(call, parent->request.trace, &ok);
    return ok;
}

/* ---- life ---- */

haft_call *hf_inner_new(haft_server *server, haft_call *parent, haft_time now)
{
    const haft_allocator *allocator = server->allocator;
    struct inner *inner = allocator->alloc(allocator->context, sizeof *inner);
    size_t limit = server->options.max_message;
    haft_call *call;

    if (!inner)
        return NULL;
    memset(inner, 0, sizeof *inner);
    call = &inner->call;
    call->arena = haft_arena_new(allocator, CALL_ARENA + limit);
    if (!call->arena) {
        allocator->release(allocator->context, inner, sizeof *inner);
        return NULL;
    }
    inner->owner =
        (struct owner){.server = server,
                       .allocator = allocator,
                       .options = {.shared = true},
                       .keeps_calls = true,
                       .loop = {.post = inner_post, .wake = inner_wake, .context = inner}};
    call->owner = &inner->owner;
    call->server = server;
    hf_inner_begin(call, now);
    haft_buffer_init(&call->structured, allocator, limit);
    haft_buffer_init(&call->result_meta, allocator, limit);
    if (parent && !inner_inherit(call, parent)) {
        hf_inner_free(call);
        return NULL;
    }
    return call;
}

void hf_inner_begin(haft_call *call, haft_time now)
{
    call->owner->now = now;
    call->revision = REV_NEWEST_LEGACY;
    call->client.log_level = -1;
    call->request.method = "request";
    atomic_store(&call->time.now, now);
}

void hf_inner_reset(haft_call *call)
{
    struct inner *inner = (struct inner *)call;

    inner->finished = NULL;
    haft_arena_free(call->stages.late.arena);
    hf_arena_trim(call->arena, INNER_KEPT);
    hf_buffer_trim(&call->structured, INNER_KEPT);
    hf_buffer_trim(&call->result_meta, INNER_KEPT);
    memset((char *)call + offsetof(haft_call, link), 0, sizeof *call - offsetof(haft_call, link));
}

void hf_inner_free(haft_call *call)
{
    const haft_allocator *allocator;

    if (!call)
        return;
    allocator = call->owner->allocator;
    haft_buffer_finish(&call->structured);
    haft_buffer_finish(&call->result_meta);
    haft_arena_free(call->stages.late.arena);
    haft_arena_free(call->arena);
    allocator->release(allocator->context, (struct inner *)call, sizeof(struct inner));
}

void hf_inner_set_tool(haft_call *call, const struct entry *entry)
{
    call->entry = entry;
    call->item = entry->item;
    if (call->server->watching.timed && call->server->options.clock)
        call->time.started = call->server->options.clock();
    hf_call_allow(call, 0);
}

int hf_inner_run(haft_call *call)
{
    int status;

    if (!call->item->isolate) {
        status = hf_tool_handle(call);
        if (status != HAFT_PENDING)
            hf_call_uncancel(call);
        return status;
    }
    status = hf_call_run_isolated(call);
    return !status && !call->result.checked ? hf_tool_check(call) : status;
}

void hf_inner_on_finish(haft_call *call, void (*finished)(void *context, int status), void *context)
{
    struct inner *inner = (struct inner *)call;

    inner->finished = finished;
    inner->context = context;
}
