/* client.c - a WebSocket on a stream of the HTTP client.
 *
 * Three stages: the stream connects, the handshake is exchanged, messages flow.  An end of any kind is
 * kept until nothing of the connection is on the stack; then on_end reports it.  The timer's handle is
 * the last to go, and frees it. */
#include "websocket/client.h"

#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "base/url.h"
#include "websocket/handshake.h"
#include "websocket/link.h"

enum {
    CLIENT_URL = 8 << 10,
    CLIENT_HEAD = 64 << 10,
    CLIENT_QUEUED = 16 << 20,
    CLIENT_HANDSHAKE_MS = 10000,
    CLIENT_CLOSE_MS = 5000,
    CLIENT_TEXT = 512
};

struct websocket_client {
    struct websocket_client_options options;
    const haft_allocator *allocator;
    http_stream *stream; /* NULL: it has ended */
    haft_buffer head;    /* of the request, until it is sent */
    struct websocket_handshake handshake;
    struct websocket_link link; /* its ws is NULL before the handshake is over */
    uv_timer_t timer;
    haft_time shake_by; /* the handshake, or the last bytes of a connection that has ended */
    enum http_error error;
    char why[CLIENT_TEXT]; /* there was no connection; "" if there was */
    unsigned entered;
    bool closing; /* before it was open */
    bool over;    /* its owner has been told of the end, or has freed it */
    bool freed;   /* by its owner */
};

static haft_time client_now(const websocket_client *client)
{
    return (haft_time)uv_now(client->options.loop);
}

static int client_random(void *context, void *ret_bytes, size_t size)
{
    (void)context;
    return uv_random(NULL, NULL, ret_bytes, size, 0, NULL);
}

/* ---- the end ---- */

static void client_dispose(websocket_client *client)
{
    hf_websocket_free(client->link.ws);
    haft_buffer_finish(&client->head);
    client->allocator->release(client->allocator->context, client, sizeof *client);
}

static void client_on_timer_closed(uv_handle_t *timer)
{
    client_dispose(timer->data);
}

static bool client_has_ended(const websocket_client *client)
{
    return client->freed || client->link.ended || client->why[0];
}

static void client_fail(websocket_client *client, enum http_error error, const char *text)
{
    if (client_has_ended(client))
        return;
    client->error = error;
    hf_websocket_link_copy(client->why, sizeof client->why, text);
}

static void client_tell_end(websocket_client *client)
{
    struct websocket_client_end end = {.opened = client->link.ws,
                                       .error = client->error,
                                       .excerpt = client->handshake.excerpt,
                                       .ws = client->link.end,
                                       .text = client->why};
    char text[CLIENT_TEXT];

    if (!client->options.on_end)
        return;
    if (!end.opened) {
        end.ws = (struct websocket_end){.code = WEBSOCKET_ABNORMAL, .reason = "", .by_peer = true};
        end.status = client->handshake.status == 101 ? 0 : client->handshake.status;
    } else if (end.ws.code == WEBSOCKET_ABNORMAL) {
        end.text = end.ws.reason;
    } else {
        snprintf(text, sizeof text, "the connection was closed by %s with code %d%s%s",
                 end.ws.by_peer ? "the server" : "the client", end.ws.code,
                 *end.ws.reason ? ": " : "", end.ws.reason);
        end.text = text;
    }
    client->options.on_end(client->options.context, &end);
}

static void client_finish(websocket_client *client)
{
    http_stream *stream = client->stream;

    client->over = true;
    client->stream = NULL;
    if (stream)
        client->options.http->stream_close(stream);
    if (!client->freed)
        client_tell_end(client);
    uv_close((uv_handle_t *)&client->timer, client_on_timer_closed);
}

/* ---- waiting ---- */

static void client_leave(websocket_client *client);

static void client_on_time(uv_timer_t *timer)
{
    websocket_client *client = timer->data;
    haft_time now = client_now(client);

    client->entered++;
    if (client->closing)
        client_fail(client, HTTP_CANCELLED, "the connection was closed before it was open");
    else if (client->link.ws)
        hf_websocket_link_tick(&client->link, now);
    else if (now >= client->shake_by)
        client_fail(client, HTTP_ANSWER_TIMEOUT,
                    "timed out waiting for the answer to the WebSocket handshake");
    client_leave(client);
}

