/* channel.c - channels: subscriptions of the home lane, and their messages.
 *
 * A process has one connection for all its subscribers, since they pass messages on anyway: with one
 * for each loop, every message would arrive as often as there are loops.  A subscriber of one channel
 * is served by SUBSCRIBE, a subscriber of a namespace by PSUBSCRIBE, and each hears only what its own
 * kind brings, so nothing arrives twice. */
#include "store/redis/room.h"

enum { CHANNEL_NAME = 4096 };

/* The name of the channel, or the pattern, of a subscriber. */
static size_t channel_name(const struct redis_store *store, const haft_store_subscriber *subscriber,
                           char *text)
{
    return hf_redis_name_channel(store, subscriber->space, subscriber->channel,
                                 !subscriber->channel.size, text);
}

static struct redis_channel *channel_find(const struct redis_store *store, bool is_pattern,
                                          const char *name, size_t size)
{
    struct redis_channel *channel = store->channels;

    while (channel && (channel->is_pattern != is_pattern || channel->size != size ||
                       memcmp(channel->name, name, size) != 0))
        channel = channel->next;
    return channel;
}

/* ---- subscribers ---- */

static struct redis_channel *channel_add(struct redis_store *store, bool is_pattern,
                                         const char *name, size_t size)
{
    struct redis_channel *channel = redis_alloc(store, sizeof *channel + size);

    if (!channel)
        return NULL;
    memcpy(channel->name, name, size);
    channel->size = size;
    channel->is_pattern = is_pattern;
    channel->next = store->channels;
    store->channels = channel;
    return channel;
}

int hf_redis_subscribe(haft_store *base, haft_store_subscriber *subscriber)
{
    struct redis_store *store = (struct redis_store *)base;
    bool is_pattern = !subscriber->channel.size;
    struct redis_channel *channel;
    char name[CHANNEL_NAME];
    size_t size = channel_name(store, subscriber, NULL);
    int status;

    if (size > sizeof name)
        return HAFT_ETOOBIG;
    channel_name(store, subscriber, name);
    pthread_mutex_lock(&store->lock);
    channel = channel_find(store, is_pattern, name, size);
    if (!channel)
        channel = channel_add(store, is_pattern, name, size);
    if (channel) {
        channel->users++;
        subscriber->next = store->subscribers;
        store->subscribers = subscriber;
    }
    pthread_mutex_unlock(&store->lock);
    if (!channel)
        return HAFT_ENOMEM;
    status = hf_redis_home_wake(store, true);
    if (status)
        hf_redis_unsubscribe(base, subscriber);
    return status;
}

void hf_redis_unsubscribe(haft_store *base, haft_store_subscriber *subscriber)
{
    struct redis_store *store = (struct redis_store *)base;
    haft_store_subscriber **link = &store->subscribers;
    struct redis_channel *channel = NULL;
    char name[CHANNEL_NAME];
    size_t size;

    pthread_mutex_lock(&store->lock);
    while (*link && *link != subscriber)
        link = &(*link)->next;
    if (*link) {
        *link = subscriber->next;
        size = channel_name(store, subscriber, name);
        channel = channel_find(store, !subscriber->channel.size, name, size);
        channel->users--;
    }
    pthread_mutex_unlock(&store->lock);
    if (channel)
        hf_redis_home_wake(store, true);
}

void hf_redis_channels_free(struct redis_store *store)
{
    struct redis_channel *channel;

    while ((channel = store->channels)) {
        store->channels = channel->next;
        redis_release(store, channel, sizeof *channel + channel->size);
    }
}

/* ---- messages ---- */

static bool channel_is_of(const struct redis_store *store, const haft_store_subscriber *subscriber,
                          bool is_pattern, const redisReply *name)
{
    char own[CHANNEL_NAME];

    return !subscriber->channel.size == is_pattern &&
           channel_name(store, subscriber, NULL) == name->len &&
           !memcmp(name->str, own, channel_name(store, subscriber, own));
}

