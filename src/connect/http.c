/* http.c - the link to a URL: the functions of its transport, the order of its messages, its end. */
#include "connect/http.h"

#include <string.h>

#include "base/list.h"
#include "base/sha256.h"

enum {
    LINK_LISTEN_MS = 1000,      /* that requests wait for the listening stream */
    LINK_MORE_CONNECTIONS = 16, /* besides those of requests */
    LINK_MOST_CONNECTIONS = 1 << 20
};

static void http_on_timer(uv_timer_t *timer);

/* ---- order ---- */

static struct http_exchange *http_find_kind(const struct http_link *http,
                                            enum http_exchange_kind kind)
{
    struct http_exchange *at = http->first;

    while (at && at->kind != kind)
        at = at->next;
    return at;
}

/* A server that is not yet told that the handshake is over may refuse requests; and what it asks
 * before the listening stream is open would be lost. */
bool hf_http_link_blocks(const struct http_link *http, const struct http_exchange *exchange)
{
    const struct http_exchange *at = http->n_initialized ? http->first : NULL;

    if (exchange->kind != EXCHANGE_REQUEST && exchange->kind != EXCHANGE_MESSAGE)
        return false;
    if (http->events && !http->endpoint)
        return true;
    for (; at && at != exchange; at = at->next)
        if (at->is_initialized && !at->answer.status)
            return true;
    if (exchange->kind != EXCHANGE_REQUEST || http->listen_wait <= uv_now(http->link.loop))
        return false;
    at = http_find_kind(http, EXCHANGE_LISTEN);
    return at && !at->answer.status;
}

void hf_http_link_schedule(struct http_link *http)
{
    uint64_t now = uv_now(http->link.loop), first = http->end_at;

    if (http->ended)
        return;
    for (const struct http_exchange *at = http->first; at; at = at->next)
        if (at->due && (!first || at->due < first))
            first = at->due;
    if (http->listen_wait > now && (!first || http->listen_wait < first))
        first = http->listen_wait;
    if (!first)
        uv_timer_stop(&http->timer);
    else
        uv_timer_start(&http->timer, http_on_timer, first > now ? first - now : 0, 0);
}

static void http_finish(struct http_link *http);

/* Drops those that nobody needs at the end, or all. */
static void http_drop(struct http_link *http, bool all)
{
    struct http_exchange *at = http->first, *next;

    for (; at; at = next) {
        next = at->next;
        if (all || (at->kind != EXCHANGE_MESSAGE && at->kind != EXCHANGE_DELETE) ||
            at->state != EXCHANGE_RUNNING)
            hf_http_exchange_drop(at);
    }
}

/* After the last messages the session ends, and then everything. */
static void http_go_on_ending(struct http_link *http)
{
    struct http_exchange *last;

    if (http->first || http->ended)
        return;
    last = *http->session && uv_now(http->link.loop) < http->end_at
               ? hf_http_exchange_new(http, EXCHANGE_DELETE)
               : NULL;
    if (!last) {
        http_finish(http);
        return;
    }
    hf_http_exchange_begin(last);
    http->session[0] = '\0';
    hf_http_link_schedule(http);
}

void hf_http_link_go_on(struct http_link *http)
{
    if (http->ending) {
        http_go_on_ending(http);
        return;
    }
    if (!http->waits)
        return;
    http->waits = false;
    for (struct http_exchange *at = http->first, *next; at; at = next) {
        next = at->next;
        if (at->state != EXCHANGE_WAITING)
            continue;
        if (at->busy || at->dropped)
            http->waits = true;
        else
            hf_http_exchange_begin(at);
    }
}

/* ---- the timer ---- */

static void http_exchange_due(struct http_exchange *exchange)
{
    struct http_link *http = exchange->http;

    exchange->due = 0;
    switch (exchange->state) {
    case EXCHANGE_PAUSED:
        hf_http_exchange_again(exchange);
        break;
    case EXCHANGE_ACCESS:
        if (exchange->tag && !exchange->held) {
            exchange->held = exchange->busy = true;
            hf_connect_link_held(&http->link, exchange->tag, true);
            exchange->busy = false;
            if (exchange->dropped)
                hf_http_exchange_drop(exchange);
        }
        break;
    case EXCHANGE_FAILED:
        hf_http_answer_on_end(exchange, &(struct http_end){.error = HTTP_FAILED});
        break;
    default: /* the stream does not end after its answer */
        hf_http_exchange_drop(exchange);
    }
}

static struct http_exchange *http_find_due(const struct http_link *http, uint64_t now)
{
    struct http_exchange *at = http->first;

    while (at && !(at->due && at->due <= now && !at->busy))
        at = at->next;
    return at;
}

static void http_on_timer(uv_timer_t *timer)
{
    struct http_link *http = timer->data;
    uint64_t now = uv_now(http->link.loop);
    struct http_exchange *due;

    while (!http->ended && (due = http_find_due(http, now)))
        http_exchange_due(due);
    if (http->end_at && now >= http->end_at)
        http_drop(http, true);
    hf_http_link_go_on(http);
    hf_http_link_schedule(http);
}

