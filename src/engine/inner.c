/* inner.c - calls that no message brought. */
#include "engine/inner.h"

#include <string.h>

struct inner {
    haft_call call; /* first: it is what others hold */
    haft_session session;
    void (*finished)(void *context, int status);
    void *context;
};

/* A pending handler has finished, or something in front of it goes on.  Nothing else is posted:
 * nobody has asked for progress or messages. */
static void inner_post(void *context, haft_posted *posted)
{
    struct inner *inner = context;

    if (posted->kind == POSTED_CONTINUE && inner->call.resume)
        inner->call.resume(&inner->call, posted->status);
    else if (posted->kind != POSTED_NOTICE && inner->finished)
        inner->finished(inner->context, posted->status);
}

haft_call *inner_new(haft_server *server, haft_call *parent, haft_time now)
{
    const haft_allocator *allocator = server->allocator;
    struct inner *inner = allocator->alloc(allocator->context, sizeof *inner);
    size_t limit = server->options.max_message;
    haft_call *call;

    if (!inner)
        return NULL;
    memset(inner, 0, sizeof *inner);
    call = &inner->call;
    call->arena = haft_arena_new(allocator, CALL_ARENA);
    if (!call->arena) {
        allocator->release(allocator->context, inner, sizeof *inner);
        return NULL;
    }
    inner->session =
        (haft_session){.server = server,
                       .allocator = allocator,
                       .options = {.post = inner_post, .context = inner, .shared = true},
                       .revision = REV_NEWEST_LEGACY,
                       .now = now};
    call->session = &inner->session;
    call->server = server;
    call->revision = REV_NEWEST_LEGACY;
    call->log_level = -1;
    call->method = "request";
    atomic_store(&call->now, now);
    haft_buffer_init(&call->content, allocator, limit);
    haft_buffer_init(&call->structured, allocator, limit);
    haft_buffer_init(&call->result_meta, allocator, limit);
    if (parent) {
        call->parent = parent;
        call->depth = parent->depth + 1;
        call->principal = parent->principal;
        call->client_name = parent->client_name;
        call->client_name_size = parent->client_name_size;
        call->client_version = parent->client_version;
        call->id = parent->id;
        call->deadline = parent->deadline;
        call->allowed_ms = parent->allowed_ms;
        call->trace = parent->trace;
    }
    return call;
}

void inner_free(haft_call *call)
{
    const haft_allocator *allocator;

    if (!call)
        return;
    allocator = call->session->allocator;
    haft_buffer_finish(&call->content);
    haft_buffer_finish(&call->structured);
    haft_buffer_finish(&call->result_meta);
    haft_arena_free(call->arena);
    allocator->release(allocator->context, (struct inner *)call, sizeof(struct inner));
}

void inner_set_tool(haft_call *call, const struct entry *entry)
{
    call->entry = entry;
    call->item = entry->item;
    if (call->server->timed && call->server->options.clock)
        call->started = call->server->options.clock();
    call_allow(call, 0);
}

int inner_run(haft_call *call)
{
    return tool_handle(call);
}

void inner_on_finish(haft_call *call, void (*finished)(void *context, int status), void *context)
{
    struct inner *inner = (struct inner *)call;

    inner->finished = finished;
    inner->context = context;
}
