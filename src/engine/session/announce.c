/* announce.c - announces changes: to legacy clients directly, to modern clients on their
 * subscriptions.
 *
 * The server counts its changes, and a session knows the last one it has announced. So nothing is
 * queued, and several changes are announced once. */
#include <string.h>

#include "engine/session/method.h"
#include "engine/session/remember.h"
#include "engine/session/subscriber.h"
#include "engine/call/identity.h"
#include "engine/call/guard.h"
#include "engine/call/plain_call.h"
#include "engine/call/respond.h"
#include "protocol/meta.h"

/* The names of the lists in the protocol. Resources and templates are one list for clients. */
static const struct topic {
    const char *notification;
    const char *filter; /* member of the filter in subscriptions/listen */
    unsigned lists;
} topics[] = {
    {"notifications/tools/list_changed", "toolsListChanged", 1u << HAFT_OFFER_TOOL},
    {"notifications/resources/list_changed", "resourcesListChanged",
     1u << HAFT_OFFER_RESOURCE | 1u << HAFT_OFFER_TEMPLATE},
    {"notifications/prompts/list_changed", "promptsListChanged", 1u << HAFT_OFFER_PROMPT},
};

enum {
    TOPICS = sizeof topics / sizeof *topics,
    LISTEN_LIMIT = 1 << 20,
    ANNOUNCE_HTTP_BAD_REQUEST = 400
};

/* Writes the `_meta` that names the subscription. */
static void announce_put_meta(struct json_writer *w, const struct listen *listen)
{
    hf_json_begin_object(json_key(w, "_meta"));
    hf_rpc_write_id(json_key(w, META_SUBSCRIPTION), listen->id);
    hf_json_end_object(w);
}

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
            announce_put_meta(&w, listen);
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
        if (!(changed & topics[i].lists))
            continue;
        if (session->initialized && session->declared & topics[i].lists)
            notify(session, topics[i].notification, NULL, NULL);
        for (struct listen *listen = session->listens; listen; listen = listen->next)
            if (listen->lists & topics[i].lists)
                notify(session, topics[i].notification, NULL, listen);
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
            announce_put_meta(&w, listen);
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

/* ---- subscriptions of modern clients ---- */

static void listen_free(haft_session *session, struct listen *listen)
{
    if (listen->watch) {
        session->owner.server->tasks.hooks->unwatch(listen->watch);
        session->n_watches--;
    }
    haft_arena_free(listen->arena);
}

/* Writes the filter as far as the server supports it. */
static void put_honoured(struct json_writer *w, const struct listen *listen)
{
    hf_json_begin_object(json_key(w, "notifications"));
    for (size_t i = 0; i < TOPICS; i++)
        if (listen->lists & topics[i].lists)
            hf_json_bool(hf_json_name(w, topics[i].filter, strlen(topics[i].filter)), true);
    if (listen->uris)
        hf_json_value(json_key(w, "resourceSubscriptions"), listen->uris);
    if (listen->task_ids)
        hf_json_value(json_key(w, "taskIds"), listen->task_ids);
    hf_json_end_object(w);
}

/* Returns false without memory. */
static bool acknowledge(haft_session *session, const struct listen *listen)
{
    haft_buffer *out = &session->owner.out;
    struct json_writer w = {.out = out};

    hf_rpc_begin_notification(&w, "notifications/subscriptions/acknowledged");
    hf_json_begin_object(json_key(&w, "params"));
    put_honoured(&w, listen);
    announce_put_meta(&w, listen);
    hf_json_end_object(&w);
    hf_json_end_object(&w);
    if (out->status) {
        haft_buffer_clear(out);
        return false;
    }
    hf_owner_send(&session->owner, HAFT_OUT_NOTIFICATION, listen->tag, 0);
    return true;
}

/* Copies the subscription from the request. */
static struct listen *listen_new(haft_call *call, yyjson_val *filter)
{
    haft_session *session = session_of(call);
    haft_arena *arena = haft_arena_new(session->owner.allocator, LISTEN_LIMIT);
    struct listen *listen = arena ? haft_arena_zalloc(arena, 1, sizeof *listen) : NULL;
    unsigned offered = atomic_load(&session->owner.server->changes.offered);
    haft_buffer text;
    struct json_writer w = {.out = &text};
    yyjson_val *copy = NULL;
    const char *reason;
    size_t offset;