/* ---- the functions of the transport ---- */

static bool http_is(const haft_outgoing *message, const char *method)
{
    return message->method && !strcmp(message->method, method);
}

/* The method, and the subject if a header has it. */
static const char *http_operation(haft_arena *arena, const haft_outgoing *message)
{
    const char *name = haft_header_find(message->headers, message->n_headers, "Mcp-Name");

    return haft_arena_printf(arena, "%s%s%s", message->method ? message->method : "",
                             name ? " " : "", name ? name : "");
}

static int http_fill(struct http_exchange *exchange, const haft_outgoing *message)
{
    haft_arena *arena = exchange->arena;
    size_t n = message->n_headers;

    exchange->tag = message->tag;
    exchange->is_initialize = http_is(message, "initialize");
    exchange->is_initialized = http_is(message, "notifications/initialized");
    exchange->http->n_initialized += exchange->is_initialized;
    exchange->body = haft_arena_copy(arena, message->text, message->size);
    exchange->body_size = message->size;
    exchange->fields = haft_arena_zalloc(arena, n + 1, sizeof *exchange->fields);
    if (exchange->http->authorizer)
        exchange->operation = http_operation(arena, message);
    if (!exchange->body || !exchange->fields ||
        (exchange->http->authorizer && !exchange->operation))
        return HAFT_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        const haft_header *header = &message->headers[i];
        struct http_field field = {haft_arena_copy(arena, header->name, strlen(header->name)),
                                   haft_arena_copy(arena, header->value, strlen(header->value))};

        if (!field.name || !field.value)
            return HAFT_ENOMEM;
        exchange->fields[exchange->n_fields++] = field;
    }
    return 0;
}

/* The stream of an earlier session, which the next one does not continue. */
static void http_forget_listen(struct http_link *http)
{
    struct http_exchange *listen = http_find_kind(http, EXCHANGE_LISTEN);

    if (listen)
        hf_http_exchange_drop(listen);
}

static void http_send(struct connect_link *link, const haft_outgoing *message)
{
    struct http_link *http = (struct http_link *)link;
    struct http_exchange *exchange;

    if (http_is(message, "initialize"))
        http_forget_listen(http);
    exchange = hf_http_exchange_new(http, message->tag ? EXCHANGE_REQUEST : EXCHANGE_MESSAGE);
    if (!exchange || http_fill(exchange, message)) {
        if (exchange)
            hf_http_exchange_free(exchange);
        hf_connect_link_fail_later(link, message->tag, HAFT_ENOMEM, "out of memory");
        return;
    }
    if (http->events && !http_find_kind(http, EXCHANGE_EVENTS)) {
        struct http_exchange *stream = hf_http_exchange_new(http, EXCHANGE_EVENTS);

        if (stream)
            hf_http_exchange_begin(stream);
        else
            hf_connect_link_fail_later(link, message->tag, HAFT_ENOMEM, "out of memory");
    }
    hf_http_exchange_begin(exchange);
}

/* From within a report about it, the request has been answered. */
static void http_let_go(struct connect_link *link, void *tag, bool over)
{
    struct http_link *http = (struct http_link *)link;
    struct http_exchange *at = http->first;

    while (at && (!tag || at->tag != tag))
        at = at->next;
    if (!at || !over)
        return;
    if (at->busy) {
        at->answered = true;
        at->tag = NULL;
    } else {
        hf_http_exchange_drop(at);
    }
}

static void http_negotiated(struct connect_link *link, const char *revision)
{
    struct http_link *http = (struct http_link *)link;
    enum revision known = hf_revision_named(revision, strlen(revision));

    if (known == REVISIONS)
        return;
    http->revision = known;
    http->legacy = !hf_revision_rows[known].modern;
    if (!http->legacy)
        http->session[0] = '\0';
    http->listens = http->listens || link->target.listen;
}

void hf_http_link_listen(struct http_link *http)
{
    struct http_exchange *listen = http_find_kind(http, EXCHANGE_LISTEN);

    if (!http->listens || listen || http->listen_refused || !http->legacy || http->events ||
        http->ending)
        return;
    listen = hf_http_exchange_new(http, EXCHANGE_LISTEN);
    if (!listen)
        return; /* the server may still answer without it */
    http->listen_wait = hf_connect_link_now(&http->link) + LINK_LISTEN_MS;
    hf_http_exchange_begin(listen);
    hf_http_link_schedule(http);
}

static void http_listen(struct connect_link *link, bool listen)
{
    struct http_link *http = (struct http_link *)link;
    struct http_exchange *open = http_find_kind(http, EXCHANGE_LISTEN);

    http->listens = listen || link->target.listen;
    if (http->listens)
        hf_http_link_listen(http);
    else if (open)
        hf_http_exchange_drop(open);
}

