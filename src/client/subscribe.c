/* subscribe.c - changes that the program wants to know of.
 *
 * A modern server is asked with one request for each subscription, which it does not answer while
 * the subscription lasts.  When that ends, the client asks again, later and later, and then reports
 * everything once, because it may have missed a change.  A legacy server is asked for each resource,
 * and sends changes of lists without being asked; when its session is gone, the client begins another
 * one in the same way. */
#include "client/client.h"

#include <string.h>

#include "base/list.h"
#include "base/struct.h"

enum { SUBSCRIBE_FIRST_MS = 1000, SUBSCRIBE_MAX_MS = 30000 };

struct haft_subscription {
    haft_client *client;
    struct haft_subscription *previous, *next;
    haft_client_changed *changed;
    haft_client_done *answered; /* NULL once it has been called */
    void *context;
    struct due due; /* when the client asks for it again */
    unsigned pause; /* milliseconds before that */
    int64_t id;     /* of its request; 0 for none */
    unsigned round; /* of notifications: the latest that it has been considered for */
    bool lapsed;    /* changes may have been missed */
    bool over;      /* the server does not offer it */
    bool tools, resources, prompts;
    size_t unanswered;   /* requests to a legacy server that have not been answered */
    int failure;         /* why one of them could not be made; or 0 */
    size_t n_uris, size; /* size of this struct, with the URIs after it */
    const char *uris[];
};

struct subscriptions {
    struct haft_subscription *first, *last;
    unsigned round; /* number of notifications */
};

static void subscribe_send(haft_subscription *subscription);

/* Tells the program, once, what the server has answered; the program may free the subscription. */
static void subscribe_answered(haft_subscription *subscription, int status,
                               const haft_result *result)
{
    haft_client_done *answered = subscription->answered;

    subscription->answered = NULL;
    if (answered)
        answered(subscription->context, subscription->client, status, result);
}

/* The same for one that the server has accepted; `value` is what it said, or NULL. */
static void subscribe_accepted(haft_subscription *subscription, yyjson_val *value)
{
    const haft_result accepted = {.error_message = "", .text = "", .value = value};

    subscribe_answered(subscription, 0, &accepted);
}

/* ---- a modern server ---- */

static void subscribe_later(haft_subscription *subscription)
{
    haft_client *client = subscription->client;

    subscription->lapsed = true;
    if (client->closed || !hf_due_has_time(client))
        return;
    hf_due_set(client, &subscription->due, hf_due_now(client) + subscription->pause);
    subscription->pause =
        subscription->pause * 2 < SUBSCRIBE_MAX_MS ? subscription->pause * 2 : SUBSCRIBE_MAX_MS;
}

static void subscribe_expire(haft_client *client, struct due *due, haft_time now)
{
    (void)client;
    (void)now;
    subscribe_send((haft_subscription *)((char *)due - offsetof(struct haft_subscription, due)));
}

static void subscribe_done(void *context, haft_client *client, int status,
                           const haft_result *result)
{
    haft_subscription *subscription = context;

    if (!subscription)
        return; /* it has been freed meanwhile */
    subscription->id = 0;
    if (client->ending || client->closed)
        return;
    if (!status &&
        (result->error_code == RPC_METHOD_NOT_FOUND || result->error_code == RPC_INVALID_PARAMS ||
         result->error_code == RPC_MISSING_CAPABILITY)) {
        subscription->over = true; /* asking again would not help */
        subscribe_answered(subscription, 0, result);
    } else {
        subscribe_later(subscription);
    }
}

static void subscribe_put_topics(const haft_subscription *subscription, haft_buffer *out)
{
    struct json_writer w = {.out = out};

    hf_json_begin_object(&w);
    hf_json_begin_object(json_key(&w, "notifications"));
    if (subscription->tools)
        hf_json_bool(json_key(&w, "toolsListChanged"), true);
    if (subscription->resources)
        hf_json_bool(json_key(&w, "resourcesListChanged"), true);
    if (subscription->prompts)
        hf_json_bool(json_key(&w, "promptsListChanged"), true);
    if (subscription->n_uris) {
        hf_json_begin_array(json_key(&w, "resourceSubscriptions"));
        for (size_t i = 0; i < subscription->n_uris; i++)
            hf_json_text(&w, subscription->uris[i]);
        hf_json_end_array(&w);
    }
    hf_json_end_object(&w);
    hf_json_end_object(&w);
    haft_buffer_add(out, "", 1);
}

