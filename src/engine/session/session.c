/* session.c - the life of a session, from its first message to its last call. */
#include "engine/call/cap.h"
#include "engine/call/identity.h"
#include "engine/session/subscriber.h"
#include "engine/offer/event.h"
#include "engine/session/session.h"

#include <stddef.h>
#include <string.h>

#include "base/struct.h"

enum { SESSION_IDENTITY_LIMIT = 1 << 20 };

/* ---- client events ---- */

static void tell_client(const haft_session *session, haft_event_kind kind, const char *name)
{
    if (session->owner.server->watching.n_watchers)
        hf_event_tell(session->owner.server,
                      &(haft_event){.kind = kind,
                                    .client = name,
                                    .principal = session->owner.options.principal});
}

void hf_event_of_meeting(haft_session *session, const char *name)
{
    size_t size = name ? strlen(name) : 0;

    if (session->introduced || session->owner.options.shared)
        return;
    session->introduced = true;
    session->introduced_at = session->owner.now;
    if (session->owner.server->metering.observer)
        session->owner.server->metering.observer->introduced(session->owner.server);
    size = name ? haft_utf8_valid(name, size < CLIENT_NAME ? size : CLIENT_NAME - 1) : 0;
    if (size)
        memcpy(session->introduced_name, name, size);
    tell_client(session, HAFT_EVENT_CLIENT_CONNECTED, size ? session->introduced_name : NULL);
}

/* Reports that the client has disconnected. */
static void session_event_of_parting(haft_session *session)
{
    if (!session->introduced)
        return;
    session->introduced = false;
    if (session->owner.server->metering.observer)
        session->owner.server->metering.observer->left(session->owner.server,
                                                       session->owner.now - session->introduced_at);
    tell_client(session, HAFT_EVENT_CLIENT_GONE,
                *session->introduced_name ? session->introduced_name : NULL);
}

/* ---- life ---- */

static void wake_follower(struct follower *follower)
{
    haft_session *session = (haft_session *)((char *)follower - offsetof(haft_session, follower));

    hf_owner_wake(&session->owner);
}

static void collect_from(struct owner *owner)
{
    hf_session_collect((haft_session *)owner);
}

/* Reads the options, with their transport and loop. */
static bool owner_read(struct owner *owner, const haft_session_options *given)
{
    haft_session_options *own = &owner->options;

    if (!hf_struct_read(own, sizeof *own, given) || !own->transport ||
        !hf_struct_read(&owner->transport, sizeof owner->transport, own->transport) ||
        !hf_struct_read(&owner->loop, sizeof owner->loop, own->loop))
        return false;
    own->transport = NULL;
    own->loop = NULL;
    return true;
}

/* Copies the identity of the options. Returns false without memory, or if it is invalid. */
static bool session_identify_owner(haft_session *session, const haft_allocator *allocator)
{
    haft_session_options *options = &session->owner.options;

    if (!options->identity)
        return true;
    session->identity_arena = haft_arena_new(allocator, SESSION_IDENTITY_LIMIT);
    if (!session->identity_arena ||
        !hf_identity_copy(&session->own_identity, options->identity, session->identity_arena))
        return false;
    options->identity = &session->own_identity;
    if (!session->own_identity.principal)
        session->own_identity.principal = options->principal ? options->principal : "";
    options->principal = session->own_identity.principal;
    return true;
}

haft_session *haft_session_new(haft_server *server, const haft_session_options *options)
{
    const haft_allocator *allocator = server->allocator;
    haft_session *session = allocator->alloc(allocator->context, sizeof *session);

    if (!session)
        return NULL;
    memset(session, 0, sizeof *session);
    if (!owner_read(&session->owner, options)) {
        allocator->release(allocator->context, session, sizeof *session);
        hf_server_refuse(server, HAFT_EINVAL, "haft_session_options", STRUCT_UNSIZED);
        return NULL;
    }
    if (!session_identify_owner(session, allocator)) {
        haft_arena_free(session->identity_arena);
        allocator->release(allocator->context, session, sizeof *session);
        return NULL;
    }
    options = &session->owner.options;
    session->owner.server = server;
    session->owner.allocator = allocator;
    session->owner.announce = hf_session_announce;
    session->owner.collect = collect_from;
    session->revision = REV_NEWEST_LEGACY;
    if (options->revision) {
        enum revision named = hf_revision_named(options->revision, strlen(options->revision));

        if (named < REVISIONS && !hf_revision_rows[named].modern)
            session->revision = named;
    }
    session->client.log_level = HAFT_DEBUG;
    session->owner.next_request_id = 1;
    haft_buffer_init(&session->owner.out, allocator, server->options.max_message * 4);
    hf_server_lock(server);
    for (int i = 0; i < OFFER_LISTS; i++)
        session->changes[i] = atomic_load(&server->changes.lists[i]);
    session->n_updates = atomic_load(&server->changes.n_updates);
    session->announced = atomic_load(&server->changes.version_number);
    session->version_number = session->announced - 1;
    session->owner.number_size =
        hf_integer_to_text((int64_t)++server->n_sessions, session->owner.number);
    session->follower.wake = wake_follower;
    hf_follower_link(server, &session->follower);
    hf_server_unlock(server);
    return session;
}