/* The server has confirmed a subscription: earlier messages are lost. */
static void channel_confirm(struct redis_store *store, bool is_pattern, const redisReply *name)
{
    pthread_mutex_lock(&store->lock);
    for (haft_store_subscriber *at = store->subscribers; at; at = at->next)
        if (at->gap && channel_is_of(store, at, is_pattern, name))
            at->gap(at);
    pthread_mutex_unlock(&store->lock);
}

static void channel_hear(struct redis_store *store, bool is_pattern, const redisReply *name,
                         const redisReply *full, const redisReply *value)
{
    pthread_mutex_lock(&store->lock);
    for (haft_store_subscriber *at = store->subscribers; at; at = at->next) {
        haft_slice channel = at->channel;

        if (!channel_is_of(store, at, is_pattern, name))
            continue;
        if (is_pattern) {
            size_t skip = hf_redis_name_channel(store, at->space, channel, false, NULL);

            if (full->len < skip)
                continue;
            channel = (haft_slice){full->str + skip, full->len - skip};
        }
        at->message(at, channel, (haft_slice){value->str, value->len});
    }
    pthread_mutex_unlock(&store->lock);
}

static bool channel_reply_is(const redisReply *reply, const char *kind, size_t n)
{
    if (reply->type != REDIS_REPLY_ARRAY || reply->elements != n)
        return false;
    for (size_t i = 0; i < n; i++)
        if (reply->element[i]->type != REDIS_REPLY_STRING && i != n - 1)
            return false;
    return reply->element[0]->len == strlen(kind) &&
           !memcmp(reply->element[0]->str, kind, reply->element[0]->len);
}

void hf_redis_channels_hear(struct redis_link *link, const redisReply *reply)
{
    struct redis_store *store = link->lane->store;
    redisReply **element = reply->element;

    if (channel_reply_is(reply, "subscribe", 3))
        channel_confirm(store, false, element[1]);
    else if (channel_reply_is(reply, "psubscribe", 3))
        channel_confirm(store, true, element[1]);
    else if (channel_reply_is(reply, "message", 3) && element[2]->type == REDIS_REPLY_STRING)
        channel_hear(store, false, element[1], element[1], element[2]);
    else if (channel_reply_is(reply, "pmessage", 4) && element[3]->type == REDIS_REPLY_STRING)
        channel_hear(store, true, element[1], element[2], element[3]);
    else if (reply->type == REDIS_REPLY_ERROR)
        hf_redis_link_refused(link, "the server refused a subscription", reply);
}

/* ---- subscriptions ---- */

static void channel_send(struct redis_link *link, struct redis_channel *channel, bool subscribe)
{
    const char *verb = channel->is_pattern ? (subscribe ? "PSUBSCRIBE" : "PUNSUBSCRIBE")
                                           : (subscribe ? "SUBSCRIBE" : "UNSUBSCRIBE");
    const char *words[] = {verb, channel->name};
    size_t sizes[] = {strlen(verb), channel->size};

    if (!hf_redis_socket_send_words(link->socket, 2, words, sizes, false))
        channel->subscribed = subscribe;
}

void hf_redis_channels_update(struct redis_link *link, bool is_new)
{
    struct redis_store *store = link->lane->store;
    struct redis_channel **at = &store->channels, *channel;
    bool ready = link->state == LINK_READY;

    pthread_mutex_lock(&store->lock);
    while ((channel = *at)) {
        if (is_new || !ready)
            channel->subscribed = false;
        if (ready && channel->users && !channel->subscribed)
            channel_send(link, channel, true);
        else if (ready && !channel->users && channel->subscribed)
            channel_send(link, channel, false);
        if (channel->users || channel->subscribed) {
            at = &channel->next;
            continue;
        }
        *at = channel->next;
        redis_release(store, channel, sizeof *channel + channel->size);
    }
    pthread_mutex_unlock(&store->lock);
}
