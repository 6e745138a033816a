/* batch.c - the responses of a JSON-RPC batch, sent together. */
#include "engine/call/owner.h"
#include "protocol/rpc.h"

void hf_batch_collect(struct owner *owner, struct batch *batch, int error_code)
{
    haft_buffer *out = &owner->out, *all = &batch->responses;
    size_t before = all->size;

    /* The text is a complete array at any time: the new end overwrites the old bracket. */
    all->size -= before ? 1 : 0;
    haft_buffer_add(all, before ? "," : "[", 1);
    haft_buffer_add(all, out->data, out->size);
    haft_buffer_add(all, "]", 1);
    if (!all->status && !out->status) {
        hf_buffer_trim(out, SPARE_BYTES);
        return;
    }
    all->size = before;
    all->status = 0;
    if (before)
        all->data[before - 1] = ']';
    /* A response that cannot be stored is sent alone; but a client that waits for a single message
     * (tag) would take it for the whole batch. */
    batch->lost = batch->lost || batch->tag || out->status;
    if (batch->lost)
        haft_buffer_clear(out);
    else
        hf_owner_send(owner, HAFT_OUT_RESPONSE, NULL, error_code);
}

void hf_batch_send(struct owner *owner, struct batch *batch)
{
    if (batch->open || batch->left)
        return;
    if (batch->lost && batch->tag) {
        hf_rpc_put_error(&owner->out, NULL, RPC_INTERNAL_ERROR, NULL, NULL);
        hf_owner_send_as(owner, HAFT_OUT_RESPONSE, batch->tag, RPC_INTERNAL_ERROR, 400);
    } else if (batch->responses.size && !owner->closed) {
        hf_owner_give(owner, &(haft_outgoing){.text = batch->responses.data,
                                              .size = batch->responses.size,
                                              .kind = HAFT_OUT_RESPONSE,
                                              .tag = batch->tag,
                                              .http_status = 200});
    } else {
        hf_owner_let_go(owner, batch->tag, true);
    }
    haft_buffer_finish(&batch->responses);
    owner->allocator->release(owner->allocator->context, batch, sizeof *batch);
}
