/* post.c - requests of handlers and stages to the session's thread: send a notification, finish or
 * continue a call. */
#include <string.h>

#include "engine/call/call.h"
#include "engine/call/post.h"

/* ---- notifications ---- */

/* A notification about a call, unless it is too late for it.  Here, on the session's thread, is
 * where it shows whether progress goes forward: it may come from several others. */
static void post_notification(haft_call *call, const char *text, size_t size,
                              const double *progress)
{
    struct owner *owner = call->owner;

    if (call->answered || owner->closed || atomic_load(&call->cancelled))
        return;
    if (progress) {
        if (call->progress.any && *progress <= call->progress.value)
            return;
        call->progress.any = true;
        call->progress.value = *progress;
    }
    if (size)
        hf_owner_give(owner, &(haft_outgoing){.text = text,
                                              .size = size,
                                              .kind = HAFT_OUT_NOTIFICATION,
                                              .tag = call->request.tag,
                                              .http_status = 200});
    else
        hf_owner_let_go(owner, call->request.tag, false);
}

void hf_call_notify(haft_call *call, const haft_buffer *message, const double *progress)
{
    struct owner *owner = call->owner;
    const haft_allocator *allocator = call->server->allocator;
    haft_posted *posted;

    if (message->status)
        return;
    atomic_store(&call->posts.notified, true);
    if (!owner->loop.post) {
        post_notification(call, message->data, message->size, progress);
        return;
    }
    posted = allocator->alloc(allocator->context, sizeof *posted + message->size);
    if (!posted)
        return;
    *posted = (haft_posted){.call = call,
                            .size = message->size,
                            .counts = progress != NULL,
                            .progress = progress ? *progress : 0};
    posted->text = (char *)(posted + 1);
    if (message->size)
        memcpy(posted->text, message->data, message->size);
    owner->loop.post(owner->loop.context, posted);
}

/* A request without text lets the transport close the connection. It is useful only from a handler
 * on another thread. */
void haft_call_close_stream(haft_call *call)
{
    haft_buffer nothing;

    haft_buffer_init(&nothing, call->server->allocator, 0);
    hf_call_notify(call, &nothing, NULL);
}

/* ---- finishing and continuing ---- */

void haft_finish(haft_call *call, int status)
{
    struct owner *owner = call->owner;

    hf_call_uncancel(call);
    if (!owner->loop.post) {
        hf_call_finish(call, status);
        return;
    }
    call->posts.finish = (haft_posted){.call = call, .kind = POSTED_FINISH, .status = status};
    owner->loop.post(owner->loop.context, &call->posts.finish);
}

void haft_continue(haft_call *call, int status)
{
    struct owner *owner = call->owner;

    hf_call_uncancel(call);
    if (!owner->loop.post) {
        call->posts.resume(call, status);
        return;
    }
    call->posts.finish = (haft_posted){.call = call, .kind = POSTED_CONTINUE, .status = status};
    owner->loop.post(owner->loop.context, &call->posts.finish);
}

void hf_post_deliver(haft_posted *posted)
{
    const haft_allocator *allocator = posted->call->server->allocator;

    switch (posted->kind) {
    case POSTED_FINISH:
        hf_call_finish(posted->call, posted->status);
        break;
    case POSTED_CONTINUE:
        posted->call->posts.resume(posted->call, posted->status);
        break;
    case POSTED_NOTICE:
        post_notification(posted->call, posted->text, posted->size,
                          posted->counts ? &posted->progress : NULL);
        allocator->release(allocator->context, posted, sizeof *posted + posted->size);
        break;
    }
}
