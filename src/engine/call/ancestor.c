/* ancestor.c - access to the calls above a nested call. */
#include "engine/call/inner.h"
#include "engine/call/view.h"

/* The loop is bounded by the nesting of calls, which the gateway limits. */
haft_call *hf_inner_hold(haft_call *call)
{
    haft_call *root = call;

    if (!call->inner.parent)
        return call;
    atomic_fetch_add(&call->inner.looking, 1);
    root = atomic_load(&call->cancelled) ? NULL : hf_inner_hold(call->inner.parent);
    if (!root)
        atomic_fetch_sub(&call->inner.looking, 1);
    return root;
}

void hf_inner_let_go(haft_call *call)
{
    if (!call->inner.parent)
        return;
    hf_inner_let_go(call->inner.parent);
    atomic_fetch_sub(&call->inner.looking, 1);
}

void hf_inner_detach(haft_call *call)
{
    while (atomic_load(&call->inner.looking))
        ;
}

haft_call *hf_call_root(const haft_call *call)
{
    while (call->inner.parent)
        call = call->inner.parent;
    return (haft_call *)(uintptr_t)call;
}