static int http_restart(struct connect_link *link)
{
    struct http_link *http = (struct http_link *)link;

    http->session[0] = '\0';
    http->legacy = false;
    http->revision = REV_NEWEST;
    http->listen_refused = false;
    http_drop(http, true);
    hf_http_events_forget(http);
    return 0;
}

/* ---- life ---- */

static void http_on_timer_closed(uv_handle_t *handle)
{
    struct http_link *http = handle->data;

    hf_connect_link_handle_closed(&http->link);
}

static void http_finish(struct http_link *http)
{
    http->ended = true;
    if (http->functions)
        http->functions->destroy(http->client);
    if (http->authorizer)
        http->authorizer->class->detach(http->authorizer);
    uv_close((uv_handle_t *)&http->timer, http_on_timer_closed);
}

/* Messages that are on their way are sent, and the session is ended, within close_ms. */
static void http_end(struct connect_link *link)
{
    struct http_link *http = (struct http_link *)link;

    http->end_at = uv_now(link->loop) + link->limits.close_ms;
    http_drop(http, false);
    http->ending = true;
    hf_http_link_go_on(http);
    hf_http_link_schedule(http);
}

static void http_free_spares(struct http_link *http)
{
    http->ending = true;
    while (http->spare) {
        struct http_exchange *spare = http->spare;

        http->spare = spare->next;
        LIST_APPEND(http->first, http->last, spare, previous, next);
        spare->http = http;
        hf_http_exchange_free(spare);
    }
}

static void http_link_release(struct connect_link *link)
{
    struct http_link *http = (struct http_link *)link;
    const haft_allocator *allocator = link->allocator;

    http_free_spares(http);
    if (http->place.authorization)
        hf_secret_wipe((char *)http->place.authorization, strlen(http->place.authorization));
    hf_http_events_forget(http);
    allocator->release(allocator->context, http, sizeof *http);
}

static const struct connect_class http_class = {.send = http_send,
                                                .let_go = http_let_go,
                                                .negotiated = http_negotiated,
                                                .restart = http_restart,
                                                .listen = http_listen,
                                                .end = http_end,
                                                .release = http_link_release};

/* Opens the HTTP client, and tells the authorizer where it works. */
static int http_open_client(struct http_link *http, haft_reason *reterr_reason)
{
    const haft_target *target = &http->link.target;
    unsigned connections = http->link.limits.max_in_flight < LINK_MOST_CONNECTIONS
                               ? http->link.limits.max_in_flight + LINK_MORE_CONNECTIONS
                               : LINK_MOST_CONNECTIONS;
    const struct http_client_options options = {
        .allocator = http->link.allocator,
        .max_requests = connections * 2,
        .max_connections = connections,
        .max_per_host = connections,
        .ca_file = target->ca_file,
        .certificate = target->certificate,
        .key = target->key,
        .proxy = target->proxy && *target->proxy ? target->proxy : NULL,
        .proxy_from_environment = !target->proxy && !http->place.unix_socket};
    haft_authorizer *authorizer = target->authorizer;
    struct authorizer_loop loop = {.uv = http->link.loop};
    int status;

    /* Its URL would be that of every socket, and so would its tokens. */
    if (authorizer && http->place.unix_socket)
        return hf_error_set(reterr_reason, HAFT_EINVAL, "authorizer",
                            "a server on a Unix socket cannot be used with an authorizer: what "
                            "protects it is the mode of the socket");
    http->functions = hf_http_client_open(http->place.shown, reterr_reason);
    if (!http->functions)
        return HAFT_ENOTFOUND;
    http->client = hf_http_client_new(http->functions, http->link.loop, &options, reterr_reason);
    if (!http->client)
        return HAFT_ENOMEM;
    loop.http = http->functions;
    status = authorizer ? authorizer->class->attach(authorizer, &loop, reterr_reason) : 0;
    if (!status)
        http->authorizer = authorizer;
    return status;
}

struct connect_link *hf_connect_http_open(uv_loop_t *loop, const haft_allocator *allocator,
                                          const haft_target *target,
                                          const struct connect_limits *limits,
                                          haft_reason *reterr_reason)
{
    struct http_link *http = allocator->alloc(allocator->context, sizeof *http);
    int status = HAFT_ENOMEM;

    if (http) {
        memset(http, 0, sizeof *http);
        status = hf_connect_link_init(&http->link, &http_class, allocator, loop, target, limits);
    }
    if (status) {
        if (http)
            allocator->release(allocator->context, http, sizeof *http);
        hf_error_set(reterr_reason, status, "", "%s", haft_strerror(status));
        return NULL;
    }
    http->revision = REV_NEWEST;
    uv_timer_init(http->link.loop, &http->timer);
    http->timer.data = http;
    hf_connect_link_opened(&http->link);
    status =
        hf_http_place_read(&http->place, http->link.target.url, http->link.arena, reterr_reason);
    if (!status)
        status = http_open_client(http, reterr_reason);
    if (!status)
        return &http->link;
    hf_connect_link_close(&http->link);
    return NULL;
}
