/* relay.c - tells the other processes on a store which lists and resources have changed, and hears it
 * from them.
 *
 * A message has the kinds of changes, not their contents: {"format":1,"from":ID,"lists":["tools"],
 * "uris":[...]}. One message is on its way at a time, and collects what changes meanwhile. Channels
 * deliver at most once; a process that may have missed a message, or cannot read one, assumes that
 * everything has changed. */
#include "endpoint/relay.h"

#include <string.h>

#include "base/hex.h"
#include "json/json.h"
#include "stage/rate.h"
#include "stage/store_state.h"

enum {
    RELAY_FORMAT = 1,
    RELAY_ID = 16,
    RELAY_CHANNEL = 256,
    RELAY_URIS = 64,          /* more are "everything" */
    RELAY_MESSAGE = 64 << 10, /* size of a message that is sent, */
    RELAY_RECEIVED = 1 << 20, /* and memory for one that is read */
    RELAY_RETRY = 1000,       /* time between attempts while the store fails, */
    RELAY_PROBE = 5000,       /* and between requests that only try it; */
    RELAY_PROBED = 60000      /* lifetime of what they write */
};

static const char relay_space[] = "changes";
static const char relay_probe[] = "probe"; /* the entry that a probe writes */

static const char *const relay_lists[OFFER_LISTS] = {[HAFT_OFFER_TOOL] = "tools",
                                                     [HAFT_OFFER_RESOURCE] = "resources",
                                                     [HAFT_OFFER_TEMPLATE] = "templates",
                                                     [HAFT_OFFER_PROMPT] = "prompts"};

/* Unpublished changes. */
struct unpublished {
    unsigned lists;
    bool all;
    bool probe;       /* nothing: a request shows whether the store works */
    haft_buffer uris; /* each ends with a NUL */
    size_t n_uris;
};

struct relay {
    struct change_relay hook; /* must be first */
    haft_server *server;      /* not used after the last endpoint has detached it */
    const haft_allocator *allocator;
    haft_store *store;
    haft_store_subscriber subscriber;
    unsigned n_endpoints; /* under the server's lock */
    char id[RELAY_ID + 1];
    char channel[RELAY_CHANNEL];
    size_t channel_size;

    atomic_flag lock; /* for the members below */
    struct unpublished news;
    bool probes; /* the request only tries the store */
    bool busy;   /* a message is on its way, */
    bool failed; /* or the latest could not be sent: tried again at the next tick */
    bool detached;
    bool answered; /* the store has answered since the latest tick, with */
    int status;
    haft_time now; /* of the latest tick */
    haft_time retry;
    haft_buffer message;
    haft_store_request request;
    haft_store_op op;
};

static void relay_lock(struct relay *relay)
{
    while (atomic_flag_test_and_set_explicit(&relay->lock, memory_order_acquire))
        ;
}

static void relay_unlock(struct relay *relay)
{
    atomic_flag_clear_explicit(&relay->lock, memory_order_release);
}

/* ---- receiving ---- */

static unsigned relay_read_lists(const haft_value *names)
{
    unsigned lists = 0;
    yyjson_val *name;
    size_t i, n;

    yyjson_arr_foreach((yyjson_val *)(uintptr_t)names, i, n, name)
        for (int k = 0; k < OFFER_LISTS; k++)
            lists |= yyjson_equals_str(name, relay_lists[k]) ? 1u << k : 0;
    return lists;
}

/* A process without an id hears its own messages as well: a change that is announced twice does no harm, and one
 * that is not announced does. */
static bool relay_is_own(const yyjson_val *message, const char *own)
{
    return *own && yyjson_equals_str(yyjson_obj_get((yyjson_val *)(uintptr_t)message, "from"), own);
}