static void client_wait(websocket_client *client)
{
    haft_time now = client_now(client), due = client->shake_by;

    if (client->closing)
        due = now;
    else if (client->link.ws)
        due = hf_websocket_link_tick(&client->link, now);
    if (due == INT64_MAX)
        uv_timer_stop(&client->timer);
    else
        uv_timer_start(&client->timer, client_on_time, due > now ? (uint64_t)(due - now) : 0, 0);
}

/* Has client_leave called by the loop, when something has ended in a call of the owner's. */
static void client_leave_soon(websocket_client *client)
{
    if (client_has_ended(client) && !client->over)
        uv_timer_start(&client->timer, client_on_time, 0, 0);
}

/* ---- bytes ---- */

static void client_pump(websocket_client *client, size_t ahead)
{
    const struct http_client_functions *http = client->options.http;
    size_t size;

    while (client->stream && client->link.ws && http->stream_unsent(client->stream) < ahead) {
        const char *bytes = hf_websocket_output(client->link.ws, &size);

        if (!size)
            return;
        size = size < LINK_PIECE ? size : LINK_PIECE;
        if (http->stream_send(client->stream, bytes, size)) {
            hf_websocket_lost(client->link.ws, "out of memory");
            return;
        }
        hf_websocket_sent(client->link.ws, size);
    }
}

/* Whether a close frame is on its way, and worth waiting for. */
static bool client_drains(websocket_client *client)
{
    return !client->freed && client->stream && client->link.ws && !client->why[0] &&
           client->link.end.code != WEBSOCKET_ABNORMAL && client_now(client) < client->shake_by &&
           client->options.http->stream_unsent(client->stream) > 0;
}

/* After each event: sends what there is, ends what has ended, waits for what comes next. */
static void client_leave(websocket_client *client)
{
    if (--client->entered || client->over)
        return;
    client->entered++;
    client_pump(client, client->link.ended ? SIZE_MAX : LINK_AHEAD);
    if (!client_has_ended(client)) {
        client_wait(client);
        client_pump(client, LINK_AHEAD);
    }
    if (client_has_ended(client) && client_drains(client))
        uv_timer_start(&client->timer, client_on_time,
                       (uint64_t)(client->shake_by - client_now(client)), 0);
    else if (client_has_ended(client))
        client_finish(client);
    client->entered--;
}

/* ---- messages ---- */

static void client_on_message(void *context, bool is_text, const char *bytes, size_t size)
{
    websocket_client *client = context;

    if (client->options.on_message && !client->freed)
        client->options.on_message(client->options.context, is_text, bytes, size);
}

static void client_on_ws_end(void *context, const struct websocket_end *end)
{
    websocket_client *client = context;

    hf_websocket_link_keep_end(&client->link, end);
    client->shake_by = client_now(client) + client->options.close_ms;
}

static void client_receive(websocket_client *client, const char *bytes, size_t size)
{
    hf_websocket_link_hear(&client->link, client_now(client));
    if (size && client->link.ws && !client_has_ended(client))
        hf_websocket_receive(client->link.ws, bytes, size, client_now(client));
}

/* ---- the handshake ---- */

static void client_on_connected(void *context)
{
    websocket_client *client = context;

    client->entered++;
    client->shake_by = client_now(client) + client->options.handshake_ms;
    if (client->options.http->stream_send(client->stream, client->head.data, client->head.size))
        client_fail(client, HTTP_NO_MEMORY, "out of memory");
    haft_buffer_finish(&client->head);
    client_leave(client);
}

static void client_switched(websocket_client *client)
{
    const struct websocket_client_options *o = &client->options;

    client->link.ws = hf_websocket_new(&(struct websocket_options){
        .role = WEBSOCKET_CLIENT,
        .allocator = client->allocator,
        .max_message = o->max_message,
        .max_queued = o->max_queued,
        .close_ms = o->close_ms,
        .random = client_random,
        .on_message = client_on_message,
        .on_end = client_on_ws_end,
        .context = client,
    });
    if (!client->link.ws) {
        client_fail(client, HTTP_NO_MEMORY, "out of memory");
        return;
    }
    hf_websocket_link_init(&client->link, o->ping_ms, o->pong_ms, client_now(client));
    if (o->on_open)
        o->on_open(o->context);
}

