/* otlp_send.c - sends requests to a collector, on a dedicated thread and loop.
 *
 * The client could run on the server's loop, but a separate thread keeps its access to files (for
 * TLS and name resolution) in a sandbox, takes no time from calls for TLS, and can still send spans
 * when the server's loop has stopped. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "observe/otlp.h"

enum { OTLP_SEND_BODY_LIMIT = 16 << 20, OTLP_SEND_ANSWER_LIMIT = 64 << 10 };

/* ---- the address ---- */

static int url_refuse(haft_reason *reason, const char *url, const char *text)
{
    return hf_error_set(reason, HAFT_EINVAL, url, "%s", text);
}

static bool url_is_plain(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if ((unsigned char)text[i] <= ' ' || (unsigned char)text[i] >= 0x7F || text[i] == '@')
            return false;
    return true;
}

int hf_otlp_read_url(const char *url, struct otlp_address *ret_address, haft_reason *reterr_reason)
{
    static const char http[] = "http://", https[] = "https://", path[] = "/v1/traces";
    struct otlp_address address = {.port = "4318", .tls = !strncmp(url, https, sizeof https - 1)};
    const char *host = url + (address.tls ? sizeof https : sizeof http) - 1, *end, *colon, *rest;
    size_t size;
    long port;

    if (!address.tls && strncmp(url, http, sizeof http - 1) != 0)
        return url_refuse(reterr_reason, url,
                          "expected http://HOST:PORT/PATH or https://HOST:PORT/PATH");
    end = host + strcspn(host, "/?#");
    size = (size_t)(end - host);
    rest = *end ? end : path;
    colon = *host == '[' ? memchr(host, ']', size) : host;
    colon = colon ? memchr(colon, ':', (size_t)(end - colon)) : NULL;
    if (colon) {
        char *after;

        port = strtol(colon + 1, &after, 10);
        if (after != end || colon[1] < '0' || colon[1] > '9' || port < 1 || port > 65535)
            return url_refuse(reterr_reason, url, "invalid port");
        snprintf(address.port, sizeof address.port, "%ld", port);
        size = (size_t)(colon - host);
    }
    if (size > 2 && host[0] == '[' && host[size - 1] == ']') {
        host++;
        size -= 2;
    }
    if (!size || size >= sizeof address.host || strlen(rest) >= sizeof address.path ||
        *rest != '/' || !url_is_plain(host, size) || !url_is_plain(rest, strlen(rest)) ||
        memchr(host, '[', size) || memchr(host, ']', size))
        return url_refuse(reterr_reason, url,
                          "expected http://HOST:PORT/PATH or https://HOST:PORT/PATH");
    memcpy(address.host, host, size);
    snprintf(address.path, sizeof address.path, "%s", strcmp(rest, "/") ? rest : path);
    *ret_address = address;
    return 0;
}

/* ---- sending ---- */

static void sender_go_on(struct otlp_sender *sender);

static void sender_on_end(void *context, const struct http_end *end)
{
    struct otlp_sender *sender = context;
    char status[64];
    const char *why = end->text;

    sender->in_flight = false;
    if (!end->error) {
        snprintf(status, sizeof status, "it answered %d", end->status);
        why = status;
    }
    /* The status decides, regardless of the rest of the response. */
    sender->source.done(sender->source.context,
                        end->status >= 200 && end->status < 300 ? NULL : why);
    sender_go_on(sender);
}

/* Requests may be repeated, because a collector recognizes duplicate spans by their ids. */
static bool sender_start(struct otlp_sender *sender)
{
    static const struct http_field headers[] = {{"Content-Type", "application/json"}};
    struct http_request_options options = {.method = "POST",
                                           .url = sender->url,
                                           .headers = headers,
                                           .n_headers = 1,
                                           .body = sender->body.data,
                                           .body_size = sender->body.size,
                                           .max_answer = OTLP_SEND_ANSWER_LIMIT,
                                           .connect_ms = sender->timeout_ms,
                                           .tls_ms = sender->timeout_ms,
                                           .answer_ms = sender->timeout_ms,
                                           .idle_ms = sender->timeout_ms,
                                           .total_ms = sender->timeout_ms,
                                           .may_repeat = true,
                                           .on_end = sender_on_end,
                                           .context = sender};

    sender->in_flight = sender->http->start(sender->client, &options, NULL);
    return sender->in_flight;
}

