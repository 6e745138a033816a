/* listen.c - subscriptions of modern clients (subscriptions/listen), from the request to their end.
 *
 * A subscription is answered when it ends; until then announce.c sends what it asks for. Lists,
 * resources and tasks that the server does not offer are left out of what it acknowledges. */
#include "engine/session/listen.h"
#include "engine/session/method.h"
#include "engine/call/identity.h"
#include "engine/call/guard.h"
#include "engine/call/plain_call.h"
#include "engine/call/respond.h"
#include "protocol/meta.h"

enum { LISTEN_LIMIT = 1 << 20, LISTEN_BAD_REQUEST = 400 };

const struct topic hf_topics[TOPICS] = {
    {"notifications/tools/list_changed", "toolsListChanged", 1u << HAFT_OFFER_TOOL},
    {"notifications/resources/list_changed", "resourcesListChanged",
     1u << HAFT_OFFER_RESOURCE | 1u << HAFT_OFFER_TEMPLATE},
    {"notifications/prompts/list_changed", "promptsListChanged", 1u << HAFT_OFFER_PROMPT},
};

void hf_listen_put_meta(struct json_writer *w, const struct listen *listen)
{
    hf_json_begin_object(json_key(w, "_meta"));
    hf_rpc_write_id(json_key(w, META_SUBSCRIPTION), listen->id);
    hf_json_end_object(w);
}

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
        if (listen->lists & hf_topics[i].lists)
            hf_json_bool(hf_json_name(w, hf_topics[i].filter, strlen(hf_topics[i].filter)), true);
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
    hf_listen_put_meta(&w, listen);
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
        if (yyjson_is_true(yyjson_obj_get(filter, hf_topics[i].filter)) &&
            (offered & hf_topics[i].lists))
            listen->lists |= hf_topics[i].lists;
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
        yyjson_val *wanted = yyjson_obj_get(filter, hf_topics[i].filter);

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
    session->owner.announce(&session->owner);
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
        call->error.http_status = LISTEN_BAD_REQUEST;
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
    hf_listen_put_meta(&w, listen);
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
