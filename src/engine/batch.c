/* batch.c - the responses of an array of messages, sent together. */
#include "engine/session.h"

void batch_collect(haft_session *session, struct batch *batch, int error_code)
{
    haft_buffer *out = &session->out, *all = &batch->responses;
    size_t before = all->size;

    /* It is an array at every moment: the new end goes where the old one was. */
    all->size -= before ? 1 : 0;
    haft_buffer_add(all, before ? "," : "[", 1);
    haft_buffer_add(all, out->data, out->size);
    haft_buffer_add(all, "]", 1);
    if (!all->status && !out->status) {
        buffer_trim(out, SPARE_BYTES);
        return;
    }
    all->size = before;
    all->status = 0;
    if (before)
        all->data[before - 1] = ']';
    /* Better alone than not at all; but whoever waits for one message would take it for all of
     * them. */
    batch->lost = batch->lost || batch->tag || out->status;
    if (batch->lost)
        haft_buffer_clear(out);
    else
        session_send(session, HAFT_OUT_RESPONSE, NULL, error_code);
}

void batch_send(haft_session *session, struct batch *batch)
{
    if (batch->open || batch->left)
        return;
    if (batch->lost && batch->tag) {
        rpc_put_error(&session->out, NULL, RPC_INTERNAL_ERROR, NULL, NULL);
        session_send_as(session, HAFT_OUT_RESPONSE, batch->tag, RPC_INTERNAL_ERROR, 400);
    } else if (batch->responses.size && !session->closed) {
        session_give(session, &(haft_outgoing){batch->responses.data, batch->responses.size,
                                               HAFT_OUT_RESPONSE, batch->tag, 0, 200});
    } else {
        session_let_go(session, batch->tag, true);
    }
    haft_buffer_finish(&batch->responses);
    session->allocator->release(session->allocator->context, batch, sizeof *batch);
}