static void subscribe_listen(haft_subscription *subscription)
{
    haft_client *client = subscription->client;
    haft_buffer params;
    int64_t id;

    haft_buffer_init(&params, client->allocator, client->out.limit);
    subscribe_put_topics(subscription, &params);
    id = params.status
             ? params.status
             : hf_request_begin(client,
                                HAFT_WITH(haft_client_exchange, .method = "subscriptions/listen",
                                          .params = params.data, .done = subscribe_done,
                                          .context = subscription),
                                REQUEST_URGENT | REQUEST_ENDLESS);
    haft_buffer_finish(&params);
    subscription->id = id > 0 ? id : 0;
    if (id <= 0)
        subscribe_later(subscription);
}

/* ---- a legacy server ---- */

/* The context of a request to unsubscribe is NULL, as is that of one whose subscription was freed. */
static void subscribe_asked(void *context, haft_client *client, int status,
                            const haft_result *result)
{
    haft_subscription *subscription = context;

    if (!subscription)
        return;
    subscription->unanswered--;
    /* With a session that is gone, the client asks again. */
    if (!client->ending && !client->closed &&
        (status ? client->negotiation.phase == NEGOTIATE_READY : result->error_code))
        subscribe_answered(subscription, status, result);
}

/* Requests that have not been reported must not find the subscription any more. */
static void subscribe_leave(const haft_subscription *subscription)
{
    const struct client_requests *all = &subscription->client->requests;

    for (size_t i = 0; subscription->unanswered && i < all->buckets; i++)
        for (struct client_request *request = all->by_id[i]; request; request = request->by_id)
            if (request->done == subscribe_asked && request->context == subscription)
                request->context = NULL;
}

/* Whether another subscription is about the resource as well. */
static bool subscribe_shares(const haft_subscription *subscription, const char *uri)
{
    const haft_subscription *other = subscription->client->subscriptions->first;

    for (; other; other = other->next)
        for (size_t i = 0; other != subscription && i < other->n_uris; i++)
            if (!strcmp(other->uris[i], uri))
                return true;
    return false;
}

/* Asks about each resource: to begin, or to end what no other subscription needs. */
static void subscribe_ask(haft_subscription *subscription, bool begins)
{
    haft_client *client = subscription->client;
    const char *method = begins ? "resources/subscribe" : "resources/unsubscribe";

    subscription->failure = 0;
    for (size_t i = 0; i < subscription->n_uris; i++) {
        haft_buffer params;
        struct json_writer w = {.out = &params};
        int64_t id = 0;

        haft_buffer_init(&params, client->allocator, client->out.limit);
        hf_json_begin_object(&w);
        hf_json_text(json_key(&w, "uri"), subscription->uris[i]);
        hf_json_end_object(&w);
        haft_buffer_add(&params, "", 1);
        if (begins || !subscribe_shares(subscription, subscription->uris[i]))
            id = params.status
                     ? params.status
                     : hf_request_begin(client,
                                        HAFT_WITH(haft_client_exchange, .method = method,
                                                  .params = params.data, .done = subscribe_asked,
                                                  .context = begins ? subscription : NULL),
                                        REQUEST_URGENT);
        haft_buffer_finish(&params);
        if (begins && id > 0)
            subscription->unanswered++;
        else if (begins)
            subscription->failure = (int)id;
    }
}

/* ---- both ---- */

