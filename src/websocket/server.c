/* server.c - a WebSocket on a connection that the HTTP server has handed over.
 *
 * How it ended is kept until nothing of it is on the stack; then on_end reports it. */
#include "websocket/server.h"

#include <string.h>

#include "base/base.h"
#include "http/upgrade.h"
#include "websocket/handshake.h"
#include "websocket/link.h"

struct websocket_served {
    struct websocket_server_options options;
    const haft_allocator *allocator;
    struct websocket_link link;
    http_upgraded *upgraded; /* NULL: gone */
    unsigned entered;
    bool freed;
};

/* ---- bytes ---- */

static void served_pump(websocket_served *served, size_t ahead)
{
    size_t size;

    while (served->upgraded && hf_http_upgraded_unsent(served->upgraded) < ahead) {
        const char *bytes = hf_websocket_output(served->link.ws, &size);

        if (!size)
            return;
        size = size < LINK_PIECE ? size : LINK_PIECE;
        hf_http_upgraded_write(served->upgraded, bytes, size);
        hf_websocket_sent(served->link.ws, size);
    }
}

/* ---- life ---- */

static void served_release(websocket_served *served)
{
    if (served->upgraded)
        hf_http_upgraded_close(served->upgraded);
    hf_websocket_free(served->link.ws);
    served->allocator->release(served->allocator->context, served, sizeof *served);
}

/* After each event: sends what there is, and ends what has ended. */
static void served_leave(websocket_served *served)
{
    if (served->entered > 1 || (!served->freed && !served->link.ended)) {
        served->entered--;
        if (!served->freed)
            served_pump(served, LINK_AHEAD);
        return;
    }
    if (!served->freed) {
        served_pump(served, SIZE_MAX);
        if (served->options.on_end)
            served->options.on_end(served->options.context, &served->link.end);
    }
    served_release(served);
}

static void served_on_message(void *context, bool is_text, const char *bytes, size_t size)
{
    websocket_served *served = context;

    if (served->options.on_message && !served->freed)
        served->options.on_message(served->options.context, is_text, bytes, size);
}

static void served_on_end(void *context, const struct websocket_end *end)
{
    hf_websocket_link_keep_end(&((websocket_served *)context)->link, end);
}

/* ---- what the HTTP server reports ---- */

static void served_on_bytes(void *context, const char *bytes, size_t size)
{
    websocket_served *served = context;
    haft_time now = hf_http_upgraded_now(served->upgraded);

    served->entered++;
    hf_websocket_link_hear(&served->link, now);
    hf_websocket_receive(served->link.ws, bytes, size, now);
    served_leave(served);
}

static void served_on_writable(void *context)
{
    websocket_served *served = context;

    served->entered++;
    served_leave(served);
}

static void served_on_tick(void *context, haft_time now)
{
    websocket_served *served = context;

    served->entered++;
    hf_websocket_link_tick(&served->link, now);
    served_leave(served);
}

static void served_on_shutdown(void *context)
{
    websocket_served *served = context;

    served->entered++;
    hf_websocket_served_close(served, WEBSOCKET_GOING_AWAY, "the server is shutting down");
    served_leave(served);
}

static void served_on_gone(void *context)
{
    websocket_served *served = context;

    served->entered++;
    served->upgraded = NULL;
    hf_websocket_lost(served->link.ws, "the connection was closed without a close frame");
    served_leave(served);
}

static const struct http_upgrade_events served_events = {
    .on_bytes = served_on_bytes,
    .on_writable = served_on_writable,
    .on_tick = served_on_tick,
    .on_shutdown = served_on_shutdown,
    .on_end = served_on_gone,
};

/* ---- the beginning ---- */

static void served_refuse(const haft_responder *responder, void *context, int status,
                          const char *why)
{
    static const haft_header headers[] = {{"Content-Type", "text/plain; charset=utf-8"},
                                          {"Upgrade", "websocket"},
                                          {"Sec-WebSocket-Version", "13"},
                                          {"Allow", "GET"}};
    /* The last is for 405, and those about versions are for 426. */
    size_t n = status == 426 ? 3 : 1;
    const haft_header wrong_method[] = {headers[0], headers[3]};

    responder->respond(context, &(haft_response){.status = status,
                                                 .headers = status == 405 ? wrong_method : headers,
                                                 .n_headers = status == 405 ? 2 : n,
                                                 .body = why,
                                                 .size = strlen(why)});
}

static websocket_served *served_new(const struct websocket_server_options *options, haft_time now)
{
    const haft_allocator *allocator = hf_allocator_or_default(options->allocator);
    websocket_served *served = allocator->alloc(allocator->context, sizeof *served);

    if (!served)
        return NULL;
    memset(served, 0, sizeof *served);
    served->allocator = allocator;
    served->options = *options;
    hf_websocket_link_init(&served->link, options->ping_ms, options->pong_ms, now);
    served->link.ws = hf_websocket_new(&(struct websocket_options){
        .role = WEBSOCKET_SERVER,
        .allocator = allocator,
        .max_message = options->max_message,
        .max_queued = options->max_queued,
        .close_ms = options->close_ms,
        .on_message = served_on_message,
        .on_end = served_on_end,
        .context = served,
    });
    if (served->link.ws)
        return served;
    allocator->release(allocator->context, served, sizeof *served);
    return NULL;
}

websocket_served *hf_websocket_serve(const haft_request *request, const haft_responder *responder,
                                     void *responder_context,
                                     const struct websocket_server_options *options, haft_time now)
{
    char accept[WEBSOCKET_ACCEPT + 1];
    const haft_header headers[] = {{"Upgrade", "websocket"}, {"Sec-WebSocket-Accept", accept}};
    websocket_served *served;
    const char *why;
    int status = hf_websocket_accept(request, accept, &why);

    if (status) {
        served_refuse(responder, responder_context, status, why);
        return NULL;
    }
    served = served_new(options, now);
    status = served ? hf_http_upgrade(responder, responder_context, headers, 2, &served_events,
                                      served, &served->upgraded)
                    : HAFT_ENOMEM;
    if (!status)
        return served;
    if (served)
        served_release(served);
    if (status == HAFT_EINVAL)
        served_refuse(responder, responder_context, 400, "this request cannot be upgraded");
    else
        served_refuse(responder, responder_context, 503,
                      status == HAFT_ECLOSED ? "the server is shutting down" : "out of memory");
    return NULL;
}

/* ---- what its owner asks for ---- */

int hf_websocket_served_send(websocket_served *served, bool is_text, const char *bytes, size_t size)
{
    int status = hf_websocket_send(served->link.ws, is_text, bytes, size);

    if (!status && !served->entered)
        served_pump(served, LINK_AHEAD);
    return status;
}

int hf_websocket_served_close(websocket_served *served, int code, const char *reason)
{
    haft_time now = served->upgraded ? hf_http_upgraded_now(served->upgraded) : 0;
    int status = hf_websocket_close(served->link.ws, code, reason, now);

    if (!status && !served->entered)
        served_pump(served, LINK_AHEAD);
    return status;
}

void hf_websocket_served_free(websocket_served *served)
{
    if (!served)
        return;
    served->freed = true;
    if (!served->entered)
        served_release(served);
}
