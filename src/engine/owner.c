/* owner.c - messages out. */
#include "engine/session.h"

void session_give(haft_session *session, const haft_outgoing *message)
{
    if (session->server->metrics)
        atomic_fetch_add(&session->server->sent, message->size);
    session->transport.send(session->transport.context, message);
}

void session_send(haft_session *session, haft_outgoing_kind kind, void *tag, int error_code)
{
    session_send_as(session, kind, tag, error_code, 200);
}

void session_send_as(haft_session *session, haft_outgoing_kind kind, void *tag, int error_code,
                     int http_status)
{
    haft_buffer *out = &session->out;

    if (session->closed) {
        haft_buffer_clear(out);
        return;
    }
    if (out->status) {
        server_log(session->server, HAFT_ERROR, "a message of %s could not be written: %s",
                   session->server->name, haft_strerror(out->status));
    } else {
        session_give(session,
                     &(haft_outgoing){out->data, out->size, kind, tag, error_code, http_status});
    }
    buffer_trim(out, SPARE_BYTES);
}

void session_let_go(const haft_session *session, void *tag, bool over)
{
    if (session->transport.let_go && !session->closed)
        session->transport.let_go(session->transport.context, tag, over);
}