static void subscribe_send(haft_subscription *subscription)
{
    haft_client *client = subscription->client;

    if (client->closed || subscription->over)
        return;
    if (client->negotiation.phase == NEGOTIATE_LOST) {
        hf_negotiate_renew(client); /* and then hf_subscribe_renew */
        return;
    }
    if (client->negotiation.phase < NEGOTIATE_READY || client_is_modern(client)) {
        if (client->negotiation.phase == NEGOTIATE_READY)
            subscribe_listen(subscription);
        return;
    }
    if (client->transport.listen)
        client->transport.listen(client->transport.context, true);
    subscribe_ask(subscription, true);
}

void hf_subscribe_revive(haft_client *client)
{
    haft_subscription *subscription = client->subscriptions ? client->subscriptions->first : NULL;

    if (client->negotiation.phase != NEGOTIATE_LOST)
        return;
    for (; subscription; subscription = subscription->next)
        if (!subscription->due.index && !subscription->over)
            subscribe_later(subscription);
}

void hf_subscribe_renew(haft_client *client, bool again)
{
    haft_subscription *subscription = client->subscriptions ? client->subscriptions->first : NULL;

    for (; subscription; subscription = subscription->next) {
        if (subscription->id)
            continue;
        subscription->lapsed = subscription->lapsed || again;
        if (!client_is_modern(client))
            subscription->pause = SUBSCRIBE_FIRST_MS;
        hf_due_remove(client, &subscription->due);
        subscribe_send(subscription);
    }
}

/* ---- changes ---- */

static bool subscribe_exists(const haft_client *client, const haft_subscription *subscription)
{
    const haft_subscription *one = client->subscriptions->first;

    while (one && one != subscription)
        one = one->next;
    return one;
}

/* Reports to one subscription.  Returns false if it is gone then. */
static bool subscribe_report(haft_client *client, haft_subscription *subscription, haft_offer kind,
                             const char *uri)
{
    subscription->changed(subscription->context, client, kind, uri);
    return !client->ending && subscribe_exists(client, subscription);
}

/* Reports everything, after a time in which changes may have been missed. */
static bool subscribe_report_all(haft_subscription *subscription)
{
    haft_client *client = subscription->client;

    subscription->lapsed = false;
    for (int i = 0; i < LIST_KINDS; i++)
        hf_list_changed(client, (haft_offer)i);
    if (subscription->tools && !subscribe_report(client, subscription, HAFT_OFFER_TOOL, NULL))
        return false;
    if (subscription->resources &&
        !subscribe_report(client, subscription, HAFT_OFFER_RESOURCE, NULL))
        return false;
    if (subscription->prompts && !subscribe_report(client, subscription, HAFT_OFFER_PROMPT, NULL))
        return false;
    for (size_t i = 0; i < subscription->n_uris; i++)
        if (!subscribe_report(client, subscription, HAFT_OFFER_RESOURCE, subscription->uris[i]))
            return false;
    return true;
}

/* Whether a legacy server has answered all requests, and the program has not been told. */
static bool subscribe_is_answered(const haft_subscription *subscription)
{
    return subscription->answered && !subscription->unanswered;
}

static void subscribe_conclude(haft_subscription *subscription)
{
    if (subscription->failure)
        subscribe_answered(subscription, subscription->failure, NULL);
    else
        subscribe_accepted(subscription, NULL);
}

/* A modern server acknowledges the subscription first. */
bool hf_subscribe_report(haft_client *client)
{
    haft_subscription *subscription = client->subscriptions && !client_is_modern(client) &&
                                              client->negotiation.phase == NEGOTIATE_READY
                                          ? client->subscriptions->first
                                          : NULL;

    while (subscription && !subscription->lapsed && !subscribe_is_answered(subscription))
        subscription = subscription->next;
    if (subscription && subscribe_is_answered(subscription))
        subscribe_conclude(subscription);
    else if (subscription)
        subscribe_report_all(subscription);
    return subscription;
}

static bool subscribe_wants(const haft_subscription *subscription, haft_offer kind, const char *uri)
{
    if (!uri)
        return kind == HAFT_OFFER_TOOL       ? subscription->tools
               : kind == HAFT_OFFER_RESOURCE ? subscription->resources
                                             : subscription->prompts;
    for (size_t i = 0; i < subscription->n_uris; i++) {
        size_t size = strlen(subscription->uris[i]);

        /* Servers may report a part of a resource. */
        if (!strncmp(subscription->uris[i], uri, size) && (!uri[size] || uri[size] == '/'))
            return true;
    }
    return false;
}