void hf_relay_receive(haft_server *server, const char *own, haft_slice text)
{
    haft_arena *arena = haft_arena_new(server->allocator, RELAY_RECEIVED);
    yyjson_val *message = NULL, *uri;
    const char *reason;
    size_t offset, i, n;
    unsigned lists;

    if (!arena || hf_json_parse(text.data, text.size, arena, &message, &offset, &reason) ||
        yyjson_get_int(yyjson_obj_get(message, "format")) != RELAY_FORMAT ||
        yyjson_is_true(yyjson_obj_get(message, "all"))) {
        if (!relay_is_own(message, own))
            hf_server_note_all(server);
        haft_arena_free(arena);
        return;
    }
    if (!relay_is_own(message, own)) {
        lists = relay_read_lists(yyjson_obj_get(message, "lists"));
        if (lists)
            hf_server_note_lists(server, lists);
        yyjson_arr_foreach(yyjson_obj_get(message, "uris"), i, n, uri)
            if (yyjson_is_str(uri))
                hf_server_note_resource(server, yyjson_get_str(uri));
    }
    haft_arena_free(arena);
}

static void relay_on_message(haft_store_subscriber *subscriber, haft_slice channel,
                             haft_slice value)
{
    const struct relay *relay = subscriber->context;

    (void)channel;
    hf_relay_receive(relay->server, relay->id, value);
}

static void relay_on_gap(haft_store_subscriber *subscriber)
{
    const struct relay *relay = subscriber->context;

    hf_server_note_all(relay->server);
}

/* ---- publishing ---- */

/* Writes what is unpublished into the message, with the lock held. */
static void relay_write(struct relay *relay)
{
    struct unpublished *news = &relay->news;
    struct json_writer w = {.out = &relay->message};

    haft_buffer_clear(&relay->message);
    hf_json_begin_object(&w);
    hf_json_integer(json_key(&w, "format"), RELAY_FORMAT);
    hf_json_text(json_key(&w, "from"), relay->id);
    if (news->all) {
        hf_json_bool(json_key(&w, "all"), true);
    } else {
        hf_json_begin_array(json_key(&w, "lists"));
        for (int i = 0; i < OFFER_LISTS; i++)
            if (news->lists & 1u << i)
                hf_json_text(&w, relay_lists[i]);
        hf_json_end_array(&w);
        hf_json_begin_array(json_key(&w, "uris"));
        for (size_t at = 0; at < news->uris.size; at += strlen(news->uris.data + at) + 1)
            hf_json_text(&w, news->uris.data + at);
        hf_json_end_array(&w);
    }
    hf_json_end_object(&w);
    relay->probes = !news->all && !news->lists && !news->n_uris;
    news->all = news->probe = false;
    news->lists = 0;
    news->n_uris = 0;
    haft_buffer_clear(&news->uris);
}

static bool relay_has_news(const struct relay *relay)
{
    return relay->news.all || relay->news.lists || relay->news.n_uris || relay->news.probe;
}

static void relay_on_published(haft_store_request *request);

/* A message; or a probe, which writes an entry of this process: only a store that accepts writes works, and a message
 * would reach every other process. With the lock held. */
static void relay_fill_request(struct relay *relay)
{
    haft_slice channel = {relay->channel, relay->channel_size};

    relay->op = relay->probes
                    ? (haft_store_op){.kind = HAFT_STORE_PUT,
                                      .key = HAFT_SLICE(relay_probe),
                                      .value = HAFT_SLICE("1"),
                                      .expires_ms = RELAY_PROBED}
                    : (haft_store_op){.kind = HAFT_STORE_PUBLISH,
                                      .key = channel,
                                      .value = {relay->message.data, relay->message.size}};
    relay->request = (haft_store_request){
        .space = relay_space,
        .group = relay->probes ? HAFT_SLICE(*relay->id ? relay->id : relay_probe) : channel,
        .ops = &relay->op,
        .n_ops = 1,
        .now = relay->now,
        .done = relay_on_published,
        .context = relay};
}

/* Takes the unpublished changes. Returns true if the caller must submit the request. */
static bool relay_prepare(struct relay *relay)
{
    bool prepared = false;

    relay_lock(relay);
    if (!relay->busy && !relay->failed && !relay->detached && relay_has_news(relay)) {
        relay_write(relay);
        if (relay->message.status) { /* no memory, or a long URI */
            relay->news.all = true;
            relay_write(relay);
        }
        prepared = !relay->message.status;
        if (prepared)
            relay_fill_request(relay);
        relay->busy = prepared;
        relay->failed = !prepared;
        relay->news.all = !prepared;
    }
    relay_unlock(relay);
    return prepared;
}