    if (!listen) {
        haft_arena_free(arena);
        return NULL;
    }
    listen->arena = arena;
    if (call->request.principal &&
        !hf_identity_copy(&listen->identity, &call->request.identity, arena)) {
        haft_arena_free(arena);
        return NULL;
    }
    haft_buffer_init(&text, session->owner.allocator, LISTEN_LIMIT / 2);
    hf_json_begin_array(&w);
    hf_rpc_write_id(&w, call->request.id);
    hf_json_value(&w, filter);
    hf_json_end_array(&w);
    if (text.status || hf_json_parse(text.data, text.size, arena, &copy, &offset, &reason)) {
        haft_buffer_finish(&text);
        haft_arena_free(arena);
        return NULL;
    }
    haft_buffer_finish(&text);
    listen->id = yyjson_arr_get(copy, 0);
    filter = yyjson_arr_get(copy, 1);
    for (size_t i = 0; i < TOPICS; i++)
        if (yyjson_is_true(yyjson_obj_get(filter, topics[i].filter)) && (offered & topics[i].lists))
            listen->lists |= topics[i].lists;
    if (session->owner.server->options.resource_subscriptions)
        listen->uris = yyjson_obj_get(filter, "resourceSubscriptions");
    if (session->owner.server->tasks.hooks)
        listen->task_ids = yyjson_obj_get(filter, "taskIds");
    return listen;
}

static bool is_filter(yyjson_val *filter)
{
    yyjson_val *uris = yyjson_obj_get(filter, "resourceSubscriptions"), *uri;
    yyjson_val *ids = yyjson_obj_get(filter, "taskIds"), *id;
    size_t i, n;

    if (!yyjson_is_obj(filter) || (uris && !yyjson_is_arr(uris)) || (ids && !yyjson_is_arr(ids)))
        return false;
    yyjson_arr_foreach(ids, i, n, id)
        if (!yyjson_is_str(id))
            return false;
    for (i = 0; i < TOPICS; i++) {
        yyjson_val *wanted = yyjson_obj_get(filter, topics[i].filter);

        if (wanted && !yyjson_is_bool(wanted))
            return false;
    }
    if (!uris)
        return true;
    yyjson_arr_foreach(uris, i, n, uri)
        if (!yyjson_is_str(uri))
            return false;
    return true;
}

/* Removes the resources that are not there for the client. Returns false if the request was refused,
 * because one of them requires other scopes. */
static bool listen_admit(haft_call *call, struct listen *listen)
{
    yyjson_val *uris = listen->uris, *kept;
    size_t n = 0, all = yyjson_arr_size(uris);

    if (!uris || !call_is_guarded(call))
        return true;
    kept = yyjson_arr_get_first(uris);
    for (size_t i = 0; i < all; i++) {
        int status = hf_resource_look_up(call, kept + i); /* strings: one value each */

        if (status > 0 && !hf_guard_admits(call, "resource"))
            return false;
        if (status < 0)
            hf_respond_error(call, RPC_INTERNAL_ERROR, NULL, NULL);
        if (status < 0)
            return false;
        if (status)
            kept[n++] = kept[i];
    }
    unsafe_yyjson_set_len(uris, n);
    uris->uni.ofs = (n + 1) * sizeof *uris;
    call->item = NULL;
    return true;
}

static void listen_wake(void *context)
{
    hf_owner_wake(context);
}

void hf_session_follow_task(haft_call *call, const char *id)
{
    haft_session *session = session_of(call);
    const struct task_hooks *hooks = call->server->tasks.hooks;
    struct task_watch *watch;
    bool had = session->followed;

    if (session->owner.closed)
        return;
    watch = hooks->follow(call->server->tasks.service, session->followed, id, listen_wake,
                          &session->owner);
    if (watch) /* without memory, the client still learns the state when it asks */
        session->followed = watch;
    session->n_watches += !had && watch;
}

void hf_session_unfollow_tasks(haft_session *session)
{
    if (!session->followed)
        return;
    session->owner.server->tasks.hooks->unwatch(session->followed);
    session->followed = NULL;
    session->n_watches--;
}

/* Begins the subscription: acknowledges it, and watches what it names. */
static void listen_begin(haft_call *call, yyjson_val *filter)
{
    haft_session *session = session_of(call);
    struct listen *listen = listen_new(call, filter);

    if (!listen) {
        hf_respond_error(call, RPC_INTERNAL_ERROR, NULL, NULL);
        return;
    }
    if (!listen_admit(call, listen)) {
        listen_free(session, listen);
        return;
    }
    listen->tag = call->request.tag;
    /* Announce earlier changes first, so that the subscription gets only later ones. */
    hf_session_announce(&session->owner);
    if (listen->task_ids) {
        listen->watch = session->owner.server->tasks.hooks->watch(
            session->owner.server->tasks.service, listen->task_ids, listen_wake, &session->owner);
        session->n_watches += listen->watch != NULL;
    }
    if ((listen->task_ids && !listen->watch) || !acknowledge(session, listen)) {
        listen_free(session, listen);
        hf_respond_error(call, RPC_INTERNAL_ERROR, NULL, NULL);
        return;
    }
    listen->next = session->listens;
    session->listens = listen;
    session->n_listens++;
    atomic_fetch_add(&session->owner.server->metering.streams, 1);
    call->answered = true; /* by the subscription, when it ends */
}

