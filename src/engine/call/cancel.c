/* cancel.c - cancels calls, and tells their handlers.
 *
 * A handler may run on another thread, and may have made calls within its own. The outermost call
 * has the list of all calls below it, itself included, that have a function. The thread that cancels
 * a call removes those below it from the list and calls their functions; a handler that has finished
 * removes its own call, and waits for a function that is running. */
#include "engine/call/inner.h"

static void cancel_lock(atomic_bool *lock)
{
    while (atomic_exchange_explicit(lock, true, memory_order_acquire))
        ;
}

static void cancel_unlock(atomic_bool *lock)
{
    atomic_store_explicit(lock, false, memory_order_release);
}

/* Calls the function, if there is one, for the first time. */
static void cancel_tell(haft_call *call)
{
    struct call_cancel *own = &call->handler.cancel;
    haft_cancel_function *function;

    cancel_lock(&own->lock);
    function = own->function;
    own->function = NULL;
    if (function)
        function(call, own->context);
    cancel_unlock(&own->lock);
}

static bool cancel_is_below(const haft_call *call, const haft_call *above)
{
    while (call && call != above)
        call = call->inner.parent;
    return call;
}

void hf_call_cancel(haft_call *call)
{
    haft_call *root = hf_inner_hold(call), **link, *at;

    atomic_store(&call->cancelled, true);
    if (!root) /* the thread that cancelled a call above this one notifies all below it */
        return;
    cancel_lock(&root->handler.cancel.list_lock);
    for (link = &root->handler.cancel.first; (at = *link);) {
        if (!cancel_is_below(at, call)) {
            link = &at->handler.cancel.next;
            continue;
        }
        *link = at->handler.cancel.next;
        cancel_tell(at);
        atomic_store(&at->handler.cancel.listed, false); /* it may be gone from here on */
    }
    cancel_unlock(&root->handler.cancel.list_lock);
    hf_inner_let_go(call);
}

static void cancel_list(haft_call *root, haft_call *call)
{
    cancel_lock(&root->handler.cancel.list_lock);
    call->handler.cancel.next = root->handler.cancel.first;
    root->handler.cancel.first = call;
    atomic_store(&call->handler.cancel.listed, true);
    cancel_unlock(&root->handler.cancel.list_lock);
}

static void cancel_unlist(haft_call *root, haft_call *call)
{
    haft_call **link = &root->handler.cancel.first;

    cancel_lock(&root->handler.cancel.list_lock);
    while (*link && *link != call)
        link = &(*link)->handler.cancel.next;
    if (*link) {
        *link = call->handler.cancel.next;
        atomic_store(&call->handler.cancel.listed, false);
    }
    cancel_unlock(&root->handler.cancel.list_lock);
}

/* Waits for another thread that is cancelling the call. */
static void cancel_wait(const struct call_cancel *own)
{
    while (atomic_load(&own->listed))
        ;
}

void hf_call_uncancel(haft_call *call)
{
    struct call_cancel *own = &call->handler.cancel;
    haft_call *root;

    if (!atomic_load(&own->listed))
        return;
    cancel_lock(&own->lock);
    own->function = NULL;
    cancel_unlock(&own->lock);
    root = hf_inner_hold(call);
    if (root) {
        cancel_unlist(root, call);
        hf_inner_let_go(call);
    }
    cancel_wait(own);
}

/* Lists the call, unless it has been cancelled: a thread that cancels it from here on finds it in the list.  One that
 * did before may not have found it, and the calls above are out of reach then, so it is removed while they are held.
 * Returns whether it is listed. */
static bool cancel_try_list(haft_call *call)
{
    haft_call *root = hf_inner_hold(call);
    bool cancelled;

    if (!root)
        return false;
    cancel_list(root, call);
    cancelled = haft_call_cancelled(call);
    if (cancelled)
        cancel_unlist(root, call);
    hf_inner_let_go(call);
    return !cancelled;
}

void haft_call_on_cancel(haft_call *call, haft_cancel_function *function, void *context)
{
    struct call_cancel *own = &call->handler.cancel;

    hf_call_uncancel(call);
    if (!function)
        return;
    own->function = function;
    own->context = context;
    if (cancel_try_list(call))
        return;
    cancel_tell(call);
    cancel_wait(own);
}