/* Returns true if there is more to publish. */
static bool relay_note(struct relay *relay, int status)
{
    bool more;

    relay_lock(relay);
    relay->answered = true;
    relay->status = status;
    relay->busy = false;
    relay->failed = status < 0;
    relay->news.all |= status < 0 && !relay->probes;
    more = !relay->failed && !relay->detached && relay_has_news(relay);
    relay_unlock(relay);
    return more;
}

/* Publishes until there is nothing left, or the store answers later. The request holds the relay. */
static void relay_publish(struct relay *relay)
{
    while (relay_prepare(relay)) {
        int status;

        atomic_fetch_add(&relay->hook.refs, 1);
        status = haft_store_submit(relay->store, &relay->request);
        if (status == HAFT_PENDING)
            return;
        relay_note(relay, status ? status : relay->request.status);
        hf_relay_drop(&relay->hook); /* of the request: the caller has its own */
    }
}

static void relay_on_published(haft_store_request *request)
{
    struct relay *relay = request->context;

    if (relay_note(relay, request->status))
        relay_publish(relay);
    hf_relay_drop(&relay->hook);
}

static void relay_tell_lists(struct change_relay *hook, unsigned lists)
{
    struct relay *relay = (struct relay *)hook;

    relay_lock(relay);
    relay->news.lists |= lists;
    relay_unlock(relay);
    relay_publish(relay);
}

static void relay_tell_resource(struct change_relay *hook, const char *uri)
{
    struct relay *relay = (struct relay *)hook;
    struct unpublished *news = &relay->news;

    relay_lock(relay);
    if (news->n_uris < RELAY_URIS)
        haft_buffer_add(&news->uris, uri, strlen(uri) + 1);
    if (news->n_uris++ >= RELAY_URIS || news->uris.status) {
        haft_buffer_clear(&news->uris);
        news->all = true;
    }
    relay_unlock(relay);
    relay_publish(relay);
}

/* The store works again: so does what other parts of the server use it for. What others have
 * published meanwhile may be lost. */
static void relay_recover(haft_server *server, int status)
{
    bool recovered = false;

    for (int use = 0; use < STORE_USES; use++)
        recovered |= hf_store_note(server, (enum store_use)use, status);
    if (recovered)
        hf_server_note_all(server);
}

/* Whether it is time for another message: after a failure, or to see whether the store works. With the
 * lock held. */
static bool relay_is_due(struct relay *relay, haft_time now, bool degraded)
{
    bool first = !relay->retry, due = now >= relay->retry;

    if (relay->busy || (!due && !first))
        return false;
    relay->retry = now + (degraded || relay->failed ? RELAY_RETRY : RELAY_PROBE);
    relay->news.probe = !first;
    relay->failed = false;
    return !first;
}

void hf_relay_tick(haft_endpoint *endpoint)
{
    haft_server *server = endpoint->server;
    struct relay *relay = (struct relay *)hf_server_take_relay(server);
    bool degraded = hf_store_is_degraded(server), due, answered;
    int status;

    if (!relay)
        return;
    relay_lock(relay);
    relay->now = endpoint->now;
    answered = relay->answered;
    status = relay->status;
    relay->answered = false;
    if (answered && status < 0 && relay->retry > endpoint->now + RELAY_RETRY)
        relay->retry = endpoint->now + RELAY_RETRY;
    due = relay_is_due(relay, endpoint->now, degraded);
    relay_unlock(relay);
    if (answered && status < 0)
        hf_store_note(server, STORE_CHANGES, status);
    else if (answered)
        relay_recover(server, status);
    if (due)
        relay_publish(relay);
    hf_relay_drop(&relay->hook);
}

/* ---- life ---- */

static void relay_release(struct change_relay *hook)
{
    struct relay *relay = (struct relay *)hook;

    haft_buffer_finish(&relay->news.uris);
    haft_buffer_finish(&relay->message);
    relay->allocator->release(relay->allocator->context, relay, sizeof *relay);
}

/* Servers of one name are replicas of each other; a gateway may have several at different paths. */
static void relay_name_channel(struct relay *relay)
{
    const char *name = relay->server->name;
    const char *path = relay->server->endpoint ? relay->server->endpoint : "";
    size_t size = strlen(name), path_size = strlen(path), half = sizeof relay->channel / 2 - 1;
    char *at = relay->channel;

    if (size > half)
        at += hf_rate_put_long(at, half, name, size);
    else
        at = (char *)memcpy(at, name, size) + size;
    *at++ = ' ';
    if (path_size > half)
        at += hf_rate_put_long(at, half, path, path_size);
    else
        at = (char *)memcpy(at, path, path_size) + path_size;
    relay->channel_size = (size_t)(at - relay->channel);
}