static void client_refused(websocket_client *client)
{
    const struct websocket_handshake *handshake = &client->handshake;
    char text[CLIENT_TEXT];

    if (handshake->status && handshake->status != 101)
        snprintf(text, sizeof text, "%s: it answered with status %d", handshake->why,
                 handshake->status);
    else
        snprintf(text, sizeof text, "the WebSocket handshake failed: %s", handshake->why);
    client_fail(client, HTTP_OK, text);
}

static void client_on_bytes(void *context, const char *bytes, size_t size)
{
    websocket_client *client = context;
    size_t used = 0;
    int status = 1;

    client->entered++;
    if (!client->link.ws && !client_has_ended(client) && !client->closing) {
        status = hf_websocket_handshake_receive(&client->handshake, bytes, size, &used);
        if (status == 1)
            client_switched(client);
        else if (status < 0)
            client_refused(client);
    }
    if (status == 1)
        client_receive(client, bytes + used, size - used);
    client_leave(client);
}

static void client_on_writable(void *context)
{
    websocket_client *client = context;

    client->entered++;
    client_leave(client);
}

static void client_on_stream_end(void *context, const struct http_end *end)
{
    websocket_client *client = context;

    if (client->over)
        return;
    client->entered++;
    client->stream = NULL;
    if (client->link.ws) {
        client->error = client->link.ended ? client->error : end->error;
        hf_websocket_lost(client->link.ws,
                          end->error ? end->text : "the server closed without a close frame");
    } else if (end->error) {
        client_fail(client, end->error, end->text);
    } else {
        hf_websocket_handshake_end(&client->handshake);
        client_refused(client);
    }
    client_leave(client);
}

/* ---- the beginning ---- */

/* The parts of a URL, as the stream and the handshake want them. */
struct client_address {
    char url[CLIENT_URL + 8], host[CLIENT_URL], target[CLIENT_URL + 2];
};

static bool client_scheme(const struct url_part *scheme, const char **ret_http)
{
    static const char *const schemes[][2] = {
        {"ws", "http"}, {"wss", "https"}, {"http", "http"}, {"https", "https"}};

    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
        if (scheme->text && hf_text_is_ignoring_case(scheme->text, scheme->size, schemes[i][0])) {
            *ret_http = schemes[i][1];
            return true;
        }
    return false;
}

static int client_read_url(const char *text, struct client_address *ret_address,
                           haft_reason *reterr_reason)
{
    struct url url = hf_url_split(text, strlen(text));
    const char *http, *slash = url.path.size ? "" : "/";

    if (strlen(text) >= CLIENT_URL)
        return hf_error_set(reterr_reason, HAFT_ETOOBIG, "url", "the URL is too long");
    if (!client_scheme(&url.scheme, &http) || !url.authority.size)
        return hf_error_set(reterr_reason, HAFT_EINVAL, "url",
                            "invalid URL: it must begin with ws:// or wss:// and a host");
    if (url.fragment.text || memchr(url.authority.text, '@', url.authority.size))
        return hf_error_set(reterr_reason, HAFT_EINVAL, "url",
                            "a WebSocket URL has neither a fragment nor user and password");
    snprintf(ret_address->host, sizeof ret_address->host, "%.*s", (int)url.authority.size,
             url.authority.text);
    snprintf(ret_address->url, sizeof ret_address->url, "%s://%.*s/", http, (int)url.authority.size,
             url.authority.text);
    snprintf(ret_address->target, sizeof ret_address->target, "%s%.*s%s%.*s", slash,
             (int)url.path.size, url.path.text, url.query.text ? "?" : "", (int)url.query.size,
             url.query.text ? url.query.text : "");
    return 0;
}