/* ---- subscriptions to tasks, whose owners the store knows ---- */

static void listen_admitted(haft_call *call)
{
    haft_finish(call, call->error.code ? HAFT_EFAIL : 0);
}

static int listen_execute(haft_call *call)
{
    yyjson_val *filter = yyjson_obj_get(call->request.params, "notifications");

    call->server->tasks.hooks->admit_ids(call->server->tasks.service, call,
                                         yyjson_obj_get(filter, "taskIds"), listen_admitted);
    return HAFT_PENDING;
}

static void listen_complete(haft_call *call)
{
    if (call->status)
        hf_respond_error(call, RPC_INTERNAL_ERROR, NULL, NULL);
    else
        listen_begin(call, yyjson_obj_get(call->request.params, "notifications"));
}

static void listen_to_tasks(haft_call *call)
{
    if (!haft_client_can(call, "extensions." META_TASKS)) {
        call->error.http_status = ANNOUNCE_HTTP_BAD_REQUEST;
        hf_respond_error(call, RPC_MISSING_CAPABILITY, NULL, META_TASKS_REQUIRED);
        return;
    }
    call->handler.execute = listen_execute;
    call->handler.complete = listen_complete;
    hf_call_allow(call, 0);
    hf_call_link(call);
    hf_call_start(call);
}

void hf_handle_listen(haft_call *call)
{
    haft_session *session = session_of(call);
    yyjson_val *filter = yyjson_obj_get(call->request.params, "notifications");

    if (!is_filter(filter)) {
        hf_respond_error(
            call, RPC_INVALID_PARAMS,
            "Invalid params: \"notifications\" must be an object that names what to listen to",
            NULL);
        return;
    }
    if (session->n_listens >= session->owner.server->options.max_subscriptions) {
        hf_respond_error(call, RPC_INVALID_PARAMS, "Too many subscriptions", NULL);
        return;
    }
    if (session->owner.server->tasks.hooks && yyjson_obj_get(filter, "taskIds"))
        listen_to_tasks(call);
    else
        listen_begin(call, filter);
}

/* On a transport with a single channel for all subscriptions, the end of one is also announced. */
static void cancel_listen(haft_session *session, const struct listen *listen)
{
    struct json_writer w = {.out = &session->owner.out};

    hf_rpc_begin_notification(&w, "notifications/cancelled");
    hf_json_begin_object(json_key(&w, "params"));
    hf_rpc_write_id(json_key(&w, "requestId"), listen->id);
    announce_put_meta(&w, listen);
    hf_json_end_object(&w);
    hf_json_end_object(&w);
    hf_owner_send(&session->owner, HAFT_OUT_NOTIFICATION, listen->tag, 0);
}

/* Sends the result that ends a subscription. */
static void end_listen(haft_session *session, const struct listen *listen)
{
    const struct text *tail = &session->owner.server->modern_tail;
    haft_buffer *out = &session->owner.out;
    struct json_writer w = {.out = out};

    hf_rpc_begin_response(&w, listen->id);
    hf_json_begin_object(json_key(&w, "result"));
    hf_json_text(json_key(&w, "resultType"), "complete");
    hf_json_begin_object(json_key(&w, "_meta"));
    hf_rpc_write_id(json_key(&w, META_SUBSCRIPTION), listen->id);
    hf_json_raw_members(&w, tail->data, tail->size);
    hf_json_end_object(&w);
    hf_json_end_object(&w);
    hf_json_end_object(&w);
    if (out->status) {
        haft_buffer_clear(out);
        hf_rpc_put_error(out, listen->id, RPC_INTERNAL_ERROR, NULL, NULL);
    }
    hf_owner_send(&session->owner, HAFT_OUT_RESPONSE, listen->tag, 0);
}

static void end_listens(haft_session *session, const yyjson_val *id, const void *tag, bool all,
                        bool graceful)
{
    struct listen **link = &session->listens;

    while (*link) {
        struct listen *listen = *link;

        if (!all && !(id ? hf_rpc_same_id(listen->id, id) : listen->tag == tag)) {
            link = &listen->next;
            continue;
        }
        *link = listen->next;
        session->n_listens--;
        atomic_fetch_sub(&session->owner.server->metering.streams, 1);
        if (graceful)
            end_listen(session, listen);
        if (graceful && !session->owner.options.shared)
            cancel_listen(session, listen);
        listen_free(session, listen);
    }
}

void hf_session_end_listens(haft_session *session, const yyjson_val *id, bool graceful)
{
    end_listens(session, id, NULL, !id, graceful);
}

void hf_session_end_tagged(haft_session *session, const void *tag, bool graceful)
{
    end_listens(session, NULL, tag, false, graceful);
}
