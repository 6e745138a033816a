/* http_exchange.c - the life of an exchange, and the HTTP request that it sends. */
#include <limits.h>
#include <string.h>
#include <strings.h>

#include "base/list.h"
#include "base/sha256.h"
#include "connect/http.h"

enum {
    EXCHANGE_MEMORY = 256 << 20, /* of one message with its headers */
    EXCHANGE_KEEP = 16 << 10,    /* what a spare one keeps of it */
    EXCHANGE_SPARES = 32,
    EXCHANGE_MAX_HEADERS = 100,
    EXCHANGE_ANSWER_MS = 30000, /* of a message without an answer */
    EXCHANGE_ANSWER = 1 << 20
};

/* ---- life ---- */

static struct http_exchange *exchange_make(struct http_link *http)
{
    const haft_allocator *allocator = http->link.allocator;
    struct http_exchange *exchange = http->spare;

    if (exchange) {
        http->spare = exchange->next;
        http->n_spare--;
        return exchange;
    }
    exchange = allocator->alloc(allocator->context, sizeof *exchange);
    if (!exchange)
        return NULL;
    memset(exchange, 0, sizeof *exchange);
    exchange->arena = haft_arena_new(allocator, EXCHANGE_MEMORY);
    if (!exchange->arena) {
        allocator->release(allocator->context, exchange, sizeof *exchange);
        return NULL;
    }
    haft_buffer_init(&exchange->answer.body, allocator, http->link.limits.max_message);
    hf_sse_init(&exchange->sse, allocator, http->link.limits.max_message);
    return exchange;
}

struct http_exchange *hf_http_exchange_new(struct http_link *http, enum http_exchange_kind kind)
{
    struct http_exchange *exchange = exchange_make(http);

    if (!exchange)
        return NULL;
    exchange->http = http;
    exchange->kind = kind;
    exchange->state = EXCHANGE_WAITING;
    LIST_APPEND(http->first, http->last, exchange, previous, next);
    return exchange;
}

static void exchange_wipe_access(struct http_exchange *exchange)
{
    for (size_t i = 0; i < exchange->n_access; i++)
        hf_secret_wipe((char *)exchange->access[i].value, strlen(exchange->access[i].value));
    exchange->n_access = 0;
}

static void exchange_destroy(struct http_link *http, struct http_exchange *exchange)
{
    haft_buffer_finish(&exchange->answer.body);
    hf_sse_finish(&exchange->sse);
    haft_arena_free(exchange->arena);
    http->link.allocator->release(http->link.allocator->context, exchange, sizeof *exchange);
}

void hf_http_exchange_free(struct http_exchange *exchange)
{
    struct http_link *http = exchange->http;
    struct http_exchange clean = {
        .arena = exchange->arena, .answer.body = exchange->answer.body, .sse = exchange->sse};

    LIST_REMOVE(http->first, http->last, exchange, previous, next);
    http->n_initialized -= exchange->is_initialized;
    exchange_wipe_access(exchange);
    if (http->n_spare == EXCHANGE_SPARES || http->ending) {
        exchange_destroy(http, exchange);
        return;
    }
    hf_arena_trim(clean.arena, EXCHANGE_KEEP);
    *exchange = clean;
    hf_buffer_trim(&exchange->answer.body, EXCHANGE_KEEP);
    hf_buffer_trim(&exchange->sse.line, EXCHANGE_KEEP);
    hf_buffer_trim(&exchange->sse.data, EXCHANGE_KEEP);
    haft_buffer_clear(&exchange->sse.last_id);
    hf_http_events_reset(exchange);
    exchange->next = http->spare;
    http->spare = exchange;
    http->n_spare++;
}

void hf_http_exchange_drop(struct http_exchange *exchange)
{
    exchange->dropped = true;
    exchange->tag = NULL;
    if (exchange->busy)
        return;
    if (exchange->state == EXCHANGE_ACCESS)
        hf_http_access_cancel(exchange);
    if (exchange->request)
        exchange->http->functions->cancel(exchange->request); /* and it is freed */
    else
        hf_http_exchange_free(exchange);
}

