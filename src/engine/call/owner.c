/* owner.c - sending messages. */
#include "engine/call/owner.h"

void hf_owner_give(struct owner *owner, const haft_outgoing *message)
{
    if (owner->server->metering.metrics)
        atomic_fetch_add(&owner->server->metering.sent, message->size);
    owner->transport.send(owner->transport.context, message);
}

void hf_owner_send(struct owner *owner, haft_outgoing_kind kind, void *tag, int error_code)
{
    hf_owner_send_as(owner, kind, tag, error_code, 200);
}

void hf_owner_send_as(struct owner *owner, haft_outgoing_kind kind, void *tag, int error_code,
                      int http_status)
{
    haft_buffer *out = &owner->out;

    if (owner->closed) {
        haft_buffer_clear(out);
        return;
    }
    if (out->status) {
        hf_server_log(owner->server, HAFT_ERROR, "cannot write a message of %s: %s",
                      owner->server->name, haft_strerror(out->status));
    } else {
        hf_owner_give(owner, &(haft_outgoing){.text = out->data,
                                              .size = out->size,
                                              .kind = kind,
                                              .tag = tag,
                                              .error_code = error_code,
                                              .http_status = http_status});
    }
    hf_buffer_trim(out, SPARE_BYTES);
}

void hf_owner_let_go(const struct owner *owner, void *tag, bool over)
{
    if (owner->transport.let_go && !owner->closed)
        owner->transport.let_go(owner->transport.context, tag, over);
}

void hf_owner_wake(const struct owner *owner)
{
    if (owner->loop.wake)
        owner->loop.wake(owner->loop.context);
}
