/* net_rest.c - requests of the link over the network. */
#include "hass/net/net.h"

#include <stdio.h>

/* A request, from another thread's wish to `done`. */
struct net_exchange {
    struct net_exchange *next;
    uint64_t id;
    char *method, *url, *body, *traceparent;
    unsigned within_ms;
    void (*done)(void *who, const struct link_response *response);
    void *who;
    http_request *request;
    int status;
    char type[128];
    haft_buffer answer;
};

static void net_exchange_free(const struct net_link *link, struct net_exchange *exchange)
{
    hass_drop(link->allocator, exchange->method);
    hass_drop(link->allocator, exchange->url);
    hass_drop(link->allocator, exchange->body);
    hass_drop(link->allocator, exchange->traceparent);
    haft_buffer_finish(&exchange->answer);
    hass_release(link->allocator, exchange, sizeof *exchange);
}

void net_rest_drop(struct net_link *link, struct net_exchange *exchange, const char *text)
{
    exchange->done(exchange->who, &(struct link_response){.text = text});
    net_exchange_free(link, exchange);
}

/* ---- from any thread ---- */

static char *net_rest_url(const struct net_link *link, const char *path)
{
    size_t base = strlen(link->base), size = strlen(path) + 1;
    char *url = hass_alloc(link->allocator, base + size);

    if (url) {
        memcpy(url, link->base, base);
        memcpy(url + base, path, size);
    }
    return url;
}

void *net_rest_request(void *context, const struct link_request *request,
                       void (*done)(void *who, const struct link_response *response), void *who)
{
    struct net_link *link = context;
    const haft_allocator *allocator = link->allocator;
    struct net_exchange *exchange = hass_alloc(allocator, sizeof *exchange);
    int64_t within = request->within_ms;
    const char *why = "out of memory";
    uint64_t id;

    if (!exchange) {
        done(who, &(struct link_response){.text = why});
        return NULL;
    }
    *exchange = (struct net_exchange){.done = done, .who = who};
    haft_buffer_init(&exchange->answer, allocator, NET_MAX_BODY + 1);
    exchange->within_ms = within < 1 ? 1 : within > 3600000 ? 3600000 : (unsigned)within;
    exchange->method = hass_keep(allocator, request->method);
    exchange->url = net_rest_url(link, request->path);
    exchange->body = hass_keep(allocator, request->body);
    exchange->traceparent = hass_keep(allocator, request->traceparent);
    if (!exchange->method || !exchange->url || (request->body && !exchange->body) ||
        (request->traceparent && !exchange->traceparent) || !net_link_start(link, &why)) {
        net_rest_drop(link, exchange, why);
        return NULL;
    }
    uv_mutex_lock(&link->lock);
    id = exchange->id = ++link->next_id;
    uv_mutex_unlock(&link->lock);
    if (!net_link_post(link, NET_REQUEST, id, exchange, 0)) {
        net_rest_drop(link, exchange, "out of memory");
        return NULL;
    }
    return (void *)(uintptr_t)id;
}

void net_rest_cancel(void *context, void *handle)
{
    net_link_post(context, NET_CANCEL, (uint64_t)(uintptr_t)handle, NULL, 0);
}

/* ---- on the loop's thread ---- */

/* The exchange whose request this is; it has not ended. */
struct net_rest_call {
    struct net_link *link;
    struct net_exchange *exchange;
};

static void net_rest_on_head(void *context, const struct http_head *head)
{
    struct net_exchange *exchange = ((struct net_rest_call *)context)->exchange;

    exchange->status = head->status;
    for (size_t i = 0; i < head->n_fields; i++)
        if (hf_text_same_ignoring_case(head->fields[i].name, "content-type"))
            snprintf(exchange->type, sizeof exchange->type, "%s", head->fields[i].value);
}

static void net_rest_on_body(void *context, const char *bytes, size_t size)
{
    haft_buffer_add(&((struct net_rest_call *)context)->exchange->answer, bytes, size);
}

static void net_rest_finish(struct net_exchange *exchange, const struct http_end *end)
{
    haft_buffer *answer = &exchange->answer;
    struct link_response response = {.status = exchange->status, .type = exchange->type};

    haft_buffer_add(answer, "", 1);
    response.body = answer->data;
    response.size = answer->size - 1;
    if (end->error || answer->status)
        response =
            (struct link_response){.text = end->error ? end->text : haft_strerror(answer->status),
                                   .maybe_done = end->maybe_handled};
    exchange->done(exchange->who, &response);
}

static void net_rest_on_end(void *context, const struct http_end *end)
{
    struct net_rest_call *call = context;
    struct net_link *link = call->link;
    struct net_exchange **at = &link->exchanges;

    while (*at != call->exchange)
        at = &(*at)->next;
    *at = call->exchange->next;
    net_rest_finish(call->exchange, end);
    net_exchange_free(link, call->exchange);
    hass_release(link->allocator, call, sizeof *call);
}

void net_rest_do_start(struct net_link *link, struct net_exchange *exchange)
{
    struct net_rest_call *call = hass_alloc(link->allocator, sizeof *call);
    struct http_field headers[3];
    struct http_request_options options = {.method = exchange->method,
                                           .url = exchange->url,
                                           .headers = headers,
                                           .body = exchange->body,
                                           .body_size = exchange->body ? strlen(exchange->body) : 0,
                                           .max_answer = NET_MAX_BODY,
                                           .answer_ms = exchange->within_ms,
                                           .idle_ms = exchange->within_ms,
                                           .total_ms = exchange->within_ms,
                                           .may_repeat = !strcmp(exchange->method, "GET"),
                                           .decode = true,
                                           .on_head = net_rest_on_head,
                                           .on_body = net_rest_on_body,
                                           .on_end = net_rest_on_end,
                                           .context = call};
    haft_reason reason = {.text = "out of memory"};

    if (link->bearer)
        headers[options.n_headers++] = (struct http_field){"Authorization", link->bearer};
    if (exchange->body)
        headers[options.n_headers++] = (struct http_field){"Content-Type", "application/json"};
    if (exchange->traceparent)
        headers[options.n_headers++] = (struct http_field){"traceparent", exchange->traceparent};
    if (call) {
        *call = (struct net_rest_call){link, exchange};
        exchange->request = link->http->start(link->client, &options, &reason);
    }
    if (!exchange->request) {
        hass_release(link->allocator, call, sizeof *call);
        net_rest_drop(link, exchange, reason.text);
        return;
    }
    exchange->next = link->exchanges;
    link->exchanges = exchange;
}

void net_rest_do_cancel(struct net_link *link, uint64_t id)
{
    struct net_exchange *exchange = link->exchanges;

    while (exchange && exchange->id != id)
        exchange = exchange->next;
    if (exchange)
        link->http->cancel(exchange->request);
}