void hf_http_exchange_wait(struct http_exchange *exchange, enum http_exchange_state state,
                           uint64_t milliseconds)
{
    exchange->state = state;
    exchange->due = hf_connect_link_now(&exchange->http->link) + milliseconds;
    if (!exchange->due)
        exchange->due = 1;
    hf_http_link_schedule(exchange->http);
}

/* ---- the HTTP request ---- */

struct exchange_head {
    struct http_field fields[EXCHANGE_MAX_HEADERS];
    size_t n;
    bool full;
};

static void exchange_put(struct exchange_head *head, const char *name, const char *value)
{
    if (head->n == EXCHANGE_MAX_HEADERS)
        head->full = true;
    else
        head->fields[head->n++] = (struct http_field){name, value};
}

static bool exchange_has(const struct exchange_head *head, const char *name)
{
    for (size_t i = 0; i < head->n; i++)
        if (!strcasecmp(head->fields[i].name, name))
            return true;
    return false;
}

static bool exchange_is_post(const struct http_exchange *exchange)
{
    return exchange->body && !exchange->resuming;
}

/* An authorizer's header replaces one of the target. */
static void exchange_put_access(const struct http_exchange *exchange, struct exchange_head *head)
{
    const struct http_link *http = exchange->http;
    const haft_target *target = &http->link.target;

    for (size_t i = 0; i < exchange->n_access; i++)
        exchange_put(head, exchange->access[i].name, exchange->access[i].value);
    if (http->place.authorization && !exchange_has(head, "Authorization"))
        exchange_put(head, "Authorization", http->place.authorization);
    for (size_t i = 0; i < target->n_headers; i++)
        if (!exchange_has(head, target->headers[i].name) ||
            strcasecmp(target->headers[i].name, "Authorization"))
            exchange_put(head, target->headers[i].name, target->headers[i].value);
}

static void exchange_put_head(struct http_exchange *exchange, struct exchange_head *head)
{
    const struct http_link *http = exchange->http;
    const struct revision_row *revision = &hf_revision_rows[http->revision];

    exchange_put_access(exchange, head);
    if (exchange_is_post(exchange))
        exchange_put(head, "Content-Type", "application/json");
    exchange_put(head, "Accept",
                 exchange_is_post(exchange) || exchange->kind == EXCHANGE_DELETE
                     ? "application/json, text/event-stream"
                     : "text/event-stream");
    if (exchange->resuming)
        exchange_put(head, "Last-Event-ID", exchange->sse.last_id.data);
    for (size_t i = 0; exchange_is_post(exchange) && i < exchange->n_fields; i++)
        exchange_put(head, exchange->fields[i].name, exchange->fields[i].value);
    if (!exchange_is_post(exchange) && http->legacy && revision->header)
        exchange_put(head, "MCP-Protocol-Version", revision->name);
    exchange->session = *http->session && !exchange->is_initialize ? http->n_sessions : 0;
    if (exchange->session)
        exchange_put(head, "Mcp-Session-Id", http->session);
}

/* The client has a timer for its requests; others have limits here. */
static void exchange_set_times(const struct http_exchange *exchange,
                               struct http_request_options *options)
{
    const struct connect_limits *limits = &exchange->http->link.limits;

    options->connect_ms = options->tls_ms = limits->connect_ms;
    options->answer_ms = options->idle_ms = options->total_ms = UINT_MAX;
    options->max_answer = options->max_body = SIZE_MAX; /* the buffers have limits */
    if (exchange->kind == EXCHANGE_MESSAGE) {
        options->answer_ms = options->total_ms = EXCHANGE_ANSWER_MS;
        options->max_answer = EXCHANGE_ANSWER;
    } else if (exchange->kind == EXCHANGE_DELETE) {
        options->total_ms = limits->close_ms;
        options->max_answer = EXCHANGE_ANSWER;
    } else if (exchange->kind == EXCHANGE_LISTEN || exchange->kind == EXCHANGE_EVENTS) {
        options->answer_ms = EXCHANGE_ANSWER_MS;
    }
}

