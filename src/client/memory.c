/* memory.c - the transport of a client in the same process as its server: a session behind a
 * function call.
 *
 * It includes time: unless the client has a clock, time passes only by waiting, and then jumps from
 * one deadline of the session to the next. */
#include "client/client.h"

#include "engine/offer/platform.h"

/* ---- the server's side ---- */

/* The server responds while it processes a message: the client queues the response. */
static void memory_answer(void *context, const haft_outgoing *message)
{
    haft_client *client = context;

    hf_client_keep(client, message->text, message->size, NULL);
}

/* ---- the client's side ---- */

static haft_time memory_now(void *context)
{
    haft_client *client = context;

    if (client->options.clock)
        client->now = client->options.clock(client->options.context);
    return client->now;
}

static void memory_send(void *context, const haft_outgoing *message)
{
    haft_client *client = context;

    client->sent = haft_session_receive(client->session, message->text, message->size, NULL,
                                        memory_now(client));
}

static haft_time memory_wait(void *context, unsigned milliseconds)
{
    haft_client *client = context;
    haft_time now = memory_now(client), end = now + milliseconds, next, due;

    if (!milliseconds)
        return now;
    next = haft_session_tick(client->session, now);
    hf_client_pump(client);
    if (client->ending)
        return now;
    if (hf_due_next(client, &due) && due > now && due < end)
        end = due;
    if (!client->options.clock)
        client->now = next > now && next < end ? next : end;
    now = memory_now(client);
    if (now >= end)
        haft_session_tick(client->session, now);
    return now;
}

static void memory_close(void *context)
{
    haft_client *client = context;

    haft_session_free(client->session);
}

bool hf_memory_open(haft_client *client, haft_server *server, enum revision revision)
{
    haft_transport server_side =
        HAFT_INIT(haft_transport, .send = memory_answer, .context = client);

    client->transport =
        (haft_transport)HAFT_INIT(haft_transport, .send = memory_send, .wait = memory_wait,
                                  .close = memory_close, .context = client, .now = memory_now);
    client->session =
        haft_session_new(server, HAFT_WITH(haft_session_options, .transport = &server_side,
                                           .revision = hf_revision_rows[revision].name,
                                           .principal = client->options.principal,
                                           .identity = client->options.identity));
    client->options.identity = NULL; /* the session has a copy */
    if (!client->session || hf_platform_start(server))
        return false;
    client->session->owner.inside = true;
    return true;
}

void hf_memory_advance(haft_client *client, unsigned milliseconds)
{
    client->now += milliseconds;
    haft_session_tick(client->session, memory_now(client));
}