static int client_begin(websocket_client *client, const struct client_address *address,
                        haft_reason *reterr_reason)
{
    struct websocket_request request = {.host = address->host,
                                        .target = address->target,
                                        .headers = client->options.headers,
                                        .n_headers = client->options.n_headers};

    if (client_random(NULL, request.nonce, sizeof request.nonce))
        return hf_error_set(reterr_reason, HAFT_EBUSY, "", "no random bytes");
    return hf_websocket_handshake_begin(&client->handshake, &request, &client->head, reterr_reason);
}

static http_stream *client_connect(websocket_client *client, const char *url,
                                   haft_reason *reterr_reason)
{
    const struct websocket_client_options *o = &client->options;

    return o->http->open_stream(
        o->client,
        &(struct http_stream_options){.url = url,
                                      .unix_socket = o->unix_socket,
                                      .max_unsent = CLIENT_HEAD + 2 * LINK_AHEAD + o->max_queued,
                                      .connect_ms = o->connect_ms,
                                      .tls_ms = o->tls_ms,
                                      .on_open = client_on_connected,
                                      .on_bytes = client_on_bytes,
                                      .on_writable = client_on_writable,
                                      .on_end = client_on_stream_end,
                                      .context = client},
        reterr_reason);
}

static websocket_client *client_allocate(const struct websocket_client_options *options)
{
    const haft_allocator *allocator = hf_allocator_or_default(options->allocator);
    websocket_client *client = allocator->alloc(allocator->context, sizeof *client);

    if (!client)
        return NULL;
    memset(client, 0, sizeof *client);
    client->allocator = allocator;
    client->options = *options;
    if (!client->options.handshake_ms)
        client->options.handshake_ms = CLIENT_HANDSHAKE_MS;
    if (!client->options.max_queued)
        client->options.max_queued = CLIENT_QUEUED;
    if (client->options.max_queued > SIZE_MAX / 4)
        client->options.max_queued = SIZE_MAX / 4;
    if (!client->options.close_ms)
        client->options.close_ms = CLIENT_CLOSE_MS;
    client->shake_by = INT64_MAX;
    haft_buffer_init(&client->head, allocator, CLIENT_HEAD);
    return client;
}

websocket_client *hf_websocket_client_open(const struct websocket_client_options *options,
                                           haft_reason *reterr_reason)
{
    struct client_address address;
    websocket_client *client;

    if (client_read_url(options->url ? options->url : "", &address, reterr_reason))
        return NULL;
    client = client_allocate(options);
    if (!client) {
        hf_error_set(reterr_reason, HAFT_ENOMEM, "", "out of memory");
        return NULL;
    }
    if (client_begin(client, &address, reterr_reason)) {
        client_dispose(client);
        return NULL;
    }
    client->stream = client_connect(client, address.url, reterr_reason);
    if (!client->stream) {
        client_dispose(client);
        return NULL;
    }
    uv_timer_init(options->loop, &client->timer);
    client->timer.data = client;
    return client;
}

/* ---- what its owner asks for ---- */

int hf_websocket_client_send(websocket_client *client, bool is_text, const char *bytes, size_t size)
{
    int status;

    if (!client->link.ws)
        return client_has_ended(client) || client->closing ? HAFT_ECLOSED : HAFT_EBUSY;
    status = hf_websocket_send(client->link.ws, is_text, bytes, size);
    if (!status && !client->entered) {
        client_pump(client, LINK_AHEAD);
        client_leave_soon(client);
    }
    return status;
}

int hf_websocket_client_close(websocket_client *client, int code, const char *reason)
{
    int status = 0;

    if (client_has_ended(client) || client->closing)
        return HAFT_ECLOSED;
    client->entered++;
    if (client->link.ws)
        status = hf_websocket_close(client->link.ws, code, reason, client_now(client));
    else
        client->closing = true;
    if (!--client->entered) {
        client_pump(client, LINK_AHEAD);
        client_wait(client);
        client_leave_soon(client);
    }
    return status;
}

void hf_websocket_client_free(websocket_client *client)
{
    if (!client || client->freed)
        return;
    client->freed = true;
    if (!client->entered && !client->over)
        client_finish(client);
}