/* The id tells own messages from those of others. Without random numbers there is none. */
static void relay_name_self(struct relay *relay, const haft_endpoint *endpoint)
{
    uint64_t (*random)(void) = relay->server->options.random;
    unsigned char bytes[RELAY_ID / 2];
    uint64_t number;

    if (endpoint->loop.random &&
        !endpoint->loop.random(endpoint->loop.context, bytes, sizeof bytes)) {
        hf_hex_put(bytes, sizeof bytes, relay->id);
    } else if (random) {
        number = random();
        memcpy(bytes, &number, sizeof bytes);
        hf_hex_put(bytes, sizeof bytes, relay->id);
    }
}

static struct relay *relay_new(haft_endpoint *endpoint)
{
    const haft_allocator *allocator = endpoint->allocator;
    struct relay *relay = allocator->alloc(allocator->context, sizeof *relay);

    if (!relay)
        return NULL;
    memset(relay, 0, sizeof *relay);
    atomic_init(&relay->hook.refs, 1);
    relay->hook.lists = relay_tell_lists;
    relay->hook.resource = relay_tell_resource;
    relay->hook.release = relay_release;
    relay->server = endpoint->server;
    relay->allocator = allocator;
    relay->store = endpoint->options.store;
    relay->n_endpoints = 1;
    atomic_flag_clear(&relay->lock);
    haft_buffer_init(&relay->news.uris, allocator, RELAY_MESSAGE / 2);
    haft_buffer_init(&relay->message, allocator, RELAY_MESSAGE);
    relay_name_self(relay, endpoint);
    relay_name_channel(relay);
    relay->subscriber = (haft_store_subscriber){.space = relay_space,
                                                .channel = {relay->channel, relay->channel_size},
                                                .message = relay_on_message,
                                                .gap = relay_on_gap,
                                                .context = relay};
    return relay;
}

/* One more endpoint of a server that has a relay. */
static bool relay_join(haft_server *server)
{
    struct relay *relay;

    hf_server_lock(server);
    relay = (struct relay *)server->changes.relay;
    if (relay)
        relay->n_endpoints++;
    hf_server_unlock(server);
    return relay;
}

bool hf_relay_attach(haft_endpoint *endpoint)
{
    haft_server *server = endpoint->server;
    struct relay *relay;

    if (!endpoint->options.store)
        return true;
    endpoint->relays = relay_join(server);
    if (endpoint->relays)
        return true;
    relay = relay_new(endpoint);
    if (!relay)
        return false;
    if (haft_store_subscribe(relay->store, &relay->subscriber)) {
        hf_relay_drop(&relay->hook);
        return true; /* it has no channels */
    }
    endpoint->relays = true;
    hf_server_lock(server);
    if (server->changes.relay) { /* of an endpoint on another thread */
        ((struct relay *)server->changes.relay)->n_endpoints++;
        hf_server_unlock(server);
        haft_store_unsubscribe(relay->store, &relay->subscriber);
        hf_relay_drop(&relay->hook);
        return true;
    }
    server->changes.relay = &relay->hook;
    hf_server_unlock(server);
    return true;
}

void hf_relay_detach(haft_endpoint *endpoint)
{
    haft_server *server = endpoint->server;
    struct relay *relay;
    bool pending;

    if (!endpoint->relays)
        return;
    hf_server_lock(server);
    relay = (struct relay *)server->changes.relay;
    if (--relay->n_endpoints)
        relay = NULL;
    else
        server->changes.relay = NULL;
    hf_server_unlock(server);
    if (!relay)
        return;
    haft_store_unsubscribe(relay->store, &relay->subscriber);
    relay_lock(relay);
    relay->detached = true;
    pending = relay->busy;
    relay_unlock(relay);
    if (pending && haft_store_cancel(relay->store, &relay->request))
        hf_relay_drop(&relay->hook); /* of the request */
    hf_relay_drop(&relay->hook);
}
