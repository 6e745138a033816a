/* announce.c - announces changes: to legacy clients directly, to modern clients on their
 * subscriptions.
 *
 * The server counts its changes, and a session knows the last one it has announced. So nothing is
 * queued, and several changes are announced once. */
#include <string.h>

#include "engine/session/listen.h"
#include "engine/session/method.h"
#include "engine/session/remember.h"
#include "engine/session/subscriber.h"
#include "engine/call/guard.h"
#include "engine/call/plain_call.h"
#include "engine/call/respond.h"
#include "protocol/meta.h"

/* Sends a notification with at most one parameter; `listen` is its subscription, if any. */
static void notify(haft_session *session, const char *method, const char *uri,
                   const struct listen *listen)
{
    struct json_writer w = {.out = &session->owner.out};

    hf_rpc_begin_notification(&w, method);
    if (uri || listen) {
        hf_json_begin_object(json_key(&w, "params"));
        json_text_member(&w, "uri", uri);
        if (listen)
            hf_listen_put_meta(&w, listen);
        hf_json_end_object(&w);
    }
    hf_json_end_object(&w);
    hf_owner_send(&session->owner, HAFT_OUT_NOTIFICATION, listen ? listen->tag : NULL, 0);
}

/* ---- lists ---- */

static void announce_lists(haft_session *session)
{
    unsigned changed = 0;

    session->announced = atomic_load(&session->owner.server->changes.version_number);
    for (int i = 0; i < OFFER_LISTS; i++) {
        unsigned now = atomic_load(&session->owner.server->changes.lists[i]);

        if (session->changes[i] != now)
            changed |= 1u << i;
        session->changes[i] = now;
    }
    for (size_t i = 0; changed && i < TOPICS; i++) {
        if (!(changed & hf_topics[i].lists))
            continue;
        if (session->initialized && session->declared & hf_topics[i].lists)
            notify(session, hf_topics[i].notification, NULL, NULL);
        for (struct listen *listen = session->listens; listen; listen = listen->next)
            if (listen->lists & hf_topics[i].lists)
                notify(session, hf_topics[i].notification, NULL, listen);
    }
}

/* ---- resources ---- */

static bool subscribes(const haft_session *session, const char *uri)
{
    for (const struct subscription *s = session->subscriptions; s; s = s->next)
        if (!strcmp(s->uri, uri))
            return true;
    return false;
}

static bool listens_to(const struct listen *listen, const char *uri)
{
    size_t i, n;
    yyjson_val *wanted;

    if (!listen->uris)
        return false;
    yyjson_arr_foreach(listen->uris, i, n, wanted)
        if (yyjson_equals_str(wanted, uri))
            return true;
    return false;
}

static const char updated[] = "notifications/resources/updated";

/* Announces an update to the client of a subscription, or, if `listen` is NULL, to that of the
 * session, unless the resource is hidden from it. */
static void announce_resource(haft_session *session, const char *uri, const struct listen *listen)
{
    const struct subscriber *own = &session->subscriber;

    if (!session->catalogue)
        hf_session_refresh(session);
    if (hf_subscriber_sees(session->catalogue, session->owner.allocator,
                           listen ? &listen->identity : &own->identity, !listen && own->unknown,
                           uri))
        notify(session, updated, uri, listen);
}

static void announce_update(haft_session *session, const char *uri)
{
    if (subscribes(session, uri))
        announce_resource(session, uri, NULL);
    for (struct listen *listen = session->listens; listen; listen = listen->next)
        if (listens_to(listen, uri))
            announce_resource(session, uri, listen);
}

/* Announces every resource that the client has subscribed to, after updates have left the ring: any of
 * them may have been among those. */
static void announce_all(haft_session *session)
{
    size_t i, n;
    yyjson_val *uri;

    for (const struct subscription *s = session->subscriptions; s; s = s->next)
        announce_resource(session, s->uri, NULL);
    for (struct listen *listen = session->listens; listen; listen = listen->next)
        if (listen->uris)
            yyjson_arr_foreach(listen->uris, i, n, uri)
                if (yyjson_is_str(uri))
                    announce_resource(session, yyjson_get_str(uri), listen);
}

/* Copies the update of that number; NULL if it has left the ring. */
static char *update_copy(haft_session *session, unsigned number)
{
    haft_server *server = session->owner.server;
    const haft_allocator *allocator = session->owner.allocator;
    char *copy = NULL;

    hf_server_lock(server);
    if (atomic_load(&server->changes.n_updates) - number <= UPDATES &&
        server->changes.updates[number % UPDATES]) {
        size_t size = strlen(server->changes.updates[number % UPDATES]) + 1;

        copy = allocator->alloc(allocator->context, size);
        if (copy)
            memcpy(copy, server->changes.updates[number % UPDATES], size);
    }
    hf_server_unlock(server);
    return copy;
}