static void exchange_fail_later(struct http_exchange *exchange, int status, const char *why)
{
    exchange->answer.failure = status;
    exchange->answer.why = *why ? haft_arena_copy(exchange->arena, why, strlen(why)) : NULL;
    hf_http_exchange_wait(exchange, EXCHANGE_FAILED, 0);
}

/* A NUL behind the id of the latest event. */
static bool exchange_end_id(struct http_exchange *exchange)
{
    haft_buffer *id = &exchange->sse.last_id;

    if (!exchange->resuming)
        return true;
    if (!hf_buffer_reserve(id, 1))
        return false;
    id->data[id->size] = '\0';
    return true;
}

const char *hf_http_exchange_url(const struct http_exchange *exchange)
{
    const struct http_link *http = exchange->http;

    return http->events && exchange_is_post(exchange) ? http->endpoint
           : exchange->url                            ? exchange->url
                                                      : http->place.url;
}

const char *hf_http_exchange_method(const struct http_exchange *exchange)
{
    return exchange_is_post(exchange)          ? "POST"
           : exchange->kind == EXCHANGE_DELETE ? "DELETE"
                                               : "GET";
}

static void exchange_start_request(struct http_exchange *exchange)
{
    struct http_link *http = exchange->http;
    struct exchange_head head;
    struct http_request_options options = {.method = hf_http_exchange_method(exchange),
                                           .url = hf_http_exchange_url(exchange),
                                           .unix_socket = http->place.unix_socket,
                                           .on_head = hf_http_answer_on_head,
                                           .on_body = hf_http_answer_on_body,
                                           .on_end = hf_http_answer_on_end,
                                           .context = exchange};
    haft_reason reason = {0};

    head.n = 0;
    head.full = false;
    exchange->answer.status = 0;
    exchange->answer.failure = 0;
    exchange->answer.why = NULL;
    exchange->answer.is_stream = exchange->answer.is_json = false;
    exchange->answer.location = NULL;
    haft_buffer_clear(&exchange->answer.body);
    hf_http_events_reset(exchange);
    if (!exchange_end_id(exchange)) {
        exchange_fail_later(exchange, HAFT_ENOMEM, "");
        return;
    }
    exchange_put_head(exchange, &head);
    exchange_set_times(exchange, &options);
    options.headers = head.fields;
    options.n_headers = head.n;
    if (exchange_is_post(exchange)) {
        options.body = exchange->body;
        options.body_size = exchange->body_size;
    }
    exchange->state = EXCHANGE_RUNNING;
    exchange->due = 0;
    exchange->request = head.full ? NULL : http->functions->start(http->client, &options, &reason);
    if (!exchange->request)
        exchange_fail_later(exchange, head.full ? HAFT_ETOOBIG : reason.code, reason.text);
}

/* ---- beginning ---- */

void hf_http_exchange_begin(struct http_exchange *exchange)
{
    int status;

    exchange->state = EXCHANGE_WAITING;
    exchange->due = 0;
    if (hf_http_link_blocks(exchange->http, exchange)) {
        exchange->http->waits = true;
        return;
    }
    exchange_wipe_access(exchange);
    status = hf_http_access_headers(exchange);
    if (!status)
        exchange_start_request(exchange);
    else if (status != HAFT_PENDING)
        exchange_fail_later(exchange, status, "");
}

void hf_http_exchange_again(struct http_exchange *exchange)
{
    exchange->resuming = exchange->resuming && exchange->sse.last_id.size;
    hf_http_exchange_begin(exchange);
}