/* Whether a notification is for a subscription: it names the request, or it is an older one. */
static bool subscribe_is_for(const haft_client *client, const haft_subscription *subscription,
                             yyjson_val *id)
{
    const struct client_request *request =
        yyjson_is_int(id) ? hf_request_on_wire(client, yyjson_get_sint(id)) : NULL;

    return !id || (request && request->id == subscription->id);
}

static void subscribe_acknowledged(haft_client *client, yyjson_val *id, yyjson_val *params)
{
    haft_subscription *subscription = client->subscriptions->first;

    while (subscription && !(id && subscribe_is_for(client, subscription, id)))
        subscription = subscription->next;
    if (!subscription)
        return;
    subscription->pause = SUBSCRIBE_FIRST_MS;
    subscribe_accepted(subscription, params);
    if (!client->ending && subscribe_exists(client, subscription) && subscription->lapsed)
        subscribe_report_all(subscription);
}

/* The change that a notification reports; false if it is about something else. */
static bool subscribe_change(const char *method, yyjson_val *params, haft_offer *ret_kind,
                             const char **ret_uri)
{
    *ret_uri = NULL;
    *ret_kind = HAFT_OFFER_RESOURCE;
    if (!strcmp(method, "notifications/tools/list_changed"))
        *ret_kind = HAFT_OFFER_TOOL;
    else if (!strcmp(method, "notifications/prompts/list_changed"))
        *ret_kind = HAFT_OFFER_PROMPT;
    else if (!strcmp(method, "notifications/resources/updated"))
        *ret_uri = yyjson_get_str(yyjson_obj_get(params, "uri"));
    else
        return !strcmp(method, "notifications/resources/list_changed");
    return *ret_uri || strcmp(method, "notifications/resources/updated") != 0;
}

void hf_subscribe_notified(haft_client *client, const char *method, yyjson_val *params)
{
    yyjson_val *id = yyjson_obj_get(rpc_object(params, "_meta"), META_SUBSCRIPTION);
    haft_subscription *subscription, *next;
    haft_offer kind;
    const char *uri;

    if (!client->subscriptions)
        return;
    if (!strcmp(method, "notifications/subscriptions/acknowledged"))
        subscribe_acknowledged(client, id, params);
    if (client->ending || !subscribe_change(method, params, &kind, &uri))
        return;
    client->subscriptions->round++;
    for (subscription = client->subscriptions->first; subscription; subscription = next) {
        next = subscription->next;
        if (subscription->round == client->subscriptions->round)
            continue;
        subscription->round = client->subscriptions->round;
        if (!subscribe_is_for(client, subscription, id) ||
            !subscribe_wants(subscription, kind, uri))
            continue;
        subscribe_report(client, subscription, kind, uri);
        if (client->ending)
            return;
        next = client->subscriptions->first; /* the program may have freed any of them */
    }
}

/* ---- making and freeing ---- */

/* Whether the server declares what the subscription is about; true if it has declared nothing. */
static bool subscribe_is_offered(const haft_client *client, const haft_topics *topics)
{
    yyjson_val *all = client->negotiation.capabilities;
    yyjson_val *resources = yyjson_obj_get(all, "resources");

    if (!all)
        return true;
    return (topics->tools &&
            yyjson_is_true(yyjson_obj_get(yyjson_obj_get(all, "tools"), "listChanged"))) ||
           (topics->prompts &&
            yyjson_is_true(yyjson_obj_get(yyjson_obj_get(all, "prompts"), "listChanged"))) ||
           (topics->resources && yyjson_is_true(yyjson_obj_get(resources, "listChanged"))) ||
           (topics->uris && *topics->uris &&
            yyjson_is_true(yyjson_obj_get(resources, "subscribe")));
}