static void sender_send(struct otlp_sender *sender)
{
    while (!sender->in_flight) {
        haft_buffer_clear(&sender->body);
        if (!sender->source.take(sender->source.context, &sender->body))
            return;
        if (sender->body.status || !sender_start(sender))
            sender->source.done(sender->source.context, haft_strerror(HAFT_ENOMEM));
    }
}

static void sender_finish(struct otlp_sender *sender)
{
    if (uv_is_closing((uv_handle_t *)&sender->wake))
        return;
    sender->http->destroy(sender->client);
    uv_close((uv_handle_t *)&sender->wake, NULL);
    uv_close((uv_handle_t *)&sender->interval, NULL);
    uv_close((uv_handle_t *)&sender->cut, NULL);
}

static void sender_on_interval(uv_timer_t *timer)
{
    struct otlp_sender *sender = timer->data;

    sender_send(sender);
    sender_go_on(sender);
}

/* After a batch: sends the next one at once if it is full or the last, otherwise later. */
static void sender_go_on(struct otlp_sender *sender)
{
    bool closing = atomic_load(&sender->closing);

    if (sender->in_flight)
        return;
    if (sender->late)
        sender->source.drop(sender->source.context);
    else if (closing || sender->source.is_full(sender->source.context))
        sender_send(sender);
    if (!sender->in_flight && closing)
        sender_finish(sender);
    else if (!sender->in_flight)
        uv_timer_start(&sender->interval, sender_on_interval, sender->interval_ms, 0);
}

static void sender_on_cut(uv_timer_t *timer)
{
    struct otlp_sender *sender = timer->data;

    /* Ends the request, and then everything else. */
    sender->late = true;
    sender->http->destroy(sender->client);
    sender->client = NULL;
}

static void sender_on_wake(uv_async_t *wake)
{
    struct otlp_sender *sender = wake->data;

    if (atomic_load(&sender->closing))
        uv_timer_start(&sender->cut, sender_on_cut, sender->flush_ms, 0);
    sender_go_on(sender);
}

static void sender_run(void *context)
{
    struct otlp_sender *sender = context;

    sender_go_on(sender);
    uv_run(&sender->loop, UV_RUN_DEFAULT);
}

/* ---- lifetime ---- */

void hf_otlp_sender_wake(struct otlp_sender *sender)
{
    uv_async_send(&sender->wake);
}

static void sender_set_url(struct otlp_sender *sender, const struct otlp_address *address)
{
    bool six = strchr(address->host, ':');

    snprintf(sender->url, sizeof sender->url, "http%s://%s%s%s:%s%s", address->tls ? "s" : "",
             six ? "[" : "", address->host, six ? "]" : "", address->port, address->path);
}

int hf_otlp_sender_open(struct otlp_sender *sender, const struct otlp_address *address,
                        const struct http_client_options *options, const struct otlp_source *source,
                        haft_reason *reterr_reason)
{
    int status = HAFT_EBUSY;

    sender->source = *source;
    sender_set_url(sender, address);
    sender->http = hf_http_client_open(sender->url, reterr_reason);
    if (!sender->http)
        return HAFT_ENOTFOUND;
    if (uv_loop_init(&sender->loop))
        return hf_error_set(reterr_reason, status, NULL,
                            "cannot create an event loop for sending spans");
    if (uv_async_init(&sender->loop, &sender->wake, sender_on_wake))
        goto no_wake;
    uv_timer_init(&sender->loop, &sender->interval);
    uv_timer_init(&sender->loop, &sender->cut);
    sender->wake.data = sender->interval.data = sender->cut.data = sender;
    sender->client = hf_http_client_new(sender->http, &sender->loop, options, reterr_reason);
    if (!sender->client) {
        status = HAFT_ENOMEM;
        goto no_client;
    }
    haft_buffer_init(&sender->body, options->allocator, OTLP_SEND_BODY_LIMIT);
    if (!uv_thread_create(&sender->thread, sender_run, sender))
        return 0;
    hf_error_set(reterr_reason, status, NULL, "cannot start a thread: %s", haft_strerror(status));

no_client:
    sender_finish(sender);
    uv_run(&sender->loop, UV_RUN_DEFAULT);
    uv_loop_close(&sender->loop);
    return status;
no_wake:
    uv_loop_close(&sender->loop);
    return hf_error_set(reterr_reason, status, NULL,
                        "cannot create an event loop for sending spans");
}

void hf_otlp_sender_close(struct otlp_sender *sender)
{
    atomic_store(&sender->closing, true);
    uv_async_send(&sender->wake);
    uv_thread_join(&sender->thread);
    uv_loop_close(&sender->loop);
    haft_buffer_finish(&sender->body);
}