static void announce_updates(haft_session *session)
{
    unsigned now = atomic_load(&session->owner.server->changes.n_updates);
    bool lost = now - session->n_updates > UPDATES;

    if (lost || (!session->subscriptions && !session->listens))
        session->n_updates = now;
    for (; session->n_updates != now; session->n_updates++) {
        char *uri = update_copy(session, session->n_updates);

        if (!uri) {
            session->n_updates = now;
            lost = true;
            break;
        }
        announce_update(session, uri);
        session->owner.allocator->release(session->owner.allocator->context, uri, strlen(uri) + 1);
    }
    if (lost)
        announce_all(session);
}

/* Sends the news of a watch: of a subscription, or, without one, of the tasks of an experimental client. */
static void announce_watch(haft_session *session, struct task_watch *watch,
                           const struct listen *listen)
{
    const char *members;
    size_t size;

    while ((members = session->owner.server->tasks.hooks->news(watch, &size))) {
        struct json_writer w = {.out = &session->owner.out};

        hf_rpc_begin_notification(&w,
                                  listen ? "notifications/tasks" : "notifications/tasks/status");
        hf_json_begin_object(json_key(&w, "params"));
        hf_json_raw_members(&w, members, size);
        if (listen)
            hf_listen_put_meta(&w, listen);
        hf_json_end_object(&w);
        hf_json_end_object(&w);
        hf_owner_send(&session->owner, HAFT_OUT_NOTIFICATION, listen ? listen->tag : NULL, 0);
    }
}

/* Sends the news of tasks that clients watch. */
APART static void announce_tasks(haft_session *session)
{
    for (struct listen *listen = session->listens; listen; listen = listen->next)
        if (listen->watch)
            announce_watch(session, listen->watch, listen);
    if (session->followed)
        announce_watch(session, session->followed, NULL);
}

void hf_session_announce(struct owner *owner)
{
    haft_session *session = (haft_session *)owner;

    if (session->n_watches && !session->owner.closed)
        announce_tasks(session);

    /* Fast path: usually there are no changes. */
    if (session->owner.closed ||
        (session->announced == atomic_load_explicit(&session->owner.server->changes.version_number,
                                                    memory_order_acquire) &&
         session->n_updates ==
             atomic_load_explicit(&session->owner.server->changes.n_updates, memory_order_acquire)))
        return;
    /* Drop the old catalogue, so that an idle client does not keep removed items alive. */
    if (session->catalogue)
        hf_session_refresh(session);
    announce_lists(session);
    announce_updates(session);
}

/* ---- subscriptions of legacy clients ---- */

static struct subscription **find_subscription(haft_session *session, const char *uri)
{
    struct subscription **link = &session->subscriptions;

    while (*link && strcmp((*link)->uri, uri) != 0)
        link = &(*link)->next;
    return link;
}

static const char *uri_of(haft_call *call)
{
    yyjson_val *uri = rpc_string(call->request.params, "uri");

    if (!uri || strlen(yyjson_get_str(uri)) != yyjson_get_len(uri)) {
        hf_respond_error(call, RPC_INVALID_PARAMS, "Invalid params: \"uri\" must be a string",
                         NULL);
        return NULL;
    }
    return yyjson_get_str(uri);
}

int hf_session_subscribe(haft_session *session, const char *uri)
{
    size_t size = strlen(uri);
    struct subscription *made =
        session->owner.allocator->alloc(session->owner.allocator->context, sizeof *made + size + 1);

    if (!made)
        return HAFT_ENOMEM;
    *made = (struct subscription){session->subscriptions, size};
    memcpy(made->uri, uri, size + 1);
    session->subscriptions = made;
    session->n_subscriptions++;
    return 0;
}

void hf_handle_subscribe(haft_call *call)
{
    haft_session *session = session_of(call);
    const char *uri = uri_of(call);

    if (!uri)
        return;
    if (!session->owner.server->options.resource_subscriptions) {
        hf_respond_error(call, RPC_METHOD_NOT_FOUND, NULL, NULL);
        return;
    }
    if (call_is_guarded(call) && !hf_resource_find(call, rpc_string(call->request.params, "uri")))
        return;
    if (*find_subscription(session, uri)) {
        hf_respond_empty(call);
        return;
    }
    if (session->n_subscriptions >= session->owner.server->options.max_subscriptions) {
        hf_respond_error(call, RPC_INVALID_PARAMS, "Too many subscriptions", NULL);
        return;
    }
    if (hf_subscriber_set(&session->subscriber, session->owner.allocator, call->request.principal,
                          &call->request.identity) ||
        hf_session_subscribe(session, uri)) {
        hf_respond_error(call, RPC_INTERNAL_ERROR, NULL, NULL);
        return;
    }
    session->n_changes++;
    hf_respond_empty(call);
}

void hf_handle_unsubscribe(haft_call *call)
{
    haft_session *session = session_of(call);
    const char *uri = uri_of(call);
    struct subscription **link, *found;

    if (!uri)
        return;
    link = find_subscription(session, uri);
    found = *link;
    if (found) {
        *link = found->next;
        session->n_subscriptions--;
        session->n_changes++;
        session->owner.allocator->release(session->owner.allocator->context, found,
                                          sizeof *found + found->size + 1);
    }
    hf_respond_empty(call);
}