static haft_subscription *subscribe_new(haft_client *client, const haft_topics *topics)
{
    const haft_allocator *allocator = client->allocator;
    size_t n = 0, text = 0, size;
    haft_subscription *subscription;
    char *end;

    for (; topics->uris && topics->uris[n]; n++)
        text += strlen(topics->uris[n]) + 1;
    size = sizeof *subscription + n * sizeof *subscription->uris + text;
    if (hf_due_reserve(client))
        return NULL;
    subscription = allocator->alloc(allocator->context, size);
    if (!subscription) {
        client->dues.reserved--;
        return NULL;
    }
    *subscription = (haft_subscription){.client = client,
                                        .due.expire = subscribe_expire,
                                        .pause = SUBSCRIBE_FIRST_MS,
                                        .tools = topics->tools,
                                        .resources = topics->resources,
                                        .prompts = topics->prompts,
                                        .n_uris = n,
                                        .size = size};
    end = (char *)(subscription->uris + n);
    for (size_t i = 0; i < n; i++) {
        size_t bytes = strlen(topics->uris[i]) + 1;

        subscription->uris[i] = memcpy(end, topics->uris[i], bytes);
        end += bytes;
    }
    return subscription;
}

haft_subscription *haft_client_subscribe(haft_client *client, const haft_topics *topics,
                                         haft_client_changed *changed, void *context)
{
    const haft_allocator *allocator;
    haft_subscription *subscription;
    haft_topics own;

    if (hf_client_needs(client, "haft_client_subscribe",
                        !topics    ? "topics"
                        : !changed ? "changed"
                                   : NULL) ||
        client->closed)
        return NULL;
    if (!hf_struct_read(&own, sizeof own, topics)) {
        hf_client_explain(client, 0, "haft_topics: %s", STRUCT_UNSIZED);
        return NULL;
    }
    if (!subscribe_is_offered(client, &own)) {
        hf_client_explain(client, 0, "the server announces no changes of these topics");
        return NULL;
    }
    allocator = client->allocator;
    if (!client->subscriptions) {
        client->subscriptions = allocator->alloc(allocator->context, sizeof *client->subscriptions);
        if (!client->subscriptions)
            return NULL;
        *client->subscriptions = (struct subscriptions){.first = NULL};
    }
    subscription = subscribe_new(client, &own);
    if (!subscription)
        return NULL;
    subscription->changed = changed;
    subscription->answered = own.answered;
    subscription->context = context;
    subscription->round = client->subscriptions->round;
    LIST_APPEND(client->subscriptions->first, client->subscriptions->last, subscription, previous,
                next);
    subscribe_send(subscription);
    hf_client_enter(client);
    hf_client_pump(client);
    return hf_client_leave(client) ? subscription : NULL;
}

static void subscribe_release(haft_subscription *subscription)
{
    haft_client *client = subscription->client;

    LIST_REMOVE(client->subscriptions->first, client->subscriptions->last, subscription, previous,
                next);
    hf_due_release(client, &subscription->due);
    subscribe_leave(subscription);
    client->allocator->release(client->allocator->context, subscription, subscription->size);
}

void haft_subscription_free(haft_subscription *subscription)
{
    haft_client *client;
    struct client_request *request;

    if (!subscription)
        return;
    client = subscription->client;
    request = subscription->id ? hf_request_find(client, subscription->id) : NULL;
    if (request && request->state == REQUEST_ENDED) {
        request->context = NULL;
    } else if (request) {
        request->done = NULL;
        hf_request_cancel(client, request, HAFT_ECANCELLED, "cancelled");
        hf_request_forget(client, request);
    }
    if (!client_is_modern(client) && !client->closed) {
        subscribe_ask(subscription, false);
        if (client->transport.listen && client->subscriptions->first == subscription &&
            client->subscriptions->last == subscription)
            client->transport.listen(client->transport.context, false);
    }
    subscribe_release(subscription);
}

void hf_subscribe_finish(haft_client *client)
{
    if (!client->subscriptions)
        return;
    while (client->subscriptions->first)
        subscribe_release(client->subscriptions->first);
    client->allocator->release(client->allocator->context, client->subscriptions,
                               sizeof *client->subscriptions);
}