enum revision hf_session_revision(const haft_session *session)
{
    return session->revision;
}

static void forget_subscriptions(haft_session *session)
{
    while (session->subscriptions) {
        struct subscription *subscription = session->subscriptions;

        session->subscriptions = subscription->next;
        session->owner.allocator->release(session->owner.allocator->context, subscription,
                                          sizeof *subscription + subscription->size + 1);
    }
    session->n_subscriptions = 0;
}

void hf_session_collect(haft_session *session)
{
    if (session->held || session->owner.calls)
        return;
    hf_call_free_spare(&session->owner);
    forget_subscriptions(session);
    hf_subscriber_finish(&session->subscriber);
    hf_catalogue_drop(session->catalogue);
    haft_arena_free(session->client_arena);
    haft_arena_free(session->identity_arena);
    haft_buffer_finish(&session->owner.out);
    if (session->owner.transport.close)
        session->owner.transport.close(session->owner.transport.context);
    session->owner.allocator->release(session->owner.allocator->context, session, sizeof *session);
}

/* Calls that wait for an answer of the client, or for haft_finish after a cancellation, end here;
 * calls that run on other threads are cancelled and end when these return. */
void haft_session_free(haft_session *session)
{
    haft_server *server;
    haft_call *next;

    if (!session || session->owner.closed)
        return;
    server = session->owner.server;
    hf_session_end_listens(session, NULL, false);
    hf_session_unfollow_tasks(session);
    session_event_of_parting(session);
    session->owner.closed = true;
    hf_server_lock(server);
    hf_follower_unlink(server, &session->follower);
    hf_server_unlock(server);
    session->held++;
    for (haft_call *call = session->owner.calls; call; call = next) {
        next = call->next;
        hf_call_give_up(call);
    }
    session->held--;
    hf_session_collect(session);
}

/* ---- transport events ---- */

static int session_on_message(void *context, const char *text, size_t size, void *tag,
                              haft_time now)
{
    return haft_session_receive(context, text, size, tag, now);
}

static void session_on_too_long(void *context, size_t size, void *tag)
{
    haft_session_too_long(context, size, tag);
}

static void session_on_closed(void *context, void *tag)
{
    if (tag)
        haft_session_cancel(context, tag);
    else
        haft_session_free(context);
}

haft_receiver haft_session_receiver(haft_session *session)
{
    return (haft_receiver){.message = session_on_message,
                           .too_long = session_on_too_long,
                           .closed = session_on_closed,
                           .context = session};
}

void haft_session_trim(haft_session *session)
{
    hf_call_free_spare(&session->owner);
    hf_buffer_trim(&session->owner.out, 0);
}

size_t haft_session_in_flight(const haft_session *session)
{
    return session->owner.n_calls;
}

void haft_session_shut_down(haft_session *session)
{
    hf_session_end_listens(session, NULL, true);
}

void haft_session_deliver(haft_session *session, haft_posted *posted)
{
    (void)session;
    hf_post_deliver(posted);
}

/* ---- time ---- */

/* Starts queued calls whose turn has come. */
static void start_queued(haft_session *session)
{
    haft_call *after;

    for (haft_call *call = session->owner.calls; call && session->owner.n_queued; call = after) {
        after = call->next;
        if (call->state == CALL_IN_LINE && hf_cap_has_turn(call))
            hf_call_start(call);
    }
}

haft_time haft_session_tick(haft_session *session, haft_time now)
{
    haft_time next = -1;
    haft_call *after;

    session->owner.now = now;
    hf_session_announce(&session->owner);
    for (haft_call *call = session->owner.calls; call; call = after) {
        after = call->next;
        call->time.now = now;
        if (!call->time.deadline || call->answered)
            continue;
        if (call->time.deadline <= now)
            hf_call_time_out(call);
        else if (next < 0 || call->time.deadline < next)
            next = call->time.deadline;
    }
    start_queued(session);
    return next;
}

void haft_session_cancel(haft_session *session, const void *tag)
{
    haft_call *after;

    for (haft_call *call = session->owner.calls; call; call = after) {
        after = call->next;
        if (call->request.tag == tag && !call->answered)
            hf_call_give_up(call);
    }
    hf_session_end_tagged(session, tag, false);
}
