/* http_events.c - streams of events: delivered, resumed, and the one of HTTP+SSE.
 *
 * A server of 2025-03-26 or later may close a stream while it works. A client that has seen the id of
 * an event can ask for what came after it, no sooner than the server says. One GET follows one end of
 * a stream: never two. */
#include <stdio.h>
#include <string.h>

#include "connect/http.h"

enum {
    EVENTS_PAUSE = 1000, /* milliseconds before a stream is resumed, if the server does not say */
    EVENTS_SHORTEST = 100,
    EVENTS_LONGEST = 30000, /* for a stream that fails again and again */
    EVENTS_TRIES = 6        /* without an event */
};

/* ---- events ---- */

static void events_take_endpoint(struct http_exchange *exchange, const char *data, size_t size)
{
    struct http_link *http = exchange->http;
    const haft_allocator *allocator = http->link.allocator;
    haft_buffer url;

    if (http->endpoint)
        return;
    haft_buffer_init(&url, allocator, SIZE_MAX);
    if (hf_http_place_resolve(http->place.url, data, size, &url))
        haft_buffer_add(&url, "", 1);
    else if (!url.status)
        url.status = HAFT_EPROTOCOL;
    if (!url.status)
        http->endpoint = allocator->alloc(allocator->context, url.size);
    if (http->endpoint) {
        http->endpoint_size = url.size;
        memcpy(http->endpoint, url.data, url.size);
    } else {
        exchange->answer.failure = url.status ? url.status : HAFT_ENOMEM;
    }
    haft_buffer_finish(&url);
}

static void events_on_event(void *context, const char *data, size_t size)
{
    struct http_exchange *exchange = context;
    struct sse *sse = &exchange->sse;

    if (exchange->dropped || exchange->answer.failure)
        return;
    exchange->tries = 0;
    if (sse->name.size == strlen("endpoint") && exchange->kind == EXCHANGE_EVENTS &&
        !memcmp(sse->name.data, "endpoint", sse->name.size))
        events_take_endpoint(exchange, data, size);
    else
        hf_connect_link_message(&exchange->http->link, data, size, exchange->tag);
}

int hf_http_events_feed(struct http_exchange *exchange, const char *bytes, size_t size)
{
    struct http_link *http = exchange->http;
    bool knew = http->endpoint;
    int status;

    exchange->sse.also = exchange->kind == EXCHANGE_EVENTS ? "endpoint" : NULL;
    status = hf_sse_feed(&exchange->sse, bytes, size, events_on_event, exchange);
    if (exchange->answer.failure)
        status = exchange->answer.failure;
    if (!knew && http->endpoint && !exchange->dropped)
        hf_http_link_go_on(http);
    return status;
}

void hf_http_events_reset(struct http_exchange *exchange)
{
    struct sse *sse = &exchange->sse, fresh = {.line = sse->line,
                                               .data = sse->data,
                                               .name = sse->name,
                                               .id = sse->id,
                                               .last_id = sse->last_id,
                                               .retry = sse->retry,
                                               .has_retry = sse->has_retry};

    *sse = fresh;
    haft_buffer_clear(&sse->line);
    haft_buffer_clear(&sse->data);
    haft_buffer_clear(&sse->name);
    haft_buffer_clear(&sse->id);
    if (!sse->last_id.size)
        sse->has_retry = false;
}

/* ---- resuming ---- */

/* Whether the stream has named an event, with an id that a header can hold. */
static bool events_has_id(const struct sse *sse)
{
    if (!sse->last_id.size || sse->last_id.status)
        return false;
    for (size_t i = 0; i < sse->last_id.size; i++)
        if ((unsigned char)sse->last_id.data[i] < 0x20 || sse->last_id.data[i] == 0x7F)
            return false;
    return true;
}

bool hf_http_events_resume(struct http_exchange *exchange)
{
    struct http_link *http = exchange->http;
    const struct http_answer *answer = &exchange->answer;
    const struct sse *sse = &exchange->sse;
    bool refused = answer->status >= 300 && answer->status < 500;
    bool listens = exchange->kind == EXCHANGE_LISTEN;
    bool known = events_has_id(sse);
    uint64_t pause = sse->has_retry ? sse->retry : EVENTS_PAUSE;

    /* A server may end an idle stream as often as it likes, if it can be opened again. */
    if (listens && answer->is_stream && exchange->tries == EVENTS_TRIES)
        exchange->tries--;
    if (answer->failure || refused || http->link.target.no_resume || http->events ||
        hf_revision_rows[http->revision].modern || exchange->tries >= EVENTS_TRIES)
        return false;
    if (!(listens ? answer->is_stream || exchange->tries
                  : known && (answer->is_stream || exchange->resuming)))
        return false;
    if (exchange->tries && pause < EVENTS_LONGEST)
        pause =
            pause << exchange->tries < EVENTS_LONGEST ? pause << exchange->tries : EVENTS_LONGEST;
    exchange->tries++;
    exchange->resuming = known;
    hf_http_exchange_wait(exchange, EXCHANGE_PAUSED,
                          pause > EVENTS_SHORTEST ? pause : EVENTS_SHORTEST);
    return true;
}

/* ---- HTTP+SSE ---- */

bool hf_http_events_fall_back(struct http_exchange *exchange)
{
    struct http_link *http = exchange->http;
    struct http_exchange *stream = hf_http_exchange_new(http, EXCHANGE_EVENTS);

    if (!stream)
        return false;
    http->events = true;
    hf_http_exchange_begin(stream);
    hf_http_exchange_begin(exchange); /* which waits for it */
    return true;
}

void hf_http_events_forget(struct http_link *http)
{
    const haft_allocator *allocator = http->link.allocator;

    if (http->endpoint)
        allocator->release(allocator->context, http->endpoint, http->endpoint_size);
    http->endpoint = NULL;
}

/* Without the stream there are no answers. */
static void events_fail_all(struct http_link *http, const haft_failure *failure)
{
    struct http_exchange *at = http->first, *next;

    for (; at; at = next) {
        next = at->next;
        if (at->kind == EXCHANGE_REQUEST)
            hf_http_exchange_drop(at);
    }
    hf_connect_link_failed(&http->link, NULL, failure);
}

void hf_http_events_ended(struct http_exchange *exchange, const struct http_end *end)
{
    struct http_link *http = exchange->http;
    bool opened = http->endpoint;
    haft_failure failure = {.status = HAFT_ECLOSED,
                            .http_status = exchange->answer.status,
                            .session_gone = opened,
                            .maybe_handled = opened};
    char text[HTTP_TEXT];

    if (exchange->answer.failure == HAFT_EPROTOCOL)
        snprintf(text, sizeof text,
                 "the server named a URL for messages that is invalid or has another origin");
    else if (exchange->answer.failure)
        snprintf(text, sizeof text, "%s", haft_strerror(exchange->answer.failure));
    else if (end->error != HTTP_OK)
        snprintf(text, sizeof text, "%.150s: %.150s", http->place.shown, end->text);
    else if (!exchange->answer.is_stream)
        snprintf(text, sizeof text, "the server offers neither Streamable HTTP nor HTTP+SSE (%d)",
                 exchange->answer.status);
    else
        snprintf(text, sizeof text, "the server ended the stream of events");
    if (exchange->answer.failure)
        failure.status = exchange->answer.failure;
    hf_http_events_forget(http);
    failure.text = text;
    hf_http_exchange_free(exchange);
    events_fail_all(http, &failure);
}
